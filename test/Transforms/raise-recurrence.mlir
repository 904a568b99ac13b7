// RUN: scan-opt %s --scan-raise-recurrence | FileCheck %s
// RUN: scan-opt %s --scan-raise-recurrence -o %t.mlir
// RUN: scan-opt %t.mlir --scan-raise-recurrence | diff %t.mlir -
// RUN: scan-opt %s --scan-raise-recurrence=order=sequential | FileCheck %s --check-prefix=SEQUENTIAL
// (raise-numbers.test runs these programs: the lines `run:` are their inputs.)


// A state per row and channel, [B, T, C], as importers write it. Of b, which may be
// longer than a, there is a slice.
// CHECK-LABEL: func @slices
// CHECK-SAME:    (%[[A:.+]]: tensor<2x?x3xf32>, %[[B:.+]]: tensor<2x?x3xf32>, %[[H0:.+]]: tensor<2x3xf32>)
// CHECK-NOT:     scf.for
// CHECK:         %[[S:.+]] = tensor.extract_slice %[[B]][0, 0, 0] [2, %{{.+}}, 3]
// CHECK-NEXT:    %[[H:.+]], %[[L:.+]] = scan.linear_recurrence ins(%[[A]], %[[S]] : tensor<2x?x3xf32>, tensor<2x?x3xf32>) init(%[[H0]] : tensor<2x3xf32>) dim = 1 -> tensor<2x?x3xf32>, tensor<2x3xf32>
// CHECK-NEXT:    return %[[H]], %[[L]]
// SEQUENTIAL-LABEL: func @slices
// SEQUENTIAL:    scan.linear_recurrence {{.+}} attributes {order = #scan.order<sequential>}
// run: random:f32:2xNx3:1 random:f32:2xNx3:2 random:f32:2x3:3
func.func @slices(%a: tensor<2x?x3xf32>, %b: tensor<2x?x3xf32>, %h0: tensor<2x3xf32>) -> (tensor<2x?x3xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<2x?x3xf32>
  %empty = tensor.empty(%n) : tensor<2x?x3xf32>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<2x?x3xf32>, tensor<2x3xf32>) {
    %at = tensor.extract_slice %a[0, %t, 0] [2, 1, 3] [1, 1, 1] : tensor<2x?x3xf32> to tensor<2x3xf32>
    %bt = tensor.extract_slice %b[0, %t, 0] [2, 1, 3] [1, 1, 1] : tensor<2x?x3xf32> to tensor<2x3xf32>
    %p = arith.mulf %at, %h : tensor<2x3xf32>
    %next = arith.addf %p, %bt : tensor<2x3xf32>
    %w = tensor.insert_slice %next into %out[0, %t, 0] [2, 1, 3] [1, 1, 1] : tensor<2x3xf32> into tensor<2x?x3xf32>
    scf.yield %w, %next : tensor<2x?x3xf32>, tensor<2x3xf32>
  }
  return %y, %last : tensor<2x?x3xf32>, tensor<2x3xf32>
}

