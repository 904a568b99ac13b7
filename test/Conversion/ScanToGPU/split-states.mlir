// Four threads share a scan whose states come in four parts. What all parts share is
// computed once for a step, by the thread that owns the step, and the others take it by a
// shuffle; sums over the parts are exchanged until each thread has that of its own step.
// Inputs come through shared memory in pieces of 16 bytes, where their rows are aligned,
// and from global memory, a step per thread ahead, where they are not and in the last chunks.

// RUN: sed 's/attributes {order/attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4, lanes = 8>, order/' %S/Inputs/split-states.mlir > %t.four.mlir
// RUN: scan-opt %t.four.mlir --scan-to-gpu | FileCheck %s
// RUN: sed 's/attributes {order/attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2, lanes = 16>, order/' %S/Inputs/split-states.mlir > %t.two.mlir
// RUN: scan-opt %t.two.mlir --scan-to-gpu | FileCheck %s --check-prefix=TWO
// RUN: scan-translate %t.two.mlir --scan-to-ptx -o %t.ptx --manifest=%t.json
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.json

// CHECK-LABEL: gpu.func @layer_scan0
// The first four chunks; what all parts share of the first one.
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: nvvm.bar.warp.sync
// CHECK: math.exp
// Two chunks at a time; each loads the one that takes the place of what it stores.
// CHECK: scf.for %{{.*}} step %c2{{.*}} iter_args
// CHECK: nvvm.bar.warp.sync
// What is shared of the next chunk, while the steps of this one are walked.
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK-COUNT-4: gpu.shuffle {{ *}}idx
// CHECK-NOT: gpu.shuffle {{ *}}idx
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<256xi32, #gpu.address_space<workgroup>>, vector<4xi32>
// CHECK: llvm.load
// CHECK-COUNT-3: gpu.shuffle {{ *}}xor
// All lanes have a scan.
// CHECK-NOT: {{gpu.shuffle|scf.if}}
// CHECK-COUNT-1: llvm.store
// CHECK-NOT: {{gpu.shuffle|scf.if}}
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.yield

// The rest, of which the next chunk is loaded ahead: the step that is the thread's own, and
// its part of each of four steps.
// CHECK: scf.for %{{.*}} step %c4{{.*}} iter_args
// CHECK-COUNT-9: llvm.load
// CHECK-NOT: llvm.load
// CHECK: math.exp
// CHECK-NOT: {{llvm.load|math.exp}}
// CHECK-COUNT-3: gpu.shuffle {{ *}}xor
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return

// Two parts to a thread are read from shared memory at once.
// TWO-LABEL: gpu.func @layer_scan0
// TWO: vector.load {{.*}} {alignment = 8 : i64} : memref<{{.*}}, #gpu.address_space<workgroup>>, vector<2xf32>

// The step of a scan, and the sum over the parts, are fused multiply-adds. (Where a scan has
// to keep its order, no threads share its states.)
// RUN: FileCheck %s --check-prefix=FUSED --input-file=%t.ptx
// FUSED-LABEL: .entry layer_scan0
// FUSED: st.shared
// FUSED-NOT: add.rn.f32
// FUSED: fma.rn.f32

// PLAN: "strategy": "sequential"
// PLAN-NEXT: "schedule": {
// PLAN: "lanes": 16
// PLAN: "kernel": "split-states"
