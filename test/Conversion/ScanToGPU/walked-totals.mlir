// Totals of many warps: threads of the warps that are walked first walk them for all, one for each
// column, and leave the states before the warps in place of them, between two barriers.
//
// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
//
// DEFINE: %{entry} = recurrence
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --compare=reference --tolerance=0 %{inputs}
//
// Two warps walk, one for each of the two columns of a thread. Fewer steps than a warp has, parts of a
// tile, whole tiles; blocks with fewer columns than threads are for.
// REDEFINE: %{inputs} = --input=random:i32:1x3:1:-3:3 --input=random:i32:1x3:2:-9:9 --input=random:i32:3:3
// RUN: %{run} --seed=1
// REDEFINE: %{inputs} = --input=random:i32:16x64:1:-3:3 --input=random:i32:16x64:2:-9:9 --input=random:i32:64:3
// RUN: %{run} --seed=2 --schedule=in-order
// REDEFINE: %{inputs} = --input=random:i32:75x70:1:-3:3 --input=random:i32:75x70:2:-9:9 --input=random:i32:70:3
// RUN: %{run} --seed=3
// RUN: %{run} --seed=4 --schedule=adversarial
// REDEFINE: %{entry} = reverse
// RUN: %{run} --seed=5
// RUN: %{run} --seed=6 --schedule=adversarial
//
// Both groups of the first warp walk; both of two warps.
// REDEFINE: %{entry} = groups
// RUN: %{run} --seed=7
// REDEFINE: %{entry} = four
// REDEFINE: %{inputs} = --input=random:i32:75x68:1:-3:3 --input=random:i32:75x68:2:-9:9 --input=random:i32:68:3
// RUN: %{run} --seed=8
// RUN: %{run} --seed=9 --schedule=adversarial
//
// All leaves are carried, so many that the walk is a loop; the operator does not commute.
// REDEFINE: %{entry} = matrices
// REDEFINE: %{inputs} = --input=random:i32:75x9:1 --input=random:i32:75x9:2 --input=random:i32:75x9:3 --input=random:i32:75x9:4
// RUN: %{run} --seed=10
// RUN: %{run} --seed=11 --schedule=adversarial
//
// Leaves of different types do not lie together; states may be absent.
// REDEFINE: %{entry} = packed
// REDEFINE: %{inputs} = --input=random:i32:75x70:1:-3:3 --input=random:i32:75x70:2:-9:9 --input=values:i32:4:0,20,21,75
// RUN: %{run} --seed=12
// RUN: %{run} --seed=13 --schedule=adversarial

// CHECK-LABEL: gpu.func @recurrence_scan0(
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           %[[WALKS:.*]] = arith.cmpi ult, %{{.*}}, %c2
// CHECK-NEXT:      scf.if %[[WALKS]]
// One leaf is kept of each state.
// CHECK-COUNT-8:     vector.store {{.*}}vector<1xi32>
// CHECK-NOT:         vector.store
// CHECK:           gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.yield
func.func @recurrence(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %h: tensor<?xi32>) -> tensor<?x?xi32> {
  %r = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) init(%h : tensor<?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 2, lanes = 32, vector = 2>} -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @reverse(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %h: tensor<?xi32>) -> tensor<?x?xi32> {
  %r = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) init(%h : tensor<?xi32>) dim = 0 reverse exclusive
      attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 1, lanes = 32, vector = 2>} -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: gpu.func @groups_scan0(
// CHECK:         gpu.barrier
// CHECK:         gpu.barrier
func.func @groups(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %h: tensor<?xi32>) -> tensor<?x?xi32> {
  %r = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) init(%h : tensor<?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 2, lanes = 16, vector = 2>} -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: gpu.func @four_scan0(
// CHECK:         gpu.barrier
// CHECK:         %[[WALKS:.*]] = arith.cmpi ult, %{{.*}}, %c4
// CHECK-NEXT:    scf.if %[[WALKS]]
// CHECK:         gpu.barrier
func.func @four(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %h: tensor<?xi32>) -> tensor<?x?xi32> {
  %r = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) init(%h : tensor<?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 128, items = 2, lanes = 16, vector = 4>} -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: gpu.func @matrices_scan0(
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:         gpu.barrier
func.func @matrices(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %c: tensor<?x?xi32>, %d: tensor<?x?xi32>)
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %r:4 = scan.associative ins(%a, %b, %c, %d : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 1024, items = 1, lanes = 32, vector = 1>} {
  ^bb0(%a0: i32, %b0: i32, %c0: i32, %d0: i32, %a1: i32, %b1: i32, %c1: i32, %d1: i32):
    %0 = arith.muli %a1, %a0 : i32
    %1 = arith.muli %b1, %c0 : i32
    %2 = arith.addi %0, %1 : i32
    %3 = arith.muli %a1, %b0 : i32
    %4 = arith.muli %b1, %d0 : i32
    %5 = arith.addi %3, %4 : i32
    %6 = arith.muli %c1, %a0 : i32
    %7 = arith.muli %d1, %c0 : i32
    %8 = arith.addi %6, %7 : i32
    %9 = arith.muli %c1, %b0 : i32
    %10 = arith.muli %d1, %d0 : i32
    %11 = arith.addi %9, %10 : i32
    scan.yield %2, %5, %8, %11 : i32, i32, i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}

// CHECK-LABEL: gpu.func @packed_scan0(
// CHECK:         gpu.barrier
// CHECK:         gpu.barrier
func.func @packed(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %offsets: tensor<?xi32>) -> tensor<?x?xi32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) segments(%offsets : tensor<?xi32>)
      dim = 0 attributes {schedule = #scan.schedule<strategy = column, threads = 256, items = 2, lanes = 32, vector = 2>} -> tensor<?x?xi32>
  return %h : tensor<?x?xi32>
}