// Gates that are computed in the step: 1 - z and z * x; linalg, named and generic;
// the extents are those of the program; the result is gated again.
// CHECK-LABEL: func @gated
// CHECK-SAME:    (%[[Z:.+]]: tensor<?x?x?xf32>, %[[X:.+]]: tensor<?x?x?xf32>, %[[H0:.+]]: tensor<?x?xf32>)
// CHECK-NOT:     scf.for
// CHECK:         %[[B:.+]] = linalg.generic {{.+}} ins(%[[Z]], %{{.+}} : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
// CHECK:           arith.mulf
// CHECK:         %[[A:.+]] = linalg.generic {{.+}} ins(%[[Z]] : tensor<?x?x?xf32>)
// CHECK:           arith.subf
// CHECK:         %[[H:.+]] = scan.linear_recurrence ins(%[[A]], %[[B]] : {{.+}}) init(%[[H0]] : tensor<?x?xf32>) dim = 1
// CHECK:         %[[Y:.+]] = linalg.generic {{.+}} ins(%[[H]], %{{.+}} :
// CHECK:           arith.mulf
// CHECK:         return %[[Y]]
// run: random:f32:2xNx3:1:0:1 random:f32:2xNx3:2 random:f32:2x3:3
func.func @gated(%z: tensor<?x?x?xf32>, %x: tensor<?x?x?xf32>, %h0: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %z, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %z, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %z, %c2 : tensor<?x?x?xf32>
  %empty = tensor.empty(%m, %n, %c) : tensor<?x?x?xf32>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
    %zt = tensor.extract_slice %z[0, %t, 0] [%m, 1, %c] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?xf32>
    %xt = tensor.extract_slice %x[0, %t, 0] [%m, 1, %c] [1, 1, 1] : tensor<?x?x?xf32> to tensor<?x?xf32>
    %e = tensor.empty(%m, %c) : tensor<?x?xf32>
    %keep = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%zt : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%in: f32, %o: f32):
      %k = arith.subf %one, %in : f32
      linalg.yield %k : f32
    } -> tensor<?x?xf32>
    %p = linalg.mul ins(%keep, %h : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %q = linalg.mul ins(%zt, %xt : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %next = linalg.add ins(%p, %q : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %g = arith.mulf %next, %xt : tensor<?x?xf32>
    %w = tensor.insert_slice %g into %out[0, %t, 0] [%m, 1, %c] [1, 1, 1] : tensor<?x?xf32> into tensor<?x?x?xf32>
    scf.yield %w, %next : tensor<?x?x?xf32>, tensor<?x?xf32>
  }
  return %y : tensor<?x?x?xf32>
}

// Scalars; backwards, by n - 1 - t; b - a * h; the state is returned as a scalar.
// CHECK-LABEL: func @backwards
// CHECK-NOT:     scf.for
// CHECK:         %[[A:.+]] = linalg.generic
// CHECK:           arith.negf
// CHECK:         %[[H:.+]], %[[L:.+]] = scan.linear_recurrence ins(%[[A]], %{{.+}}) init(%{{.+}} : f64) dim = 0 reverse
// CHECK:         %[[S:.+]] = tensor.extract %[[L]][]
// CHECK:         tensor.from_elements %[[S]]
// run: random:f64:N:1 random:f64:N:2 const:f64::0.5
func.func @backwards(%a: tensor<?xf64>, %b: tensor<?xf64>, %h0: f64) -> (tensor<?xf64>, tensor<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?xf64>
  %empty = tensor.empty(%n) : tensor<?xf64>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<?xf64>, f64) {
    %back = arith.subi %n, %c1 : index
    %i = arith.subi %back, %t : index
    %at = tensor.extract %a[%i] : tensor<?xf64>
    %bt = tensor.extract %b[%i] : tensor<?xf64>
    %p = arith.mulf %h, %at : f64
    %next = arith.subf %bt, %p : f64
    %w = tensor.insert %next into %out[%i] : tensor<?xf64>
    scf.yield %w, %next : tensor<?xf64>, f64
  }
  %l = tensor.from_elements %last : tensor<f64>
  return %y, %l : tensor<?xf64>, tensor<f64>
}

// The state before the step: an exclusive sum, of the negated input.
// CHECK-LABEL: func @before
// CHECK:         scan.associative ins(%{{.+}} : tensor<?xi32>) init(%{{.+}} : i32) dim = 0 exclusive {
// CHECK:           arith.addi
// run: random:i32:N:1
func.func @before(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %empty = tensor.empty(%n) : tensor<?xi32>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %three) -> (tensor<?xi32>, i32) {
    %xt = tensor.extract %x[%t] : tensor<?xi32>
    %w = tensor.insert %h into %out[%t] : tensor<?xi32>
    %next = arith.subi %h, %xt : i32
    scf.yield %w, %next : tensor<?xi32>, i32
  }
  return %y : tensor<?xi32>
}

// A linear recurrence before the step; what is written needs both states.
// CHECK-LABEL: func @both
// CHECK-DAG:     %[[I:.+]] = scan.linear_recurrence {{.+}} dim = 0 ->
// CHECK-DAG:     %[[E:.+]]:2 = scan.associative {{.+}} dim = 0 exclusive {
// CHECK:         linalg.generic {{.+}} ins(%[[I]], %[[E]]#1 :
// run: random:f32:N:1 random:f32:N:2
func.func @both(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h0 = arith.constant 1.5 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<?xf32>, f32) {
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %bt = tensor.extract %b[%t] : tensor<?xf32>
    %p = arith.mulf %at, %h : f32
    %next = arith.addf %bt, %p : f32
    %d = arith.subf %next, %h : f32
    %w = tensor.insert %d into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y : tensor<?xf32>
}

