// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise | FileCheck %s
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-elementwise | diff %t.mlir -
// (fuse-numbers.test runs these programs: the lines `run:` are its inputs.)

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ROW:.+]] = affine_map<(d0, d1) -> (d0)>

// The states are summed up with weights: the state dimension leaves the domain
// and the states are not written.
// CHECK-LABEL: func @readout
// CHECK-SAME:    (%[[A:.+]]: tensor<?x4xf32>, %[[B:.+]]: tensor<?x?x4xf32>, %[[C:.+]]: tensor<?x4xf32>)
// CHECK-NOT:     linalg
// CHECK:         %[[Y:.+]] = scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[B]], %[[A]], %[[C]] : tensor<?x?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%{{[^,]+}} : tensor<?x?xf32>)
// CHECK-NEXT:      maps [#[[$ID]], #[[$COLUMN]], #[[$ROW]], #[[$ID]]]
// CHECK:         return %[[Y]]
// run: random:f32:3x4:1 random:f32:Nx3x4:2 random:f32:Nx4:3
func.func @readout(%a: tensor<?x4xf32>, %b: tensor<?x?x4xf32>, %c: tensor<?x4xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?x?x4xf32>
  %m = tensor.dim %b, %c1 : tensor<?x?x4xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?x4xf32>
  %wide = linalg.generic {
      indexing_maps = [affine_map<(t, d, n) -> (d, n)>, affine_map<(t, d, n) -> (t, d, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<?x4xf32>) outs(%e : tensor<?x?x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<?x?x4xf32>
  %h = scan.linear_recurrence ins(%wide, %b : tensor<?x?x4xf32>, tensor<?x?x4xf32>) dim = 0 -> tensor<?x?x4xf32>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty(%n, %m) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, d, n) -> (t, d, n)>, affine_map<(t, d, n) -> (t, n)>, affine_map<(t, d, n) -> (t, d)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x4xf32>, tensor<?x4xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: f32, %w: f32, %acc: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Time is innermost, and the states come before it: inputs become one slice per
// state, and the layout of the states, which are never written, does not matter.
// CHECK-LABEL: func @rows
// CHECK-SAME:    (%[[A:.+]]: tensor<2x3x?xf32>, %[[B:.+]]: tensor<2x3x?xf32>, %{{.+}}: tensor<2x3xf32>)
// CHECK-DAG:     %[[A0:.+]] = tensor.extract_slice %[[A]][0, 0, 0] [2, 1, %{{.+}}] [1, 1, 1] : tensor<2x3x?xf32> to tensor<2x?xf32>
// CHECK-DAG:     %[[A2:.+]] = tensor.extract_slice %[[A]][0, 2, 0]
// CHECK-DAG:     %[[B1:.+]] = tensor.extract_slice %[[B]][0, 1, 0]
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%{{.+}} : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>) init(%{{.+}} : tensor<2x3xf32>) outs(%{{[^,]+}} : tensor<2x?xf32>)
// CHECK-NOT:     linalg
// CHECK:         return
// run: random:f32:2x3xN:1 random:f32:2x3xN:2 random:f32:2x3:3
func.func @rows(%a: tensor<2x3x?xf32>, %b: tensor<2x3x?xf32>, %h0: tensor<2x3xf32>) -> tensor<2x?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<2x3x?xf32>, tensor<2x3x?xf32>) init(%h0 : tensor<2x3xf32>) dim = 2 reverse -> tensor<2x3x?xf32>
  %c2 = arith.constant 2 : index
  %n = tensor.dim %b, %c2 : tensor<2x3x?xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<2x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?xf32>) -> tensor<2x?xf32>
  %y = linalg.reduce { arith.addf } ins(%h : tensor<2x3x?xf32>) outs(%zeros : tensor<2x?xf32>) dimensions = [1]
  return %y : tensor<2x?xf32>
}

