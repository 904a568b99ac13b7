// A state-space layer whose read-out mixes n states into n channels. Unrolled over the
// states, a thread holds n complex coefficients and states, and all of the n x n matrix.
// With 4 states that is fused and fits the registers. With 8 it would not: what is not
// fused then is a kernel of its own, and no kernel spills. A limit on the bytes of states
// that is asked for keeps also the small one apart.

// REQUIRES: ptxas
// RUN: sed 's/N/4/g' %s > %t.4.mlir
// RUN: sed 's/N/8/g' %s > %t.8.mlir
// RUN: sed 's/N/16/g' %s > %t.16.mlir
// RUN: scan-translate --scan-to-ptx %t.4.mlir --chip=sm_80 --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: scan-translate --scan-to-ptx %t.4.mlir --chip=sm_90 --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: scan-translate --scan-to-ptx %t.4.mlir --chip=sm_90 --max-state-bytes=16 --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s --check-prefixes=CHECK,APART
// RUN: scan-translate --scan-to-ptx %t.8.mlir --chip=sm_80 --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s --check-prefixes=CHECK,APART
// RUN: scan-translate --scan-to-ptx %t.8.mlir --chip=sm_90 --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s --check-prefixes=CHECK,APART
// RUN: scan-translate --scan-to-ptx %t.16.mlir --chip=sm_90 --ptxas -o %t.ptx --manifest=%t.json | FileCheck %s --check-prefixes=CHECK,APART

// RUN: scan-run %t.4.mlir --target=emulator --compare=reference --tolerance=1e-5 --input=random:c64:4:1:-1:0.5 --input=random:c64:2x70x4:2 --input=random:c64:4x4:3
// RUN: scan-run %t.4.mlir --target=emulator --compare=reference --tolerance=1e-5 --max-state-bytes=16 --input=random:c64:4:1:-1:0.5 --input=random:c64:2x70x4:2 --input=random:c64:4x4:3
// RUN: scan-run %t.8.mlir --target=emulator --compare=reference --tolerance=1e-5 --input=random:c64:8:1:-1:0.5 --input=random:c64:2x70x8:2 --input=random:c64:8x8:3

// CHECK: kernel registers spill bytes
// CHECK-NOT: {{^layer_(scan|map)[0-9]+ [0-9]+ [1-9]}}
// FUSED-NOT: layer_map
// APART: layer_map

#state = affine_map<(b, t, p) -> (p)>
#btp = affine_map<(b, t, p) -> (b, t, p)>
#states = affine_map<(b, t, m, p) -> (b, t, p)>
#matrix = affine_map<(b, t, m, p) -> (m, p)>
#channels = affine_map<(b, t, m, p) -> (b, t, m)>

func.func @layer(%lambda: tensor<Nxcomplex<f32>>, %bu: tensor<?x?xNxcomplex<f32>>,
                 %c: tensor<NxNxcomplex<f32>>) -> tensor<?x?xNxf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %bu, %c0 : tensor<?x?xNxcomplex<f32>>
  %time = tensor.dim %bu, %c1 : tensor<?x?xNxcomplex<f32>>
  %per_step = tensor.empty(%batch, %time) : tensor<?x?xNxcomplex<f32>>
  %a = linalg.generic {indexing_maps = [#state, #btp], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%lambda : tensor<Nxcomplex<f32>>) outs(%per_step : tensor<?x?xNxcomplex<f32>>) {
  ^bb0(%l: complex<f32>, %out: complex<f32>):
    linalg.yield %l : complex<f32>
  } -> tensor<?x?xNxcomplex<f32>>
  %x = scan.linear_recurrence ins(%a, %bu : tensor<?x?xNxcomplex<f32>>, tensor<?x?xNxcomplex<f32>>) dim = 1
      -> tensor<?x?xNxcomplex<f32>>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%batch, %time) : tensor<?x?xNxf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xNxf32>) -> tensor<?x?xNxf32>
  %y = linalg.generic {indexing_maps = [#states, #matrix, #channels],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %c : tensor<?x?xNxcomplex<f32>>, tensor<NxNxcomplex<f32>>) outs(%start : tensor<?x?xNxf32>) {
  ^bb0(%xt: complex<f32>, %cmp: complex<f32>, %acc: f32):
    %product = complex.mul %cmp, %xt : complex<f32>
    %real = complex.re %product : complex<f32>
    %sum = arith.addf %acc, %real : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xNxf32>
  return %y : tensor<?x?xNxf32>
}
