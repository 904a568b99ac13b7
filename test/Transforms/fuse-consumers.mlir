// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-elementwise | diff %t.mlir -
// (fuse-numbers.test runs these programs: the lines `run:` are its inputs.)

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$TURNED:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d0)>

// An output gate and a residual: inputs that only `store` looks at. The state is
// not written; x is read once for both regions.
// CHECK-LABEL: func @gated
// CHECK-SAME:    (%[[A:.+]]: tensor<?x?xf32>, %[[X:.+]]: tensor<?x?xf32>, %[[G:.+]]: tensor<?xf32>)
// CHECK-NOT:     arith.mulf
// CHECK:         %[[Y:.+]] = scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[A]], %[[X]], %[[G]] : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%{{[^,]+}} : tensor<?x?xf32>)
// CHECK-NEXT:      maps [#[[$ID]], #[[$ID]], #[[$COLUMN]], #[[$ID]]]
// CHECK:           store {
// CHECK-NEXT:      ^bb0(%{{[^:]+}}: f32, %[[H:[^:]+]]: f32, %{{[^:]+}}: f32, %{{[^:]+}}: f32, %{{[^:]+}}: f32, %[[EX:[^:]+]]: f32, %[[EG:[^:]+]]: f32):
// CHECK-NEXT:        %[[P:.+]] = arith.mulf %[[H]], %[[EG]]
// CHECK-NEXT:        %[[S:.+]] = arith.addf %[[P]], %[[EX]]
// CHECK-NEXT:        scan.yield %[[S]] : f32
// CHECK:         return %[[Y]]
// run: random:f32:Nx3:1 random:f32:Nx3:2 random:f32:3:3
func.func @gated(%a: tensor<?x?xf32>, %x: tensor<?x?xf32>, %g: tensor<?xf32>) -> tensor<?x?xf32> {
  %h = scan.linear_recurrence ins(%a, %x : tensor<?x?xf32>, tensor<?x?xf32>) dim = 0 -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // The extents are asked of the state itself.
  %n = tensor.dim %h, %c0 : tensor<?x?xf32>
  %m = tensor.dim %h, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %p = linalg.generic {
      indexing_maps = [affine_map<(t, c) -> (t, c)>, affine_map<(t, c) -> (c)>, affine_map<(t, c) -> (t, c)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%h, %g : tensor<?x?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%e: f32, %f: f32, %out: f32):
    %q = arith.mulf %e, %f : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %y = arith.addf %p, %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A result that others read is still written; the consumer is inlined beside it.
// Its other operand is computed after the scan but does not depend on it.
// CHECK-LABEL: func @beside
// CHECK-SAME:    (%[[X:.+]]: tensor<?x?xf32>, %[[Z:.+]]: tensor<?x?xf32>)
// CHECK:         %[[R:.+]]:2 = scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%[[X]], %[[Z]] :
// CHECK:           store {
// CHECK:             math.exp
// CHECK:             arith.subf
// CHECK:             scan.yield %{{.+}}, %{{.+}} : f32, f32
// CHECK:         return %[[R]]#0, %[[R]]#1
// run: random:f32:2xN:1 random:f32:2xN:2
func.func @beside(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %s = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  %e = math.exp %z : tensor<?x?xf32>
  %d = arith.subf %s, %e : tensor<?x?xf32>
  return %s, %d : tensor<?x?xf32>, tensor<?x?xf32>
}

// A transposed result is written transposed. Two results of one kernel, read by
// one consumer with several results, of other types.
// CHECK-LABEL: func @several
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%{{[^,]+}}, %{{[^,]+}} : tensor<?x3xi32>, tensor<?x3xi32>) outs(%{{[^,]+}}, %{{[^,]+}} : tensor<3x?xi1>, tensor<3x?xi64>)
// CHECK-NEXT:      maps [#[[$ID]], #[[$ID]], #[[$TURNED]], #[[$TURNED]]]
// CHECK-NOT:     linalg
// run: random:i32:Nx3:1 random:i32:Nx3:2
func.func @several(%x: tensor<?x3xi32>, %y: tensor<?x3xi32>) -> (tensor<3x?xi1>, tensor<3x?xi64>) {
  %p, %q = scan.associative ins(%x, %y : tensor<?x3xi32>, tensor<?x3xi32>) dim = 0 {
  ^bb0(%p0: i32, %q0: i32, %p1: i32, %q1: i32):
    %m = arith.maxsi %p0, %p1 : i32
    %n = arith.minsi %q0, %q1 : i32
    scan.yield %m, %n : i32, i32
  } -> tensor<?x3xi32>, tensor<?x3xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xi32>
  %e0 = tensor.empty(%n) : tensor<3x?xi1>
  %e1 = tensor.empty(%n) : tensor<3x?xi64>
  %r, %s = linalg.generic {
      indexing_maps = [affine_map<(c, t) -> (t, c)>, affine_map<(c, t) -> (t, c)>,
                       affine_map<(c, t) -> (c, t)>, affine_map<(c, t) -> (c, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %q : tensor<?x3xi32>, tensor<?x3xi32>) outs(%e0, %e1 : tensor<3x?xi1>, tensor<3x?xi64>) {
  ^bb0(%a: i32, %b: i32, %out0: i1, %out1: i64):
    %lt = arith.cmpi slt, %a, %b : i32
    %d = arith.subi %a, %b : i32
    %w = arith.extsi %d : i32 to i64
    linalg.yield %lt, %w : i1, i64
  } -> (tensor<3x?xi1>, tensor<3x?xi64>)
  return %r, %s : tensor<3x?xi1>, tensor<3x?xi64>
}

// The final state has consumers of its own, which go into `finalize`.
// CHECK-LABEL: func @final_state
// CHECK:         %[[R:.+]]:2 = scan.kernel
// CHECK-NEXT:      ins(%{{[^:]+}} : {{.+}}) outs(%{{[^,]+}} : tensor<2x?xf32>) finals(%{{[^,]+}} : tensor<2xbf16>)
// CHECK:           finalize {
// CHECK:             math.log
// CHECK:             arith.truncf
// CHECK:         return %[[R]]#0, %[[R]]#1
// run: random:f32:2xN:1:1:2
func.func @final_state(%x: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2xbf16>) {
  %y, %last = scan.associative ins(%x : tensor<2x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %p = arith.mulf %acc, %new : f32
    scan.yield %p : f32
  } -> tensor<2x?xf32>, tensor<2xf32>
  %l = math.log %last : tensor<2xf32>
  %b = arith.truncf %l : tensor<2xf32> to tensor<2xbf16>
  return %y, %b : tensor<2x?xf32>, tensor<2xbf16>
}

// Exclusive values, trailing dimensions: the first column of each matrix turned
// into a row is not one elementwise operation; its negation is.
// CHECK-LABEL: func @trailing
// CHECK:         scan.kernel
// CHECK:           store {
// CHECK-COUNT-4:     arith.negf
// CHECK-NOT:         arith.negf
// CHECK:         return
// run: random:f64:Nx2x2:1 random:f64:2x2:2
func.func @trailing(%m: tensor<?x2x2xf64>, %i: tensor<2x2xf64>) -> tensor<?x2x2xf64> {
  %p = scan.associative ins(%m : tensor<?x2x2xf64>) init(%i : tensor<2x2xf64>) dim = 0 exclusive {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>)
                       outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %m, %c0 : tensor<?x2x2xf64>
  %empty = tensor.empty(%n) : tensor<?x2x2xf64>
  %t = linalg.generic {
      indexing_maps = [affine_map<(t, i, j) -> (t, i, j)>, affine_map<(t, i, j) -> (t, j, i)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<?x2x2xf64>) outs(%empty : tensor<?x2x2xf64>) {
  ^bb0(%e: f64, %out: f64):
    %r = arith.negf %e : f64
    linalg.yield %r : f64
  } -> tensor<?x2x2xf64>
  return %t : tensor<?x2x2xf64>
}

// Rounding to the result's type happens where it was written: bf16 in between.
// CHECK-LABEL: func @rounding
// CHECK:         store {
// CHECK:           %[[B:.+]] = arith.truncf %{{.+}} : f32 to bf16
// CHECK-NEXT:      %[[W:.+]] = arith.extf %[[B]] : bf16 to f32
// CHECK-NEXT:      scan.yield %[[W]] : f32
// run: random:bf16:N:1
func.func @rounding(%x: tensor<?xbf16>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xbf16>) dim = 0 {
  ^bb0(%acc: bf16, %new: bf16):
    %s = arith.addf %acc, %new : bf16
    scan.yield %s : bf16
  } -> tensor<?xbf16>
  %w = arith.extf %y : tensor<?xbf16> to tensor<?xf32>
  return %w : tensor<?xf32>
}

// The destination that a consumer was given is the one that is written.
// CHECK-LABEL: func @destination
// CHECK-SAME:    (%{{.+}}: tensor<?xf32>, %[[OUT:.+]]: tensor<?xf32>)
// CHECK:         scan.kernel
// CHECK-NEXT:      outs(%[[OUT]] :
// run: random:f32:N:1 zeros:f32:N
func.func @destination(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  %e = linalg.exp ins(%y : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  return %e : tensor<?xf32>
}

// Not inlined: what depends on the scan in another way (the sum over all time
// steps), a result that is repeated, and the reduction itself.
// CHECK-LABEL: func @dependent
// CHECK:         %[[H:.+]]:2 = scan.kernel
// CHECK:           store {
// CHECK-NOT:         arith.divf
// CHECK:           finalize
// CHECK:         %[[SUM:.+]] = linalg.reduce
// CHECK:         %[[D:.+]] = linalg.generic
// CHECK-SAME:      ins(%[[H]]#0, %[[SUM]] :
// CHECK:         %[[OUTER:.+]] = linalg.generic
// CHECK-SAME:      ins(%[[H]]#1, %[[H]]#1 :
// CHECK:         return %[[D]], %[[OUTER]]
// run: random:f32:2xN:1
func.func @dependent(%x: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x2xf32>) {
  %h, %last = scan.associative ins(%x : tensor<2x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %p = arith.addf %acc, %new : f32
    scan.yield %p : f32
  } -> tensor<2x?xf32>, tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %sum = linalg.reduce { arith.addf } ins(%h : tensor<2x?xf32>) outs(%zero : tensor<2xf32>) dimensions = [1]
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?xf32>
  %e0 = tensor.empty(%n) : tensor<2x?xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(r, t) -> (r, t)>, affine_map<(r, t) -> (r)>, affine_map<(r, t) -> (r, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%h, %sum : tensor<2x?xf32>, tensor<2xf32>) outs(%e0 : tensor<2x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<2x?xf32>
  %e1 = tensor.empty() : tensor<2x2xf32>
  %outer = linalg.generic {
      indexing_maps = [affine_map<(r, s) -> (r)>, affine_map<(r, s) -> (s)>, affine_map<(r, s) -> (r, s)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%last, %last : tensor<2xf32>, tensor<2xf32>) outs(%e1 : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %q = arith.mulf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<2x2xf32>
  return %d, %outer : tensor<2x?xf32>, tensor<2x2xf32>
}

// One scan after the other: the code between them goes into one of them, and a
// scan is not inlined into another.
// CHECK-LABEL: func @between
// CHECK:         %[[A:.+]] = scan.kernel
// CHECK:         %[[B:.+]] = scan.kernel
// CHECK-NEXT:      ins(%[[A]] :
// CHECK:             arith.negf
// CHECK-NOT:     arith.negf
// CHECK:         return %[[B]]
// run: random:f32:N:1
func.func @between(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  %n = arith.negf %y : tensor<?xf32>
  %z = scan.associative ins(%n : tensor<?xf32>) dim = 0 reverse {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.maximumf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// The final state of a scan over all of a tensor has no dimension left.
// CHECK-LABEL: func @total
// CHECK:         %[[R:.+]] = scan.kernel
// CHECK-NEXT:      ins(%{{.+}} : tensor<?xf32>) finals(%{{.+}} : tensor<f32>)
// CHECK:           finalize {
// CHECK:             math.sqrt
// CHECK:         return %[[R]] : tensor<f32>
// run: random:f32:N:1:0:1
func.func @total(%x: tensor<?xf32>) -> tensor<f32> {
  %y, %last = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %s = arith.addf %acc, %new : f32
    scan.yield %s : f32
  } -> tensor<?xf32>, tensor<f32>
  %r = math.sqrt %last : tensor<f32>
  return %r : tensor<f32>
}
