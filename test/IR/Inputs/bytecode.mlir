// Every operation with every property and attribute (bytecode.test).

// CHECK-LABEL: func.func @scans
// CHECK:         scan.associative ins({{.+}}) init({{.+}}) dim = 1 reverse exclusive attributes {
// CHECK-SAME:      accumulators = [i32, i64]
// CHECK-SAME:      order = #scan.order<deterministic>
// CHECK-SAME:      schedule = #scan.schedule<strategy = row, threads = 64, items = 4>
// CHECK-SAME:      test.note = "kept"
// CHECK:           scan.clone
// CHECK:         -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
func.func @scans(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {
  %i = arith.constant 3 : i32
  %p, %q, %pl, %ql = scan.associative ins(%x, %y : tensor<?x?xi32>, tensor<?x?xi32>) init(%i, %i : i32, i32) dim = 1 reverse exclusive
      attributes {accumulators = [i32, i64], order = #scan.order<deterministic>, schedule = #scan.schedule<strategy = row, threads = 64, items = 4>, test.note = "kept"} {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %e = arith.addi %a, %c : i32
    %f = scan.clone %d : i32
    scan.yield %e, %f : i32, i32
  } -> tensor<?x?xi32>, tensor<?x?xi32>, tensor<?xi32>, tensor<?xi32>
  return %p, %ql : tensor<?x?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @compensated
// CHECK:         scan.associative {{.+}} attributes {compensated} {
func.func @compensated(%x: tensor<?xf16>) -> tensor<?xf16> {
  %y = scan.associative ins(%x : tensor<?xf16>) dim = 0 attributes {compensated} {
  ^bb0(%a: f16, %b: f16):
    %e = arith.addf %a, %b : f16
    scan.yield %e : f16
  } -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// CHECK-LABEL: func.func @shared_yields
// CHECK:         scan.associative {{.+}} dim = 0 shared_yields {
func.func @shared_yields(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %p, %q = scan.associative ins(%x, %x : tensor<?xi32>, tensor<?xi32>) dim = 0 shared_yields {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %e = arith.addi %a, %c : i32
    scan.yield %e, %e : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %p, %q : tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @linear_recurrence
// CHECK:         scan.linear_recurrence {{.+}} init({{.+}}) dim = 1 reverse attributes {accumulator = f64, order = #scan.order<sequential>, schedule = #scan.schedule<strategy = sequential
func.func @linear_recurrence(%a: tensor<1x?xf32>, %b: tensor<?x?xf32>, %i: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<1x?xf32>, tensor<?x?xf32>) init(%i : tensor<?xf32>) dim = 1 reverse
      attributes {accumulator = f64, order = #scan.order<sequential>, schedule = #scan.schedule<strategy = sequential, threads = 256>}
      -> tensor<?x?xf32>, tensor<?xf32>
  return %h, %last : tensor<?x?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @kernel
// CHECK:         scan.kernel dim = 0 reverse
// CHECK:           attributes {order = #scan.order<any>, schedule = #scan.schedule<
func.func @kernel(%x: memref<?x4xf32>, %i: f32, %y: memref<?x4xf32>, %z: memref<4xf32>) {
  scan.kernel dim = 0 reverse
      ins(%x : memref<?x4xf32>) init(%i : f32) outs(%y : memref<?x4xf32>) finals(%z : memref<4xf32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>]
      attributes {order = #scan.order<any>, schedule = #scan.schedule<strategy = row, threads = 32, items = 1>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %exclusive : f32
      } finalize {
      ^bb0(%state: f32):
        scan.yield %state : f32
      }
  return
}
