// Where parts of a scan overflow and the left fold does not, a comparison says
// how to get the left fold.

// From 1e-38 by 10 at a time, in 64 steps: no state is larger than 1e26, but of
// 40 coefficients the product is infinite.
// DEFINE: %{target} = emulator
// DEFINE: %{run} = scan-run %t.mlir --target=%{target} --compare=reference --input=const:f32:2x64:10 --input=const:f32:2x64:0 --input=const:f32::1e-38

// RUN: sed 's/ORDER/any/; s/STRATEGY/row/' %s > %t.mlir
// RUN: %{run} | FileCheck %s
// CHECK: emulator against reference:
// CHECK: 0 2x64xf32 {{[1-9][0-9]*}} inf inf inf
// CHECK-NEXT: {{^}}  result 0: {{[1-9][0-9]*}} elements are infinite or not a number, and finite by target 'reference': where parts of a scan overflow ('scan.linear_recurrence' in line {{[0-9]+}}), order = #scan.order<sequential> makes it the left fold{{$}}
// RUN: not %{run} --tolerance=1 2>&1 >%t.out | FileCheck %s --check-prefix=ERROR
// ERROR: {{^}}scan-run: error: result #0 differs from target 'reference' by inf of its largest magnitude, more than the tolerance 1; {{[1-9][0-9]*}} elements are infinite or not a number, and finite by target 'reference': where parts of a scan overflow ('scan.linear_recurrence' in line {{[0-9]+}}), order = #scan.order<sequential> makes it the left fold{{$}}
// RUN: %{run} --json | FileCheck %s --check-prefix=JSON
// JSON: "max_ulps": "inf",
// JSON-NEXT: "advice": "{{[1-9][0-9]*}} elements are infinite or not a number, and

// So it does, and there is nothing to say.
// RUN: sed 's/ORDER/sequential/; s/STRATEGY/sequential/' %s > %t.mlir
// RUN: %{run} --tolerance=0 | FileCheck %s --check-prefix=FOLD --implicit-check-not=elements
// FOLD: 0 2x64xf32 0 0 0 0
// REDEFINE: %{target} = cpu
// RUN: %{run} --tolerance=0 | FileCheck %s --check-prefix=FOLD --implicit-check-not=elements

func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %init: f32) -> tensor<?x?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) init(%init : f32) dim = 1
      attributes {order = #scan.order<ORDER>, schedule = #scan.schedule<strategy = STRATEGY, threads = 32, items = 2>} -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}