// Several states in one loop: maximum and minimum of a tensor that the loop
// walks along its last dimension, written transposed.
// CHECK-LABEL: func @extremes
// CHECK-NOT:     scf.for
// CHECK:         scan.associative ins(%{{.+}} : tensor<?x2xf32>) init(%{{.+}} : tensor<2xf32>) dim = 0 {
// CHECK:           arith.maximumf
// CHECK:         scan.associative ins(%{{.+}} : tensor<2x?xf32>) init(%{{.+}} : tensor<2xf32>) dim = 1 {
// CHECK:           arith.minnumf
// run: random:f32:2xN:1 random:f32:2:2 random:f32:2:3
func.func @extremes(%x: tensor<2x?xf32>, %i: tensor<2xf32>, %j: tensor<2xf32>) -> (tensor<?x2xf32>, tensor<2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?xf32>
  %e0 = tensor.empty(%n) : tensor<?x2xf32>
  %e1 = tensor.empty(%n) : tensor<2x?xf32>
  %y:4 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %i, %out0 = %e0, %g = %j, %out1 = %e1) -> (tensor<2xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<2x?xf32>) {
    %xt = tensor.extract_slice %x[0, %t] [2, 1] [1, 1] : tensor<2x?xf32> to tensor<2xf32>
    %hn = arith.maximumf %xt, %h : tensor<2xf32>
    %gn = arith.minnumf %g, %xt : tensor<2xf32>
    %w0 = tensor.insert_slice %hn into %out0[%t, 0] [1, 2] [1, 1] : tensor<2xf32> into tensor<?x2xf32>
    %w1 = tensor.insert_slice %gn into %out1[0, %t] [2, 1] [1, 1] : tensor<2xf32> into tensor<2x?xf32>
    scf.yield %hn, %w0, %gn, %w1 : tensor<2xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<2x?xf32>
  }
  return %y#1, %y#3 : tensor<?x2xf32>, tensor<2x?xf32>
}

// (p, h) <- (a * p, a * h + b) is one scan of affine maps.
// CHECK-LABEL: func @affine
// CHECK-NOT:     scan.linear_recurrence
// CHECK:         %[[S:.+]]:4 = scan.associative ins(%{{.+}}, %{{.+}} : tensor<?xi64>, tensor<?xi64>) init(%{{.+}}, %{{.+}} : i64, i64) dim = 0 {
// CHECK-NEXT:    ^bb0(%[[P0:.+]]: i64, %[[H0:.+]]: i64, %[[P1:.+]]: i64, %[[H1:.+]]: i64):
// CHECK-NEXT:      %[[P:.+]] = arith.muli %[[P1]], %[[P0]]
// CHECK-NEXT:      %[[M:.+]] = arith.muli %[[P1]], %[[H0]]
// CHECK-NEXT:      %[[H:.+]] = arith.addi %[[M]], %[[H1]]
// CHECK-NEXT:      scan.yield %[[P]], %[[H]]
// run: random:i64:N:1 random:i64:N:2
func.func @affine(%a: tensor<?xi64>, %b: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %n = tensor.dim %a, %c0 : tensor<?xi64>
  %empty = tensor.empty(%n) : tensor<?xi64>
  %y:4 = scf.for %t = %c0 to %n step %c1 iter_args(%o0 = %empty, %o1 = %empty, %p = %one, %h = %zero) -> (tensor<?xi64>, tensor<?xi64>, i64, i64) {
    %at = tensor.extract %a[%t] : tensor<?xi64>
    %bt = tensor.extract %b[%t] : tensor<?xi64>
    %pn = arith.muli %p, %at : i64
    %m = arith.muli %at, %h : i64
    %hn = arith.addi %m, %bt : i64
    %w0 = tensor.insert %pn into %o0[%t] : tensor<?xi64>
    %w1 = tensor.insert %hn into %o1[%t] : tensor<?xi64>
    scf.yield %w0, %w1, %pn, %hn : tensor<?xi64>, tensor<?xi64>, i64, i64
  }
  %l = tensor.from_elements %y#3 : tensor<i64>
  return %y#0, %y#1, %l : tensor<?xi64>, tensor<?xi64>, tensor<i64>
}

