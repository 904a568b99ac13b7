// An init was taken for the list of segment offsets whose number among the inputs it has.

// RUN: scan-opt %s --scan-normalize --canonicalize --scan-fuse-segment-offsets --scan-assign-schedule | FileCheck %s
// RUN: scan-run %s --entry=sums --input=random:i32:300:1 --input=const:i32::3 --input=const:i32::4 --input=values:i32:5:0,7,7,200,300 --target=emulator --compare=reference --tolerance=0

// CHECK: scan.kernel dim = 0
// CHECK-NEXT: ins(%{{.*}}, %[[S:.*]], %{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>, i32, i32) init(
// CHECK: schedule = #scan.schedule<strategy = row
// CHECK-SAME: segment_offsets = array<i1: false, true, false, false>
func.func @sums(%x: tensor<?xi32>, %i: i32, %j: i32, %s: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %y, %z = scan.associative ins(%x, %x : tensor<?xi32>, tensor<?xi32>) init(%i, %j : i32, i32) segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
    %a = arith.addi %a0, %a1 : i32
    %b = arith.maxsi %b0, %b1 : i32
    scan.yield %a, %b : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y, %z : tensor<?xi32>, tensor<?xi32>
}
