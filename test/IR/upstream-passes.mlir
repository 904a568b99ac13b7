// RUN: scan-opt %s --split-input-file --allow-unregistered-dialect --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: scan-opt %s --split-input-file --allow-unregistered-dialect --cse --canonicalize | FileCheck %s --check-prefix=CSE
// RUN: scan-opt %s --split-input-file --allow-unregistered-dialect --inline --symbol-dce | FileCheck %s --check-prefix=INLINE
// RUN: scan-opt %s --split-input-file --allow-unregistered-dialect --scf-for-loop-canonicalization --canonicalize | FileCheck %s --check-prefix=FORLOOP

// Scans under upstream's general passes.

// A scan has no effects: what a loop does not change moves out of it, which may
// run no iteration at all.
// LICM-LABEL: func.func @hoist_one
// LICM:         scan.associative
// LICM:         scf.for
// LICM-NOT:       scan.associative
// LICM:         return
// CSE-LABEL: func.func @hoist_one
// INLINE-LABEL: func.func @hoist_one
func.func @hoist_one(%x: tensor<?x?xf32>, %n: index, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%o = %out) -> tensor<?x?xf32> {
    %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
    ^bb0(%acc: f32, %new: f32):
      %s = arith.addf %acc, %new : f32
      scan.yield %s : f32
    } -> tensor<?x?xf32>
    %z = arith.addf %y, %o : tensor<?x?xf32>
    scf.yield %z : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----
// What might not be defined stays where it is known to run: a region that divides,
// and operands whose extents may disagree, for which compiled code stops.
// LICM-LABEL: func.func @stay
// LICM:         scf.for
// LICM:           scan.associative ins(%{{.+}} : tensor<?xi32>)
// LICM:           scan.associative ins(%{{.+}} : tensor<?xi32>)
// LICM:           scan.linear_recurrence
// LICM:           scan.associative ins(%{{.+}}, %{{.+}} : tensor<?xi32>, tensor<?xi32>)
// LICM:         return
// CSE-LABEL: func.func @stay
// INLINE-LABEL: func.func @stay
func.func @stay(%x: tensor<?xi32>, %y: tensor<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %p = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
    ^bb0(%acc: i32, %new: i32):
      %s = arith.divsi %acc, %new : i32
      scan.yield %s : i32
    } -> tensor<?xi32>
    // Upstream takes remainders for speculatable.
    %o = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
    ^bb0(%acc: i32, %new: i32):
      %s = arith.remui %acc, %new : i32
      scan.yield %s : i32
    } -> tensor<?xi32>
    %q = scan.linear_recurrence ins(%x, %y : tensor<?xi32>, tensor<?xi32>) dim = 0 -> tensor<?xi32>
    %r0, %r1 = scan.associative ins(%x, %y : tensor<?xi32>, tensor<?xi32>) dim = 0 {
    ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32):
      %s = arith.addi %a0, %a1 : i32
      %t = arith.muli %b0, %b1 : i32
      scan.yield %s, %t : i32, i32
    } -> tensor<?xi32>, tensor<?xi32>
    "test.use"(%p, %o, %q, %r0, %r1) : (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> ()
  }
  return
}

