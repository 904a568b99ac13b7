// Scalars are computed in the code that reads them; extents are handed over as i64.

// RUN: scan-opt %s --scan-sink-scalars | FileCheck %s
// RUN: scan-opt %s --scan-sink-scalars -o %t.once.mlir
// RUN: scan-opt %t.once.mlir --scan-sink-scalars | diff %t.once.mlir -

// A GPU, whose host computes extents and addresses only, has the mean.

// RUN: scan-run %s --entry=mean_of_sums --target=emulator --compare=reference --tolerance=1e-6 \
// RUN:   --input=random:f32:5x7:1 --input=random:f32::2 | FileCheck %s --check-prefix=AGREES
// RUN: scan-run %s --entry=mean_of_sums --target=cpu --compare=reference --tolerance=1e-6 \
// RUN:   --input=random:f32:5x7:1 --input=random:f32::2 | FileCheck %s --check-prefix=AGREES
// RUN: scan-translate --scan-to-ptx %s -o %t.ptx
// AGREES: against reference

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @mean_of_sums(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x?xf32>, %[[RATE:[^:]+]]: f32)
// CHECK:         %[[N:.+]] = tensor.dim %[[X]], %c1
// CHECK:         %[[I:.+]] = arith.index_cast %[[N]] : index to i64
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[I]], %[[RATE]] : tensor<?x?xf32>, i64, f32)
// CHECK-NEXT:    ^bb0(%[[E:.+]]: f32, %[[IN:.+]]: i64, %[[RN:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      %[[F:.+]] = arith.sitofp %[[IN]] : i64 to f32
// CHECK-NEXT:      %[[S:.+]] = arith.mulf %[[F]], %[[RN]] : f32
// CHECK-NEXT:      arith.divf %[[E]], %[[S]] : f32
func.func @mean_of_sums(%x: tensor<?x?xf32>, %rate: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  %scale = arith.mulf %f, %rate : f32
  %e = tensor.empty(%t, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%xe: f32, %out: f32):
    %q = arith.divf %xe, %scale : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  %h = scan.associative ins(%y : tensor<?x?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// An extent as an operand; a named operation that reads what is computed; constants and arguments stay.

// CHECK-LABEL: func.func @operands(
// CHECK:         %[[I:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[I]] : tensor<?x?xf32>, i64)
// CHECK-NEXT:    ^bb0(%{{.+}}: f32, %[[IN:.+]]: i64, %{{.+}}: f32):
// CHECK-NEXT:      arith.index_cast %[[IN]] : i64 to index
// CHECK:         linalg.generic {{.*}} ins(%{{.+}} : f32)
// CHECK:           arith.negf
// CHECK:         linalg.fill ins(%{{.+}} : f32)
func.func @operands(%x: tensor<?x?xf32>, %a: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n : tensor<?x?xf32>, index) outs(%x : tensor<?x?xf32>) {
  ^bb0(%xe: f32, %ne: index, %out: f32):
    %i = arith.index_cast %ne : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %xe, %f : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %minus = arith.negf %a : f32
  %z = linalg.fill ins(%minus : f32) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  %w = linalg.fill ins(%a : f32) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y, %z, %w : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
