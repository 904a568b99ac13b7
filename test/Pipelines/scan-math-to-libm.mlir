// RUN: scan-opt %s -scan-math-to-libm | FileCheck %s

// CHECK-LABEL: func.func @functions(
// CHECK:         call @expm1f(%{{.*}}) : (f32) -> f32
// CHECK:         call @log1p(%{{.*}}) : (f64) -> f64
// CHECK:         math.exp
// CHECK:         math.sqrt
func.func @functions(%x: f32, %y: f64) -> (f32, f64, f32, f32) {
  %0 = math.expm1 %x : f32
  %1 = math.log1p %y : f64
  %2 = math.exp %x : f32
  %3 = math.sqrt %x : f32
  return %0, %1, %2, %3 : f32, f64, f32, f32
}

// CHECK-LABEL: func.func @vectors(
// CHECK-COUNT-4: call @erff(
// CHECK-NOT:     math.erf
func.func @vectors(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.erf %x : vector<4xf32>
  return %0 : vector<4xf32>
}
