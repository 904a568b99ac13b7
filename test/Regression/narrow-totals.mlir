// Totals of warps whose leaves take no multiple of 16 bytes: they were to be read together, for which
// the plan had counted room of its own for each leaf, and the kernel was refused.

// RUN: scan-run %s --entry=sums --target=emulator --compare=reference --tolerance=0 --input=random:i8:700:1 --input=random:i8:700:2
// RUN: scan-run %s --entry=products --target=emulator --compare=reference --tolerance=0 --input=random:i8:300x2x2:1

func.func @sums(%x: tensor<?xi8>, %y: tensor<?xi8>) -> (tensor<i8>, tensor<i8>) {
  %0:4 = scan.associative ins(%x, %y : tensor<?xi8>, tensor<?xi8>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 96, items = 1, lanes = 1, vector = 4>} {
  ^bb0(%a0: i8, %a1: i8, %b0: i8, %b1: i8):
    %1 = arith.addi %a0, %b0 : i8
    %2 = arith.addi %a1, %b1 : i8
    scan.yield %1, %2 : i8, i8
  } -> tensor<?xi8>, tensor<?xi8>, tensor<i8>, tensor<i8>
  return %0#2, %0#3 : tensor<i8>, tensor<i8>
}

func.func @products(%x: tensor<?x2x2xi8>) -> tensor<?x2x2xi8> {
  %0 = scan.associative ins(%x : tensor<?x2x2xi8>) dim = 0
      attributes {schedule = #scan.schedule<strategy = column, threads = 64, items = 2, lanes = 1, vector = 2>} {
  ^bb0(%a: tensor<2x2xi8>, %b: tensor<2x2xi8>):
    %zero = arith.constant dense<0> : tensor<2x2xi8>
    %1 = linalg.matmul ins(%a, %b : tensor<2x2xi8>, tensor<2x2xi8>) outs(%zero : tensor<2x2xi8>) -> tensor<2x2xi8>
    scan.yield %1 : tensor<2x2xi8>
  } -> tensor<?x2x2xi8>
  return %0 : tensor<?x2x2xi8>
}
