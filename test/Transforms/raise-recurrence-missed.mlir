// RUN: scan-opt %s --scan-raise-recurrence --remarks-filter-missed=scan-raise-recurrence 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: scan-opt %s --scan-raise-recurrence=order=sequential --remarks-filter-missed=scan-raise-recurrence 2>&1 | FileCheck %s --check-prefix=SEQUENTIAL
// RUN: scan-opt %s --scan-raise-recurrence 2>&1 | FileCheck %s --check-prefix=QUIET

// What stays, and why. Without the option nobody is told.
// CHECK-NOT: scan.associative
// QUIET-NOT: remark

// No linear function of the state.
// CHECK-LABEL: func @nonlinear
// CHECK:         scf.for
// REMARK:      Function=nonlinear | Reason="the update of a carried value h is none of a * h + b, with a and b that do not depend on h, of the sums, products, minima, maxima, and, or and xor of h and such a value, of a selection of such updates, log(exp(h) + exp(b)) and (a * h + b) / (c * h + d)"
func.func @nonlinear(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %p = math.tanh %h : f32
    %next = arith.addf %p, %xt : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @squared
// CHECK:         scf.for
// REMARK:      Function=squared | Reason="the update of a carried value h is none of a * h + b, with a and b that do not depend on h, of the sums, products, minima, maxima, and, or and xor of h and such a value, of a selection of such updates, log(exp(h) + exp(b)) and (a * h + b) / (c * h + d)"
func.func @squared(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %p = arith.mulf %h, %h : f32
    %next = arith.addf %p, %xt : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @divided
// CHECK:         scf.for
// REMARK:      Function=divided | Reason="the update of a carried value h is none of a * h + b, with a and b that do not depend on h, of the sums, products, minima, maxima, and, or and xor of h and such a value, of a selection of such updates, log(exp(h) + exp(b)) and (a * h + b) / (c * h + d)"
func.func @divided(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %next = arith.divf %h, %xt : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @minus
// CHECK:         scf.for
// REMARK:      Function=minus | Reason="the update of a carried value h is none of a * h + b, with a and b that do not depend on h, of the sums, products, minima, maxima, and, or and xor of h and such a value, of a selection of such updates, log(exp(h) + exp(b)) and (a * h + b) / (c * h + d)"
func.func @minus(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %g = arith.mulf %h, %xt : f32
    %next = arith.remf %g, %at : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @scaled_step
// CHECK:         scf.for
// REMARK:      Function=scaled_step | Reason="an index is not the step, or a value minus the step, in one dimension and the same in every step in the others"
func.func @scaled_step(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c2 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %next = arith.addf %h, %xt : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @strided
// CHECK:         scf.for
// REMARK:      Function=strided | Reason="an index is not the step, or a value minus the step, in one dimension and the same in every step in the others"
func.func @strided(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %k step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %i = arith.muli %t, %c2 : index
    %xi = tensor.extract %x[%i] : tensor<?xf32>
    %next = arith.addf %h, %xi : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @gathered
// CHECK:         scf.for
// REMARK:      Function=gathered | Reason="an index is not the step, or a value minus the step, in one dimension and the same in every step in the others"
func.func @gathered(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %i = arith.fptosi %xt : f32 to i64
    %j = arith.index_cast %i : i64 to index
    %xi = tensor.extract %x[%j] : tensor<?xf32>
    %next = arith.addf %h, %xi : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @bidirectional
// CHECK:         scf.for
// REMARK:      Function=bidirectional | Reason="some slices are walked forward and others in reverse"
func.func @bidirectional(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %back = arith.subi %n, %c1 : index
    %i = arith.subi %back, %t : index
    %xi = tensor.extract %x[%i] : tensor<?xf32>
    %next = arith.addf %h, %xi : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @written_twice
// CHECK:         scf.for
// REMARK:      Function=written_twice | Reason="a tensor is not written once per step, at the step along one dimension, and read by slices only"
func.func @written_twice(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %next = arith.addf %h, %xt : f32
    %v = tensor.insert %h into %out[%t] : tensor<?xf32>
    %w = tensor.insert %next into %v[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @printed
// CHECK:         scf.for
// REMARK:      Function=printed | Reason="'vector.print' has side effects"
func.func @printed(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %next = arith.addf %h, %xt : f32
    vector.print %next : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// CHECK-LABEL: func @unsigned
// CHECK:         scf.for
// REMARK:      Function=unsigned | Reason="expected signed bounds of type index"
func.func @unsigned(%x: tensor<?xf32>, %a: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h0 = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y:2 = scf.for unsigned %t = %c0 to %n step %c1 iter_args(%out = %e, %h = %h0) -> (tensor<?xf32>, f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %at = tensor.extract %a[%t] : tensor<?xf32>
    %next = arith.addf %h, %xt : f32
    %w = tensor.insert %next into %out[%t] : tensor<?xf32>
    scf.yield %w, %next : tensor<?xf32>, f32
  }
  return %y#0 : tensor<?xf32>
}

// A slice whose size changes.
// CHECK-LABEL: func @growing
// CHECK:         scf.for
// REMARK:      Function=growing | Reason="the size of a slice changes from step to step"
func.func @growing(%x: tensor<?xf32>, %h0: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<?xf32>) {
    %xt = tensor.extract_slice %x[0] [%t] [1] : tensor<?xf32> to tensor<?xf32>
    %next = arith.addf %h, %xt : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}

// A state that is mixed with its neighbours.
// CHECK-LABEL: func @mixed
// CHECK:         scf.for
// REMARK:      Function=mixed | Reason="the update of a carried value h is none of a * h + b, with a and b that do not depend on h, of the sums, products, minima, maxima, and, or and xor of h and such a value, of a selection of such updates, log(exp(h) + exp(b)) and (a * h + b) / (c * h + d)"
func.func @mixed(%x: tensor<?x2x2xf32>, %h0: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<2x2xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 2, 2] [1, 1, 1] : tensor<?x2x2xf32> to tensor<2x2xf32>
    %turned = linalg.transpose ins(%h : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) permutation = [1, 0]
    %next = arith.addf %turned, %xt : tensor<2x2xf32>
    scf.yield %next : tensor<2x2xf32>
  }
  return %y : tensor<2x2xf32>
}

// A matrix product: a step that is not elementwise.
// CHECK-LABEL: func @product
// CHECK:         scf.for
// REMARK:      Function=product | Reason="the update of a carried value h is none of a * h + b, with a and b that do not depend on h, of the sums, products, minima, maxima, and, or and xor of h and such a value, of a selection of such updates, log(exp(h) + exp(b)) and (a * h + b) / (c * h + d)"
func.func @product(%x: tensor<?x2x2xf32>, %h0: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x2x2xf32>
  %e = arith.constant dense<0.0> : tensor<2x2xf32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (tensor<2x2xf32>) {
    %xt = tensor.extract_slice %x[%t, 0, 0] [1, 2, 2] [1, 1, 1] : tensor<?x2x2xf32> to tensor<2x2xf32>
    %next = linalg.matmul ins(%xt, %h : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.yield %next : tensor<2x2xf32>
  }
  return %y : tensor<2x2xf32>
}

// No recurrence of i1: its sums are and, or and xor.
// CHECK-LABEL: func @truth
// CHECK:         scf.for
// REMARK:      Function=truth | Reason="a linear recurrence of i1"
func.func @truth(%x: tensor<?xi1>, %a: tensor<?xi1>, %h0: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xi1>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (i1) {
    %xt = tensor.extract %x[%t] : tensor<?xi1>
    %at = tensor.extract %a[%t] : tensor<?xi1>
    %p = arith.muli %at, %h : i1
    %next = arith.addi %p, %xt : i1
    scf.yield %next : i1
  }
  return %y : i1
}

// Rounded once: SEQUENTIAL only.
// SEQUENTIAL: Function=rounded_once | Reason="a * h + b is rounded once in the loop (math.fma), and twice in a scan: order = sequential asks for the same numbers"
func.func @rounded_once(%x: tensor<?xf32>, %h0: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %next = math.fma %xt, %h, %xt : f32
    scf.yield %next : f32
  }
  return %y : f32
}

// Nothing says how many steps there may be at a time.
// CHECK-LABEL: func @no_tensor
// CHECK:         scf.for
// REMARK:      Function=no_tensor | Reason="it walks no dimension of a tensor"
func.func @no_tensor(%k: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h0 = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %y = scf.for %t = %c0 to %k step %c1 iter_args(%h = %h0) -> (f32) {
    %next = arith.mulf %h, %half : f32
    scf.yield %next : f32
  }
  return %y : f32
}

// A branch guards what would be outside of the tensor in the last step.
// CHECK-LABEL: func @guarded_read
// CHECK:         scf.for
// REMARK:      Function=guarded_read | Reason="a branch guards an index that may be outside of the tensor without it"
func.func @guarded_read(%x: tensor<?xf32>, %h0: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (f32) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %p = arith.cmpi slt, %t, %last : index
    %b = scf.if %p -> (f32) {
      %u = arith.addi %t, %c1 : index
      %v = tensor.extract %x[%u] : tensor<?xf32>
      scf.yield %v : f32
    } else {
      scf.yield %xt : f32
    }
    %next = arith.addf %h, %b : f32
    scf.yield %next : f32
  }
  return %y : f32
}

// The same of a write.
// CHECK-LABEL: func @guarded_write
// CHECK:         scf.for
// REMARK:      Function=guarded_write | Reason="a branch guards an index that may be outside of the tensor without it"
func.func @guarded_write(%x: tensor<?xf32>, %h0: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %last = arith.subi %n, %c1 : index
  %y:2 = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0, %out = %e) -> (f32, tensor<?xf32>) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %next = arith.addf %h, %xt : f32
    %u = arith.addi %t, %c1 : index
    %p = arith.cmpi slt, %t, %last : index
    %w = scf.if %p -> (tensor<?xf32>) {
      %v = tensor.insert %next into %out[%u] : tensor<?xf32>
      scf.yield %v : tensor<?xf32>
    } else {
      scf.yield %out : tensor<?xf32>
    }
    scf.yield %next, %w : f32, tensor<?xf32>
  }
  return %y#1 : tensor<?xf32>
}

// A division that may be by zero is not computed without need.
// CHECK-LABEL: func @guarded_division
// CHECK:         scf.for
// REMARK:      Function=guarded_division | Reason="'arith.divsi' is in a branch of 'scf.if', and not to be computed without need"
func.func @guarded_division(%x: tensor<?xi32>, %h0: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%h = %h0) -> (i32) {
    %xt = tensor.extract %x[%t] : tensor<?xi32>
    %p = arith.cmpi ne, %xt, %z : i32
    %b = scf.if %p -> (i32) {
      %v = arith.divsi %h0, %xt : i32
      scf.yield %v : i32
    } else {
      scf.yield %z : i32
    }
    %next = arith.addi %h, %b : i32
    scf.yield %next : i32
  }
  return %y : i32
}

// Memory that may overlap with other memory.
// CHECK-LABEL: func @overlapping
// CHECK:         scf.for
// REMARK:      Function=overlapping | Reason="it accesses memory that may overlap with other memory: expected a memref that is an argument of the function or allocated in front of the loop"
func.func @overlapping(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %v = memref.reinterpret_cast %x to offset: [%c0], sizes: [8], strides: [1] : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
  scf.for %t = %c1 to %c7 step %c1 {
    %u = arith.subi %t, %c1 : index
    %a = memref.load %v[%u] : memref<8xf32, strided<[1], offset: ?>>
    %b = memref.load %x[%t] : memref<8xf32>
    %s = arith.addf %a, %b : f32
    memref.store %s, %x[%t] : memref<8xf32>
  }
  return
}

// Without an end that is known.
// CHECK-LABEL: func @endless
// CHECK:         scf.while
// REMARK:      Function=endless | Reason="'scf.while' does not count: expected a carried number, to which each step adds the same, compared with one from outside"
func.func @endless(%x: tensor<?xf32>, %h0: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %y:2 = scf.while (%h = %h0, %t = %c0) : (f32, index) -> (f32, index) {
    %p = arith.cmpf olt, %h, %one : f32
    scf.condition(%p) %h, %t : f32, index
  } do {
  ^bb0(%h: f32, %t: index):
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %next = arith.addf %h, %xt : f32
    %u = arith.addi %t, %c1 : index
    scf.yield %next, %u : f32, index
  }
  return %y#0 : f32
}

// A loop that carries no state is not mentioned.
// REMARK-NOT:  remark
func.func @no_state(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%out = %e) -> (tensor<?xf32>) {
    %xt = tensor.extract %x[%t] : tensor<?xf32>
    %v = arith.negf %xt : f32
    %w = tensor.insert %v into %out[%t] : tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
