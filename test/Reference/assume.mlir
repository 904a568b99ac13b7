// The interpreter looks at what a scan assumes of its elements, each leaf and each
// init; compiled code does not.

// RUN: scan-run %s --entry=sum --input=values:i32:2x3:0,1,2,3,4,5 --input=const:i32:2:0 | FileCheck %s --check-prefix=HOLDS
// HOLDS: result 0: 2x3xi32
// HOLDS: [3, 3, 2]
// HOLDS: [12, 9, 5]

// RUN: not scan-run %s --entry=sum --input=const:i32:2x3:-1 --input=const:i32:2:0 2>&1 | FileCheck %s --check-prefix=LEAF
// LEAF: error: {{.*}}assume.mlir:[[#@LINE+29]]:8: 'scan.associative' op leaf #0 is not as 'scan.assume' says: expected elements to be >= 0 and < 100, found -1 at [0, 0]

// RUN: not scan-run %s --entry=sum --input=values:i32:3x2:1,2,3,4,5,100 --input=const:i32:3:0 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: {{.*}}'scan.associative' op leaf #0 {{.*}}, found 100 at [2, 1]

// RUN: not scan-run %s --entry=sum --input=values:i32:2x3:0,1,2,3,4,5 --input=values:i32:2:-1,0 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: error: {{.*}}'scan.associative' op init #0 is not as 'scan.assume' says: expected elements to be >= 0 and < 100, found -1 at [0]

// RUN: scan-run %s --target=cpu --entry=sum --input=const:i32:2x3:-1 --input=const:i32:2:0 | FileCheck %s --check-prefix=CPU
// CPU: [-3, -2, -1]

// RUN: not scan-run %s --entry=second --input=ones:f32:4 --input=const:f64:4:nan 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: error: {{.*}}'scan.associative' op leaf #1 is not as 'scan.assume' says: expected elements to be not NaN, found NaN at [0]
// RUN: scan-run %s --entry=second --input=ones:f32:4 --input=const:f64:4:inf
// RUN: not scan-run %s --entry=second --input=const:f32:4:inf --input=ones:f64:4 2>&1 | FileCheck %s --check-prefix=FINITE
// FINITE: error: {{.*}}'scan.associative' op leaf #0 is not as 'scan.assume' says: expected elements to be finite and > 0, found +Inf at [0]
// RUN: not scan-run %s --entry=second --input=zeros:f32:4 --input=ones:f64:4 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: {{.*}}'scan.associative' op leaf #0 {{.*}}, found 0 at [0]
// RUN: not scan-run %s --entry=complex --input=ones:c64:3 --input=const:c64::2 2>&1 | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: error: {{.*}}'scan.associative' op init #0 is not as 'scan.assume' says: expected elements to be |x| <= 1, found (2, 0){{$}}
// RUN: not scan-run %s --entry=flags --input=ones:i1:3 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: {{.*}}'scan.associative' op leaf #0 {{.*}}: expected elements to be <= 0, found 1 at [0]
// RUN: not scan-run %s --entry=compensated --input=ones:f32:3 2>&1 | FileCheck %s --check-prefix=COMPENSATED
// COMPENSATED: error: {{.*}}'scan.associative' op leaf #0 {{.*}}: expected elements to be <= 0.5, found 1 at [0]
// RUN: not scan-run %s --entry=matrices --input=values:f32:2x2x2:0,1,2,3,4,5,6,7 2>&1 | FileCheck %s --check-prefix=MATRIX
// MATRIX: error: {{.*}}'scan.associative' op leaf #0 {{.*}}: expected elements to be < 6, found 6 at [1, 1, 0]
// RUN: scan-run %s --entry=matrices --input=zeros:f32:0x2x2

func.func @sum(%x: tensor<?x?xi32>, %i: tensor<?xi32>) -> tensor<?x?xi32> {
  %y = scan.associative ins(%x : tensor<?x?xi32>) init(%i : tensor<?xi32>) dim = 1 reverse
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0, lt = 100>]} {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}

func.func @second(%x: tensor<?xf32>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y:2 = scan.associative ins(%x, %z : tensor<?xf32>, tensor<?xf64>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 1, not_nan>, #scan.invariant<leaf = 0, gt = 0, finite>]} {
  ^bb0(%a: f32, %b: f64, %c: f32, %d: f64):
    %s = arith.addf %a, %c : f32
    %m = arith.maximumf %b, %d : f64
    scan.yield %s, %m : f32, f64
  } -> tensor<?xf32>, tensor<?xf64>
  return %y#1 : tensor<?xf64>
}

func.func @complex(%x: tensor<?xcomplex<f32>>, %i: complex<f32>) -> tensor<?xcomplex<f32>> {
  %y = scan.associative ins(%x : tensor<?xcomplex<f32>>) init(%i : complex<f32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, abs, le = 1>]} {
  ^bb0(%a: complex<f32>, %b: complex<f32>):
    %s = complex.mul %a, %b : complex<f32>
    scan.yield %s : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %y : tensor<?xcomplex<f32>>
}

func.func @flags(%x: tensor<?xi1>) -> tensor<?xi1> {
  %y = scan.associative ins(%x : tensor<?xi1>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0>, #scan.invariant<leaf = 0, le = 0>]} {
  ^bb0(%a: i1, %b: i1):
    %s = arith.ori %a, %b : i1
    scan.yield %s : i1
  } -> tensor<?xi1>
  return %y : tensor<?xi1>
}

func.func @compensated(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0
      attributes {compensated, scan.assume = [#scan.invariant<leaf = 0, le = 0.5>]} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @matrices(%x: tensor<?x2x2xf32>) -> tensor<?x2x2xf32> {
  %y = scan.associative ins(%x : tensor<?x2x2xf32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, lt = 6>]} {
  ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf32>
    %c = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
    scan.yield %c : tensor<2x2xf32>
  } -> tensor<?x2x2xf32>
  return %y : tensor<?x2x2xf32>
}
