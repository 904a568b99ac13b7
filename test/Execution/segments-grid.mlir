// Segments across the blocks of a scan over the grid: head flags in some tiles and none in
// others.

// RUN: scan-run %s --entry=row --input=random:f32:2x3001:1:0:1 --input=random:f32:2x3001:2 --input=values:i32:6:0,5,5,1700,2900,3001 --input=random:f32:2x5:3 --target=emulator --seed=1 --compare=reference --tolerance=1e-5
// RUN: scan-run %s --entry=row --input=random:f32:2x3001:1:0:1 --input=random:f32:2x3001:2 --input=values:i32:6:0,5,5,1700,2900,3001 --input=random:f32:2x5:3 --target=emulator --schedule=adversarial --compare=reference --tolerance=1e-5
// RUN: scan-run %s --entry=column --input=random:bf16:1001x37:1:0:1 --input=random:bf16:1001x37:2 --input=values:i32:6:0,5,5,300,900,1001 --target=emulator --seed=2 --compare=reference --tolerance=1e-2
// RUN: scan-run %s --entry=column --input=random:bf16:1001x37:1:0:1 --input=random:bf16:1001x37:2 --input=values:i32:6:0,5,5,300,900,1001 --target=emulator --schedule=adversarial --compare=reference --tolerance=1e-2
// Wrong offsets stop the program, as on the CPU.
// RUN: not scan-run %s --entry=row --input=random:f32:2x3001:1:0:1 --input=random:f32:2x3001:2 --input=values:i32:6:0,5,5,1700,2900,3000 --input=random:f32:2x5:3 --target=emulator --seed=1 --compare=reference --tolerance=1e-5 2>&1 | FileCheck %s
// CHECK: scan: expected the offsets of segments to start with 0, not to decrease, and to end with the extent of dimension 1, which is scanned

func.func @row(%a: tensor<2x?xf32>, %b: tensor<2x?xf32>, %s: tensor<?xi32>, %i: tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<2x?xf32>, tensor<2x?xf32>) init(%i : tensor<2x?xf32>) segments(%s : tensor<?xi32>) dim = 1 reverse
    attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4, scope = grid>} -> tensor<2x?xf32>, tensor<2x?xf32>
  return %h, %last : tensor<2x?xf32>, tensor<2x?xf32>
}
func.func @column(%a: tensor<?x37xbf16>, %b: tensor<?x37xbf16>, %s: tensor<?xi32>) -> (tensor<?x37xbf16>, tensor<?x37xbf16>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x37xbf16>, tensor<?x37xbf16>) segments(%s : tensor<?xi32>) dim = 0
    attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 4, lanes = 8, scope = grid>} -> tensor<?x37xbf16>, tensor<?x37xbf16>
  return %h, %last : tensor<?x37xbf16>, tensor<?x37xbf16>
}