// -----
// Extents that cannot disagree: static ones, one operand twice, tensors that were
// made with the extents of the other, a broadcast.
// LICM-LABEL: func.func @hoist_agreeing
// LICM:         scan.linear_recurrence ins(%{{.+}} : tensor<4x8xi32>, tensor<4x8xi32>)
// LICM:         scan.linear_recurrence ins(%[[X:.+]], %[[X]] :
// LICM:         scan.linear_recurrence {{.+}} reverse
// LICM:         scan.kernel
// LICM:         scf.for
// LICM-NEXT:      "test.use"
// CSE-LABEL: func.func @hoist_agreeing
// INLINE-LABEL: func.func @hoist_agreeing
func.func @hoist_agreeing(%s: tensor<4x8xi32>, %t: tensor<4x8xi32>, %x: tensor<?x?xi32>, %n: index, %i0: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xi32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%d0, %d1) : tensor<?x?xi32>
  %same = linalg.fill ins(%i0 : i32) outs(%empty : tensor<?x?xi32>) -> tensor<?x?xi32>
  %flat = tensor.extract_slice %x[0, 0] [1, %d1] [1, 1] : tensor<?x?xi32> to tensor<1x?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %p = scan.linear_recurrence ins(%s, %t : tensor<4x8xi32>, tensor<4x8xi32>) init(%i0 : i32) dim = 0 -> tensor<4x8xi32>
    %q = scan.linear_recurrence ins(%x, %x : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0 -> tensor<?x?xi32>
    %r = scan.linear_recurrence ins(%flat, %same : tensor<1x?xi32>, tensor<?x?xi32>) dim = 1 reverse -> tensor<?x?xi32>
    %k = scan.kernel dim = 1
        ins(%x : tensor<?x?xi32>) outs(%empty : tensor<?x?xi32>)
        maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]
        load {
        ^bb0(%e: i32):
          scan.yield %e : i32
        } combine {
        ^bb0(%acc: i32, %new: i32):
          %sum = arith.addi %acc, %new : i32
          scan.yield %sum : i32
        } store {
        ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
          scan.yield %inclusive : i32
        } -> tensor<?x?xi32>
    "test.use"(%p, %q, %r, %k) : (tensor<4x8xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) -> ()
  }
  return
}

// -----
// A tensor that the loop changes in every iteration, in extent as well, is not
// taken for the one that it starts with.
// LICM-LABEL: func.func @growing
// LICM:         scf.for
// LICM:           scf.for
// LICM:             scan.linear_recurrence
// LICM:         return
// CSE-LABEL: func.func @growing
// INLINE-LABEL: func.func @growing
func.func @growing(%x: tensor<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xi32> {
    scf.for %j = %c0 to %i step %c1 {
      %q = scan.linear_recurrence ins(%x, %t : tensor<?xi32>, tensor<?xi32>) dim = 0 -> tensor<?xi32>
      "test.use"(%q) : (tensor<?xi32>) -> ()
    }
    %d = tensor.dim %t, %c0 : tensor<?xi32>
    %e = arith.addi %d, %c1 : index
    %next = tensor.empty(%e) : tensor<?xi32>
    scf.yield %next : tensor<?xi32>
  }
  "test.use"(%r) : (tensor<?xi32>) -> ()
  return
}

// -----
// A tensor of which the loop changes elements has its extent: loops made by tiling.
// LICM-LABEL: func.func @updated
// LICM:         scf.for
// LICM:           scan.linear_recurrence
// LICM-NEXT:      scf.for
// LICM:         return
// CSE-LABEL: func.func @updated
// INLINE-LABEL: func.func @updated
func.func @updated(%x: tensor<?xi32>, %n: index, %v: tensor<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xi32> {
    scf.for %j = %c0 to %i step %c1 {
      %q = scan.linear_recurrence ins(%x, %t : tensor<?xi32>, tensor<?xi32>) dim = 0 -> tensor<?xi32>
      "test.use"(%q) : (tensor<?xi32>) -> ()
    }
    %next = tensor.insert_slice %v into %t[%i] [1] [1] : tensor<1xi32> into tensor<?xi32>
    scf.yield %next : tensor<?xi32>
  }
  "test.use"(%r) : (tensor<?xi32>) -> ()
  return
}

// -----
// Buffers are read and written: a kernel on them stays, and is not dead.
// LICM-LABEL: func.func @buffers
// LICM:         scf.for
// LICM:           scan.kernel
// CSE-LABEL: func.func @buffers
// CSE-COUNT-2:  scan.kernel
// CSE:          return
// INLINE-LABEL: func.func @buffers
func.func @buffers(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scan.kernel dim = 0
        ins(%x : memref<8xi32>) outs(%y : memref<8xi32>)
        maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
        load {
        ^bb0(%e: i32):
          scan.yield %e : i32
        } combine {
        ^bb0(%acc: i32, %new: i32):
          %sum = arith.addi %acc, %new : i32
          scan.yield %sum : i32
        } store {
        ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
          scan.yield %inclusive : i32
        }
    scan.kernel dim = 0
        ins(%x : memref<8xi32>) outs(%y : memref<8xi32>)
        maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
        load {
        ^bb0(%e: i32):
          scan.yield %e : i32
        } combine {
        ^bb0(%acc: i32, %new: i32):
          %sum = arith.addi %acc, %new : i32
          scan.yield %sum : i32
        } store {
        ^bb0(%inclusive: i32, %exclusive: i32, %e: i32):
          scan.yield %inclusive : i32
        }
  }
  return
}

