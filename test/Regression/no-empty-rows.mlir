// No rows, and no steps: persistent blocks store the final states of
// rows without elements, but of no row that is not there.

// RUN: scan-run %s --entry=none --target=emulator --compare=reference --tolerance=0 --input=values:i32:1x0x0: --input=values:i32:1x0x0: | FileCheck %s --check-prefix=NONE
// RUN: scan-run %s --entry=none --target=emulator --compare=reference --tolerance=0 --input=values:i32:1x3x0: --input=values:i32:1x3x0: | FileCheck %s --check-prefix=EMPTY

// NONE: 1x0xi32
// EMPTY: 1x3xi32
func.func @none(%a: tensor<?x?x?xi32>, %b: tensor<?x?x?xi32>) -> tensor<?x?xi32> {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?x?xi32>, tensor<?x?x?xi32>) dim = 2
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, scope = grid, blocks = 2, items = 1>}
      -> tensor<?x?x?xi32>, tensor<?x?xi32>
  return %last : tensor<?x?xi32>
}