// The sum goes on from an accumulator that the caller gives, in the order of the
// loops; the operator of the reduction is neither associative nor commutative.
// CHECK-LABEL: func @order
// CHECK-SAME:    (%[[X:.+]]: tensor<?x3xf32>, %[[ACC:.+]]: tensor<?xf32>)
// CHECK:         scan.kernel
// CHECK-NEXT:      ins(%[[X]], %[[ACC]] : {{.+}}) outs(%[[ACC]] : tensor<?xf32>)
// CHECK:           store {
// CHECK-NEXT:      ^bb0(%[[S0:[^:]+]]: f32, %[[S1:[^:]+]]: f32, %[[S2:[^:]+]]: f32, {{.+}}, %[[E:[^:]+]]: f32):
// CHECK-NEXT:        %[[R0:.+]] = arith.subf %[[S0]], %[[E]]
// CHECK-NEXT:        %[[R1:.+]] = arith.subf %[[S1]], %[[R0]]
// CHECK-NEXT:        %[[R2:.+]] = arith.subf %[[S2]], %[[R1]]
// CHECK-NEXT:        scan.yield %[[R2]]
// run: random:f32:Nx3:1 random:f32:N:2
func.func @order(%x: tensor<?x3xf32>, %acc: tensor<?xf32>) -> tensor<?xf32> {
  %h = scan.associative ins(%x : tensor<?x3xf32>) dim = 0 {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x3xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, t) -> (t, n)>, affine_map<(n, t) -> (t)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%h : tensor<?x3xf32>) outs(%acc : tensor<?xf32>) {
  ^bb0(%e: f32, %so_far: f32):
    %d = arith.subf %e, %so_far : f32
    linalg.yield %d : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Channels out of states, a matrix product: channels that the scan does not have
// are unrolled, too. The states are complex, and the sum is over real parts.
// CHECK-LABEL: func @channels
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins({{.+}} outs(%{{[^,]+}} : tensor<?x2xf32>)
// CHECK-NOT:     linalg
// CHECK:         return
// run: random:c64:4:1 random:c64:Nx4:2 random:c64:2x4:3 random:f32:Nx2:4
func.func @channels(%a: tensor<4xcomplex<f32>>, %b: tensor<?x4xcomplex<f32>>, %c: tensor<2x4xcomplex<f32>>, %skip: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?x4xcomplex<f32>>
  %e = tensor.empty(%n) : tensor<?x4xcomplex<f32>>
  %wide = linalg.broadcast ins(%a : tensor<4xcomplex<f32>>) outs(%e : tensor<?x4xcomplex<f32>>) dimensions = [0]
  %h = scan.linear_recurrence ins(%wide, %b : tensor<?x4xcomplex<f32>>, tensor<?x4xcomplex<f32>>) dim = 0 -> tensor<?x4xcomplex<f32>>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, m, n) -> (t, n)>, affine_map<(t, m, n) -> (m, n)>, affine_map<(t, m, n) -> (t, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) outs(%skip : tensor<?x2xf32>) {
  ^bb0(%x: complex<f32>, %w: complex<f32>, %acc: f32):
    %p = complex.mul %w, %x : complex<f32>
    %re = complex.re %p : complex<f32>
    %s = arith.addf %acc, %re : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// Named operations; two reductions of one scan, one over all that is left.
// CHECK-LABEL: func @named
// CHECK-NOT:     linalg
// CHECK:         %[[R:.+]]:2 = scan.kernel dim = 0
// CHECK-NEXT:      ins({{.+}} outs(%{{[^:]+}} : tensor<?x3xi32>, tensor<?xi32>)
// CHECK-NOT:     linalg
// CHECK:         return %[[R]]#0, %[[R]]#1
// run: random:i32:Nx2:1 random:i32:2x3:2 random:i32:Nx2:3
func.func @named(%x: tensor<?x2xi32>, %w: tensor<2x3xi32>, %v: tensor<?x2xi32>) -> (tensor<?x3xi32>, tensor<?xi32>) {
  %h = scan.associative ins(%x : tensor<?x2xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxsi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?x2xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty(%n) : tensor<?x3xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<?x3xi32>) -> tensor<?x3xi32>
  %y = linalg.matmul ins(%h, %w : tensor<?x2xi32>, tensor<2x3xi32>) outs(%zeros : tensor<?x3xi32>) -> tensor<?x3xi32>
  %e1 = tensor.empty(%n) : tensor<?xi32>
  %zeros1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<?xi32>) -> tensor<?xi32>
  %z = linalg.contract indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t)>]
      ins(%v, %h : tensor<?x2xi32>, tensor<?x2xi32>) outs(%zeros1 : tensor<?xi32>) -> tensor<?xi32>
  return %y, %z : tensor<?x3xi32>, tensor<?xi32>
}

