// RUN: scan-opt %s --scan-to-gpu | FileCheck %s

// Lanes that are walked by one thread each, in blocks of 256, whose inputs are loaded four
// steps ahead. What is said of loops on a CPU is nothing that a kernel has.
// CHECK-LABEL: func.func @lanes(
// CHECK:         gpu.launch_func @scan_kernels::@lanes_scan0 blocks in ({{.*}}) threads in (%c256, %c1, %c1)
func.func @lanes(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0
      attributes {scan.loops = #scan.loops<unroll = 2>, scan.schedule = #scan.schedule<strategy = sequential, threads = 256, items = 4>} {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %s = arith.addf %h1, %row {scan.stage = #scan.stage<split = [32]>} : tensor<?xf32>
    %next = math.tanh %s : tensor<?xf32>
    scan.yield %next : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// A row that a block of 96 threads computes; its inputs are loaded three steps ahead.
// CHECK-LABEL: func.func @row(
// CHECK:         gpu.launch_func @scan_kernels::@row_recurrence0 blocks in (%c1, %c1, %c1) threads in (%c96, %c1, %c1)
func.func @row(%x: tensor<?x64xf32>, %i: tensor<1x64xf32>) -> tensor<?x64xf32> {
  %h = scan.recurrence ins(%x : tensor<?x64xf32>) init(%i : tensor<1x64xf32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 96, items = 3>} {
  ^bb0(%t: index, %h1: tensor<64xf32>, %row: tensor<64xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %h1[%c0] : tensor<64xf32>
    %all = tensor.splat %first : tensor<64xf32>
    %s = arith.addf %all, %row {scan.stage = #scan.stage<split = [32]>} : tensor<64xf32>
    scan.yield %s : tensor<64xf32>
  } -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// Threads that split time, by the scan that the recurrence becomes.
// CHECK-LABEL: func.func @time(
// CHECK:         gpu.launch_func @scan_kernels::@time_scan0 {{.*}} threads in (%c64, %c1, %c1)
func.func @time(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 8>} {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %s = arith.addf %h1, %row : tensor<?xf32>
    scan.yield %s : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// CHECK-LABEL: gpu.func @lanes_scan0(
// CHECK-SAME:    scan.schedule = #scan.schedule<strategy = sequential, threads = 256, items = 4>
// CHECK-NOT:     scan.stage
// CHECK-COUNT-4: math.tanh
// CHECK-LABEL: gpu.func @time_scan0(
// CHECK-SAME:    scan.schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 8>
// CHECK-LABEL: gpu.func @row_recurrence0(
// CHECK-SAME:    prefetched_rows = 1 : i64, prefetched_steps = 3 : i64, {{.*}} threads = 96
// CHECK-COUNT-3: scf.if %{{.*}} -> (f32)
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}) -> (f32, f32, f32)
