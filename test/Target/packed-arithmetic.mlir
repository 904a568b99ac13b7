// Operations on f32 that do the same for two states or two items are one on a vector of two for
// sm_100. What they compute is, bit by bit, what those of other chips do.
//
// RUN: scan-translate --scan-to-ptx --chip=sm_100 %s -o %t.100.ptx
// RUN: scan-translate --scan-to-ptx --chip=sm_90 %s -o %t.90.ptx
// RUN: FileCheck %s --input-file=%t.100.ptx
// RUN: FileCheck %s --input-file=%t.90.ptx --check-prefix=OTHER
// RUN: scan-translate --scan-to-ptx --chip=sm_120 %s | FileCheck %s --check-prefix=OTHER
//
// The numbers of the sequential order are exactly the reference's.
// RUN: %python %S/Inputs/packed_arithmetic.py %t
// RUN: scan-run %s --entry=states --target=reference --input=%t.a.npy --input=%t.b.npy --output=%t.states.npy
// RUN: %python %S/Inputs/ptx_values.py %t.100.ptx states_scan0 32 %t.a.npy %t.b.npy --into %t.packed.npy 6x3x4 | FileCheck %s --check-prefix=PACKED
// RUN: %python %S/Inputs/packed_arithmetic.py --same %t.states.npy %t.packed.npy
// RUN: %python %S/Inputs/ptx_values.py %t.90.ptx states_scan0 32 %t.a.npy %t.b.npy --into %t.scalar.npy 6x3x4 | FileCheck %s --check-prefix=SCALAR
// RUN: %python %S/Inputs/packed_arithmetic.py --same %t.states.npy %t.scalar.npy
// PACKED: f32: 0, f32x2: 96, not written: 0
// SCALAR: f32: 192, f32x2: 0, not written: 0
//
// Maps with a number that is common to both, constants, and sums that take products in, whose
// operands stand in either order.
// RUN: scan-run %s --entry=maps --target=reference --input=%t.c.npy --input=%t.d.npy --output=%t.maps.npy
// RUN: %python %S/Inputs/ptx_values.py %t.100.ptx maps_scan0 32 %t.c.npy %t.d.npy --into %t.packed.npy 8x5x2 | FileCheck %s --check-prefix=MAPS
// RUN: %python %S/Inputs/packed_arithmetic.py --near %t.maps.npy %t.packed.npy
// MAPS: f32: 0, f32x2: 115, not written: 0

// What is paired is computed before. (Of gates that were moved for another pair, numbers were read
// that nothing had written to.)
// RUN: scan-translate --scan-to-ptx --chip=sm_100 --max-variants=2 %examples/griffin.mlir -o %t.griffin.ptx
// RUN: scan-opt %examples/mingru.mlir --scan-differentiate=function=mingru | scan-translate --scan-to-ptx --chip=sm_100 --max-variants=2 -o %t.mingru.ptx
// RUN: %python %S/Inputs/defined.py %t.griffin.ptx %t.mingru.ptx | FileCheck %s --check-prefix=DEFINED
// DEFINED: {{[1-9][0-9]*}} functions, 0 registers that nothing need have written to

// CHECK-LABEL: .entry states_scan0(
// CHECK:         fma.rn.f32x2
// CHECK-NOT:     {{(add|sub|mul|fma).rn.f32 }}
// CHECK-LABEL: .entry maps_scan0(
// A product and the sum that takes it in are one instruction.
// CHECK:         fma.rn.f32x2
// CHECK-NOT:     mul.rn.f32x2
// OTHER-NOT: f32x2

#state = affine_map<(t, c) -> (t, c)>
#step = affine_map<(t, c) -> (t)>

