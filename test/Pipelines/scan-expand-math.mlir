// RUN: scan-opt %s -scan-expand-math | FileCheck %s --implicit-check-not=math.fma
// RUN: scan-opt %s -scan-expand-math=fused-multiply-add | FileCheck %s --check-prefix=FUSED

// FUSED-LABEL: func.func @expanded(
// FUSED-COUNT-9: math.fma {{.*}} : f32
// FUSED:         math.fma {{.*}} : vector<4xf32>

// CHECK-LABEL: func.func @expanded(
// CHECK-NOT:     math.{{exp|exp2|expm1|tanh|log|log1p}} {{.*}} f32
// CHECK:         arith.shli %{{.*}} : i32
// CHECK:         arith.shli %{{.*}} : vector<4xi32>
// CHECK-NOT:     math.{{exp|exp2|expm1|tanh|log|log1p}} {{.*}}f32
// CHECK:         return
func.func @expanded(%x: f32, %v: vector<4xf32>) -> (f32, vector<4xf32>, f32, f32, vector<4xf32>, f32) {
  %0 = math.exp %x : f32
  %1 = math.expm1 %v : vector<4xf32>
  %2 = math.tanh %x : f32
  %3 = math.log %x : f32
  %4 = math.log1p %v : vector<4xf32>
  %5 = math.exp2 %x : f32
  return %0, %1, %2, %3, %4, %5 : f32, vector<4xf32>, f32, f32, vector<4xf32>, f32
}

// FUSED-LABEL:   func.func @wide(
// FUSED-COUNT-14: math.fma {{.*}} : f64

// CHECK-LABEL: func.func @wide(
// CHECK-NOT:     math.{{exp|exp2|expm1|tanh|log|log1p}} {{.*}}f64
// CHECK:         return
func.func @wide(%x: f64, %v: vector<2xf64>) -> (f64, vector<2xf64>, f64, f64, vector<2xf64>) {
  %0 = math.exp %x : f64
  %1 = math.expm1 %v : vector<2xf64>
  %2 = math.tanh %x : f64
  %3 = math.log %x : f64
  %4 = math.log1p %v : vector<2xf64>
  return %0, %1, %2, %3, %4 : f64, vector<2xf64>, f64, f64, vector<2xf64>
}

// CHECK-LABEL: func.func @left(
// CHECK:         math.exp %{{.*}} : f16
// CHECK:         math.atan %{{.*}} : f32
// CHECK:         math.exp %{{.*}} : tensor<4xf32>
// CHECK:         math.exp %{{.*}} : vector<[4]xf32>
func.func @left(%x: f16, %y: f32, %t: tensor<4xf32>, %s: vector<[4]xf32>) -> (f16, f32, tensor<4xf32>, vector<[4]xf32>) {
  %0 = math.exp %x : f16
  %1 = math.atan %y : f32
  %2 = math.exp %t : tensor<4xf32>
  %3 = math.exp %s : vector<[4]xf32>
  return %0, %1, %2, %3 : f16, f32, tensor<4xf32>, vector<[4]xf32>
}

// One reduction of small angles for all lanes; large ones are taken one by one.
// CHECK-LABEL: func.func @angles(
// CHECK-NOT:     math.{{sin|cos}}
// CHECK:         arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK:         vector.reduction <or>, %{{.*}} : vector<8xi1> into i1
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             arith.mului_extended %{{.*}} : i64
// CHECK:         arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK-NOT:     math.{{sin|cos}}
// CHECK:         return
func.func @angles(%v: vector<8xf32>, %x: f64) -> (vector<8xf32>, f64) {
  %0 = math.sin %v : vector<8xf32>
  %1 = math.cos %x : f64
  return %0, %1 : vector<8xf32>, f64
}
