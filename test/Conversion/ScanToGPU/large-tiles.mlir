// RUN: scan-opt %s --scan-to-fused --scan-bufferize --convert-scan-to-gpu | FileCheck %s
// RUN: scan-run %s --entry=pair --target=emulator --compare=reference --tolerance=1e-5 --input=random:f32:20011:1:-1:1 --input=random:f32:20011:2
// RUN: scan-run %s --entry=backward --target=emulator --compare=reference --tolerance=1e-5 --input=random:f32:20011:1:-1:1 --input=random:f32:20011:2
// RUN: not scan-opt %s --scan-to-fused --scan-assign-schedule=chip=sm_75 2>&1 | FileCheck %s --check-prefix=SMALL

// The tile of a row over the grid may be larger than what a kernel can declare of shared memory:
// the launch asks for it. All four operands have room.

// CHECK-LABEL: func.func @pair(
// CHECK:         %[[BYTES:.*]] = arith.constant 73840 : i32
// CHECK:         gpu.launch_func {{.*}} dynamic_shared_memory_size %[[BYTES]]
// CHECK:       gpu.func @pair_scan0(
// CHECK-NOT:     workgroup(
// CHECK:         gpu.dynamic_shared_memory

// A GPU may have less.

// SMALL: error: {{.*}}expected a schedule with at most 65536 bytes of shared memory per block for sm_75, found 256 threads with 16 items, which take 73840 bytes; lower threads or items

func.func @pair(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 16, scope = grid>} {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %a2 = arith.mulf %a0, %a1 : f32
    %0 = arith.mulf %a1, %b0 : f32
    %b2 = arith.addf %0, %b1 : f32
    scan.yield %a2, %b2 : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}

func.func @backward(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p, %q = scan.associative ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 reverse attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 16, scope = grid>} {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %a2 = arith.mulf %a0, %a1 : f32
    %0 = arith.mulf %a1, %b0 : f32
    %b2 = arith.addf %0, %b1 : f32
    scan.yield %a2, %b2 : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}
