// One init per segment is an input of the kernel that is read where segments start.

// RUN: scan-opt %s --scan-expand-segments=check-in-kernels --scan-normalize --scan-fuse-elementwise --canonicalize --cse --scan-fuse-segment-inits --canonicalize --split-input-file -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: scan-opt %t.mlir --scan-fuse-segment-offsets --split-input-file | FileCheck %s --check-prefix=NUMBERS

// CHECK-DAG:   #[[$TC:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[$T:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG:   #[[$S:.+]] = affine_map<(d0, d1) -> (0, d1)>
// NUMBERS-LABEL: func.func @columns(
// NUMBERS-NOT:     xi1>
// NUMBERS:         %[[N:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi32>)
// NUMBERS:           scf.while
// NUMBERS:           arith.select %{{.+}}, %{{.+}}, %{{.+}} : i32
// NUMBERS:         scan.kernel dim = 0
// NUMBERS-NEXT:      ins(%{{.+}}, %{{.+}}, %{{.+}}, %[[N]] : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xi32>)
// NUMBERS:           gathers = array<i64: -1, -1, 3, -1>
// NUMBERS:         ^bb0(%{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f32, %[[K:.+]]: i32):
// NUMBERS:           arith.cmpi sge, %[[K]], %{{.+}} : i32
// NUMBERS-NOT:     segment_offsets
// NUMBERS:         return
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[A:.+]]: tensor<?x64xf32>, %[[B:.+]]: tensor<?x64xf32>, %[[O:.+]]: tensor<?xi32>, %[[H:.+]]: tensor<?x64xf32>)
// Nothing has an init for each step; the segment's number is there at its start.
// CHECK:         %[[F:.+]] = scan.head_flags %[[O]]
// CHECK:         %[[N:.+]] = scan.head_flags %[[O]] extent(%{{.+}}) {scan.covers_steps} : tensor<?xi32> -> tensor<?xi32>
// CHECK-NOT:     tensor.extract
// CHECK:         scan.kernel dim = 0
// CHECK-NEXT:      ins(%[[A]], %[[B]], %[[F]], %[[H]], %[[N]] : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xi1>, tensor<?x64xf32>, tensor<?xi32>)
// CHECK-NEXT:      maps [#[[$TC]], #[[$TC]], #[[$T]], #[[$S]], #[[$T]], #[[$TC]]] attributes {gathers = array<i64: -1, -1, -1, 4, -1>
func.func @columns(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %s: tensor<?xi32>, %h0: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x64xf32>, tensor<?x64xf32>) init(%h0 : tensor<?x64xf32>)
      segments(%s : tensor<?xi32>) dim = 0 -> tensor<?x64xf32>
  return %h : tensor<?x64xf32>
}

// -----

