// RUN: scan-opt %s -split-input-file -convert-scan-to-loops="vector-bits=128 streaming-bytes=0" -canonicalize -cse | FileCheck %s
// RUN: scan-opt %s -split-input-file -convert-scan-to-loops="vector-bits=0" -canonicalize -cse | FileCheck %s --check-prefix=SCALAR

// A linear recurrence over [time, channel], backwards, exclusive, with init and
// final state: a block of channels at a time, its state in a buffer, four steps
// for each access to that. The product of the coefficients is not carried. LLVM
// is not to make vectors of the columns that are left over.

// CHECK: #[[$DISABLE:.*]] = #llvm.loop_vectorize<disable = true>
// CHECK: #[[$KEEP:.*]] = #llvm.loop_annotation<vectorize = #[[$DISABLE]]>

#id = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @recurrence(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %[[H0:.*]]: memref<?xf32>, %[[H:.*]]: memref<?x?xf32>, %[[LAST:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[BLOCK:.*]] = arith.constant 4096 : index
// CHECK-DAG:     %[[T:.*]] = memref.dim %[[A]], %[[C0]]
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[A]], %[[C1]]
// CHECK:         %[[S:.*]] = memref.view %{{.*}}[%{{.*}}][] : memref<16384xi8> to memref<4096xf32>
// CHECK-NOT:     memref.view
// CHECK:         scf.for %[[V0:.*]] = %[[C0]] to %[[N]] step %[[BLOCK]] {
// CHECK-NEXT:      %[[REST:.*]] = arith.subi %[[N]], %[[V0]]
// CHECK-NEXT:      %[[COUNT:.*]] = arith.minui %[[REST]], %[[BLOCK]]
// CHECK-NEXT:      %[[MODULO:.*]] = arith.remui %[[COUNT]], %[[C4]]
// CHECK-NEXT:      %[[WHOLE:.*]] = arith.subi %[[COUNT]], %[[MODULO]]
// CHECK-NEXT:      scf.for %[[U:.*]] = %[[C0]] to %[[WHOLE]] step %[[C4]] {
// CHECK-NEXT:        %[[LAST_V:.*]] = arith.subi %[[WHOLE]], %[[C4]]
// CHECK-NEXT:        %[[V:.*]] = arith.subi %[[LAST_V]], %[[U]]
// CHECK-NEXT:        %[[COL:.*]] = arith.addi %[[V0]], %[[V]]
// CHECK-NEXT:        %[[INIT:.*]] = vector.load %[[H0]][%[[COL]]] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:        vector.store %[[INIT]], %[[S]][%[[V]]] : memref<4096xf32>, vector<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[V:.*]] = %[[WHOLE]] to %[[COUNT]] step %[[C1]] {
// CHECK-NEXT:        %[[COL:.*]] = arith.addi %[[V0]], %[[V]]
// CHECK-NEXT:        %[[INIT:.*]] = memref.load %[[H0]][%[[COL]]]
// CHECK-NEXT:        memref.store %[[INIT]], %[[S]][%[[V]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[T_MODULO:.*]] = arith.remui %[[T]], %[[C4]]
// CHECK-NEXT:      %[[T_WHOLE:.*]] = arith.subi %[[T]], %[[T_MODULO]]
// CHECK-NEXT:      scf.for %[[I:.*]] = %[[C0]] to %[[T_WHOLE]] step %[[C4]] {
// CHECK-NEXT:        %[[LAST_T:.*]] = arith.subi %[[T]], %[[C1]]
// CHECK-NEXT:        %[[TIME:.*]] = arith.subi %[[LAST_T]], %[[I]]
// CHECK-NEXT:        %[[I1:.*]] = arith.addi %[[I]], %[[C1]]
// CHECK-NEXT:        %[[TIME1:.*]] = arith.subi %[[LAST_T]], %[[I1]]
// CHECK:             scf.for %[[U:.*]] = %[[C0]] to %[[WHOLE]] step %[[C4]] {
// CHECK-NEXT:          %[[LAST_V:.*]] = arith.subi %[[WHOLE]], %[[C4]]
// CHECK-NEXT:          %[[V:.*]] = arith.subi %[[LAST_V]], %[[U]]
// CHECK-NEXT:          %[[COL:.*]] = arith.addi %[[V0]], %[[V]]
// CHECK-NEXT:          %[[SV:.*]] = vector.load %[[S]][%[[V]]] : memref<4096xf32>, vector<4xf32>
// CHECK-NEXT:          %[[AV:.*]] = vector.load %[[A]][%[[TIME]], %[[COL]]] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:          %[[BV:.*]] = vector.load %[[B]][%[[TIME]], %[[COL]]] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:          %[[AV1:.*]] = vector.load %[[A]][%[[TIME1]], %[[COL]]] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:          %[[BV1:.*]] = vector.load %[[B]][%[[TIME1]], %[[COL]]] : memref<?x?xf32>, vector<4xf32>
// CHECK-COUNT-4:       vector.load %{{.*}} : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:          %[[P:.*]] = arith.mulf %[[AV]], %[[SV]] : vector<4xf32>
// CHECK-NEXT:          %[[NEXT:.*]] = arith.addf %[[P]], %[[BV]] : vector<4xf32>
// CHECK-NEXT:          %[[P1:.*]] = arith.mulf %[[AV1]], %[[NEXT]] : vector<4xf32>
// CHECK-NEXT:          %[[NEXT1:.*]] = arith.addf %[[P1]], %[[BV1]] : vector<4xf32>
// CHECK:               vector.store %[[SV]], %[[H]][%[[TIME]], %[[COL]]] : memref<?x?xf32>, vector<4xf32>
// CHECK-NEXT:          vector.store %[[NEXT]], %[[H]][%[[TIME1]], %[[COL]]] : memref<?x?xf32>, vector<4xf32>
// CHECK-COUNT-2:       vector.store %{{.*}}, %[[H]]
// CHECK-NEXT:          vector.store %{{.*}}, %[[S]][%[[V]]] : memref<4096xf32>, vector<4xf32>
// CHECK-NEXT:        } {loop_annotation = #[[$KEEP]]}
// CHECK-NEXT:        scf.for %[[V:.*]] = %[[WHOLE]] to %[[COUNT]] step %[[C1]] {
// CHECK-COUNT-4:       memref.store %{{.*}}, %[[H]]
// CHECK:             } {loop_annotation = #[[$KEEP]]}
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[I:.*]] = %[[T_WHOLE]] to %[[T]] step %[[C1]] {
// CHECK:             scf.for
// CHECK:               vector.store %{{.*}}, %[[H]]
// CHECK-NEXT:          vector.store %{{.*}}, %[[S]]
// CHECK:             scf.for
// CHECK:               memref.store %{{.*}}, %[[H]]
// CHECK:             } {loop_annotation = #[[$KEEP]]}
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[U:.*]] = %[[C0]] to %[[WHOLE]] step %[[C4]] {
// CHECK-NEXT:        %[[LAST_V:.*]] = arith.subi %[[WHOLE]], %[[C4]]
// CHECK-NEXT:        %[[V:.*]] = arith.subi %[[LAST_V]], %[[U]]
// CHECK-NEXT:        %[[COL:.*]] = arith.addi %[[V0]], %[[V]]
// CHECK-NEXT:        %[[SV:.*]] = vector.load %[[S]][%[[V]]]
// CHECK-NEXT:        vector.store %[[SV]], %[[LAST]][%[[COL]]] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:      }

// SCALAR-LABEL: func.func @recurrence(
// SCALAR-NOT:     vector<
// SCALAR:         return
func.func @recurrence(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %h0: memref<?xf32>, %h: memref<?x?xf32>, %last: memref<?xf32>) {
  scan.kernel dim = 0 reverse
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) init(%h0 : memref<?xf32>) outs(%h : memref<?x?xf32>) finals(%last : memref<?xf32>)
      maps [#id, #id, #channel, #id, #channel]
      load {
      ^bb0(%x: f32, %y: f32):
        scan.yield %x, %y : f32, f32
      } initialize {
      ^bb0(%i: f32):
        %one = arith.constant 1.0 : f32
        scan.yield %one, %i : f32, f32
      } combine {
      ^bb0(%pa: f32, %pb: f32, %na: f32, %nb: f32):
        %p = arith.mulf %na, %pa : f32
        %q = arith.mulf %na, %pb : f32
        %r = arith.addf %q, %nb : f32
        scan.yield %p, %r : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %x: f32, %y: f32):
        scan.yield %xb : f32
      } finalize {
      ^bb0(%ia: f32, %ib: f32):
        scan.yield %ib : f32
      }
  return
}

