// RUN: scan-opt %s --scan-simplify-gates --cse | FileCheck %s
// RUN: scan-translate --scan-to-ptx %S/Inputs/sides.mlir --chip=sm_90 -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx

// One exponential for exp(x) and expm1(2 x), one for both sides of the tanh, one
// in the softplus and expm1 of the same: for each of four elements of a thread, and where it has fewer.
// PTX-COUNT-15: ex2.approx
// PTX-NOT: {{ex2|div}}

// The largest and the least numbers, infinities and NaN, on the emulator.
// RUN: %python %S/Inputs/sides.py input %t
// RUN: scan-run %S/Inputs/sides.mlir --entry=sides --target=emulator --input=%t.npy --output=%t.0.npy --output=%t.1.npy --output=%t.2.npy --output=%t.3.npy --output=%t.4.npy --output=%t.5.npy --output=%t.6.npy
// RUN: %python %S/Inputs/sides.py check %t

// CHECK-LABEL: func.func @single
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: %[[LARGE:.*]] = arith.addf %[[E]], %{{.*}}
// CHECK-COUNT-6: math.fma
// CHECK: %[[SMALL:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK: %[[ABS:.*]] = math.absf %[[X]]
// CHECK: %[[IS_SMALL:.*]] = arith.cmpf olt, %[[ABS]], %{{.*}}
// CHECK: %[[R:.*]] = arith.select %[[IS_SMALL]], %[[SMALL]], %[[LARGE]]
// CHECK: return %[[R]]
func.func @single(%x: f32) -> f32 {
  %y = math.expm1 %x : f32
  return %y : f32
}

// The square of an exponential that is needed anyway, and a polynomial in half of the
// argument. The root of what is at most 1 is that of a multiple.
// CHECK-LABEL: func.func @square
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: math.fma %[[E]], %[[E]], %{{.*}}
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}}, %[[X]], %{{.*}}
// CHECK: arith.mulf %[[X]], %{{.*}}
// CHECK: %[[MINUS:.*]] = arith.negf
// CHECK: %[[FACTOR:.*]] = arith.constant 0x4B800000 : f32
// CHECK: %[[MULTIPLE:.*]] = arith.mulf %[[MINUS]], %[[FACTOR]]
// CHECK: %[[ROOT:.*]] = math.sqrt %[[MULTIPLE]]
// CHECK: %[[R:.*]] = arith.mulf %[[ROOT]], %{{.*}}
// CHECK: return %[[R]], %[[E]]
func.func @square(%x: f32) -> (f32, f32) {
  %twice = arith.addf %x, %x : f32
  %m = math.expm1 %twice : f32
  %minus = arith.negf %m : f32
  %b = math.sqrt %minus : f32
  %a = math.exp %x : f32
  return %b, %a : f32, f32
}

// An argument that is known to be negative takes one coefficient less.
// CHECK-LABEL: func.func @negative
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-COUNT-5: math.fma
// CHECK-NOT: math.fma
// CHECK: return
func.func @negative(%x: f32) -> f32 {
  %abs = math.absf %x : f32
  %minus = arith.negf %abs : f32
  %m = math.expm1 %minus : f32
  return %m : f32
}

// Twice a product with a constant is one with another constant.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[C:.*]] = arith.constant 1.{{50*e\+00}} : f32
// CHECK: %[[T:.*]] = arith.mulf %[[X]], %[[C]]
// CHECK: %[[MINUS:.*]] = arith.negf %[[T]]
// CHECK: math.exp %[[MINUS]]
func.func @scaled(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %factor = arith.constant 0.75 : f32
  %product = arith.mulf %x, %factor : f32
  %t = math.tanh %product : f32
  %p = arith.addf %t, %one : f32
  return %p : f32
}

// Without the root, the argument may be positive, and the square too far off.
// CHECK-LABEL: func.func @positive
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[TWICE:.*]] = arith.mulf
// CHECK: %[[E:.*]] = math.exp %[[TWICE]]
// CHECK: arith.addf %[[E]]
func.func @positive(%x: f32) -> (f32, f32) {
  %two = arith.constant 2.0 : f32
  %twice = arith.mulf %x, %two : f32
  %m = math.expm1 %twice : f32
  %a = math.exp %x : f32
  return %m, %a : f32, f32
}

