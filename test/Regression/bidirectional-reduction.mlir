// A choice between one bidirectional kernel and two kernels, of which one adds to a
// reduction output: both branches start from one fill, which stays in front of them.
// With a copy of it in a branch the choice had a result, which no launch can take.

// RUN: scan-opt %s --scan-to-gpu | FileCheck %s
// CHECK-LABEL: func.func @sums(
// CHECK: scf.if %{{.*}} {
// CHECK-NOT: -> (memref
// RUN: scan-translate --scan-to-ptx %s -o %t.ptx

// DEFINE: %{run} = scan-run %s --target=emulator --compare=reference --tolerance=0
// RUN: %{run} --entry=sums --input=random:i64:40:1
// RUN: %{run} --entry=sums --input=random:i64:700:1
// RUN: %{run} --entry=sums --input=values:i64:0:
// RUN: %{run} --entry=recurrences --input=random:i64:3x5:1
// RUN: %{run} --entry=recurrences --input=random:i64:3x5000:2

func.func @sums(%x: tensor<?xi64>) -> (tensor<?xi64>, tensor<i64>) {
  %reverse = scan.associative ins(%x : tensor<?xi64>) dim = 0 reverse attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>} {
  ^bb0(%l: i64, %r: i64):
    %s = arith.addi %l, %r : i64
    scan.yield %s : i64
  } -> tensor<?xi64>
  %forward = scan.associative ins(%x : tensor<?xi64>) dim = 0 attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 2>} {
  ^bb0(%l: i64, %r: i64):
    %s = arith.addi %l, %r : i64
    scan.yield %s : i64
  } -> tensor<?xi64>
  %zero = arith.constant 0 : i64
  %empty = tensor.empty() : tensor<i64>
  %fill = linalg.fill ins(%zero : i64) outs(%empty : tensor<i64>) -> tensor<i64>
  %sum = linalg.reduce { arith.addi } ins(%forward : tensor<?xi64>) outs(%fill : tensor<i64>) dimensions = [0]
  return %reverse, %sum : tensor<?xi64>, tensor<i64>
}

func.func @recurrences(%x: tensor<?x?xi64>) -> (tensor<?x?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xi64>
  %one = arith.constant 1 : i64
  %forward = scan.linear_recurrence ins(%x, %x : tensor<?x?xi64>, tensor<?x?xi64>) init(%one : i64) dim = 1 -> tensor<?x?xi64>
  %reverse = scan.linear_recurrence ins(%x, %x : tensor<?x?xi64>, tensor<?x?xi64>) init(%one : i64) dim = 1 reverse -> tensor<?x?xi64>
  %empty = tensor.empty(%rows) : tensor<?xi64>
  %fill = linalg.fill ins(%one : i64) outs(%empty : tensor<?xi64>) -> tensor<?xi64>
  %sums = linalg.reduce { arith.addi } ins(%reverse : tensor<?x?xi64>) outs(%fill : tensor<?xi64>) dimensions = [1]
  %more = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%sums : tensor<?xi64>) outs(%empty : tensor<?xi64>) {
  ^bb0(%b: i64, %o: i64):
    %n = arith.addi %b, %one : i64
    linalg.yield %n : i64
  } -> tensor<?xi64>
  return %forward, %more : tensor<?x?xi64>, tensor<?xi64>
}
