// RUN: scan-opt %s --convert-scan-to-loops --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A row of sums begins at -0, which leaves each first element as it is: no tile
// asks whether it is the first one.
// CHECK-LABEL: @sum(
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:       vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK:       scf.for %[[T:[^ ]*]] =
// CHECK-NOT:   arith.cmpi eq, %[[T]]
// CHECK-NOT:   arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>{{$}}
// CHECK:       return
func.func @sum(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i: f32, %e: f32, %a: f32):
        scan.yield %i : f32
      }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// What was proved of an operator says where it begins, too.
// CHECK-LABEL: @proved(
// CHECK:       arith.constant 7 : i32
// CHECK-NOT:   arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>{{$}}
// CHECK:       return
func.func @proved(%x: memref<?x?xi32>, %y: memref<?x?xi32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xi32>) outs(%y : memref<?x?xi32>) maps [#id, #id]
      attributes {scan.operator = {commutative, identity = [7 : i32], leaves = 1}}
      load {
      ^bb0(%e: i32):
        scan.yield %e : i32
      } combine {
      ^bb0(%p: i32, %q: i32):
        %c = arith.constant 7 : i32
        %s = arith.xori %p, %q : i32
        %t = arith.xori %s, %c : i32
        scan.yield %t : i32
      } store {
      ^bb0(%i: i32, %e: i32, %a: i32):
        scan.yield %i : i32
      }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Nothing leaves a NaN as it is where the operator leaves NaN out.
// CHECK-LABEL: @maxnum(
// CHECK:       arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>{{$}}
func.func @maxnum(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) maps [#id, #id]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.maxnumf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i: f32, %e: f32, %a: f32):
        scan.yield %i : f32
      }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The final state of a row without steps stays what it was.
// CHECK-LABEL: @final(
// CHECK-NOT:   arith.constant -0.000000e+00
// CHECK:       return
func.func @final(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %f: memref<?xf32>) {
  scan.kernel dim = 1 ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) finals(%f : memref<?xf32>) maps [#id, #id, #row]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scan.yield %s : f32
      } store {
      ^bb0(%i: f32, %e: f32, %a: f32):
        scan.yield %i : f32
      } finalize {
      ^bb0(%s: f32):
        scan.yield %s : f32
      }
  return
}