// A part of the steps: the rest of the output is what it was. The coefficient is
// the same in each step, and the step itself is a number.
// CHECK-LABEL: func @part
// CHECK:         %[[S:.+]] = tensor.extract_slice %{{.+}}[1] [3] [1] : tensor<6xf32> to tensor<3xf32>
// CHECK:         linalg.index 0
// CHECK:         %[[H:.+]] = scan.linear_recurrence
// CHECK:         tensor.insert_slice %[[H]] into %{{.+}}[2] [3] [1] : tensor<3xf32> into tensor<6xf32>
// run: random:f32:6:1 random:f32:6:2 const:f32::0.75
func.func @part(%x: tensor<6xf32>, %dest: tensor<6xf32>, %a: f32) -> tensor<6xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %h0 = arith.constant 0.0 : f32
  %y, %last = scf.for %t = %c2 to %c5 step %c1 iter_args(%out = %dest, %h = %h0) -> (tensor<6xf32>, f32) {
    %before = arith.subi %t, %c1 : index
    %xt = tensor.extract %x[%before] : tensor<6xf32>
    %ti = arith.index_cast %t : index to i32
    %tf = arith.sitofp %ti : i32 to f32
    %b = arith.mulf %xt, %tf : f32
    %p = arith.mulf %h, %a : f32
    %next = arith.addf %p, %b : f32
    %w = tensor.insert %next into %out[%t] : tensor<6xf32>
    scf.yield %w, %next : tensor<6xf32>, f32
  }
  return %y : tensor<6xf32>
}

// Backwards over a part; the step is a number here, too.
// CHECK-LABEL: func @part_backwards
// CHECK:         scan.linear_recurrence {{.+}} reverse
// CHECK:         tensor.insert_slice
// run: random:i32:9:1 random:i32:9:2
func.func @part_backwards(%x: tensor<9xi32>, %dest: tensor<9xi32>) -> tensor<9xi32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %h0 = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %y, %last = scf.for %t = %c2 to %c6 step %c1 iter_args(%out = %dest, %h = %h0) -> (tensor<9xi32>, i32) {
    %i = arith.subi %c8, %t : index
    %xt = tensor.extract %x[%i] : tensor<9xi32>
    %ti = arith.index_cast %t : index to i32
    %b = arith.addi %xt, %ti : i32
    %p = arith.muli %three, %h : i32
    %next = arith.addi %b, %p : i32
    %o = arith.subi %c8, %t : index
    %w = tensor.insert %next into %out[%o] : tensor<9xi32>
    scf.yield %w, %next : tensor<9xi32>, i32
  }
  return %y : tensor<9xi32>
}

// A loop over rows around it: all rows are one scan.
// CHECK-LABEL: func @rows
// CHECK-NOT:     scf.for
// CHECK:         scan.linear_recurrence ins(%{{.+}}, %{{.+}} : tensor<3x?xf32>, tensor<3x?xf32>) {{.+}} dim = 1
// CHECK-NOT:     scf.for
// CHECK:         return
// run: random:f32:3xN:1 random:f32:3xN:2
func.func @rows(%a: tensor<3x?xf32>, %b: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %h0 = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c1 : tensor<3x?xf32>
  %empty = tensor.empty(%n) : tensor<3x?xf32>
  %y = scf.for %r = %c0 to %c3 step %c1 iter_args(%rows = %empty) -> (tensor<3x?xf32>) {
    %z, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %rows, %h = %h0) -> (tensor<3x?xf32>, f32) {
      %at = tensor.extract %a[%r, %t] : tensor<3x?xf32>
      %bt = tensor.extract %b[%r, %t] : tensor<3x?xf32>
      %p = arith.mulf %at, %h : f32
      %next = arith.addf %p, %bt : f32
      %w = tensor.insert %next into %out[%r, %t] : tensor<3x?xf32>
      scf.yield %w, %next : tensor<3x?xf32>, f32
    }
    scf.yield %z : tensor<3x?xf32>
  }
  return %y : tensor<3x?xf32>
}

// Only the state after the last step: the scan writes nothing else.
// CHECK-LABEL: func @last_only
// CHECK:         scan.associative
// CHECK:           arith.mulf
// run: random:f32:Nx2:1 random:f32:2:2
func.func @last_only(%x: tensor<?x2xf32>, %i: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %i) -> (tensor<2xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 2] [1, 1] : tensor<?x2xf32> to tensor<2xf32>
    %next = arith.mulf %h, %xt : tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func @logic
