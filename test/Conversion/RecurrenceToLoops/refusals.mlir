// Who does not lower a recurrence says so in one line, and what to do instead.

// RUN: not scan-opt %s --scan-bufferize 2>&1 | FileCheck %s
// RUN: not scan-opt %s --one-shot-bufferize 2>&1 | FileCheck %s
// CHECK: refusals.mlir:[[# @LINE + 4]]:8: {{(error: )?}}'scan.recurrence' op expected loops at bufferization, found a recurrence; run --convert-recurrence-to-loops first, or, for a GPU, --scan-normalize-recurrence and --scan-recurrence-to-blocks


func.func @cell(%x: tensor<4x3xf32>, %h0: tensor<1x3xf32>) -> tensor<4x3xf32> {
  %h = scan.recurrence ins(%x : tensor<4x3xf32>) init(%h0 : tensor<1x3xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<3xf32>, %row: tensor<3xf32>):
    %next = arith.divf %row, %h1 : tensor<3xf32>
    scan.yield %next : tensor<3xf32>
  } -> tensor<4x3xf32>
  return %h : tensor<4x3xf32>
}

// Its body is no part of what is counted: it reads its operands and writes its results.
// RUN: scan-opt %s --scan-print-traffic -o /dev/null | FileCheck %s --check-prefix=TRAFFIC
// TRAFFIC: scan.recurrence {{.*}} 60 48
