// One kernel that scans in both directions, and the two that it stands for.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>

// Leaves: a linear recurrence (two leaves, not commutative) forward; the
// last positive number (not commutative) and a maximum in reverse. The
// outputs and finals of the directions alternate; they are exclusive and
// inclusive, and read inputs and their place.
func.func @both(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %h: tensor<?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>, %l: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0:6 = scan.kernel dim = 1
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) init(%h : tensor<?xf32>)
      outs(%y, %z, %y, %z : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) finals(%l, %l : tensor<?xf32>, tensor<?xf32>)
      maps [#id, #id, #row, #id, #id, #id, #id, #row, #row]
      attributes {bidirectional = 2 : i64}
      load {
      ^bb0(%e: f32, %f: f32):
        %m = arith.subf %e, %f : f32
        scan.yield %e, %f, %m, %f : f32, f32, f32, f32
      } initialize {
      ^bb0(%e: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %e, %one : f32
        scan.yield %one, %e, %t, %e : f32, f32, f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %c0: f32, %m0: f32, %a1: f32, %b1: f32, %c1: f32, %m1: f32):
        %p = arith.mulf %a1, %a0 : f32
        %q = arith.mulf %a1, %b0 : f32
        %r = arith.addf %q, %b1 : f32
        %zero = arith.constant 0.0 : f32
        %s = arith.cmpf ogt, %c1, %zero : f32
        %t = arith.select %s, %c1, %c0 : f32
        %m = arith.maximumf %m0, %m1 : f32
        scan.yield %p, %r, %t, %m : f32, f32, f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ic: f32, %im: f32, %ea: f32, %eb: f32, %ec: f32, %em: f32, %e: f32, %f: f32):
        %t = scan.index 1 : index
        %i = arith.index_cast %t : index to i32
        %place = arith.sitofp %i : i32 to f32
        %u = arith.addf %ic, %place : f32
        %v = arith.mulf %ib, %e : f32
        %w = arith.mulf %em, %ec : f32
        scan.yield %eb, %u, %v, %w : f32, f32, f32, f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32, %fc: f32, %fm: f32):
        %s = arith.addf %fc, %fm : f32
        scan.yield %s, %fb : f32, f32
      } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @two(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %h: tensor<?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>, %l: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0:3 = scan.kernel dim = 1
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) init(%h : tensor<?xf32>)
      outs(%y, %z : tensor<?x?xf32>, tensor<?x?xf32>) finals(%l : tensor<?xf32>)
      maps [#id, #id, #row, #id, #id, #row]
      load {
      ^bb0(%e: f32, %f: f32):
        scan.yield %e, %f : f32, f32
      } initialize {
      ^bb0(%e: f32):
        %one = arith.constant 1.0 : f32
        scan.yield %one, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %p = arith.mulf %a1, %a0 : f32
        %q = arith.mulf %a1, %b0 : f32
        %r = arith.addf %q, %b1 : f32
        scan.yield %p, %r : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %e: f32, %f: f32):
        %v = arith.mulf %ib, %e : f32
        scan.yield %eb, %v : f32, f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32):
        scan.yield %fb : f32
      } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
  %1:3 = scan.kernel dim = 1 reverse
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) init(%h : tensor<?xf32>)
      outs(%y, %z : tensor<?x?xf32>, tensor<?x?xf32>) finals(%l : tensor<?xf32>)
      maps [#id, #id, #row, #id, #id, #row]
      load {
      ^bb0(%e: f32, %f: f32):
        %m = arith.subf %e, %f : f32
        scan.yield %m, %f : f32, f32
      } initialize {
      ^bb0(%e: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %e, %one : f32
        scan.yield %t, %e : f32, f32
      } combine {
      ^bb0(%c0: f32, %m0: f32, %c1: f32, %m1: f32):
        %zero = arith.constant 0.0 : f32
        %s = arith.cmpf ogt, %c1, %zero : f32
        %t = arith.select %s, %c1, %c0 : f32
        %m = arith.maximumf %m0, %m1 : f32
        scan.yield %t, %m : f32, f32
      } store {
      ^bb0(%ic: f32, %im: f32, %ec: f32, %em: f32, %e: f32, %f: f32):
        %t = scan.index 1 : index
        %i = arith.index_cast %t : index to i32
        %place = arith.sitofp %i : i32 to f32
        %u = arith.addf %ic, %place : f32
        %w = arith.mulf %em, %ec : f32
        scan.yield %u, %w : f32, f32
      } finalize {
      ^bb0(%fc: f32, %fm: f32):
        %s = arith.addf %fc, %fm : f32
        scan.yield %s : f32
      } -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
  return %0#0, %1#0, %0#1, %1#1, %1#2, %0#2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Without init, with `reverse`, a shifted input, bf16 and 8 bits. One direction
// has no output, and takes its extent from an input.
func.func @both_reverse(%x: tensor<?x?xbf16>, %k: tensor<?x?xi8>, %s: bf16, %y: tensor<?x?xbf16>, %l: tensor<?xi8>) -> (tensor<?x?xbf16>, tensor<?xi8>) {
  %0:2 = scan.kernel dim = 0 reverse
      ins(%x, %x, %s, %k : tensor<?x?xbf16>, tensor<?x?xbf16>, bf16, tensor<?x?xi8>)
      outs(%y : tensor<?x?xbf16>) finals(%l : tensor<?xi8>)
      maps [#id, #id, #none, #id, #id, #col]
      attributes {bidirectional = 1 : i64, shifts = array<i64: 0, 2, 0, 0>, boundaries = array<i64: -1, 2, -1, -1>}
      load {
      ^bb0(%e: bf16, %f: bf16, %g: bf16, %n: i8):
        %u = arith.extf %e : bf16 to f32
        %v = arith.extf %f : bf16 to f32
        %w = arith.mulf %u, %v : f32
        scan.yield %w, %n : f32, i8
      } combine {
      ^bb0(%a0: f32, %n0: i8, %a1: f32, %n1: i8):
        %p = arith.addf %a0, %a1 : f32
        %three = arith.constant 3 : i8
        %m = arith.muli %n0, %three : i8
        %q = arith.subi %m, %n1 : i8
        scan.yield %p, %q : f32, i8
      } store {
      ^bb0(%ia: f32, %in: i8, %ea: f32, %en: i8, %e: bf16, %f: bf16, %g: bf16, %n: i8):
        %r = arith.truncf %ia : f32 to bf16
        scan.yield %r : bf16
      } finalize {
      ^bb0(%fa: f32, %fn: i8):
        scan.yield %fn : i8
      } -> tensor<?x?xbf16>, tensor<?xi8>
  return %0#0, %0#1 : tensor<?x?xbf16>, tensor<?xi8>
}

func.func @two_reverse(%x: tensor<?x?xbf16>, %k: tensor<?x?xi8>, %s: bf16, %y: tensor<?x?xbf16>, %l: tensor<?xi8>) -> (tensor<?x?xbf16>, tensor<?xi8>) {
  %0 = scan.kernel dim = 0 reverse
      ins(%x, %x, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, bf16)
      outs(%y : tensor<?x?xbf16>)
      maps [#id, #id, #none, #id]
      attributes {shifts = array<i64: 0, 2, 0>, boundaries = array<i64: -1, 2, -1>}
      load {
      ^bb0(%e: bf16, %f: bf16, %g: bf16):
        %u = arith.extf %e : bf16 to f32
        %v = arith.extf %f : bf16 to f32
        %w = arith.mulf %u, %v : f32
        scan.yield %w : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %p = arith.addf %a0, %a1 : f32
        scan.yield %p : f32
      } store {
      ^bb0(%ia: f32, %ea: f32, %e: bf16, %f: bf16, %g: bf16):
        %r = arith.truncf %ia : f32 to bf16
        scan.yield %r : bf16
      } -> tensor<?x?xbf16>
  %1 = scan.kernel dim = 0
      ins(%k : tensor<?x?xi8>)
      finals(%l : tensor<?xi8>)
      maps [#id, #col]
      load {
      ^bb0(%n: i8):
        scan.yield %n : i8
      } combine {
      ^bb0(%n0: i8, %n1: i8):
        %three = arith.constant 3 : i8
        %m = arith.muli %n0, %three : i8
        %q = arith.subi %m, %n1 : i8
        scan.yield %q : i8
      } store {
      ^bb0(%in: i8, %en: i8, %n: i8):
        scan.yield
      } finalize {
      ^bb0(%fn: i8):
        scan.yield %fn : i8
      } -> tensor<?xi8>
  return %0, %1 : tensor<?x?xbf16>, tensor<?xi8>
}
