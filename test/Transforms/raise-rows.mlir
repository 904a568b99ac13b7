// RUN: scan-opt %s --scan-raise-recurrence=recurrences=true --canonicalize --cse --remarks-filter-missed=scan-raise-recurrence 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: scan-opt %s --scan-raise-recurrence | FileCheck %s --check-prefix=LOOPS

// Loops that carry rows and are no scans; numbers: raise-rows.test. Without the option
// they stay.
// LOOPS-COUNT-10: scf.for 
// LOOPS-NOT:     scan.recurrence

// CHECK-LABEL: func.func @lanes(
// CHECK-SAME:      %[[X:.+]]: tensor<?x6xf32>, %[[H0:.+]]: tensor<6xf32>
// CHECK:         %[[INIT:.+]] = tensor.expand_shape %[[H0]] {{\[\[}}0, 1]]
// CHECK:         %[[R:.+]]:3 = scan.recurrence ins(%[[X]] : tensor<?x6xf32>) init(%[[INIT]] : tensor<1x6xf32>) dim = 0 {
// CHECK:           math.tanh
// CHECK:         } -> tensor<?x6xf32>, tensor<?x6xf32>, tensor<1x6xf32>
// CHECK:         %[[LAST:.+]] = tensor.collapse_shape %[[R]]#2
// CHECK:         return %[[R]]#1, %[[LAST]]
func.func @lanes(%x: tensor<?x6xf32>, %h0: tensor<6xf32>) -> (tensor<?x6xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0, %ys = %e) -> (tensor<6xf32>, tensor<?x6xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 6] [1, 1] : tensor<?x6xf32> to tensor<6xf32>
    %s = arith.addf %h, %xt : tensor<6xf32>
    %next = math.tanh %s : tensor<6xf32>
    %w = tensor.insert_slice %next into %ys[%t, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<?x6xf32>
    scf.yield %next, %w : tensor<6xf32>, tensor<?x6xf32>
  }
  return %r#1, %r#0 : tensor<?x6xf32>, tensor<6xf32>
}

// Scalars, from the last row to the first.
// CHECK-LABEL: func.func @logistic(
// CHECK:         scan.recurrence ins({{.+}} : tensor<?xf32>) init({{.+}} : tensor<1xf32>) dim = 0 reverse {
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %{{.+}}: f32, %{{.+}}: f32):
func.func @logistic(%x: tensor<?xf32>, %h0: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0, %ys = %e) -> (f32, tensor<?xf32>) {
    %last = arith.subi %n, %c1 : index
    %at = arith.subi %last, %t : index
    %xt = tensor.extract %x[%at] : tensor<?xf32>
    %one = arith.constant 1.0 : f32
    %d = arith.subf %one, %h : f32
    %p = arith.mulf %h, %d : f32
    %next = arith.mulf %p, %xt : f32
    %w = tensor.insert %next into %ys[%at] : tensor<?xf32>
    scf.yield %next, %w : f32, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}
