// RUN: scan-opt %s --scan-bf16-as-bits | FileCheck %s

// Values of type bf16, constants among them, become integers of 16 bits; the
// rest stays.

// CHECK-LABEL: llvm.func @select(
// CHECK-SAME: %[[C:.*]]: i1, %[[P:.*]]: !llvm.ptr, %[[X:.*]]: f32)
llvm.func @select(%c: i1, %p: !llvm.ptr, %x: f32) -> f32 {
  // CHECK: %[[NAN:.*]] = llvm.mlir.constant(32704 : i16) : i16
  %nan = llvm.mlir.constant(0x7FC0 : bf16) : bf16
  // CHECK: llvm.mlir.constant(dense<[16256, -16384]> : vector<2xi16>) : vector<2xi16>
  %v = llvm.mlir.constant(dense<[1.0, -2.0]> : vector<2xbf16>) : vector<2xbf16>
  // CHECK: %[[Y:.*]] = llvm.load %[[P]] : !llvm.ptr -> i16
  %y = llvm.load %p : !llvm.ptr -> bf16
  // CHECK: llvm.select %[[C]], %[[NAN]], %[[Y]] : i1, i16
  %z = llvm.select %c, %nan, %y : i1, bf16
  llvm.store %z, %p : bf16, !llvm.ptr
  %q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %v, %q : vector<2xbf16>, !llvm.ptr
  // CHECK-NOT: bf16
  llvm.return %x : f32
}
