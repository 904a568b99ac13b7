// What kernels make of what is known of their operators. operator-facts-numbers.test runs
// such kernels.

// RUN: scan-opt %s --scan-normalize --canonicalize --one-shot-bufferize="bufferize-function-boundaries" --convert-scan-to-gpu --canonicalize | FileCheck %s
// RUN: scan-opt %s --scan-explain="chip=sm_90" -o /dev/null | FileCheck %s --check-prefix=EXPLAIN

// Lanes without an earlier one combine their own state with itself: PTX's shuffle gives it
// to them, and no lane compares its number. The walk starts from the identity: nothing says
// whether a state is present.
// CHECK-LABEL: gpu.func @maximum_scan
// CHECK-DAG: arith.constant 0xFF800000 : f32
// CHECK: scf.for
// CHECK: %[[UP:[a-zA-Z0-9_]+]], %[[VALID:[a-zA-Z0-9_]+]] = gpu.shuffle up %[[TOTAL:[0-9]+]],
// CHECK-NEXT: %[[OWN:.*]] = arith.select %[[VALID]], %[[UP]], %[[TOTAL]] : f32
// CHECK-NEXT: arith.maximumf %[[OWN]], %[[TOTAL]]
// EXPLAIN: @maximum
// EXPLAIN: operator identity: the first tile starts from it, which saves 3 selects per thread and tile
// EXPLAIN: operator idempotent: lanes without an earlier one combine their own state with itself, which saves 5 selects per thread and tile
func.func @maximum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>,
                  scan.operator = {commutative, idempotent, identity = [0xFF800000 : f32], leaves = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// An operator on 8 and 4 bytes whose shuffles are of words; without an identity the first
// tile is another one.
// CHECK-LABEL: gpu.func @first_scan
// CHECK: arith.cmpi ne
// CHECK: arith.shrui %{{.*}}, %{{.*}} : i64
// CHECK-COUNT-2: gpu.shuffle up %{{.*}} : i32
// EXPLAIN: @first
// EXPLAIN-NOT: operator identity
// EXPLAIN: operator idempotent
func.func @first(%x: tensor<?x?xi64>) -> tensor<?x?xi64> {
  %y = scan.associative ins(%x : tensor<?x?xi64>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>,
                  scan.operator = {idempotent, leaves = 1 : i64}} {
  ^bb0(%a: i64, %b: i64):
    %r = scan.clone %a : i64
    scan.yield %r : i64
  } -> tensor<?x?xi64>
  return %y : tensor<?x?xi64>
}

// Of the total alone the lanes add up by a butterfly, in full tiles.
// CHECK-LABEL: gpu.func @total_scan
// CHECK: scf.for
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// The final state of nothing is zero.
// EXPLAIN: @total
// EXPLAIN: operator commutative: lanes add up in any order, which saves 5 selects per thread and tile
func.func @total(%x: tensor<?x?xi32>) -> tensor<?xi32> {
  %y, %f = scan.associative ins(%x : tensor<?x?xi32>) dim = 1
      attributes {final_states, schedule = #scan.schedule<strategy = row, threads = 64, items = 3>,
                  scan.operator = {commutative, identity = [1 : i32], leaves = 1 : i64}} {
  ^bb0(%a: i32, %b: i32):
    %r = arith.muli %a, %b : i32
    scan.yield %r : i32
  } -> tensor<?x?xi32>, tensor<?xi32>
  return %f : tensor<?xi32>
}
