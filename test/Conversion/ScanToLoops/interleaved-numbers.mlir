// Blocks of elements that lie side by side along the lanes: an odd number of parts, an
// even one that is no power of two, and more than shuffles pay for; rows and columns,
// whole vectors and what is left over.

// RUN: scan-opt %s --scan-explain=cpu -o /dev/null | FileCheck %s
// CHECK:     @rows
// CHECK:     vectors     16 lanes
// CHECK:     @columns
// CHECK:     vectors     16 lanes
// CHECK:     @last_set
// CHECK:     vectors     32 lanes
// CHECK:     @last_set_columns
// CHECK:     vectors     64 lanes
// CHECK:     @too_many
// CHECK:     vectors     none: most operands have gaps along vectors

// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --entry=rows --input=random:i32:3x100x3x3:1
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --entry=columns --input=random:i32:9x37x3x3:2
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --entry=last_set --input=random:i8:5x83x6:3:0:3
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --entry=last_set_columns --input=random:i8:5x131x6:3:0:3
// RUN: scan-run %s --target=cpu --compare=reference --tolerance=0 --entry=too_many --input=random:i8:5x40x17:4:0:3

func.func @rows(%m: tensor<?x?x3x3xi32>) -> tensor<?x?x3x3xi32> {
  %y = scan.associative ins(%m : tensor<?x?x3x3xi32>) dim = 1 reverse {
  ^bb0(%a: tensor<3x3xi32>, %b: tensor<3x3xi32>):
    %e = tensor.empty() : tensor<3x3xi32>
    %z = arith.constant 0 : i32
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<3x3xi32>) -> tensor<3x3xi32>
    %p = linalg.matmul ins(%b, %a : tensor<3x3xi32>, tensor<3x3xi32>) outs(%f : tensor<3x3xi32>) -> tensor<3x3xi32>
    scan.yield %p : tensor<3x3xi32>
  } -> tensor<?x?x3x3xi32>
  return %y : tensor<?x?x3x3xi32>
}

func.func @columns(%m: tensor<?x?x3x3xi32>) -> tensor<?x?x3x3xi32> {
  %y = scan.associative ins(%m : tensor<?x?x3x3xi32>) dim = 0 {
  ^bb0(%a: tensor<3x3xi32>, %b: tensor<3x3xi32>):
    %e = tensor.empty() : tensor<3x3xi32>
    %z = arith.constant 0 : i32
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<3x3xi32>) -> tensor<3x3xi32>
    %p = linalg.matmul ins(%b, %a : tensor<3x3xi32>, tensor<3x3xi32>) outs(%f : tensor<3x3xi32>) -> tensor<3x3xi32>
    scan.yield %p : tensor<3x3xi32>
  } -> tensor<?x?x3x3xi32>
  return %y : tensor<?x?x3x3xi32>
}

func.func @last_set(%x: tensor<?x?x6xi8>) -> tensor<?x?x6xi8> {
  %y = scan.associative ins(%x : tensor<?x?x6xi8>) dim = 1 {
  ^bb0(%a: tensor<6xi8>, %b: tensor<6xi8>):
    %z = arith.constant dense<0> : tensor<6xi8>
    %isSet = arith.cmpi ne, %b, %z : tensor<6xi8>
    %c = arith.select %isSet, %b, %a : tensor<6xi1>, tensor<6xi8>
    scan.yield %c : tensor<6xi8>
  } -> tensor<?x?x6xi8>
  return %y : tensor<?x?x6xi8>
}

func.func @last_set_columns(%x: tensor<?x?x6xi8>) -> tensor<?x?x6xi8> {
  %y = scan.associative ins(%x : tensor<?x?x6xi8>) dim = 0 {
  ^bb0(%a: tensor<6xi8>, %b: tensor<6xi8>):
    %z = arith.constant dense<0> : tensor<6xi8>
    %isSet = arith.cmpi ne, %b, %z : tensor<6xi8>
    %c = arith.select %isSet, %b, %a : tensor<6xi1>, tensor<6xi8>
    scan.yield %c : tensor<6xi8>
  } -> tensor<?x?x6xi8>
  return %y : tensor<?x?x6xi8>
}

func.func @too_many(%x: tensor<?x?x17xi8>) -> tensor<?x?x17xi8> {
  %y = scan.associative ins(%x : tensor<?x?x17xi8>) dim = 1 {
  ^bb0(%a: tensor<17xi8>, %b: tensor<17xi8>):
    %z = arith.constant dense<0> : tensor<17xi8>
    %isSet = arith.cmpi ne, %b, %z : tensor<17xi8>
    %c = arith.select %isSet, %b, %a : tensor<17xi1>, tensor<17xi8>
    scan.yield %c : tensor<17xi8>
  } -> tensor<?x?x17xi8>
  return %y : tensor<?x?x17xi8>
}