// -----
// Equal scans are one; scans that differ in a property, a type or their region are
// not; nobody needs what nobody uses.
// LICM-LABEL: func.func @equal
// CSE-LABEL: func.func @equal
// CSE:         %[[P:.+]] = scan.associative ins({{.+}}) dim = 0 {
// CSE:         %[[Q:.+]] = scan.associative ins({{.+}}) dim = 0 reverse {
// CSE:         %[[R:.+]] = scan.associative ins({{.+}}) dim = 0 {
// CSE:           arith.muli
// CSE-NOT:     {{scan.(linear_recurrence|associative)}}
// CSE:         return %[[P]], %[[P]], %[[Q]], %[[R]]
// INLINE-LABEL: func.func @equal
func.func @equal(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>) -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %p = scan.associative ins(%x : tensor<?x?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  %p_again = scan.associative ins(%x : tensor<?x?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  %q = scan.associative ins(%x : tensor<?x?xi32>) dim = 0 reverse {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  %r = scan.associative ins(%x : tensor<?x?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.muli %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?x?xi32>
  // Dead, although it might stop the program if it ran.
  %dead = scan.linear_recurrence ins(%x, %y : tensor<?x?xi32>, tensor<?x?xi32>) dim = 0 -> tensor<?x?xi32>
  return %p, %p_again, %q, %r : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}

// -----
// A function with a scan is inlined.
// LICM-LABEL: func.func @caller
// CSE-LABEL: func.func @caller
// INLINE-NOT:  func.func private
// INLINE-LABEL: func.func @caller
// INLINE:        scan.associative
// INLINE:          arith.maxsi
// INLINE:          scan.yield
// INLINE:        scan.associative
// INLINE:          arith.addi
// INLINE-NOT:    call
// INLINE:        return
func.func @caller(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %0 = func.call @running_max(%x) : (tensor<?xi32>) -> tensor<?xi32>
  %1 = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.addi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %0, %1 : tensor<?xi32>, tensor<?xi32>
}
func.func private @running_max(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %s = arith.maxsi %acc, %new : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}

// -----
// Tiles that divide the extent turn out to be all of one size, in the types of the
// scan as well.
// LICM-LABEL: func.func @loop_bounds
// CSE-LABEL: func.func @loop_bounds
// INLINE-LABEL: func.func @loop_bounds
// FORLOOP-LABEL: func.func @loop_bounds
// FORLOOP:       scf.for
// FORLOOP-NOT:     affine.min
// FORLOOP:         scan.associative ins(%{{.+}} : tensor<4x5xi32>) dim = 1 {
// FORLOOP:         } -> tensor<4x5xi32>
// FORLOOP:       return
func.func @loop_bounds(%x: tensor<8x5xi32>, %out: tensor<8x5xi32>) -> tensor<8x5xi32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%o = %out) -> tensor<8x5xi32> {
    %size = affine.min affine_map<(d0) -> (4, 8 - d0)>(%i)
    %tile = tensor.extract_slice %x[%i, 0] [%size, 5] [1, 1] : tensor<8x5xi32> to tensor<?x5xi32>
    %y = scan.associative ins(%tile : tensor<?x5xi32>) dim = 1 {
    ^bb0(%acc: i32, %new: i32):
      %s = arith.addi %acc, %new : i32
      scan.yield %s : i32
    } -> tensor<?x5xi32>
    %next = tensor.insert_slice %y into %o[%i, 0] [%size, 5] [1, 1] : tensor<?x5xi32> into tensor<8x5xi32>
    scf.yield %next : tensor<8x5xi32>
  }
  return %r : tensor<8x5xi32>
}