// CHECK-LABEL: func.func @sides
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NOT: math.tanh
// CHECK: %[[TWICE:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: %[[MINUS:.*]] = arith.negf %[[TWICE]]
// CHECK: %[[E:.*]] = math.exp %[[MINUS]]
// CHECK: %[[D:.*]] = arith.addf %[[E]], %{{.*}}
// CHECK: %[[P:.*]] = arith.divf %{{.*}}, %[[D]]
// CHECK: %[[F:.*]] = math.exp %[[TWICE]]
// CHECK: %[[C:.*]] = arith.addf %[[F]], %{{.*}}
// CHECK: %[[Q:.*]] = arith.divf %{{.*}}, %[[C]]
// CHECK: return %[[P]], %[[Q]]
func.func @sides(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %t = math.tanh %x : f32
  %p = arith.addf %t, %one : f32
  %q = arith.subf %one, %t : f32
  return %p, %q : f32, f32
}

// A tanh that is needed by itself, or of another type, stays; tanh(x) - 1 is no
// side of it.
// CHECK-LABEL: func.func @itself
// CHECK-COUNT-3: math.tanh
// CHECK-NOT: math.exp
func.func @itself(%x: f32, %y: f64) -> (f32, f32, f64, f32) {
  %one = arith.constant 1.0 : f32
  %t = math.tanh %x : f32
  %p = arith.addf %t, %one : f32
  %one_f64 = arith.constant 1.0 : f64
  %s = math.tanh %y : f64
  %q = arith.addf %s, %one_f64 : f64
  %squared = arith.mulf %x, %x : f32
  %u = math.tanh %squared : f32
  %r = arith.subf %u, %one : f32
  return %t, %p, %q, %r : f32, f32, f64, f32
}

// CHECK-LABEL: func.func @root
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[R:.*]] = math.rsqrt %[[Y]]
// CHECK: %[[HALF:.*]] = arith.mulf %[[R]], %{{.*}}
// CHECK: arith.mulf %[[X]], %[[HALF]]
// CHECK: arith.mulf %[[X]], %[[R]]
// CHECK-NOT: arith.divf
func.func @root(%x: f32, %y: f32) -> (f32, f32) {
  %two = arith.constant 2.0 : f32
  %s = math.sqrt %y : f32
  %d = arith.mulf %s, %two : f32
  %p = arith.divf %x, %d : f32
  %q = arith.divf %x, %s : f32
  return %p, %q : f32, f32
}

// Derivatives divide by the root of what is at most 1, and need 1 less it: both of the
// multiple.
// CHECK-LABEL: func.func @root_of_gate
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: arith.select
// CHECK-NEXT: %[[REST:.*]] = arith.negf
// CHECK: %[[MULTIPLE:.*]] = arith.mulf %[[REST]], %{{.*}}
// CHECK: %[[R:.*]] = math.rsqrt %[[MULTIPLE]]
// CHECK: %[[BY:.*]] = arith.mulf %[[R]], %{{.*}}
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[BY]]
// CHECK-NOT: arith.divf
// CHECK: %[[Q:.*]] = math.fma %[[MULTIPLE]], %{{.*}}, %{{.*}}
// CHECK: return %[[P]], %[[Q]]
func.func @root_of_gate(%x: f32, %y: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %abs = math.absf %y : f32
  %minus = arith.negf %abs : f32
  %m = math.expm1 %minus : f32
  %rest = arith.negf %m : f32
  %s = math.sqrt %rest : f32
  %d = arith.mulf %s, %two : f32
  %p = arith.divf %x, %d : f32
  %q = arith.addf %m, %one : f32
  return %p, %q : f32, f32
}

// By no power of two, and by something else.
// CHECK-LABEL: func.func @quotient
// CHECK-COUNT-2: arith.divf
// CHECK-NOT: math.rsqrt
func.func @quotient(%x: f32, %y: f32) -> (f32, f32) {
  %three = arith.constant 3.0 : f32
  %s = math.sqrt %y : f32
  %d = arith.mulf %s, %three : f32
  %p = arith.divf %x, %d : f32
  %q = arith.divf %x, %y : f32
  return %p, %q : f32, f32
}