// The extent is known without the flags. As these the numbers are checked.
// NUMBERS-LABEL: func.func @extent(
// NUMBERS-SAME:    %{{.+}}: tensor<?x64xf32>, %{{.+}}: tensor<?xi32>, %{{.+}}: tensor<?x64xf32>, %[[T:.+]]: index
// NUMBERS:         memref.alloc() {scan.status
// NUMBERS-NOT:     memref.alloc
// NUMBERS-NOT:     xi1>
// NUMBERS:         tensor.empty(%[[T]]) : tensor<?x64xf32>
// NUMBERS:         scan.kernel
// NUMBERS:           gathers = array<i64: -1, 2, -1>
// NUMBERS:         return
func.func @extent(%x: tensor<?x64xf32>, %s: tensor<?xi32>, %h0: tensor<?x64xf32>, %t: index) -> tensor<?x64xf32> {
  %zero = arith.constant 0 : index
  %f = scan.head_flags %s extent(%t) {scan.check_offsets = 0 : i64, scan.covers_steps} : tensor<?xi32> -> tensor<?xi1>
  %k = scan.head_flags %s extent(%t) {scan.covers_steps} : tensor<?xi32> -> tensor<?xi32>
  %d = tensor.dim %f, %zero : tensor<?xi1>
  %y = tensor.empty(%d) : tensor<?x64xf32>
  %0 = scan.kernel dim = 0
      ins(%x, %f, %h0, %k : tensor<?x64xf32>, tensor<?xi1>, tensor<?x64xf32>, tensor<?xi32>) outs(%y : tensor<?x64xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (0, d1)>,
            affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, -1, 3, -1>}
      load {
      ^bb0(%e: f32, %start: i1, %init: f32, %place: i32):
        %b = arith.addf %e, %init : f32
        %l = arith.select %start, %b, %e : f32
        scan.yield %l, %start : f32, i1
      } combine {
      ^bb0(%a0: f32, %p: i1, %a1: f32, %q: i1):
        %b = arith.addf %a0, %a1 : f32
        %r = arith.select %q, %a1, %b : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// Flags of a list that may leave out steps are no numbers.
// NUMBERS-LABEL: func.func @some_steps(
// NUMBERS-DAG:     %[[F:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi1>)
// NUMBERS-DAG:     %[[K:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi32>)
// NUMBERS:         scan.kernel
// NUMBERS-NEXT:      ins(%{{.+}}, %[[F]], %{{.+}}, %[[K]] :
func.func @some_steps(%x: tensor<?x64xf32>, %s: tensor<?xi32>, %h0: tensor<?x64xf32>, %t: index, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %f = scan.head_flags %s extent(%t) : tensor<?xi32> -> tensor<?xi1>
  %k = scan.head_flags %s extent(%t) : tensor<?xi32> -> tensor<?xi32>
  %0 = scan.kernel dim = 0
      ins(%x, %f, %h0, %k : tensor<?x64xf32>, tensor<?xi1>, tensor<?x64xf32>, tensor<?xi32>) outs(%y : tensor<?x64xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (0, d1)>,
            affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {gathers = array<i64: -1, -1, 3, -1>}
      load {
      ^bb0(%e: f32, %start: i1, %init: f32, %place: i32):
        %b = arith.addf %e, %init : f32
        %l = arith.select %start, %b, %e : f32
        scan.yield %l, %start : f32, i1
      } combine {
      ^bb0(%a0: f32, %p: i1, %a1: f32, %q: i1):
        %b = arith.addf %a0, %a1 : f32
        %r = arith.select %q, %a1, %b : f32
        %o = arith.ori %p, %q : i1
        scan.yield %r, %o : f32, i1
      } store {
      ^bb0(%inclusive: f32, %some: i1, %exclusive: f32, %none: i1, %e: f32, %start: i1, %init: f32, %place: i32):
        scan.yield %inclusive : f32
      } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// In reverse a segment starts at its last step; leaves share the places.
// CHECK-LABEL: func.func @leaves(
// CHECK-SAME:    %[[X:.+]]: tensor<2x?xf32>, %[[O:.+]]: tensor<?xi64>, %[[I:.+]]: tensor<2x?xf32>, %[[J:.+]]: tensor<2x?xf32>)
// CHECK:         %[[N:.+]] = scan.head_flags %[[O]] extent(%{{.+}}) reverse {scan.covers_steps} : tensor<?xi64> -> tensor<?xi64>
// CHECK:         scan.kernel dim = 1 reverse
// CHECK-NEXT:      ins(%[[X]], %{{.+}}, %[[I]], %[[J]], %[[N]] :
// CHECK:           gathers = array<i64: -1, -1, 4, 4, -1>
func.func @leaves(%x: tensor<2x?xf32>, %s: tensor<?xi64>, %i: tensor<2x?xf32>, %j: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %y, %z = scan.associative ins(%x, %x : tensor<2x?xf32>, tensor<2x?xf32>) init(%i, %j : tensor<2x?xf32>, tensor<2x?xf32>)
      segments(%s : tensor<?xi64>) dim = 1 reverse {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %a = arith.mulf %a0, %a1 : f32
    %b = arith.addf %b0, %b1 : f32
    scan.yield %a, %b : f32, f32
  } -> tensor<2x?xf32>, tensor<2x?xf32>
  return %y, %z : tensor<2x?xf32>, tensor<2x?xf32>
}

// -----

// Where a step must not run on a state that is none, each step has one, of its segment.
// CHECK-LABEL: func.func @division(
// CHECK:         %[[N:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi32>)
// CHECK:           scf.while
// CHECK:         scan.kernel dim = 0
// CHECK:           gathers
func.func @division(%x: tensor<?x4xi32>, %s: tensor<?xi32>, %i: tensor<?x4xi32>) -> tensor<?x4xi32> {
  %y = scan.associative ins(%x : tensor<?x4xi32>) init(%i : tensor<?x4xi32>) segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: i32, %new: i32):
    %q = arith.divui %new, %acc : i32
    %r = arith.maxui %q, %new : i32
    scan.yield %r : i32
  } -> tensor<?x4xi32>
  return %y : tensor<?x4xi32>
}

// -----

// One row of states that are as wide as numbers are.
// CHECK-LABEL: func.func @row(
// CHECK:         scan.kernel
// CHECK-NOT:     gathers
// CHECK:         return
func.func @row(%x: tensor<?xf32>, %s: tensor<?xi32>, %i: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) init(%i : tensor<?xf32>)
      segments(%s : tensor<?xi32>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Two of them are wider.
// CHECK-LABEL: func.func @pairs(
// CHECK:         scan.kernel
// CHECK:           gathers
func.func @pairs(%x: tensor<?xf32>, %s: tensor<?xi32>, %i: tensor<?xf32>, %j: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y, %z = scan.associative ins(%x, %x : tensor<?xf32>, tensor<?xf32>) init(%i, %j : tensor<?xf32>, tensor<?xf32>)
      segments(%s : tensor<?xi32>) dim = 0 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %a = arith.mulf %a0, %a1 : f32
    %b = arith.addf %b0, %b1 : f32
    scan.yield %a, %b : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// -----

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>

// Only what gathers is found: here zeros are not what steps without a segment get.
// CHECK-LABEL: func.func @ones(
// CHECK:         scan.kernel
// CHECK-NOT:     gathers
func.func @ones(%x: tensor<8x4xf32>, %at: tensor<8xi32>, %h0: tensor<3x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %three = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %i = linalg.generic {indexing_maps = [#t, #tc], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<8xi32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%k: i32, %out: f32):
    %p = arith.index_cast %k : i32 to index
    %is = arith.cmpi ult, %p, %three : index
    %c = linalg.index 1 : index
    %h = scf.if %is -> f32 {
      %r = tensor.extract %h0[%p, %c] : tensor<3x4xf32>
      scf.yield %r : f32
    } else {
      scf.yield %one : f32
    }
    linalg.yield %h : f32
  } -> tensor<8x4xf32>
  %0 = scan.kernel dim = 0
      ins(%x, %i : tensor<8x4xf32>, tensor<8x4xf32>) outs(%y : tensor<8x4xf32>)
      maps [#tc, #tc, #tc]
      load {
      ^bb0(%x0: f32, %init: f32):
        %b = arith.addf %init, %x0 : f32
        scan.yield %b : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %b = arith.addf %a0, %a1 : f32
        scan.yield %b : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %x0: f32, %init: f32):
        scan.yield %inclusive : f32
      } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

#tc = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d0)>

// Places along another dimension than the one that is scanned are none of a kernel.
// CHECK-LABEL: func.func @left(
// CHECK:         %[[I:.+]] = linalg.generic
// CHECK:           tensor.extract
// CHECK:         scan.kernel dim = 1
// CHECK-NEXT:      ins(%[[I]], %{{.+}} :
// CHECK-NOT:       gathers
// CHECK:         return
func.func @left(%x: tensor<8x4xf32>, %at: tensor<8xi32>, %h0: tensor<3x4xf32>, %z: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %three = arith.constant 3 : index
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %i = linalg.generic {indexing_maps = [#t, #tc], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<8xi32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%k: i32, %out: f32):
    %p = arith.index_cast %k : i32 to index
    %is = arith.cmpi ult, %p, %three : index
    %c = linalg.index 1 : index
    %h = scf.if %is -> f32 {
      %r = tensor.extract %h0[%p, %c] : tensor<3x4xf32>
      scf.yield %r : f32
    } else {
      scf.yield %none : f32
    }
    linalg.yield %h : f32
  } -> tensor<8x4xf32>
  %1 = scan.kernel dim = 1
      ins(%i, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%z : tensor<8x4xf32>)
      maps [#tc, #tc, #tc]
      load {
      ^bb0(%init: f32, %x0: f32):
        %b = arith.addf %init, %x0 : f32
        scan.yield %b : f32
      } combine {
      ^bb0(%a0: f32, %a1: f32):
        %b = arith.addf %a0, %a1 : f32
        scan.yield %b : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %init: f32, %x0: f32):
        scan.yield %inclusive : f32
      } -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
