// RUN: scan-opt %s --scan-to-fused --scan-bufferize --convert-scan-to-loops="vector-bits=256 streaming-bytes=0" --canonicalize --cse | FileCheck %s
// RUN: scan-run %s --entry=forward --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:1000:1:-1:0.1 --input=random:f32:1000:2 --output=%t.a.npy --output=%t.b.npy
// RUN: scan-run %s --entry=forward --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:129:1:-1:0.1 --input=random:f32:129:2 --output=%t.a.npy --output=%t.b.npy
// RUN: scan-run %s --entry=backward --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:1027:1:-1:0.1 --input=random:f32:1027:2 --output=%t.a.npy --output=%t.b.npy
// RUN: scan-run %s --entry=backward --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:127:1:-1:0.1 --input=random:f32:127:2 --output=%t.a.npy --output=%t.b.npy

// A recurrence with logarithms of its coefficients, which does not commute, and takes an
// exponential in each combine: tiles have eight vectors. Their blocks of 8 by 8 are
// transposed by three exchanges, and combines of vectors, in a loop, 3 of lanes, one with the
// state before, those with what is before each lane, in a loop, and one for the next state are
// left. Vectors by themselves have the combines of their lanes in a loop, too, before whose
// rounds the bits of the lanes' numbers are rotated.

// CHECK-LABEL: func.func @forward(
// CHECK:         scf.for {{.*}} step %c64
// CHECK-COUNT-16:  vector.load {{.*}} vector<8xf32>
// CHECK:           vector.shuffle {{.*}} [0, 8, 1, 9, 4, 12, 5, 13]
// CHECK:           vector.shuffle {{.*}} [0, 1, 8, 9, 4, 5, 12, 13]
// CHECK:           vector.shuffle {{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK:           vector.shuffle {{.*}} [4, 5, 6, 7, 12, 13, 14, 15]
// CHECK-COUNT-7:   math.exp {{.*}} : vector<8xf32>
// CHECK-NOT:       math.exp
// CHECK:         scf.for {{.*}} step %c8 iter_args
// CHECK:           vector.shuffle {{.*}} [0, 4, 1, 5, 2, 6, 3, 7]
// CHECK:           scf.for {{.*}} = %c0 to %c3 step %c1 iter_args({{.*}}, {{.*}}, %[[BITS:.*]] = %{{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xi32>) {
// CHECK-NEXT:        %[[REST:.*]] = arith.andi %[[BITS]], %{{.*}} : vector<8xi32>
// CHECK-NEXT:        arith.cmpi ne, %[[REST]]
// CHECK-COUNT-2:     vector.shuffle {{.*}} [0, 2, 4, 6, 1, 3, 5, 7]
// CHECK-COUNT-2:     vector.shuffle {{.*}} [7, 0, 2, 4, 6, 1, 3, 5]
// CHECK:             math.exp {{.*}} : vector<8xf32>
// CHECK-NOT:         math.exp
// CHECK:             %[[HALF:.*]] = arith.shrui %[[BITS]]
// CHECK-NEXT:        scf.yield {{.*}}, %[[HALF]]
// CHECK-COUNT-2:   math.exp {{.*}} : vector<8xf32>

// Threads save such tiles until they walk them. There the combines of whole vectors are loops
// over what is saved: one for the steps of each lane, one for what is before each lane.

// RUN: scan-opt %s --scan-to-fused --scan-bufferize --convert-scan-to-loops="vector-bits=256 streaming-bytes=0 threads thread-work=4096" --canonicalize --cse | FileCheck %s --check-prefix=SAVED
// RUN: env SCAN_THREAD_WORK=0 SCAN_NUM_THREADS=2 scan-run %s --entry=forward --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:10007:1:-1:0.1 --input=random:f32:10007:2 --output=%t.a.npy --output=%t.b.npy
// RUN: env SCAN_THREAD_WORK=0 SCAN_NUM_THREADS=2 scan-run %s --entry=backward --target=cpu --compare=reference --tolerance=1e-5 --input=random:f32:10007:1:-1:0.1 --input=random:f32:10007:2 --output=%t.a.npy --output=%t.b.npy
// SAVED-LABEL: func.func @forward(
// SAVED:         scf.parallel
// SAVED:           scf.for {{.*}} step %c64 iter_args
// SAVED:             %[[LAST:.*]]:2 = scf.for {{.*}} = %c8 to %c64 step %c8 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>) {
// SAVED-COUNT-2:       vector.load
// SAVED:               math.exp {{.*}} : vector<8xf32>
// SAVED-COUNT-2:       vector.store
// SAVED-NEXT:          scf.yield
// SAVED:             math.exp %[[LAST]]#0
// SAVED-COUNT-2:     math.exp {{.*}} : vector<8xf32>
// SAVED-NOT:         math.exp {{.*}} : vector<8xf32>
// SAVED:           scf.for {{.*}} step %c64 iter_args
// SAVED:             math.exp {{.*}} : vector<8xf32>
// SAVED:             scf.for {{.*}} = %c0 to %c64 step %c8 {
// SAVED:               math.exp {{.*}} : vector<8xf32>
// SAVED:             }
// SAVED-COUNT-16:    vector.load
// SAVED:           } {scan.threads}
func.func @forward(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %s = arith.addf %a0, %a1 : f32
    %e = math.exp %a1 : f32
    %m = arith.mulf %e, %b0 : f32
    %t = arith.addf %m, %b1 : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}

func.func @backward(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 reverse {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %s = arith.addf %a0, %a1 : f32
    %e = math.exp %a1 : f32
    %m = arith.mulf %e, %b0 : f32
    %t = arith.addf %m, %b1 : f32
    scan.yield %s, %t : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}
