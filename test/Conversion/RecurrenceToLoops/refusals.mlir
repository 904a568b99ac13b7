// Who does not lower a recurrence says so in one line, and what to do instead.

// RUN: not scan-opt %s --scan-to-gpu 2>&1 | FileCheck %s
// RUN: not scan-opt %s --scan-to-emulator 2>&1 | FileCheck %s
// RUN: not scan-opt %s --scan-bufferize 2>&1 | FileCheck %s
// RUN: not scan-opt %s --one-shot-bufferize 2>&1 | FileCheck %s
// RUN: not scan-run %s --target=emulator --input=ones:f32:4x3 --input=ones:f32:1x3 2>&1 | FileCheck %s
// CHECK: refusals.mlir:[[# @LINE + 7]]:8: {{(error: )?}}'scan.recurrence' op expected loops at bufferization, found a recurrence: it is compiled for the CPU; run --scan-to-cpu (scan-run --target=cpu), or --convert-recurrence-to-loops first

// RUN: not scan-opt %s --scan-to-ptx 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: not scan-translate %s --scan-to-ptx 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: refusals.mlir:[[# @LINE + 3]]:8: error: 'scan.recurrence' op cannot become part of a GPU kernel: expected only scans, elementwise and linalg operations on tensors, and slices of them in a function that is compiled to PTX; its steps come one after the other: compile it for the CPU, by --scan-to-cpu (scan-run --target=cpu), or compute it outside and pass it in or out

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
