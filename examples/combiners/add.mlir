// Prefix sums of integers, which wrap around: the group Z/2^32. Offsets of packed
// sequences, radix sort, compaction (Blelloch, Prefix Sums and Their Applications,
// CMU-CS-90-190, 1990).
//
// VERDICT: proved exactly

func.func @add(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%x0: i32, %x1: i32):
    %r = arith.addi %x0, %x1 : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
