// RUN: scan-opt %s --scan-expand-arith | FileCheck %s

// The rounding to bf16 stays, whatever marks there are.

// CHECK-LABEL: func.func @rounds(
// CHECK:         arith.addf
// CHECK:         arith.bitcast %{{.*}} : f32 to i32
// CHECK:         arith.shrui
// CHECK:         arith.bitcast %{{.*}} : bf16 to i16
// CHECK:         arith.shli
// CHECK:         arith.mulf
// CHECK-NOT:     contract
// CHECK:         return
func.func @rounds(%x: f32) -> f32 {
  %a = arith.addf %x, %x : f32
  %t = arith.truncf %a fastmath<contract> : f32 to bf16
  %e = arith.extf %t fastmath<contract> : bf16 to f32
  %m = arith.mulf %e, %e : f32
  return %m : f32
}

// CHECK-LABEL: func.func @other_conversions(
// CHECK:         %[[W:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.truncf %[[W]] : f32 to f16
func.func @other_conversions(%x: f16) -> f16 {
  %e = arith.extf %x fastmath<contract> : f16 to f32
  %t = arith.truncf %e fastmath<contract> : f32 to f16
  return %t : f16
}

// Minima and maxima stay, so that they tell -0 from +0.

// CHECK-LABEL: func.func @maxima(
// CHECK:         arith.maximumf
// CHECK:         arith.minnumf
// CHECK-NOT:     arith.cmpf
func.func @maxima(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %a = arith.maximumf %x, %y : vector<4xf32>
  %b = arith.minnumf %a, %y : vector<4xf32>
  return %b : vector<4xf32>
}

// CHECK-LABEL: func.func @divisions(
// CHECK-NOT:     arith.ceildiv
// CHECK-NOT:     arith.floordiv
// CHECK:         return
func.func @divisions(%x: i32, %y: i32) -> (i32, i32, i32) {
  %a = arith.ceildivsi %x, %y : i32
  %b = arith.ceildivui %x, %y : i32
  %c = arith.floordivsi %x, %y : i32
  return %a, %b, %c : i32, i32, i32
}