// Rows of two earlier steps are states; the time is in the middle; of what is written a
// part is walked; a product with weights, which a step sees whole.
// CHECK-LABEL: func.func @history(
// CHECK-SAME:      %[[X:.+]]: tensor<4x9x3xi32>, %[[Y:.+]]: tensor<4x11x3xi32>, %[[W:.+]]: tensor<3x3xi32>
// CHECK:         %[[R:.+]]:7 = scan.recurrence ins(%[[X]] : tensor<4x9x3xi32>)
// CHECK-SAME:        init({{.+}} : tensor<4x1x3xi32>, tensor<4x1x3xi32>, tensor<4x1x3xi32>) captures(%[[W]] : tensor<3x3xi32>) dim = 1 {
// CHECK:           linalg.matmul
// CHECK:         tensor.insert_slice %[[R]]#3 into %[[Y]][0, 2, 0] [4, 9, 3]
func.func @history(%x: tensor<4x9x3xi32>, %y: tensor<4x11x3xi32>, %w: tensor<3x3xi32>) -> tensor<4x11x3xi32> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %z = arith.constant dense<0> : tensor<4x3xi32>
  %r:2 = scf.for %t = %c2 to %c11 step %c1 iter_args(%ys = %y, %s = %z) -> (tensor<4x11x3xi32>, tensor<4x3xi32>) {
    %t1 = arith.subi %t, %c1 : index
    %t2 = arith.subi %t, %c2 : index
    %y1 = tensor.extract_slice %ys[0, %t1, 0] [4, 1, 3] [1, 1, 1] : tensor<4x11x3xi32> to tensor<4x3xi32>
    %y2 = tensor.extract_slice %ys[0, %t2, 0] [4, 1, 3] [1, 1, 1] : tensor<4x11x3xi32> to tensor<4x3xi32>
    %xt = tensor.extract_slice %x[0, %t2, 0] [4, 1, 3] [1, 1, 1] : tensor<4x9x3xi32> to tensor<4x3xi32>
    %p = linalg.matmul ins(%y2, %w : tensor<4x3xi32>, tensor<3x3xi32>) outs(%xt : tensor<4x3xi32>) -> tensor<4x3xi32>
    %q = arith.muli %y1, %p : tensor<4x3xi32>
    %u = arith.xori %q, %s : tensor<4x3xi32>
    %written = tensor.insert_slice %u into %ys[0, %t, 0] [4, 1, 3] [1, 1, 1] : tensor<4x3xi32> into tensor<4x11x3xi32>
    scf.yield %written, %y1 : tensor<4x11x3xi32>, tensor<4x3xi32>
  }
  return %r#0 : tensor<4x11x3xi32>
}

// What is written is the state before the step, along its last dimension.
// CHECK-LABEL: func.func @before(
// CHECK:         scan.recurrence init({{.+}} : tensor<2x1xf32>) steps(%{{.+}} : index) dim = 1 {
func.func @before(%h0: tensor<2xf32>) -> tensor<2x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<2x5xf32>
  %r:2 = scf.for %t = %c0 to %c5 step %c1 iter_args(%ys = %e, %h = %h0) -> (tensor<2x5xf32>, tensor<2xf32>) {
    %s = math.tanh %h : tensor<2xf32>
    %w = tensor.insert_slice %h into %ys[0, %t] [2, 1] [1, 1] : tensor<2xf32> into tensor<2x5xf32>
    scf.yield %w, %s : tensor<2x5xf32>, tensor<2xf32>
  }
  return %r#0 : tensor<2x5xf32>
}

// What is carried beside rows is an index.
// CHECK-LABEL: func.func @counter(
// CHECK:         scf.for
// REMARK: Function=counter | Reason="a carried value is no row of a supported type", Remark="a loop does not become a recurrence"
func.func @counter(%x: tensor<9xindex>, %k: index) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<9xf32>
  %r:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%ys = %e, %i = %k) -> (tensor<9xf32>, index) {
    %xt = tensor.extract %x[%t] : tensor<9xindex>
    %p = arith.muli %i, %i : index
    %next = arith.addi %p, %xt : index
    %v = arith.index_cast %next : index to i32
    %f = arith.sitofp %v : i32 to f32
    %w = tensor.insert %f into %ys[%t] : tensor<9xf32>
    scf.yield %w, %next : tensor<9xf32>, index
  }
  return %r#0 : tensor<9xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK:         scf.for
