// RUN: scan-opt %s --scan-vectorized-accesses-to-ptx | FileCheck %s

// Relaxed accesses of 16 bytes in the scope of the device become inline PTX, and
// targets with an older PTX ISA get the one that has them.
// CHECK: gpu.module @wide [#nvvm.target<chip = "sm_90", features = "+ptx83">, #nvvm.target<chip = "sm_100", features = "+ptx86">]
gpu.module @wide [#nvvm.target<chip = "sm_90", features = "+ptx78">, #nvvm.target<chip = "sm_100", features = "+ptx86">] {
  // CHECK-LABEL: llvm.func @copy(
  // CHECK-SAME: %[[FROM:.*]]: !llvm.ptr<1>, %[[TO:.*]]: !llvm.ptr<1>)
  // CHECK-NEXT: %[[WORD:.*]] = llvm.inline_asm has_side_effects "ld.relaxed.gpu.global.b128 $0, [$1];", "=q,l,~{memory}" %[[FROM]] : (!llvm.ptr<1>) -> i128
  // CHECK-NEXT: llvm.inline_asm has_side_effects "st.relaxed.gpu.global.b128 [$0], $1;", "l,q,~{memory}" %[[TO]], %[[WORD]] : (!llvm.ptr<1>, i128) -> ()
  // CHECK-NEXT: llvm.return
  llvm.func @copy(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) {
    %word = llvm.load %from atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
    llvm.store %word, %to atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
    llvm.return
  }
}

// Narrower ones, other orders, other scopes, other memory and plain accesses stay.
// CHECK: gpu.module @others [#nvvm.target<chip = "sm_90", features = "+ptx78">]
// CHECK-NOT: inline_asm
gpu.module @others [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
  llvm.func @keep(%p: !llvm.ptr<1>, %q: !llvm.ptr) {
    %a = llvm.load %p atomic syncscope("device") monotonic {alignment = 8 : i64} : !llvm.ptr<1> -> i64
    %b = llvm.load %p atomic syncscope("device") acquire {alignment = 16 : i64} : !llvm.ptr<1> -> i128
    %c = llvm.load %p atomic syncscope("block") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
    %d = llvm.load %q atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr -> i128
    llvm.store %b, %p {alignment = 16 : i64} : i128, !llvm.ptr<1>
    llvm.store %c, %p {alignment = 16 : i64} : i128, !llvm.ptr<1>
    llvm.store %d, %p {alignment = 16 : i64} : i128, !llvm.ptr<1>
    llvm.store %a, %p {alignment = 8 : i64} : i64, !llvm.ptr<1>
    llvm.return
  }
}
