// RUN: scan-opt %s --scan-share-sigmoids --canonicalize --cse | FileCheck %s
// RUN: scan-translate --scan-to-ptx %S/Inputs/gates.mlir --chip=sm_90 -o %t.ptx
// RUN: FileCheck %s --check-prefix=EX2 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=RCP --input-file=%t.ptx

// Of a pair one exponential is left, and one division, which is the instruction for it: for
// each of four elements of a thread, and where it has fewer.
// EX2-COUNT-5: ex2.approx
// EX2-NOT: {{ex2|div}}
// RCP-COUNT-5: rcp.approx.ftz.f32
// RCP-NOT: {{rcp|div}}

// The largest and the least numbers, infinities and NaN, on all targets.
// DEFINE: %{target} =
// DEFINE: %{run} = scan-run %S/Inputs/gates.mlir --entry=gates --target=%{target} --input=%t.npy --output=%t.%{target}.0.npy --output=%t.%{target}.1.npy
// RUN: %python -c "import numpy as np; x = np.concatenate([np.linspace(-110, 110, 999), [0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45]]).astype(np.float32); np.save(r'%t.npy', x)"
// REDEFINE: %{target} = reference
// RUN: %{run}
// REDEFINE: %{target} = emulator
// RUN: %{run}
// RUN: %python %S/Inputs/gates.py %t

// The difference from 1 has lost nothing where it is more than a half.
// CHECK-LABEL: func.func @pair
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK-DAG: %[[HALF:.*]] = arith.constant 5.0{{.*}} : f32
// CHECK: %[[MINUS:.*]] = arith.negf %[[X]]
// CHECK: %[[E:.*]] = math.exp %[[MINUS]]
// CHECK: %[[D:.*]] = arith.addf %[[E]], %[[ONE]]
// CHECK: %[[Z:.*]] = arith.divf %[[ONE]], %[[D]]
// CHECK-DAG: %[[LARGE:.*]] = arith.subf %[[ONE]], %[[Z]]
// CHECK-DAG: %[[SMALL:.*]] = arith.mulf %[[E]], %[[Z]]
// CHECK-DAG: %[[IS_SMALL:.*]] = arith.cmpf oge, %[[Z]], %[[HALF]]
// CHECK: %[[REST:.*]] = arith.select %[[IS_SMALL]], %[[SMALL]], %[[LARGE]]
// CHECK: return %[[Z]], %[[REST]]
func.func @pair(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e0 = math.exp %minus : f32
  %d0 = arith.addf %e0, %one : f32
  %z = arith.divf %one, %d0 : f32
  %e1 = math.exp %x : f32
  %d1 = arith.addf %one, %e1 : f32
  %rest = arith.divf %one, %d1 : f32
  return %z, %rest : f32, f32
}

// Other numerators are multiplied.
// CHECK-LABEL: func.func @silu
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK: %[[S:.*]] = arith.divf
// CHECK: arith.mulf %[[X]], %[[S]]
// CHECK-NOT: arith.divf
func.func @silu(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e = math.exp %minus : f32
  %d = arith.addf %e, %one : f32
  %y = arith.divf %x, %d : f32
  return %y : f32
}

// The only one of an argument is divided as it stands.
// CHECK-LABEL: func.func @of_negation
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: %[[D:.*]] = arith.addf %[[E]], %{{.*}}
// CHECK: %[[S:.*]] = arith.divf %{{.*}}, %[[D]] : f32
// CHECK: arith.mulf %[[Y]], %[[S]]
// CHECK-NOT: arith.select
func.func @of_negation(%x: f32, %y: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %e = math.exp %x : f32
  %d = arith.addf %e, %one : f32
  %q = arith.divf %y, %d : f32
  return %q : f32
}

// As --scan-differentiate leaves it: the product with the exponential is the other sigmoid.
// CHECK-LABEL: func.func @derivative
// CHECK-SAME: (%[[X:.*]]: f32, %[[G:.*]]: f32)
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: %[[Z:.*]] = arith.divf
// CHECK-DAG: %[[LARGE:.*]] = arith.subf %{{.*}}, %[[Z]]
// CHECK-DAG: %[[SMALL:.*]] = arith.mulf %{{.*}}, %[[Z]]
// CHECK: %[[REST:.*]] = arith.select %{{.*}}, %[[SMALL]], %[[LARGE]]
// CHECK: %[[GR:.*]] = arith.mulf %[[G]], %[[REST]]
// CHECK: %[[P:.*]] = arith.mulf %[[Z]], %[[GR]]
// CHECK-NOT: arith.divf
func.func @derivative(%x: f32, %g: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e = math.exp %minus : f32
  %d = arith.addf %e, %one : f32
  %z = arith.divf %one, %d : f32
  %q = arith.divf %g, %d : f32
  %p = arith.mulf %z, %q : f32
  %n = arith.negf %p : f32
  %m = arith.mulf %e, %n : f32
  return %z, %m : f32, f32
}

// The same of a silu, whose quotients others need, too.
// CHECK-LABEL: func.func @silu_derivative
// CHECK-SAME: (%[[X:.*]]: f32, %[[G:.*]]: f32)
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: %[[S:.*]] = arith.divf
// CHECK-DAG: %[[LARGE:.*]] = arith.subf %{{.*}}, %[[S]]
// CHECK-DAG: %[[SMALL:.*]] = arith.mulf %{{.*}}, %[[S]]
// CHECK: %[[REST:.*]] = arith.select %{{.*}}, %[[SMALL]], %[[LARGE]]
// CHECK-DAG: %[[Z:.*]] = arith.mulf %[[X]], %[[S]]
// CHECK-DAG: %[[Q:.*]] = arith.mulf %[[G]], %[[S]]
// CHECK-DAG: %[[R:.*]] = arith.mulf %[[X]], %[[REST]]
// CHECK: %[[P:.*]] = arith.mulf %[[R]], %[[Q]]
// CHECK: %[[SUM:.*]] = arith.addf %[[Q]], %[[P]]
// CHECK: return %[[Z]], %[[SUM]]
func.func @silu_derivative(%x: f32, %g: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e = math.exp %minus : f32
  %d = arith.addf %e, %one : f32
  %z = arith.divf %x, %d : f32
  %q = arith.divf %g, %d : f32
  %p = arith.mulf %z, %q : f32
  %m = arith.mulf %e, %p : f32
  %sum = arith.addf %q, %m : f32
  return %z, %sum : f32, f32
}

