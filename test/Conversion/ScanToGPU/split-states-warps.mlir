// The warps of a block share the steps of a scan whose states threads share. Each walks its
// tile for what its steps add up to, leaves that in shared memory, combines what the warps
// before it have left, and walks the tile again. There is neither a workspace nor a ticket.

// RUN: sed 's/attributes {order = #scan.order<deterministic>/attributes {schedule = #scan.schedule<strategy = sequential, threads = 256, items = 2, lanes = 16, warps = 8>/' %S/Inputs/split-states.mlir > %t.mlir
// RUN: scan-opt %t.mlir --scan-to-gpu | FileCheck %s
// RUN: scan-translate %t.mlir --scan-to-ptx -o %t.ptx --manifest=- | tr -d ' \n' | FileCheck %s --check-prefix=PLAN

// CHECK-LABEL: gpu.func @layer_scan0
// CHECK-NOT: llvm.atomicrmw
// Two parts for each lane, a product and a state each: lanes lie next to each other.
// CHECK: scf.for %{{.*}} iter_args
// CHECK-NOT: llvm.store
// CHECK: scf.yield
// CHECK-COUNT-4: memref.store %{{.*}} : memref<512xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0 to %[[WARP:.*]] step %c1 iter_args
// CHECK-COUNT-4: memref.load %{{.*}} : memref<512xf32, #gpu.address_space<workgroup>>
// CHECK: scf.yield
// No other barrier, and the second walk.
// CHECK-NOT: gpu.barrier
// CHECK: scf.for %{{.*}} iter_args
// CHECK: gpu.shuffle {{ *}}xor
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return

// PLAN: "plan":{
// PLAN-NOT: "tickets"
// PLAN: "name":"warptotals"
// PLAN: "schedule":{"strategy":"sequential","threads":256,"items":2,"lanes":16,"warps":8}