// The largest element and where it is: a reduction with two results. The state is
// asked for, too, and so is the sum of the final states. Both
// dimensions but time are reduced.
// CHECK-LABEL: func @largest
// CHECK-NOT:     linalg
// CHECK:         %[[R:.+]]:4 = scan.kernel dim = 0
// CHECK-NEXT:      ins({{.+}} outs(%{{[^:]+}} : tensor<?x2x3xf64>, tensor<?xf64>, tensor<?xi32>) finals(%{{[^,]+}} : tensor<f64>)
// CHECK-NOT:     linalg
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3
// run: random:f64:Nx2x3:1
func.func @largest(%x: tensor<?x2x3xf64>) -> (tensor<?x2x3xf64>, tensor<?xf64>, tensor<?xi32>, tensor<f64>) {
  %h, %last = scan.associative ins(%x : tensor<?x2x3xf64>) dim = 0 {
  ^bb0(%a: f64, %b: f64):
    %s = arith.addf %a, %b : f64
    scan.yield %s : f64
  } -> tensor<?x2x3xf64>, tensor<2x3xf64>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2x3xf64>
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %none = arith.constant -1 : i32
  %e0 = tensor.empty(%n) : tensor<?xf64>
  %e1 = tensor.empty(%n) : tensor<?xi32>
  %m0 = linalg.fill ins(%lowest : f64) outs(%e0 : tensor<?xf64>) -> tensor<?xf64>
  %p0 = linalg.fill ins(%none : i32) outs(%e1 : tensor<?xi32>) -> tensor<?xi32>
  %numbers = arith.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %m, %p = linalg.generic {
      indexing_maps = [affine_map<(t, i, j) -> (t, i, j)>, affine_map<(t, i, j) -> (i, j)>,
                       affine_map<(t, i, j) -> (t)>, affine_map<(t, i, j) -> (t)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%h, %numbers : tensor<?x2x3xf64>, tensor<2x3xi32>) outs(%m0, %p0 : tensor<?xf64>, tensor<?xi32>) {
  ^bb0(%e: f64, %number: i32, %max: f64, %where: i32):
    %is = arith.cmpf ogt, %e, %max : f64
    %max1 = arith.select %is, %e, %max : f64
    %where1 = arith.select %is, %number, %where : i32
    linalg.yield %max1, %where1 : f64, i32
  } -> (tensor<?xf64>, tensor<?xi32>)
  %zero = arith.constant dense<0.0> : tensor<f64>
  %sum = linalg.reduce { arith.addf } ins(%last : tensor<2x3xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  return %h, %m, %p, %sum : tensor<?x2x3xf64>, tensor<?xf64>, tensor<?xi32>, tensor<f64>
}

// Trailing dimensions are unrolled already: the trace of the product so far. One
// that does not depend on anything but the scan itself.
// CHECK-LABEL: func @trace
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0
// CHECK-NOT:     linalg
// CHECK:         return
// run: random:f64:Nx2x2:1 random:f64:2x2:2
func.func @trace(%m: tensor<?x2x2xf64>, %eye: tensor<2x2xf64>) -> tensor<?xf64> {
  %p = scan.associative ins(%m : tensor<?x2x2xf64>) init(%eye : tensor<2x2xf64>) dim = 0 exclusive {
  ^bb0(%acc: tensor<2x2xf64>, %new: tensor<2x2xf64>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf64>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf64>, tensor<2x2xf64>)
                       outs(%zero : tensor<2x2xf64>) -> tensor<2x2xf64>
    scan.yield %c : tensor<2x2xf64>
  } -> tensor<?x2x2xf64>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %m, %c0 : tensor<?x2x2xf64>
  %empty = tensor.empty(%n) : tensor<?xf64>
  %zero = arith.constant 0.0 : f64
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<?xf64>) -> tensor<?xf64>
  %t = linalg.generic {
      indexing_maps = [affine_map<(t, i, j) -> (t, i, j)>, affine_map<(t, i, j) -> (i, j)>, affine_map<(t, i, j) -> (t)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%p, %eye : tensor<?x2x2xf64>, tensor<2x2xf64>) outs(%zeros : tensor<?xf64>) {
  ^bb0(%e: f64, %w: f64, %acc: f64):
    %q = arith.mulf %e, %w : f64
    %s = arith.addf %acc, %q : f64
    linalg.yield %s : f64
  } -> tensor<?xf64>
  return %t : tensor<?xf64>
}

// Behind casts: the scan has a static extent that its consumer does not know.
// CHECK-LABEL: func @casts
// CHECK-NOT:     linalg
// CHECK:         scan.kernel
// CHECK-NOT:     linalg
// CHECK:         return
// run: random:f32:5x3:1 random:f32:5x3:2
func.func @casts(%a: tensor<5x3xf32>, %b: tensor<5x3xf32>) -> tensor<?xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<5x3xf32>, tensor<5x3xf32>) dim = 0 -> tensor<5x3xf32>
  %c = tensor.cast %h : tensor<5x3xf32> to tensor<?x3xf32>
  %d = math.tanh %c : tensor<?x3xf32>
  %c5 = arith.constant 5 : index
  %empty = tensor.empty(%c5) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.reduce { arith.addf } ins(%d : tensor<?x3xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  return %y : tensor<?xf32>
}

// Time is innermost and the weights have the states before it: one slice of them per
// state, in the order of the states, and those of the inputs again where they are
// the same.
// CHECK-LABEL: func @weights_before_time
// CHECK-SAME:    (%[[A:.+]]: tensor<?x3x?xf32>, %[[C:.+]]: tensor<3x?xf32>)
// CHECK-DAG:     %[[A0:.+]] = tensor.extract_slice %[[A]][0, 0, 0]
// CHECK-DAG:     %[[A1:.+]] = tensor.extract_slice %[[A]][0, 1, 0]
// CHECK-DAG:     %[[A2:.+]] = tensor.extract_slice %[[A]][0, 2, 0]
// CHECK-DAG:     %[[C0:.+]] = tensor.extract_slice %[[C]][0, 0] [1, %{{.+}}] [1, 1] : tensor<3x?xf32> to tensor<?xf32>
// CHECK-DAG:     %[[C1:.+]] = tensor.extract_slice %[[C]][1, 0]
// CHECK-DAG:     %[[C2:.+]] = tensor.extract_slice %[[C]][2, 0]
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[A0]], %[[A1]], %[[A2]], %[[C0]], %[[C1]], %[[C2]] : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%{{[^,]+}} : tensor<?x?xf32>)
// CHECK-NOT:     linalg
// CHECK:         return
// run: random:f32:2x3xN:1 random:f32:3xN:2
func.func @weights_before_time(%a: tensor<?x3x?xf32>, %c: tensor<3x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %a, %c0 : tensor<?x3x?xf32>
  %n = tensor.dim %a, %c2 : tensor<?x3x?xf32>
  %h = scan.associative ins(%a : tensor<?x3x?xf32>) dim = 2 reverse {
  ^bb0(%x: f32, %y: f32):
    %s = arith.maximumf %x, %y : f32
    scan.yield %s : f32
  } -> tensor<?x3x?xf32>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t, n) -> (b, n, t)>, affine_map<(b, t, n) -> (b, n, t)>,
                       affine_map<(b, t, n) -> (n, t)>, affine_map<(b, t, n) -> (b, t)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %a, %c : tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<3x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: f32, %same: f32, %w: f32, %acc: f32):
    %d = arith.subf %x, %same : f32
    %p = arith.mulf %d, %w : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A schedule that the scan has is one of the kernel that it becomes.
// CHECK-LABEL: func @with_schedule
// CHECK-NOT:     linalg
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%{{[^:]+}} : tensor<?x?x4xf32>, tensor<?x4xf32>) outs(%{{[^,]+}} : tensor<?x?xf32>)
// CHECK-NEXT:      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 16>}
// CHECK-NOT:     linalg
// CHECK:         return
// run: random:f32:Nx3x4:2 random:f32:Nx4:3
func.func @with_schedule(%b: tensor<?x?x4xf32>, %c: tensor<?x4xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?x?x4xf32>
  %m = tensor.dim %b, %c1 : tensor<?x?x4xf32>
  %h = scan.linear_recurrence ins(%b, %b : tensor<?x?x4xf32>, tensor<?x?x4xf32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 16>} -> tensor<?x?x4xf32>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty(%n, %m) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(t, d, n) -> (t, d, n)>, affine_map<(t, d, n) -> (t, n)>, affine_map<(t, d, n) -> (t, d)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %c : tensor<?x?x4xf32>, tensor<?x4xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%x: f32, %w: f32, %acc: f32):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
