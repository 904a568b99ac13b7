// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional --scan-print-traffic -o /dev/null | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise --scan-bidirectional --scan-print-traffic="format=json extents=arg0_d0=8,arg0_d1=2000" -o /dev/null | FileCheck %s --check-prefix=JSON

// Where the host chooses between one kernel and two, the table says what each moves: `total` is the most, `least` the
// least of what the branches move.

// CHECK:      @both
// CHECK-NEXT: scan.kernel {{.*}} (steps <= 2048) 4*arg0_d0*arg0_d1 4*arg0_d0*arg0_d1
// CHECK-NEXT: scan.kernel {{.*}} (steps >= 2049) 4*arg0_d0*arg0_d1 4*arg0_d0*arg0_d1
// CHECK-NEXT: scan.kernel {{.*}} (steps >= 2049) 8*arg0_d0*arg0_d1 4*arg0_d0*arg0_d1
// CHECK-NEXT: total {{.*}} 12*arg0_d0*arg0_d1 8*arg0_d0*arg0_d1
// CHECK-NEXT: least by branches 4*arg0_d0*arg0_d1 4*arg0_d0*arg0_d1
// CHECK-NEXT: compulsory 4*arg0_d0*arg0_d1 4*arg0_d0*arg0_d1
// CHECK-NEXT: total / compulsory 2.5
// CHECK-NEXT: least / compulsory 1{{$}}
// JSON:       "when": "steps <= 2048"
// JSON:       "total_over_compulsory": 2.5
// JSON:       "least": {
// JSON-NEXT:    "read": "64000"
// JSON:       "least_over_compulsory": 1{{$}}
func.func @both(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %f = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  %g = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  %y = arith.addf %f, %g : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
