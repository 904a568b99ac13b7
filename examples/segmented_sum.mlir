// Sums that start over at flags: several sequences packed into one row.
//
//   flag  x     y
//   1     1     1
//   0     2     3
//   1     3     3      a new sequence starts here
//   0     4     7
//
// The flag is scanned along with the value: a stretch of elements remembers
// whether it contains a start, and if it does, what came before is of no
// concern to the sum at its end. That makes the operator associative, for any
// associative sum in it.
//
//   scan-run examples/segmented_sum.mlir --entry=segmented_sum --target=cpu \
//       --input=random:i1:4x1000:1 --input=random:f32:4x1000:2 --output=y.npy

func.func @segmented_sum(%flags: tensor<?x?xi1>, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %starts, %y = scan.associative ins(%flags, %x : tensor<?x?xi1>, tensor<?x?xf32>) dim = 1 {
  ^bb0(%f0: i1, %x0: f32, %f1: i1, %x1: f32):
    %f = arith.ori %f0, %f1 : i1
    %sum = arith.addf %x0, %x1 : f32
    %s = arith.select %f1, %x1, %sum : f32
    scan.yield %f, %s : i1, f32
  } -> tensor<?x?xi1>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