func.func @states(%a: tensor<6x3x4xf32>, %b: tensor<6x3x4xf32>) -> tensor<6x3x4xf32> {
  %empty = tensor.empty() : tensor<6x3x4xf32>
  %y = scan.kernel dim = 0
      ins(%a, %b : tensor<6x3x4xf32>, tensor<6x3x4xf32>) outs(%empty : tensor<6x3x4xf32>) maps [#state, #state, #state]
      attributes {order = #scan.order<sequential>, schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2>}
      load {
      ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32):
        scan.yield %a0, %a1, %a2, %a3, %b0, %b1, %b2, %b3 : f32, f32, f32, f32, f32, f32, f32, f32
      } combine {
      ^bb0(%p0: f32, %p1: f32, %p2: f32, %p3: f32, %h0: f32, %h1: f32, %h2: f32, %h3: f32,
           %a0: f32, %a1: f32, %a2: f32, %a3: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32):
        %q0 = arith.mulf %a0, %p0 : f32
        %q1 = arith.mulf %a1, %p1 : f32
        %q2 = arith.mulf %a2, %p2 : f32
        %q3 = arith.mulf %a3, %p3 : f32
        %s0 = math.fma %a0, %h0, %b0 : f32
        %s1 = math.fma %a1, %h1, %b1 : f32
        %s2 = math.fma %a2, %h2, %b2 : f32
        %s3 = math.fma %a3, %h3, %b3 : f32
        scan.yield %q0, %q1, %q2, %q3, %s0, %s1, %s2, %s3 : f32, f32, f32, f32, f32, f32, f32, f32
      } store {
      ^bb0(%p0: f32, %p1: f32, %p2: f32, %p3: f32, %h0: f32, %h1: f32, %h2: f32, %h3: f32,
           %x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %x5: f32, %x6: f32, %x7: f32,
           %a0: f32, %a1: f32, %a2: f32, %a3: f32, %b0: f32, %b1: f32, %b2: f32, %b3: f32):
        %r0 = arith.subf %h0, %p0 : f32
        %r1 = arith.subf %h1, %p1 : f32
        %r2 = arith.subf %h2, %p2 : f32
        %r3 = arith.subf %h3, %p3 : f32
        scan.yield %r0, %r1, %r2, %r3 : f32, f32, f32, f32
      } -> tensor<6x3x4xf32>
  return %y : tensor<6x3x4xf32>
}

func.func @maps(%w: tensor<8xf32>, %x: tensor<8x5x2xf32>) -> tensor<8x5x2xf32> {
  %empty = tensor.empty() : tensor<8x5x2xf32>
  %y = scan.kernel dim = 0
      ins(%w, %x : tensor<8xf32>, tensor<8x5x2xf32>) outs(%empty : tensor<8x5x2xf32>) maps [#step, #state, #state]
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2>}
      load {
      ^bb0(%w0: f32, %x0: f32, %x1: f32):
        %c = arith.constant 0.75 : f32
        %p0 = arith.mulf %x0, %w0 fastmath<contract> : f32
        %p1 = arith.mulf %w0, %x1 fastmath<contract> : f32
        %q0 = arith.addf %c, %p0 fastmath<contract> : f32
        %q1 = arith.addf %p1, %c fastmath<contract> : f32
        scan.yield %q0, %q1 : f32, f32
      } combine {
      ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
        %s0 = arith.addf %a0, %b0 : f32
        %s1 = arith.addf %a1, %b1 : f32
        scan.yield %s0, %s1 : f32, f32
      } store {
      ^bb0(%s0: f32, %s1: f32, %e0: f32, %e1: f32, %w0: f32, %x0: f32, %x1: f32):
        %r0 = arith.mulf %s0, %w0 fastmath<contract> : f32
        %r1 = arith.mulf %s1, %w0 fastmath<contract> : f32
        %d0 = arith.subf %x0, %r0 fastmath<contract> : f32
        %d1 = arith.subf %x1, %r1 fastmath<contract> : f32
        scan.yield %d0, %d1 : f32, f32
      } -> tensor<8x5x2xf32>
  return %y : tensor<8x5x2xf32>
}
