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

// A thread that waits for another one lets others run. With one thread nothing waits.

// CHECK:         llvm.func @sched_yield() -> i32
// CHECK-LABEL: func.func @waits(
// CHECK:         omp.loop_nest
// CHECK:           scf.while
// CHECK:           } do {
// CHECK-NEXT:        llvm.call @sched_yield() : () -> i32
// CHECK-NEXT:        scf.yield
// CHECK:         scf.for
// CHECK:           cf.assert
// CHECK:           } do {
// CHECK-NEXT:        scf.yield
func.func @waits(%n: index, %p: !llvm.ptr, %number: i64, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.while : () -> () {
      %v = llvm.load %p atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
      %w = arith.cmpi ne, %v, %number : i64
      scf.condition(%w)
    } do {
      scf.yield
    } attributes {scan.wait}
    scf.reduce
  } {scan.threads}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    cf.assert %c, "wrong"
    scf.while : () -> () {
      %v = llvm.load %p atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
      %w = arith.cmpi ne, %v, %number : i64
      scf.condition(%w)
    } do {
      scf.yield
    } attributes {scan.wait}
    scf.reduce
  } {scan.threads}
  return
}

// -----

// A function of that name which the program has is not called.

// CHECK-LABEL: func.func @own(
// CHECK:         omp.loop_nest
// CHECK:           } do {
// CHECK-NEXT:        scf.yield
func.func private @sched_yield() -> i32 {
  %c = arith.constant 1 : i32
  return %c : i32
}
func.func @own(%n: index, %p: !llvm.ptr, %number: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.while : () -> () {
      %v = llvm.load %p atomic acquire {alignment = 8 : i64} : !llvm.ptr -> i64
      %w = arith.cmpi ne, %v, %number : i64
      scf.condition(%w)
    } do {
      scf.yield
    } attributes {scan.wait}
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
