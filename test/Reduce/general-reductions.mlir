// What each reduction that is not about scans does by itself.

// RUN: rm -rf %t && split-file %s %t
// RUN: scan-reduce %t/functions.mlir --quiet --fails='grep @kept $1 && exit 3' --only=erase-function | FileCheck %s --check-prefix=FUNCTION --implicit-check-not=func.func
// RUN: scan-reduce %t/signature.mlir --quiet --test=true --only=drop-result | FileCheck %s --check-prefix=RESULT
// RUN: scan-reduce %t/signature.mlir --quiet --test=true --only=drop-parameter | FileCheck %s --check-prefix=PARAMETER
// RUN: scan-reduce %t/signature.mlir --quiet --test=true --only=drop-parameter-attributes,drop-attribute | FileCheck %s --check-prefix=ATTRIBUTE --implicit-check-not=test.
// RUN: scan-reduce %t/signature.mlir --quiet --test=true --only=return-operand | FileCheck %s --check-prefix=RETURN
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=erase-stretch | FileCheck %s --check-prefix=STRETCH
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=use-operand | FileCheck %s --check-prefix=OPERAND
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=use-argument | FileCheck %s --check-prefix=ARGUMENT
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=add-parameter | FileCheck %s --check-prefix=ADD
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=use-zero | FileCheck %s --check-prefix=ZERO
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=erase-operation | FileCheck %s --check-prefix=ERASE
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=simplify | FileCheck %s --check-prefix=SIMPLIFY
// RUN: scan-reduce %t/extents.mlir --quiet --test=true --only=shrink-extent | FileCheck %s --check-prefix=EXTENT
// RUN: scan-reduce %t/regions.mlir --quiet --test=true --only=inline-region | FileCheck %s --check-prefix=REGION
// RUN: scan-reduce %t/values.mlir --quiet --test=true --only=erase-program | count 0

//--- functions.mlir
// What others use stays; what only calls itself is not used.
// FUNCTION-DAG: func.func @kept
// FUNCTION-DAG: func.func private @used
func.func private @used(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @used(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- signature.mlir
// The signature of a function that is called has to stay as it is.
// RESULT: func.func @called(%arg0: f32, %arg1: f32) -> (f32, f32)
// RESULT: func.func @caller({{.*}}) attributes
// RESULT: {{^}}  return{{$}}
// PARAMETER: func.func @called(%arg0: f32, %arg1: f32) -> (f32, f32)
// PARAMETER: func.func @caller(%arg0: f32 {test.second}) -> (f32 {test.result}, i32, tensor<4xf32>)
// ATTRIBUTE: func.func @caller(%arg0: f32, %arg1: f32, %arg2: f32) -> (f32, i32, tensor<4xf32>) {
// RETURN: func.func @caller({{.*}}) -> (f32 {test.result}, f32, tensor<4xf32>)
// RETURN: return %arg1, %arg1, %{{.*}} : f32, f32, tensor<4xf32>
func.func @called(%a: f32, %b: f32) -> (f32, f32) {
  return %a, %a : f32, f32
}
func.func @caller(%a: f32 {test.first}, %b: f32 {test.second}, %c: f32) -> (f32 {test.result}, i32, tensor<4xf32>) attributes {test.function = 1 : i32} {
  %r:2 = func.call @called(%b, %b) {test.call} : (f32, f32) -> (f32, f32)
  %i = arith.fptosi %b : f32 to i32
  %t = arith.constant dense<1.0> : tensor<4xf32>
  return %r#0, %i, %t : f32, i32, tensor<4xf32>
}

//--- values.mlir
// Pairs are the shortest stretches; an argument stands for what is still used.
// STRETCH: func.func @values(%{{.*}}: tensor<4xf32>, %[[W:.*]]: tensor<8xf32>)
// STRETCH-COUNT-3: math.
// STRETCH-NEXT: return %[[W]]
// OPERAND: func.func @values(%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<8xf32>)
// OPERAND-NEXT: math.sin
// OPERAND-NEXT: %[[C:.*]] = tensor.concat dim(0) %[[X]], %[[X]]
// OPERAND-NEXT: return %[[C]]
// ARGUMENT: func.func @values(%[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<8xf32>)
// ARGUMENT: return %[[W]]
// ADD: func.func @values(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<8xf32>, %[[P:.*]]: tensor<8xf32>, %[[Q:.*]]: tensor<4xf32>, %[[R:.*]]: tensor<4xf32>)
// ADD: tensor.concat dim(0) %[[R]], %[[Q]]
// ADD-NEXT: return %[[P]]
// ZERO: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
// ZERO-NEXT: return %[[Z]]
// ERASE-NOT: math.sin
// ERASE: math.exp
// ERASE: tensor.concat
// SIMPLIFY-NOT: math.sin
// SIMPLIFY-COUNT-1: math.exp
// SIMPLIFY-NOT: math.exp
func.func @values(%x: tensor<4xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %unused = math.sin %x : tensor<4xf32>
  %e = math.exp %x : tensor<4xf32>
  %f = math.exp %x : tensor<4xf32>
  %c = tensor.concat dim(0) %e, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %l = math.log %c : tensor<8xf32>
  return %l : tensor<8xf32>
}

//--- extents.mlir
// Wherever an extent occurs, in constants, too.
// EXTENT: func.func @extents(%{{.*}}: tensor<1x1xf32>, %{{.*}}: tensor<?x1xf32>, %{{.*}}: memref<1x1xf32>) -> tensor<1x1xf32>
// EXTENT: arith.constant dense<1.000000e+00> : tensor<1xf32>
// EXTENT: arith.constant dense<5.000000e-01> : tensor<1x1xf32>
// EXTENT: init(%{{.*}} : tensor<1xf32>) dim = 1 {
func.func @extents(%x: tensor<64x100xf32>, %d: tensor<?x64xf32>, %m: memref<64x100xf32>) -> tensor<64x100xf32> {
  %i = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %n = tensor.concat dim(0) %i : (tensor<3xf32>) -> tensor<3xf32>
  %h = arith.constant dense<0.5> : tensor<64x100xf32>
  %z = arith.mulf %x, %h : tensor<64x100xf32>
  %o = arith.constant dense<1.0> : tensor<64xf32>
  %y = scan.associative ins(%z : tensor<64x100xf32>) init(%o : tensor<64xf32>) dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<64x100xf32>
  return %y : tensor<64x100xf32>
}

//--- regions.mlir
// REGION: func.func @regions(%[[X:[^ ]*]]: tensor<4xf32>
// REGION-NOT: scf
// REGION: %[[E:.*]] = math.exp %[[X]]
// REGION-NOT: scf
// REGION: return
func.func @regions(%x: tensor<4xf32>, %n: index, %p: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %e = math.exp %t : tensor<4xf32>
    %r = scf.if %p -> tensor<4xf32> {
      %s = math.sin %e : tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    } else {
      scf.yield %e : tensor<4xf32>
    }
    scf.yield %r : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
