// The flips that two consumers bring cancel once their constants are one. This was
// seen only by a second run of the pass.
//
// RUN: scan-opt %s --scan-normalize --scan-fuse-elementwise -o %t.once
// RUN: scan-opt %t.once --scan-fuse-elementwise | diff %t.once -
// RUN: FileCheck %s --input-file=%t.once

// CHECK-LABEL: func.func @f(
// CHECK:         scan.kernel
// CHECK-NOT:     arith.xori
// CHECK-NOT:     linalg
// CHECK:         return
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<?x?xi1>) -> tensor<?x?xi1> {
  %y = scan.associative ins(%x : tensor<?x?xi1>) dim = 1 {
  ^bb0(%l: i1, %r: i1):
    %s = arith.addi %l, %r : i1
    scan.yield %s : i1
  } -> tensor<?x?xi1>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xi1>) outs(%x : tensor<?x?xi1>) {
  ^bb0(%b: i1, %o: i1):
    %true = arith.constant true
    %n = arith.xori %b, %true : i1
    linalg.yield %n : i1
  } -> tensor<?x?xi1>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xi1>) outs(%x : tensor<?x?xi1>) {
  ^bb0(%b: i1, %o: i1):
    %true = arith.constant true
    %n = arith.xori %b, %true : i1
    linalg.yield %n : i1
  } -> tensor<?x?xi1>
  return %c : tensor<?x?xi1>
}
