// Arrays in shared memory start at 16 bytes. Where their elements are smaller and
// nothing is said, LLVM vectorises accesses as if they did, but writes ".align 8",
// and a GPU stops with a misaligned address.

// RUN: scan-translate --scan-to-ptx %s | FileCheck %s
// CHECK-NOT: .shared .align {{[1-8] }}
// CHECK: .shared .align 16
// CHECK-NOT: .shared .align {{[1-8] }}

func.func @segmented_sum(%flag: tensor<?xi1>, %x: tensor<?xi64>) -> (tensor<?xi1>, tensor<?xi64>) {
  %f, %y = scan.associative ins(%flag, %x : tensor<?xi1>, tensor<?xi64>) dim = 0
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 3>} {
  ^bb0(%f0: i1, %x0: i64, %f1: i1, %x1: i64):
    %any = arith.ori %f0, %f1 : i1
    %s = arith.addi %x0, %x1 : i64
    %sum = arith.select %f1, %x1, %s : i64
    scan.yield %any, %sum : i1, i64
  } -> tensor<?xi1>, tensor<?xi64>
  return %f, %y : tensor<?xi1>, tensor<?xi64>
}
