// ptxas took 16-bit elements that all threads load from one place, and that LLVM had
// merged into words, apart in uniform registers, and read one of these that it had
// never written: a minimum over four warps was wrong on a GPU. The totals of the warps
// are loaded one by one; what each thread loads for itself is merged still.

// RUN: scan-translate --scan-to-ptx %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// CHECK-LABEL: .entry smallest_scan0
// CHECK-NOT: ld.shared.v{{[24]}}.b16
// The totals of a whole tile, and behind the tiles of a partial one.
// CHECK: ld.volatile.shared.b16 %rs{{[0-9]+}}, [[[WHOLE:%rd[0-9]+]]];
// CHECK: ld.volatile.shared.b16 %rs{{[0-9]+}}, [[[WHOLE]]+2];
// CHECK: ld.volatile.shared.b16 %rs{{[0-9]+}}, [[[WHOLE]]+4];
// CHECK: ld.volatile.shared.b16 %rs{{[0-9]+}}, [[[WHOLE]]+6];
// CHECK: ld.shared.v4.b32
// CHECK-NOT: ld.shared.v2
// CHECK: ld.volatile.shared.b16 %rs{{[0-9]+}}, [[[PART:%rd[0-9]+]]];
// CHECK: ld.volatile.shared.b16 %rs{{[0-9]+}}, [[[PART]]+2];
// CHECK: ld.volatile.shared.b16 %rs{{[0-9]+}}, [[[PART]]+4];
// CHECK: ld.shared.v4.b32
// CHECK-NOT: ld.shared.v2
func.func @smallest(%x: tensor<?x?xi16>) -> tensor<?x?xi16> {
  %y = scan.associative ins(%x : tensor<?x?xi16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 16>} {
  ^bb0(%acc: i16, %new: i16):
    %m = arith.minui %acc, %new : i16
    scan.yield %m : i16
  } -> tensor<?x?xi16>
  return %y : tensor<?x?xi16>
}

// CHECK-LABEL: .entry bytes_scan0
// CHECK-NOT: ld.shared.b32
// CHECK: ld.volatile.shared.b8 %rs{{[0-9]+}}, [[[BYTES:%rd[0-9]+]]];
// CHECK: ld.volatile.shared.b8 %rs{{[0-9]+}}, [[[BYTES]]+1];
// CHECK-NOT: ld.shared.b32
// CHECK: ld.shared.v4.b32
// CHECK-NOT: ld.shared.b32
func.func @bytes(%x: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %y = scan.associative ins(%x : tensor<?x?xi8>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 16>} {
  ^bb0(%acc: i8, %new: i8):
    %m = arith.minui %acc, %new : i8
    scan.yield %m : i8
  } -> tensor<?x?xi8>
  return %y : tensor<?x?xi8>
}

// Halves of floats have totals in f32, which are merged.
// CHECK-LABEL: .entry floats_scan0
// CHECK-NOT: volatile
// CHECK: ld.shared.v4.b32
func.func @floats(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = scan.associative ins(%x : tensor<?x?xbf16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 16>} {
  ^bb0(%acc: bf16, %new: bf16):
    %m = arith.maximumf %acc, %new : bf16
    scan.yield %m : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