// -----

// Without an init the first step is peeled, behind a test of the extent; the
// final state of an empty scan is zero. Sixteen bits are widened, one lane at a
// time never. A static extent that vectors divide has no scalar loop.

#id = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @no_init(
// CHECK-SAME:    %[[X:.*]]: memref<?x8xbf16>, %[[Y:.*]]: memref<?x8xbf16>, %[[LAST:.*]]: memref<8xbf16>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[T:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK:         %[[S:.*]] = memref.view %{{.*}} to memref<8xf32>
// CHECK:         %[[SOME:.*]] = arith.cmpi ne, %[[T]], %[[C0]]
// CHECK-NEXT:    scf.if %[[SOME]] {
// CHECK-NEXT:      scf.for %[[V:.*]] =
// CHECK-NEXT:        %[[E:.*]] = vector.load %[[X]][%[[C0]], %[[V]]] : memref<?x8xbf16>, vector<4xbf16>
// CHECK-NEXT:        %[[L:.*]] = arith.extf %[[E]] : vector<4xbf16> to vector<4xf32>
// CHECK-NEXT:        vector.store %[[E]], %[[Y]][%[[C0]], %[[V]]]
// CHECK-NEXT:        vector.store %[[L]], %[[S]][%[[V]]]
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.for %[[V:.*]] =
// CHECK-NEXT:        vector.store %[[ZERO]], %[[S]][%[[V]]]
// CHECK-NEXT:      } {loop_annotation = #[[$KEEP]]}
// CHECK-NEXT:    }
// CHECK:         %[[END:.*]] = arith.addi %{{.*}}, %[[C1]]
// CHECK-NEXT:    scf.for %[[I:.*]] = %[[C1]] to %[[END]] step %[[C4:.*]] {
// CHECK:           scf.for %[[V:.*]] =
// CHECK:             arith.addf %{{.*}} : vector<4xf32>
// CHECK-NEXT:        arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK:           } {loop_annotation = #[[$KEEP]]}
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %[[I:.*]] = %[[END]] to %[[T]] step %[[C1]] {
// CHECK-NEXT:      scf.for %[[V:.*]] =
// CHECK:             arith.addf %{{.*}} : vector<4xf32>
// CHECK-NEXT:        arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK:           } {loop_annotation = #[[$KEEP]]}
// CHECK-NEXT:    }
// CHECK-NOT:     memref.load
// CHECK:         return
func.func @no_init(%x: memref<?x8xbf16>, %y: memref<?x8xbf16>, %last: memref<8xbf16>) {
  scan.kernel dim = 0
      ins(%x : memref<?x8xbf16>) outs(%y : memref<?x8xbf16>) finals(%last : memref<8xbf16>)
      maps [#id, #id, #channel]
      load {
      ^bb0(%e: bf16):
        %l = arith.extf %e : bf16 to f32
        scan.yield %l : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: bf16):
        %r = arith.truncf %in : f32 to bf16
        scan.yield %r : bf16
      } finalize {
      ^bb0(%in: f32):
        %r = arith.truncf %in : f32 to bf16
        scan.yield %r : bf16
      }
  return
}

// -----

// Operands that do not move with the channel are splat: a coefficient per time
// step, a broadcast extent of 1, a scalar init.

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#time = affine_map<(d0, d1, d2) -> (d1)>
#shared = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#none = affine_map<(d0, d1, d2) -> ()>

// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<1x?x8xf32>, %[[H0:.*]]: f32, %[[H:.*]]: memref<2x?x8xf32>)
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           vector.broadcast %[[H0]] : f32 to vector<4xf32>
// CHECK:           scf.for %[[T:.*]] =
// CHECK:             scf.for %[[V:.*]] =
// CHECK:               %[[E:.*]] = memref.load %[[A]][%[[T]]]
// CHECK:               %[[W:.*]] = vector.broadcast %[[E]] : f32 to vector<4xf32>
// CHECK:               vector.load %[[B]][%[[C0]], %[[T]], %[[V]]]
// CHECK:               arith.mulf %[[W]], %{{.*}} : vector<4xf32>
// CHECK:               vector.store %{{.*}}, %[[H]][%[[I]], %[[T]], %[[V]]]
func.func @broadcast(%a: memref<?xf32>, %b: memref<1x?x8xf32>, %h0: f32, %h: memref<2x?x8xf32>) {
  scan.kernel dim = 1
      ins(%a, %b : memref<?xf32>, memref<1x?x8xf32>) init(%h0 : f32) outs(%h : memref<2x?x8xf32>)
      maps [#time, #shared, #none, #id]
      load {
      ^bb0(%x: f32, %y: f32):
        scan.yield %x, %y : f32, f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i, %i : f32, f32
      } combine {
      ^bb0(%pa: f32, %pb: f32, %na: f32, %nb: f32):
        %q = arith.mulf %na, %pb : f32
        %r = arith.addf %q, %nb : f32
        scan.yield %na, %r : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %xa: f32, %xb: f32, %x: f32, %y: f32):
        scan.yield %ib : f32
      }
  return
}

// -----

// Memory of i1 has a byte per element, a vector of i1 a bit: flags are loaded,
// stored and held as bytes.

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @flags(
// CHECK-SAME:    %[[F:.*]]: memref<?x8xi1>, %[[X:.*]]: memref<?x8xf32>, %[[G:.*]]: memref<?x8xi1>, %[[Y:.*]]: memref<?x8xf32>)
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     memref.view %{{.*}} to memref<8xi8>
// CHECK-DAG:     memref.view %{{.*}} to memref<8xf32>
// CHECK:         scf.if
// CHECK:           llvm.store
// CHECK:         scf.for %{{.*}} step %[[C4]] {
// CHECK:         scf.for %[[T:.*]] = %{{.*}} step %[[C1]] {
// CHECK-NEXT:      scf.for %[[V:.*]] =
// CHECK-NEXT:        %[[SB:.*]] = vector.load %{{.*}} : memref<8xi8>, vector<4xi8>
// CHECK-NEXT:        %[[SV:.*]] = arith.trunci %[[SB]] : vector<4xi8> to vector<4xi1>
// CHECK:             %[[ROW:.*]] = arith.muli %[[T]], %[[C8]]
// CHECK:             %[[AT:.*]] = arith.addi %[[ROW]], %[[V]]
// CHECK:             %[[BASE:.*]] = memref.extract_aligned_pointer_as_index %[[F]]
// CHECK:             arith.addi %[[BASE]], %[[AT]]
// CHECK:             %[[P:.*]] = llvm.inttoptr
// CHECK-NEXT:        %[[FB:.*]] = llvm.load %[[P]] {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
// CHECK-NEXT:        %[[FV:.*]] = arith.trunci %[[FB]] : vector<4xi8> to vector<4xi1>
// CHECK:             arith.select %[[SV]], %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK:             %[[NEXT:.*]] = arith.xori %[[SV]], %[[FV]] : vector<4xi1>
// CHECK:             %[[GB:.*]] = arith.extui %[[NEXT]] : vector<4xi1> to vector<4xi8>
// CHECK:             llvm.store %[[GB]], %{{.*}} {alignment = 1 : i64} : vector<4xi8>, !llvm.ptr
// CHECK:             vector.store %[[GB]], %{{.*}} : memref<8xi8>, vector<4xi8>
func.func @flags(%f: memref<?x8xi1>, %x: memref<?x8xf32>, %g: memref<?x8xi1>, %y: memref<?x8xf32>) {
  scan.kernel dim = 0
      ins(%f, %x : memref<?x8xi1>, memref<?x8xf32>) outs(%g, %y : memref<?x8xi1>, memref<?x8xf32>)
      maps [#id, #id, #id, #id]
      load {
      ^bb0(%p: i1, %e: f32):
        scan.yield %p, %e : i1, f32
      } combine {
      ^bb0(%f0: i1, %x0: f32, %f1: i1, %x1: f32):
        %s = arith.addf %x0, %x1 : f32
        %r = arith.select %f0, %x1, %s : f32
        %o = arith.xori %f0, %f1 : i1
        scan.yield %o, %r : i1, f32
      } store {
      ^bb0(%fi: i1, %xi: f32, %fe: i1, %xe: f32, %p: i1, %e: f32):
        scan.yield %fi, %xi : i1, f32
      }
  return
}

// -----

// Complex numbers are two leaves, and vectors of both parts lie in memory side by side.

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @complex(
// CHECK-NOT:     complex.mul
// CHECK:         memref.view %{{.*}} to memref<8xf32>
// CHECK:         memref.view %{{.*}} to memref<8xf32>
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:           %[[LOW:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:      %[[HIGH:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:      vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 4, 6]
// CHECK-NEXT:      vector.shuffle %[[LOW]], %[[HIGH]] [1, 3, 5, 7]
// CHECK:           arith.mulf %{{.*}} : vector<4xf32>
// CHECK:           %[[RE:.*]] = arith.subf %{{.*}} : vector<4xf32>
// CHECK:           %[[IM:.*]] = arith.addf %{{.*}} : vector<4xf32>
// CHECK:           vector.shuffle %[[RE]], %[[IM]] [0, 4, 1, 5]
// CHECK:           llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
// CHECK:         return
func.func @complex(%x: memref<?x8xcomplex<f32>>, %i: complex<f32>, %y: memref<?x8xcomplex<f32>>) {
  scan.kernel dim = 0
      ins(%x : memref<?x8xcomplex<f32>>) init(%i : complex<f32>) outs(%y : memref<?x8xcomplex<f32>>)
      maps [#id, #none, #id]
      load {
      ^bb0(%e: complex<f32>):
        scan.yield %e : complex<f32>
      } initialize {
      ^bb0(%e: complex<f32>):
        scan.yield %e : complex<f32>
      } combine {
      ^bb0(%a: complex<f32>, %b: complex<f32>):
        %s = complex.mul %a, %b : complex<f32>
        scan.yield %s : complex<f32>
      } store {
      ^bb0(%in: complex<f32>, %ex: complex<f32>, %e: complex<f32>):
        scan.yield %in : complex<f32>
      }
  return
}

// -----

// A strided input keeps vectors only along a contiguous dimension: here lane by
// lane for the input that is not, since most operands are.

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[X:.*]]: memref<?x8xf32, strided<[?, 2]>>, %[[Z:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<?x8xf32>)
// CHECK-NOT:     vector.load %[[X]]
// CHECK:         vector.from_elements
// CHECK:         vector.load %[[Z]]
func.func @strided(%x: memref<?x8xf32, strided<[?, 2]>>, %z: memref<?x8xf32>, %y: memref<?x8xf32>) {
  scan.kernel dim = 0
      ins(%x, %z : memref<?x8xf32, strided<[?, 2]>>, memref<?x8xf32>) outs(%y : memref<?x8xf32>)
      maps [#id, #id, #id]
      load {
      ^bb0(%e: f32, %g: f32):
        %p = arith.mulf %e, %g : f32
        scan.yield %p : f32
      } combine {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %g: f32):
        scan.yield %in : f32
      }
  return
}