// REMARK: Function=transposed | Reason="tensors are written along different dimensions", Remark="a loop does not become a recurrence"
func.func @transposed(%x: tensor<4x4xf32>, %h0: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %r:3 = scf.for %t = %c0 to %c4 step %c1 iter_args(%ys = %e, %zs = %e, %h = %h0) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
    %xt = tensor.extract_slice %x[%t, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    %s = arith.addf %h, %xt : tensor<4xf32>
    %next = math.tanh %s : tensor<4xf32>
    %w = tensor.insert_slice %next into %ys[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
    %v = tensor.insert_slice %next into %zs[0, %t] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
    scf.yield %w, %v, %next : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A scalar beside rows of which the time is the second dimension.
// CHECK-LABEL: func.func @scalar(
// CHECK:         scf.for
// REMARK: Function=scalar | Reason="a carried value has fewer dimensions than there are in front of the one that the loop walks", Remark="a loop does not become a recurrence"
func.func @scalar(%x: tensor<4x9xf32>, %h0: f32) -> tensor<4x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<4x9xf32>
  %r:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%ys = %e, %h = %h0) -> (tensor<4x9xf32>, f32) {
    %xt = tensor.extract_slice %x[0, %t] [4, 1] [1, 1] : tensor<4x9xf32> to tensor<4xf32>
    %next = math.tanh %h : f32
    %all = tensor.splat %next : tensor<4xf32>
    %s = arith.addf %all, %xt : tensor<4xf32>
    %w = tensor.insert_slice %s into %ys[0, %t] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x9xf32>
    scf.yield %w, %next : tensor<4x9xf32>, f32
  }
  return %r#0 : tensor<4x9xf32>
}

// CHECK-LABEL: func.func @read_again(
// CHECK:         scf.for
// REMARK: Function=read_again | Reason="a step reads a tensor that it has written", Remark="a loop does not become a recurrence"
func.func @read_again(%x: tensor<9xf32>, %h0: f32) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<9xf32>
  %r:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%ys = %e, %h = %h0) -> (tensor<9xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<9xf32>
    %w = tensor.insert %xt into %ys[%t] : tensor<9xf32>
    %y0 = tensor.extract %w[%t] : tensor<9xf32>
    %s = arith.addf %y0, %h : f32
    %next = math.tanh %s : f32
    scf.yield %w, %next : tensor<9xf32>, f32
  }
  return %r#0 : tensor<9xf32>
}

// Memory is no value that a step can see whole.
// CHECK-LABEL: func.func @memory(
// CHECK:         scf.for
// REMARK: Function=memory | Reason="a step reads a value from outside that is no scalar and no tensor of a supported type", Remark="a loop does not become a recurrence"
func.func @memory(%x: tensor<9xf32>, %m: memref<4xf32>, %h0: f32) -> (tensor<9xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<9xf32>
  %r:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%ys = %e, %h = %h0) -> (tensor<9xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<9xf32>
    %n = memref.dim %m, %c0 : memref<4xf32>
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %f, %h : f32
    %p = math.tanh %s : f32
    %next = arith.addf %p, %xt : f32
    %w = tensor.insert %next into %ys[%t] : tensor<9xf32>
    scf.yield %w, %next : tensor<9xf32>, f32
  }
  return %r#0, %r#1 : tensor<9xf32>, f32
}

// A step of a thread block.
// CHECK-LABEL: func.func @block(
// CHECK:         scf.forall
// CHECK:           scf.for
func.func @block(%x: tensor<9x4xf32>, %h0: tensor<4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<9x4xf32>
  %r = scf.forall (%b) in (4) shared_outs(%all = %e) -> (tensor<9x4xf32>) {
    %part = tensor.extract_slice %x[0, %b] [9, 1] [1, 1] : tensor<9x4xf32> to tensor<9x1xf32>
    %own = tensor.extract_slice %all[0, %b] [9, 1] [1, 1] : tensor<9x4xf32> to tensor<9x1xf32>
    %first = tensor.extract_slice %h0[%b] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %s:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%ys = %own, %h = %first) -> (tensor<9x1xf32>, tensor<1xf32>) {
      %row = tensor.extract_slice %part[%t, 0] [1, 1] [1, 1] : tensor<9x1xf32> to tensor<1xf32>
      %a = arith.addf %h, %row : tensor<1xf32>
      %next = math.tanh %a : tensor<1xf32>
      %w = tensor.insert_slice %next into %ys[%t, 0] [1, 1] [1, 1] : tensor<1xf32> into tensor<9x1xf32>
      scf.yield %w, %next : tensor<9x1xf32>, tensor<1xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s#0 into %all[0, %b] [9, 1] [1, 1] : tensor<9x1xf32> into tensor<9x4xf32>
    }
  } {mapping = [#gpu.block<linear_dim_0>]}
  return %r : tensor<9x4xf32>
}
