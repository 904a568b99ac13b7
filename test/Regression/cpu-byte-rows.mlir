// Instruction selection of LLVM 22 does not end for a byte broadcast from the
// last of 64 lanes behind an operation, with AVX512-VBMI. Rows have at most 32
// lanes, then.

// RUN: scan-translate --scan-to-object %s --cpu=znver4 -o %t.o
// RUN: scan-opt --scan-to-cpu=vector-bits=512 %s | FileCheck %s
// RUN: scan-run %s --target=cpu --compare=reference --input=random:i1:3x1000:3 --input=random:i8:3x1000:4 > /dev/null

// CHECK-NOT: vector<64xi8>
// CHECK: llvm.shufflevector {{.*}} : vector<32xi8>
// CHECK-NOT: vector<64xi8>
func.func @f(%flags: tensor<?x?xi1>, %x: tensor<?x?xi8>)
    -> (tensor<?x?xi1>, tensor<?x?xi8>) {
  %f, %y, %lastFlag, %last = scan.associative
      ins(%flags, %x : tensor<?x?xi1>, tensor<?x?xi8>) dim = 1 {
  ^bb0(%a0: i1, %a1: i8, %b0: i1, %b1: i8):
    %zero = arith.constant 0 : i8
    %any = arith.ori %b0, %a0 : i1
    %b = arith.subi %zero, %b1 : i8
    %a = arith.subi %zero, %a1 : i8
    %both = arith.xori %b, %a : i8
    %v = arith.subi %zero, %both : i8
    %chosen = arith.select %b0, %b1, %v : i8
    scan.yield %any, %chosen : i1, i8
  } -> tensor<?x?xi1>, tensor<?x?xi8>, tensor<?xi1>, tensor<?xi8>
  return %f, %y : tensor<?x?xi1>, tensor<?x?xi8>
}
