// RUN: scan-opt %s --scan-share-exponentials --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK-DAG:     %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK:         %[[M:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK-NEXT:    %[[X:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT:    %[[LESS_X:.*]] = arith.cmpf olt, %[[X]], %[[ZERO]]
// CHECK-NEXT:    %[[Y:.*]] = arith.subf %[[B]], %[[M]]
// CHECK-NEXT:    %[[LESS_Y:.*]] = arith.cmpf olt, %[[Y]], %[[ZERO]]
// CHECK-NEXT:    %[[Z:.*]] = arith.select %[[LESS_X]], %[[X]], %[[Y]]
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[Z]] fastmath<afn>
// CHECK-NEXT:    %[[NOT_X:.*]] = arith.addf %[[X]], %[[ONE]]
// CHECK-NEXT:    %[[P:.*]] = arith.select %[[LESS_X]], %[[E]], %[[NOT_X]]
// CHECK-NEXT:    %[[NOT_Y:.*]] = arith.addf %[[Y]], %[[ONE]]
// CHECK-NEXT:    %[[Q:.*]] = arith.select %[[LESS_Y]], %[[E]], %[[NOT_Y]]
// CHECK-NEXT:    return %[[P]], %[[Q]], %[[Q]]
func.func @softmax(%a: vector<4xf32>, %b: vector<4xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %m = arith.maximumf %a, %b : vector<4xf32>
  %x = arith.subf %a, %m : vector<4xf32>
  %p = math.exp %x fastmath<afn> : vector<4xf32>
  %y = arith.subf %b, %m : vector<4xf32>
  %q = math.exp %y fastmath<afn> : vector<4xf32>
  %r = math.exp %y fastmath<afn> : vector<4xf32>
  return %p, %q, %r : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: func.func @minimum(
// CHECK-COUNT-1: math.exp
// CHECK-NOT:     math.exp
func.func @minimum(%a: f64, %b: f64) -> (f64, f64) {
  %m = arith.minnumf %a, %b : f64
  %x = arith.subf %m, %a : f64
  %y = arith.subf %m, %b : f64
  %p = math.exp %x : f64
  %q = math.exp %y : f64
  return %p, %q : f64, f64
}

// Not of one operand alone, of differences the other way round, or where one may not be
// needed.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-7: math.exp
// CHECK-NOT:     arith.select
func.func @others(%a: f32, %b: f32, %c: i1) -> (f32, f32, f32, f32, f32, f32, f32) {
  %m = arith.maximumf %a, %b : f32
  %x = arith.subf %a, %m : f32
  %p = math.exp %x : f32
  %n = arith.maximumf %a, %a : f32
  %y = arith.subf %a, %n : f32
  %q = math.exp %y : f32
  %k = arith.minimumf %a, %b : f32
  %z = arith.subf %a, %k : f32
  %w = arith.subf %b, %k : f32
  %r = math.exp %z : f32
  %s = math.exp %w : f32
  %l = arith.maximumf %b, %a : f32
  %u = arith.subf %a, %l : f32
  %v = arith.subf %b, %l : f32
  %t = math.exp %u : f32
  %o = scf.if %c -> f32 {
    %e = math.exp %v : f32
    scf.yield %e : f32
  } else {
    scf.yield %b : f32
  }
  %g = math.exp %b : f32
  return %p, %q, %r, %s, %t, %o, %g : f32, f32, f32, f32, f32, f32, f32
}
