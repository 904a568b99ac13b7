// Blocks share the steps of a scan whose states threads share. A block draws a ticket, and
// has that tile of some scans. It walks the tile for what its steps add up to, with all
// leaves of its parts; publishes that; looks back, tile by tile, until one has published its
// prefix; and walks the tile again, for the results.

// RUN: sed 's/attributes {order = #scan.order<deterministic>/attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2, lanes = 16, scope = grid, blocks = 8>/' %S/Inputs/split-states.mlir > %t.any.mlir
// RUN: scan-opt %t.any.mlir --scan-to-gpu | FileCheck %s
// RUN: sed 's/attributes {order/attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2, lanes = 16, scope = grid, blocks = 8>, order/' %S/Inputs/split-states.mlir > %t.ordered.mlir
// RUN: scan-opt %t.ordered.mlir --scan-to-gpu | FileCheck %s --check-prefix=ORDERED
// RUN: scan-translate %t.any.mlir --scan-to-ptx -o %t.ptx --manifest=- | tr -d ' \n' | FileCheck %s --check-prefix=PLAN

// CHECK-LABEL: gpu.func @layer_scan0
// CHECK: llvm.atomicrmw add
// CHECK: gpu.barrier
// No other barrier: no warp waits for another one.
// CHECK-NOT: gpu.barrier
// What the steps add up to: for each of two parts a product and a state. Of what only results
// depend on nothing is loaded: u, and b of each part, and nothing is stored in global memory.
// CHECK: scf.for %{{.*}} iter_args
// CHECK-NOT: llvm.store
// CHECK: math.exp
// CHECK-COUNT-2: gpu.shuffle {{ *}}idx
// CHECK-NOT: gpu.shuffle {{ *}}xor
// CHECK: scf.yield
// It is published as an aggregate, a word of 16 bytes for each part, unless the tile is the first.
// CHECK: arith.cmpi eq, %{{.*}}, %c0
// CHECK: llvm.store %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : i128, !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
// CHECK: scf.while
// CHECK: scf.while
// CHECK: llvm.load %{{.*}} atomic syncscope("device") monotonic {alignment = 16 : i64} : !llvm.ptr<1> -> i128
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.for %{{.*}} iter_args
// CHECK: gpu.shuffle {{ *}}xor
// CHECK: gpu.return

// Where the order is fixed, it waits for the prefix of the tile before, and publishes nothing else.
// ORDERED-LABEL: gpu.func @layer_scan0
// ORDERED: llvm.atomicrmw add
// ORDERED: scf.while
// ORDERED-NOT: scf.while
// ORDERED: gpu.return

// Eight tiles of 16 scans, and a descriptor of 16 bytes for each of four parts of each of these.
// PLAN: "grid":{{.*}}["*",["ceildiv",["*","n0","n2"],16],8]
// PLAN-SAME: "workspace":{"bytes":["+",["*",["ceildiv",["*","n0","n2"],16],8192],128]
// PLAN-SAME: "strategy":"sequential","schedule":{"strategy":"sequential","threads":32,"items":2,"lanes":16,"scope":"grid","blocks":8}
