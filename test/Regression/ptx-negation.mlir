// ptxas takes negations to have no overflow: on a GPU, max(0 - (-32768), y) in i16
// was -32768. No negation of an integer is left in the PTX.

// RUN: scan-translate --scan-to-ptx %s | FileCheck %s
// CHECK-NOT: {{neg\.s|sub\.s[0-9]+ *	*%[a-z0-9]+, 0,}}
// CHECK: not.b16 [[N:%rs[0-9]+]], %rs
// CHECK-NEXT: add.s16 [[N]], [[N]], 1;
// CHECK: not.b32 [[M:%r[0-9]+]], %r
// CHECK-NEXT: add.s32 [[M]], [[M]], 1;
// CHECK-NOT: {{neg\.s|sub\.s[0-9]+ *	*%[a-z0-9]+, 0,}}

// RUN: scan-run %s --entry=narrow --input=values:i16:3:5,-32768,7 --target=emulator | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: [-5, -5, -7]

func.func @narrow(%x: tensor<?xi16>) -> tensor<?xi16> {
  %y = scan.associative ins(%x : tensor<?xi16>) dim = 0
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2>} {
  ^bb0(%a: i16, %b: i16):
    %m = arith.maxsi %a, %b : i16
    scan.yield %m : i16
  } -> tensor<?xi16>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xi16>
  %e = tensor.empty(%d) : tensor<?xi16>
  %z = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%y : tensor<?xi16>) outs(%e : tensor<?xi16>) {
  ^bb0(%in: i16, %out: i16):
    %zero = arith.constant 0 : i16
    %neg = arith.subi %zero, %in : i16
    linalg.yield %neg : i16
  } -> tensor<?xi16>
  return %z : tensor<?xi16>
}

func.func @wide(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0
      attributes {schedule = #scan.schedule<strategy = sequential, threads = 32, items = 2>} {
  ^bb0(%a: i32, %b: i32):
    %zero = arith.constant 0 : i32
    %na = arith.subi %zero, %a : i32
    %nb = arith.subi %zero, %b : i32
    %m = arith.maxsi %na, %nb : i32
    %r = arith.subi %zero, %m : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
