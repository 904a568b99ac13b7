// Upstream passes that walk through regions ask scans for the control flow between
// them: no value of one region is an argument of another as it is, and none of them
// may run at all.

// RUN: scan-opt %s --pass-pipeline='builtin.module(scan-normalize,scan-bufferize,ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification,bufferization-lower-deallocations)' \
// RUN:   | FileCheck %s --check-prefix=FREED
// RUN: scan-opt %s --remove-dead-values | FileCheck %s --check-prefix=DEAD
// RUN: scan-opt %s --scan-normalize --remove-dead-values | FileCheck %s --check-prefix=DEAD-KERNEL
// RUN: scan-opt %s --sccp | FileCheck %s --check-prefix=SCCP
// RUN: scan-opt %s --scan-normalize --sccp | FileCheck %s --check-prefix=SCCP

// Buffers between kernels are freed while these are still kernels.
// FREED-LABEL: func.func @twice
// FREED: %[[T:.*]] = memref.alloc
// FREED: scan.kernel
// FREED-SAME: dim = 0
// FREED: %[[Y:.*]] = memref.alloc
// FREED: scan.kernel
// FREED: memref.dealloc %[[T]]
// FREED: return %[[Y]]
func.func @twice(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = scan.associative ins(%x : tensor<?x4xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x4xf32>
  %z = scan.associative ins(%y : tensor<?x4xf32>) dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// A scan that nobody reads goes; of one with a result that is read the others may
// stay, and its regions keep their arguments.
// DEAD-LABEL: func.func @dead
// DEAD: scan.associative
// DEAD: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// DEAD-NOT: scan.associative
// DEAD: return
// DEAD-KERNEL-LABEL: func.func @dead
// DEAD-KERNEL: scan.kernel
// DEAD-KERNEL: combine {
// DEAD-KERNEL-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// DEAD-KERNEL-NOT: scan.kernel
// DEAD-KERNEL: return
func.func @dead(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %p, %h = scan.associative ins(%a, %b : tensor<8xf32>, tensor<8xf32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %q = arith.mulf %a0, %a1 : f32
    %t = arith.mulf %a1, %b0 : f32
    %r = arith.addf %t, %b1 : f32
    scan.yield %q, %r : f32, f32
  } -> tensor<8xf32>, tensor<8xf32>
  %unread = scan.associative ins(%a : tensor<8xf32>) dim = 0 {
  ^bb0(%a0: f32, %a1: f32):
    %q = arith.mulf %a0, %a1 : f32
    scan.yield %q : f32
  } -> tensor<8xf32>
  return %h : tensor<8xf32>
}

// What a region yields is not what the scan gives, even if it is a constant: the
// first element of this one is the input's.
// SCCP-LABEL: func.func @constant
// SCCP: %[[Y:.*]] = scan.
// SCCP: return %[[Y]]
func.func @constant(%x: tensor<8xi32>) -> tensor<8xi32> {
  %y = scan.associative ins(%x : tensor<8xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.constant 7 : i32
    scan.yield %c : i32
  } -> tensor<8xi32>
  return %y : tensor<8xi32>
}
