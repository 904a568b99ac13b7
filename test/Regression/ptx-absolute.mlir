// ptxas takes absolute values to have no overflow: on a GPU, that of -32768 in i16 was
// taken to be 32768 by the comparison behind it, and not to be less than anything. No
// `abs` of an integer is left in the PTX.

// RUN: scan-translate --scan-to-ptx %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// CHECK-NOT: {{abs\.s|neg\.s}}
// CHECK: .entry narrow_
// CHECK: .reg .b16 %negated;
// CHECK-NEXT: not.b16 %negated, [[X:%rs[0-9]+]];
// CHECK-NEXT: add.s16 %negated, %negated, 1;
// CHECK-NEXT: max.s16 [[A:%rs[0-9]+]], [[X]], %negated;
// CHECK-NEXT: {{^.}}}
// CHECK-NEXT: max.s16 %rs{{[0-9]+}}, [[A]], %rs
// CHECK: .entry word_
// CHECK: .reg .b32 %negated;
// CHECK: max.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, %negated;
// CHECK: .entry wide_
// CHECK: .reg .b64 %negated;
// CHECK: max.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, %negated;
// CHECK-NOT: {{abs\.s|neg\.s}}

// RUN: scan-run %s --entry=narrow --input=values:i16:4:-32768,-32768,7,-7 --input=values:i16:4:5,-32768,7,8 --target=emulator | FileCheck %s --check-prefix=NARROW
// NARROW: [5, -32768, 7, 8]
// RUN: scan-run %s --entry=narrow --input=values:i16:4:-32768,-32768,7,-7 --input=values:i16:4:5,-32768,7,8 --target=cpu --compare=reference
// RUN: scan-run %s --entry=narrow --input=values:i16:4:-32768,-32768,7,-7 --input=values:i16:4:5,-32768,7,8 --target=emulator --compare=reference
// RUN: scan-run %s --entry=byte --input=values:i8:4:-128,-128,7,-7 --input=values:i8:4:5,-128,7,8 --target=emulator | FileCheck %s --check-prefix=BYTE
// BYTE: [5, -128, 7, 8]
// RUN: scan-run %s --entry=word --input=values:i32:4:-2147483648,-1,7,-7 --target=emulator | FileCheck %s --check-prefix=WORD
// WORD: [-2147483648, 1, 7, 7]
// RUN: scan-run %s --entry=wide --input=values:i64:4:-9223372036854775808,0,7,-7 --target=emulator | FileCheck %s --check-prefix=WIDE
// WIDE: [1, 0, 0, 0]

// The larger of |x| and y.
func.func @narrow(%x: tensor<?xi16>, %y: tensor<?xi16>) -> tensor<?xi16> {
  %a = math.absi %x : tensor<?xi16>
  %less = arith.cmpi slt, %a, %y : tensor<?xi16>
  %m = arith.select %less, %y, %a : tensor<?xi1>, tensor<?xi16>
  return %m : tensor<?xi16>
}

func.func @byte(%x: tensor<?xi8>, %y: tensor<?xi8>) -> tensor<?xi8> {
  %a = math.absi %x : tensor<?xi8>
  %less = arith.cmpi slt, %a, %y : tensor<?xi8>
  %m = arith.select %less, %y, %a : tensor<?xi1>, tensor<?xi8>
  return %m : tensor<?xi8>
}

// Widened behind.
func.func @word(%x: tensor<?xi32>) -> tensor<?xi64> {
  %a = math.absi %x : tensor<?xi32>
  %w = arith.extsi %a : tensor<?xi32> to tensor<?xi64>
  return %w : tensor<?xi64>
}

func.func @wide(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %zero = arith.constant 0 : i64
  %e = tensor.empty(%n) : tensor<?xi64>
  %r = linalg.map ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) (%i: i64, %o: i64) {
    %a = math.absi %i : i64
    %negative = arith.cmpi slt, %a, %zero : i64
    %w = arith.extui %negative : i1 to i64
    linalg.yield %w : i64
  }
  return %r : tensor<?xi64>
}
