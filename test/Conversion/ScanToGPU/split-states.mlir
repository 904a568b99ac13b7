// Four threads share a scan whose states come in four parts. What all parts share is
// computed once for a step, by the thread that owns the step, and the others take it by a
// shuffle; sums over the parts are exchanged until each thread has that of its own step.
// With two parts to a thread these are read at once, where they are aligned.

// RUN: sed 's/attributes {order/attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 4, lanes = 8>, order/' %S/Inputs/split-states.mlir > %t.four.mlir
// RUN: scan-opt %t.four.mlir --scan-to-gpu | FileCheck %s
// RUN: sed 's/attributes {order/attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2, lanes = 16>, order/' %S/Inputs/split-states.mlir > %t.two.mlir
// RUN: scan-opt %t.two.mlir --scan-to-gpu | FileCheck %s --check-prefix=TWO
// RUN: scan-translate %t.two.mlir --scan-to-ptx -o %t.ptx --manifest=%t.json
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.json

// CHECK-LABEL: gpu.func @layer_scan0
// CHECK: scf.for %{{.*}} step %c4 iter_args
// The next chunk: the step that is the thread's own, and its part of four steps.
// CHECK: scf.if
// CHECK-COUNT-9: llvm.load
// CHECK-NOT: llvm.load
// CHECK: } else {
// CHECK: math.exp
// CHECK-COUNT-4: gpu.shuffle {{ *}}idx
// CHECK-NOT: math.exp
// CHECK-NOT: gpu.shuffle {{ *}}idx
// CHECK-COUNT-3: gpu.shuffle {{ *}}xor
// CHECK-NOT: gpu.shuffle
// CHECK: scf.if
// CHECK-COUNT-1: llvm.store
// CHECK-NOT: llvm.store
// CHECK: scf.yield

// TWO-LABEL: gpu.func @layer_scan0
// TWO: scf.if
// TWO: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>

// PLAN: "strategy": "sequential"
// PLAN-NEXT: "schedule": {
// PLAN: "lanes": 16
// PLAN: "kernel": "split-states"
