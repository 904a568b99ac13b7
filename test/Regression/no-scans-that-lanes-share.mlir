// Without channels there is a block without scans, whose lanes took the last scan for
// theirs: a division by an extent of zero, and loads of inits in front of all memory.
// Found by scan-fuzz --graphs --seed=5.

// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// CHECK: scan.kernel
// CHECK: lanes = 16

// RUN: sed 's/lanes = 16/lanes = 16, scope = grid, blocks = 3/' %t.mlir > %t.grid.mlir
// RUN: scan-run %t.mlir --entry=f --target=emulator --compare=reference --tolerance=0 --input=values:f32:0x7: --input=values:f32:0x7x4: --input=values:f32:0x4: | FileCheck %s --check-prefix=NONE
// RUN: scan-run %t.grid.mlir --entry=f --target=emulator --compare=reference --tolerance=0 --input=values:f32:0x7: --input=values:f32:0x7x4: --input=values:f32:0x4: | FileCheck %s --check-prefix=NONE
// NONE: 0 0x7xf32 0
// NONE: 1 0x4xf32 0

// Scans without steps are there: their final states are their inits.

// RUN: scan-run %t.mlir --entry=f --target=emulator --compare=reference --tolerance=0 --input=values:f32:3x0: --input=values:f32:3x0x4: --input=random:f32:3x4:3 | FileCheck %s --check-prefix=EMPTY
// RUN: scan-run %t.grid.mlir --entry=f --target=emulator --compare=reference --tolerance=0 --input=values:f32:3x0: --input=values:f32:3x0x4: --input=random:f32:3x4:3 | FileCheck %s --check-prefix=EMPTY
// EMPTY: 0 3x0xf32 0
// EMPTY: 1 3x4xf32 0

func.func @f(%x: tensor<?x?xf32>, %b: tensor<?x?x4xf32>, %init: tensor<?x4xf32>)
    -> (tensor<?x?xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %channels = tensor.dim %x, %c0 : tensor<?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%channels, %time) : tensor<?x?x4xf32>
  %a = linalg.broadcast ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?x4xf32>)
      dimensions = [2]
  %h, %final = scan.linear_recurrence
      ins(%a, %b : tensor<?x?x4xf32>, tensor<?x?x4xf32>) init(%init : tensor<?x4xf32>)
      dim = 1 attributes {schedule = #scan.schedule<strategy = sequential, threads = 32,
                                                    items = 4, lanes = 16>}
      -> tensor<?x?x4xf32>, tensor<?x4xf32>
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty(%channels, %time) : tensor<?x?xf32>
  %sums = linalg.fill ins(%zero : f32) outs(%none : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.reduce { arith.addf } ins(%h : tensor<?x?x4xf32>)
      outs(%sums : tensor<?x?xf32>) dimensions = [2]
  return %y, %final : tensor<?x?xf32>, tensor<?x4xf32>
}
