// A group of several dynamic extents: upstream's expansion of views crashed.

// RUN: scan-opt %s --scan-normalize --scan-bufferize | FileCheck %s --check-prefix=BUFFERS
// RUN: scan-run %s --entry=expand --target=cpu --input=random:f32:12x4:1 --input=const:index::3 --input=const:index::4 --compare=reference
// RUN: scan-run %s --entry=expand --target=emulator --input=random:f32:12x4:1 --input=const:index::3 --input=const:index::4 --compare=reference
// RUN: scan-translate --scan-to-ptx %s --manifest=%t.json -o %t.ptx

// BUFFERS-LABEL: func.func @expand
// BUFFERS:         memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, %{{.*}}, 4], strides: [%{{.*}}, 4, 1] : memref<?x4xf32> to memref<?x?x4xf32>
// BUFFERS-NOT:     memref.expand_shape
func.func @expand(%x: tensor<?x4xf32>, %n: index, %m: index) -> tensor<?x?x4xf32> {
  %y = tensor.expand_shape %x [[0, 1], [2]] output_shape [%n, %m, 4]
      : tensor<?x4xf32> into tensor<?x?x4xf32>
  %z = scan.associative ins(%y : tensor<?x?x4xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?x4xf32>
  return %z : tensor<?x?x4xf32>
}