// Quotients by 1 + exp(-|x|) are products with its reciprocal, whatever else needs the
// exponential: here a softplus and its derivative.
// CHECK-LABEL: func.func @softplus_derivative
// CHECK-SAME: (%[[X:.*]]: f32, %[[G:.*]]: f32)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[D:.*]] = arith.addf %[[E]], %[[ONE]]
// CHECK: %[[R:.*]] = arith.divf %[[ONE]], %[[D]]
// CHECK: %[[Q:.*]] = arith.mulf %[[G]], %[[R]]
// CHECK: arith.mulf %[[E]], %[[Q]]
// CHECK-NOT: arith.divf
func.func @softplus_derivative(%x: f32, %g: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %abs = math.absf %x : f32
  %minus = arith.negf %abs : f32
  %e = math.exp %minus : f32
  %l = math.log1p %e : f32
  %d = arith.addf %e, %one : f32
  %q = arith.divf %g, %d : f32
  %m = arith.mulf %e, %q : f32
  return %l, %m : f32, f32
}

// One division for two products is not one for each.
// CHECK-LABEL: func.func @twice
// CHECK-NOT: arith.select
// CHECK: arith.divf
func.func @twice(%x: f32, %g: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %e = math.exp %x : f32
  %d = arith.addf %e, %one : f32
  %q = arith.divf %g, %d : f32
  %p = arith.mulf %e, %q : f32
  %m = arith.mulf %e, %p : f32
  return %m : f32
}

// One alone is an exponential and a reciprocal, with constants as factors.
// CHECK-LABEL: func.func @alone
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NOT: arith.select
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[D:.*]] = arith.addf %[[E]], %{{.*}}
// CHECK: %[[S:.*]] = arith.divf %{{.*}}, %[[D]]
// CHECK: %[[T:.*]] = arith.mulf %[[S]], %{{.*}}
// CHECK: return %[[S]], %[[T]]
func.func @alone(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %minus = arith.negf %x : f32
  %e = math.exp %minus : f32
  %d = arith.addf %e, %one : f32
  %s = arith.divf %one, %d : f32
  %t = arith.divf %two, %d : f32
  return %s, %t : f32, f32
}

// In a kernel, both regions have the same form, so that LLVM finds what is the same.
// CHECK-LABEL: func.func @regions
// CHECK: load
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: store
// CHECK: ^bb0(%[[H:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32)
// CHECK: %[[S:.*]] = arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: arith.mulf %[[H]], %[[S]] : f32
func.func @regions(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = scan.kernel dim = 0 ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>)
      maps [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>]
      load {
      ^bb0(%v: f32):
        %one = arith.constant 1.0 : f32
        %minus = arith.negf %v : f32
        %e = math.exp %minus : f32
        %d = arith.addf %e, %one : f32
        %s = arith.divf %one, %d : f32
        scan.yield %s : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        scan.yield %c : f32
      } store {
      ^bb0(%h: f32, %before: f32, %v: f32):
        %one = arith.constant 1.0 : f32
        %minus = arith.negf %v : f32
        %e = math.exp %minus : f32
        %d = arith.addf %e, %one : f32
        %s = arith.divf %h, %d : f32
        scan.yield %s : f32
      } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Neither is what is used besides, nor another type.
// CHECK-LABEL: func.func @other
// CHECK-NOT: arith.select
// CHECK: return
func.func @other(%x: f32, %y: f64, %v: vector<4xf32>) -> (f32, f32, f64, vector<4xf32>) {
  %one = arith.constant 1.0 : f32
  %e = math.exp %x : f32
  %d = arith.addf %e, %one : f32
  %z = arith.divf %one, %d : f32
  %one_f64 = arith.constant 1.0 : f64
  %f = math.exp %y : f64
  %s = arith.addf %f, %one_f64 : f64
  %w = arith.divf %one_f64, %s : f64
  %ones = arith.constant dense<1.0> : vector<4xf32>
  %ev = math.exp %v : vector<4xf32>
  %dv = arith.addf %ev, %ones : vector<4xf32>
  %zv = arith.divf %ones, %dv : vector<4xf32>
  return %z, %e, %w, %zv : f32, f32, f64, vector<4xf32>
}

// What may be approximate takes fewer instructions as it is, but for a pair.
// CHECK-LABEL: func.func @fast
// CHECK: math.exp
// CHECK-NOT: arith.select
// CHECK: arith.divf
func.func @fast(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %e = math.exp %x fastmath<afn> : f32
  %d = arith.addf %e, %one : f32
  %z = arith.divf %one, %d : f32
  return %z : f32
}

// CHECK-LABEL: func.func @fast_pair
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @fast_pair(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e0 = math.exp %minus fastmath<afn> : f32
  %d0 = arith.addf %e0, %one : f32
  %z = arith.divf %one, %d0 : f32
  %e1 = math.exp %x fastmath<afn> : f32
  %d1 = arith.addf %e1, %one : f32
  %rest = arith.divf %one, %d1 : f32
  return %z, %rest : f32, f32
}