// CHECK:         scan.associative ins(%{{.+}} : tensor<?xi1>)
// CHECK:           arith.ori
// CHECK:         scan.associative ins(%{{.+}} : tensor<?xi8>)
// CHECK:           arith.xori
// run: random:i1:N:1 random:i8:N:2
func.func @logic(%x: tensor<?xi1>, %y: tensor<?xi8>) -> (tensor<?xi1>, tensor<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant false
  %g = arith.constant 5 : i8
  %n = tensor.dim %x, %c0 : tensor<?xi1>
  %e0 = tensor.empty(%n) : tensor<?xi1>
  %m = tensor.dim %y, %c0 : tensor<?xi8>
  %e1 = tensor.empty(%m) : tensor<?xi8>
  %r:4 = scf.for %t = %c0 to %n step %c1 iter_args(%o = %e0, %h = %f, %p = %e1, %k = %g) -> (tensor<?xi1>, i1, tensor<?xi8>, i8) {
    %xt = tensor.extract %x[%t] : tensor<?xi1>
    %yt = tensor.extract %y[%t] : tensor<?xi8>
    %hn = arith.ori %h, %xt : i1
    %kn = arith.xori %yt, %k : i8
    %w = tensor.insert %hn into %o[%t] : tensor<?xi1>
    %v = tensor.insert %kn into %p[%t] : tensor<?xi8>
    scf.yield %w, %hn, %v, %kn : tensor<?xi1>, i1, tensor<?xi8>, i8
  }
  return %r#0, %r#2 : tensor<?xi1>, tensor<?xi8>
}

// CHECK-LABEL: func @complex
// CHECK:         scan.linear_recurrence {{.+}}complex<f64>
// run: random:c128:N:1 random:c128:N:2
func.func @complex(%a: tensor<?xcomplex<f64>>, %b: tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h0 = complex.constant [1.0, -1.0] : complex<f64>
  %n = tensor.dim %a, %c0 : tensor<?xcomplex<f64>>
  %empty = tensor.empty(%n) : tensor<?xcomplex<f64>>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<?xcomplex<f64>>, complex<f64>) {
    %at = tensor.extract %a[%t] : tensor<?xcomplex<f64>>
    %bt = tensor.extract %b[%t] : tensor<?xcomplex<f64>>
    %p = complex.mul %at, %h : complex<f64>
    %next = complex.add %p, %bt : complex<f64>
    %w = tensor.insert %next into %out[%t] : tensor<?xcomplex<f64>>
    scf.yield %w, %next : tensor<?xcomplex<f64>>, complex<f64>
  }
  return %y : tensor<?xcomplex<f64>>
}

// One rounding in the loop, two in the scan: not with order = sequential.
// CHECK-LABEL: func @fused
// CHECK:         scan.linear_recurrence
// SEQUENTIAL-LABEL: func @fused
// SEQUENTIAL:    math.fma
// roughly: random:f32:N:1 random:f32:N:2
func.func @fused(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<?xf32>, f32) {
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %bt = tensor.extract %b[%t] : tensor<?xf32>
    %next = math.fma %at, %h, %bt : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y : tensor<?xf32>
}

// 16-bit floats: f32 in between, unless the bits of the loop are asked for.
// SEQUENTIAL-LABEL: func @narrow
// SEQUENTIAL:    scan.linear_recurrence {{.+}} attributes {accumulator = bf16, order = #scan.order<sequential>}
// SEQUENTIAL-LABEL: func @narrow_sum
// SEQUENTIAL:    scan.associative {{.+}} attributes {accumulators = [bf16], order = #scan.order<sequential>}
// run: const:bf16:N:0.5 const:bf16:N:2
func.func @narrow(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h0 = arith.constant 1.0 : bf16
  %n = tensor.dim %a, %c0 : tensor<?xbf16>
  %empty = tensor.empty(%n) : tensor<?xbf16>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<?xbf16>, bf16) {
    %at = tensor.extract %a[%t] : tensor<?xbf16>
    %bt = tensor.extract %b[%t] : tensor<?xbf16>
    %p = arith.mulf %at, %h : bf16
    %next = arith.addf %p, %bt : bf16
    %w = tensor.insert %next into %out[%t] : tensor<?xbf16>
    scf.yield %w, %next : tensor<?xbf16>, bf16
  }
  return %y : tensor<?xbf16>
}
// run: const:bf16:N:2
func.func @narrow_sum(%b: tensor<?xbf16>) -> tensor<?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h0 = arith.constant 1.0 : bf16
  %n = tensor.dim %b, %c0 : tensor<?xbf16>
  %empty = tensor.empty(%n) : tensor<?xbf16>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%out = %empty, %h = %h0) -> (tensor<?xbf16>, bf16) {
    %bt = tensor.extract %b[%t] : tensor<?xbf16>
    %next = arith.addf %h, %bt : bf16
    %w = tensor.insert %next into %out[%t] : tensor<?xbf16>
    scf.yield %w, %next : tensor<?xbf16>, bf16
  }
  return %y : tensor<?xbf16>
}

