// RUN: scan-opt %s --split-input-file --scan-loops-to-threads --verify-diagnostics | FileCheck %s

// Scratch memory is allocated once per thread; one iteration stays on its thread.

// CHECK-LABEL: func.func @threads(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK:         %[[SEVERAL:.*]] = arith.cmpi ugt, %[[N]], %[[C1]]
// CHECK-NEXT:    omp.parallel if(%[[SEVERAL]]) {
// CHECK-NEXT:      %[[SCRATCH:.*]] = memref.alloca() {scan.scratch} : memref<64xi8>
// CHECK-NEXT:      omp.wsloop nowait {
// CHECK-NEXT:        omp.loop_nest (%[[I:.*]]) : index = (%[[C0]]) to (%[[N]]) step (%[[C1]]) {
// CHECK-NEXT:          memref.view %[[SCRATCH]]
// CHECK:               memref.store %{{.*}}, %[[X]][%[[I]]]
// CHECK-NEXT:          omp.yield
// CHECK:         omp.terminator
func.func @threads(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = memref.alloca() {scan.scratch} : memref<64xi8>
    %v = memref.view %s[%c0][] : memref<64xi8> to memref<16xf32>
    %e = memref.load %v[%c0] : memref<16xf32>
    memref.store %e, %x[%i] : memref<?xf32>
    scf.reduce
  } {scan.threads}
  return
}

// -----

// What may stop the program, allocates, or calls what may, stays on one thread.

// CHECK-LABEL: func.func @checks(
// CHECK-NOT:     omp
// CHECK:         scf.for
// CHECK-NEXT:      cf.assert
// CHECK:         scf.for
// CHECK-NEXT:      memref.alloc()
// CHECK:         scf.for
// CHECK-NEXT:      func.call @f
// CHECK:         scf.parallel
func.func private @f()
func.func @checks(%c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    cf.assert %c, "wrong"
    scf.reduce
  } {scan.threads}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %m = memref.alloc() : memref<4xf32>
    memref.dealloc %m : memref<4xf32>
    scf.reduce
  } {scan.threads}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @f() : () -> ()
    scf.reduce
  } {scan.threads}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @f() : () -> ()
    scf.reduce
  }
  return
}

// -----

func.func @two(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected a loop with 'scan.threads' to have one dimension, counted from 0 by 1, and no results, and to be in no other; as --convert-scan-to-loops makes them}}
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    scf.reduce
  } {scan.threads}
  return
}

// -----

func.func @nested(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // expected-error @below {{to be in no other}}
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      scf.reduce
    } {scan.threads}
    scf.reduce
  } {scan.threads}
  return
}
