// RUN: scan-opt %s --split-input-file --verify-diagnostics --transform-interpreter

func.func @no_scan(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = arith.negf %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["arith.negf"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a scan, found 'arith.negf'}}
    transform.scan.set_schedule %op <strategy = row> : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected threads to be a multiple of 32 between 32 and 1024, found 100}}
    transform.scan.set_schedule %root <strategy = row, threads = 100, items = 1> : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected a known chip, found 'sm_42'; known are sm_75, }}
    transform.scan.set_schedule %root <strategy = row> chip = "sm_42" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected a known chip, found 'gfx90a'; known are sm_75, }}
    transform.scan.assign_schedule %root chip = "gfx90a" : !transform.any_op
    transform.yield
  }
}

// -----

func.func @order(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 attributes {order = #scan.order<sequential>} -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected the strategy sequential, or row with as many rows as threads, for a scan of the order sequential, found row}}
    transform.scan.set_schedule %op <strategy = row> : !transform.any_op
    transform.yield
  }
}

// -----

// Shared memory: the limit of the chip, not of the attribute.

func.func @shared(%a: tensor<4x4096xcomplex<f64>>, %b: tensor<4x4096xcomplex<f64>>) -> tensor<4x4096xcomplex<f64>> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4x4096xcomplex<f64>>, tensor<4x4096xcomplex<f64>>) dim = 1 -> tensor<4x4096xcomplex<f64>>
  return %y : tensor<4x4096xcomplex<f64>>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a schedule with at most 49152 bytes of shared memory per block for sm_90, found 1024 threads in 32 lanes with 4 columns each}}
    transform.scan.set_schedule %kernel <strategy = column, threads = 1024, items = 4, vector = 4> : !transform.any_op
    transform.yield
  }
}

// -----

func.func @graph_level(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a 'scan.kernel', found 'scan.linear_recurrence'}}
    transform.scan.assign_schedule %op : !transform.any_op
    transform.yield
  }
}

// -----

func.func @no_scan(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = arith.negf %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["arith.negf"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a scan, found 'arith.negf'}}
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @obstacle(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.associative ins(%x : tensor<?x4xf32>) dim = 0 {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %s = arith.addf %a, %b : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    // expected-note @+1 {{this operation}}
    %r = linalg.softmax dimension(0) ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scan.yield %r : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{'linalg.softmax' op has no rewrite to scalar operations}}
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @too_many(%x: tensor<?x1025xf32>) -> tensor<?x1025xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.associative ins(%x : tensor<?x1025xf32>) dim = 0 {
  ^bb0(%a: tensor<1025xf32>, %b: tensor<1025xf32>):
    %s = arith.addf %a, %b : tensor<1025xf32>
    scan.yield %s : tensor<1025xf32>
  } -> tensor<?x1025xf32>
  return %y : tensor<?x1025xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.associative"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{'scan.associative' op has 1025 trailing elements in leaf 0, and at most 1024 are supported}}
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @graph_level(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a 'scan.kernel' (transform.scan.normalize makes one), found 'scan.linear_recurrence'}}
    %kernel = transform.scan.fuse_elementwise %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#m = affine_map<(d0) -> (d0)>

func.func @fuse_memrefs(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-note @+1 {{when applied to this op}}
  scan.kernel dim = 0 ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) maps [#m, #m]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a kernel on tensors, found memrefs; fuse before bufferization}}
    %k = transform.scan.fuse_elementwise %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#m = affine_map<(d0) -> (d0)>

func.func @gpu_no_schedule(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-note @+1 {{when applied to this op}}
  scan.kernel dim = 0 ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) maps [#m, #m]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a schedule to become a GPU kernel, found none}}
    %l, %f = transform.scan.lower_to_gpu %op : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#m = affine_map<(d0) -> (d0)>

func.func @gpu_layout(%x: memref<8xf32, affine_map<(i) -> (i mod 4)>>, %y: memref<8xf32, affine_map<(i) -> (i mod 4)>>) {
  // expected-note @+1 {{when applied to this op}}
  scan.kernel dim = 0 ins(%x : memref<8xf32, affine_map<(i) -> (i mod 4)>>) outs(%y : memref<8xf32, affine_map<(i) -> (i mod 4)>>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected operand 0 to have a strided layout to become a GPU kernel}}
    %l, %f = transform.scan.lower_to_gpu %op : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#m = affine_map<(d0) -> (d0)>

func.func @gpu_in_device_code(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%lx = %c1, %ly = %c1, %lz = %c1) {
  // expected-note @+1 {{when applied to this op}}
  scan.kernel dim = 0 ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) maps [#m, #m]
      attributes {schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      }
  gpu.terminator
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.kernel"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a kernel on the host to become a GPU kernel, found one in device code}}
    %l, %f = transform.scan.lower_to_gpu %op : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @gpu_graph_level(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a 'scan.kernel', found 'scan.linear_recurrence'}}
    %l, %f = transform.scan.lower_to_gpu %op : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @gpu_tensors(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected memref operands to become a GPU kernel, found tensors; run one-shot-bufferize}}
    %l, %f = transform.scan.lower_to_gpu %kernel : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @loops_graph_level(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected a 'scan.kernel', found 'scan.linear_recurrence'}}
    %l = transform.scan.lower_to_loops %op : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @loops_tensors(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{when applied to this op}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<4xf32>, tensor<4xf32>) dim = 0 -> tensor<4xf32>
  return %y : tensor<4xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %op = transform.structured.match ops{["scan.linear_recurrence"]} in %root : (!transform.any_op) -> !transform.any_op
    %kernel = transform.scan.normalize %op : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{expected memref operands to become loops, found tensors; bufferize before transform.scan.lower_to_loops}}
    %l = transform.scan.lower_to_loops %kernel : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{attribute 'vector_bits' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
    %l = transform.scan.lower_to_loops %root vector_bits = -1 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{attribute 'state_bytes' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
    %l = transform.scan.lower_to_loops %root state_bytes = 0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{attribute 'rows' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
    %l = transform.scan.lower_to_loops %root rows = 0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{'transform.scan.lower_to_loops' op expected the bits of vectors to be 0, or a power of two from 8 to 4096, found 100}}
    %l = transform.scan.lower_to_loops %root vector_bits = 100 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // No number is cut off to 32 bits.
    // expected-error @+1 {{expected the bits of vectors to be 0, or a power of two from 8 to 4096, found 4294967295}}
    %l = transform.scan.lower_to_loops %root vector_bits = 4294967296 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @+1 {{expected the rows that are walked at a time to be from 1 to 64, found 4294967295}}
    %l = transform.scan.lower_to_loops %root rows = 4294967297 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
