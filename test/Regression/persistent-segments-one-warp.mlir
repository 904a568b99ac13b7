// A persistent kernel of packed rows draws its tickets in the last warp but one. With one
// warp no thread drew any: blocks waited for ever, or left tiles out.
// Found by scan-fuzz --targets=cuda --seed=9307 --only-program=75 and made smaller.
// RUN: scan-run %s --entry=f --target=reference --input=values:i16:9:1,2,4,8,16,32,64,128,256 --input=values:i16:3:512,1024,2048 | FileCheck %s
// RUN: scan-run %s --entry=f --target=emulator --input=values:i16:9:1,2,4,8,16,32,64,128,256 --input=values:i16:3:512,1024,2048 | FileCheck %s
// RUN: scan-run %s --entry=rows --target=emulator --compare=reference --tolerance=0 --input=random:i32:2x1000:1
// CHECK: result 0: 3xi16
// CHECK-NEXT: [519, 1272, 2304]

func.func @f(%x: tensor<9xi16>, %inits: tensor<3xi16>) -> tensor<3xi16> {
  %offsets = arith.constant dense<[0, 3, 8, 9]> : tensor<4xi32>
  %y, %finals = scan.associative ins(%x : tensor<9xi16>) init(%inits : tensor<3xi16>) segments(%offsets : tensor<4xi32>)
      dim = 0 attributes {schedule = #scan.schedule<strategy = row, threads = 32, scope = grid, blocks = 3, items = 1>} {
  ^bb0(%a: i16, %b: i16):
    %v = arith.xori %a, %b : i16
    scan.yield %v : i16
  } -> tensor<9xi16>, tensor<3xi16>
  return %finals : tensor<3xi16>
}

func.func @rows(%x: tensor<2x1000xi32>) -> tensor<2x1000xi32> {
  %offsets = arith.constant dense<[0, 7, 7, 500, 1000]> : tensor<5xi32>
  %y = scan.associative ins(%x : tensor<2x1000xi32>) segments(%offsets : tensor<5xi32>)
      dim = 1 reverse attributes {schedule = #scan.schedule<strategy = row, threads = 32, scope = grid, blocks = 3, items = 2>} {
  ^bb0(%a: i32, %b: i32):
    %v = arith.addi %a, %b : i32
    scan.yield %v : i32
  } -> tensor<2x1000xi32>
  return %y : tensor<2x1000xi32>
}
