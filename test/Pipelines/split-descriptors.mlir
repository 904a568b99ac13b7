// RUN: scan-opt %s --scan-split-descriptors | FileCheck %s

// A parallel region uses fields of a descriptor that is made outside of it.

// CHECK-LABEL: llvm.func @outside(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[Q:.*]]: !llvm.ptr, %[[D:.*]]: !llvm.struct<(ptr, array<2 x i64>)>, %[[X:.*]]: f32)
// CHECK:         %[[N:.*]] = llvm.extractvalue %[[D]][1, 1]
// CHECK-NEXT:    omp.parallel {
// CHECK-NEXT:      llvm.store %[[X]], %[[Q]]
// CHECK-NEXT:      %[[A:.*]] = llvm.getelementptr %[[P]][%[[N]]]
// CHECK-NEXT:      llvm.store %[[X]], %[[A]]
llvm.func @outside(%p: !llvm.ptr, %q: !llvm.ptr, %d: !llvm.struct<(ptr, array<2 x i64>)>, %x: f32) {
  %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr)>
  %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, ptr)>
  %2 = llvm.insertvalue %q, %1[1] : !llvm.struct<(ptr, ptr)>
  omp.parallel {
    %3 = llvm.extractvalue %2[1] : !llvm.struct<(ptr, ptr)>
    llvm.store %x, %3 : f32, !llvm.ptr
    %4 = llvm.extractvalue %2[0] : !llvm.struct<(ptr, ptr)>
    %5 = llvm.extractvalue %d[1, 1] : !llvm.struct<(ptr, array<2 x i64>)>
    %6 = llvm.getelementptr %4[%5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %x, %6 : f32, !llvm.ptr
    omp.terminator
  }
  llvm.return
}

// What is made inside of the region, and what is used as a whole, stays.

// CHECK-LABEL: llvm.func @inside(
// CHECK:         %[[W:.*]] = llvm.insertvalue
// CHECK:         omp.parallel {
// CHECK-NEXT:      %[[D:.*]] = llvm.load
// CHECK-NEXT:      %[[P:.*]] = llvm.extractvalue %[[D]][0]
// CHECK-NEXT:      llvm.store %[[W]], %[[P]]
llvm.func @inside(%p: !llvm.ptr) {
  %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr)>
  %1 = llvm.insertvalue %p, %0[0] : !llvm.struct<(ptr, ptr)>
  omp.parallel {
    %2 = llvm.load %p : !llvm.ptr -> !llvm.struct<(ptr, ptr)>
    %3 = llvm.extractvalue %2[0] : !llvm.struct<(ptr, ptr)>
    llvm.store %1, %3 : !llvm.struct<(ptr, ptr)>, !llvm.ptr
    omp.terminator
  }
  llvm.return
}