// h a + h x: the coefficient is a sum.
// CHECK-LABEL: func @twice
// CHECK:         arith.addf
// CHECK:         scan.linear_recurrence
// CHECK-NOT:     scf.for
// CHECK:         return
// roughly: random:f32:N:1 random:f32:N:2:-0.5:0.5 const:index::0
func.func @twice(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %p = arith.mulf %h, %at : f32
    %q = arith.mulf %h, %xt : f32
    %next = arith.addf %p, %q : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// Two states, one of which reads the other: that one is scanned first.
// CHECK-LABEL: func @coupled
// CHECK:         scan.associative {{.+}} exclusive
// CHECK:         scan.associative
// CHECK-NOT:     scf.for
// CHECK:         return
// roughly: random:f32:N:1 random:f32:N:2 const:index::0
func.func @coupled(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:3 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0, %g = %h0) -> (tensor<?xf32>, f32, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %p = arith.addf %h, %g : f32
    %next = arith.addf %p, %xt : f32
    %gn = arith.mulf %g, %xt : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next, %gn : tensor<?xf32>, f32, f32
  }
  return %y#0 : tensor<?xf32>
}

// What a step overwrites it may read before.
// CHECK-LABEL: func @reads_output
// CHECK:         scan.associative
// CHECK-NOT:     scf.for
// CHECK:         return
// run: random:f32:N:1 random:f32:N:2 const:index::0
func.func @reads_output(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %a, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %o = tensor.extract %out[%t] : tensor<?xf32>
    %b = arith.addf %o, %xt : f32
    %next = arith.addf %h, %b : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// A counter of its own is no state.
// CHECK-LABEL: func @counter
// CHECK:         scan.associative ins(%{{.+}} : tensor<?xf32>)
// CHECK-NOT:     scf.for
// CHECK:         return
// run: random:f32:N:1 random:f32:N:2 const:index::0
func.func @counter(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:3 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0, %i = %c0) -> (tensor<?xf32>, f32, index) {
    %xi = tensor.extract %x[%t] : tensor<?xf32>
    %next = arith.addf %h, %xi : f32
    %j = arith.addi %i, %c1 : index
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next, %j : tensor<?xf32>, f32, index
  }
  return %y#0 : tensor<?xf32>
}

// A branch is a selection of two updates.
// CHECK-LABEL: func @branches
// CHECK-NOT:     scf.if
// CHECK:         arith.select
// CHECK:         scan.associative
// CHECK-NOT:     scf.for
// CHECK:         return
// run: random:f32:N:1 random:f32:N:2 const:index::0
func.func @branches(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %p = arith.cmpf ogt, %xt, %at : f32
    %next = scf.if %p -> (f32) {
    %s = arith.addf %h, %xt : f32
    scf.yield %s : f32
    } else {
    scf.yield %h : f32
    }
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// A slice may keep the dimension that is walked.
// CHECK-LABEL: func @kept_dimension
// CHECK:         scan.associative ins(%{{.+}} : tensor<2x?x1xf32>)
// CHECK-NOT:     scf.for
// CHECK:         return
// run: random:f32:2xN:1 random:f32:2x1:2
func.func @kept_dimension(%x: tensor<2x?xf32>, %h0: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<2x?xf32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<2x1xf32>) {
    %xt = tensor.extract_slice %x[0, %t] [2, 1] [1, 1] : tensor<2x?xf32> to tensor<2x1xf32>
    %next = arith.addf %h, %xt : tensor<2x1xf32>
    scf.yield %next : tensor<2x1xf32>
  }
  return %y : tensor<2x1xf32>
}
