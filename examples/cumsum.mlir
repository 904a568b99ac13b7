// Cumulative sum and product.
//
// A scan walks one dimension of a tensor and returns every intermediate result
// of the walk. What one step does is written once, in the combine region: it
// receives the value so far (%acc) and the next element (%new). Everything that
// is associative may stand there, and nothing else has to be said for the scan
// to run in parallel.
//
// The `?` are extents that are known at run time only.
//
//   scan-run examples/cumsum.mlir --entry=cumsum --target=cpu \
//       --input=random:f32:4x1000:1 --output=y.npy

// y[i, t] = x[i, 0] + x[i, 1] + ... + x[i, t]
func.func @cumsum(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %sum = arith.addf %acc, %new : f32
    scan.yield %sum : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// y[i, t] = x[i, 0] * x[i, 1] * ... * x[i, t], and as second result the product
// of each whole row: the final state of the walk.
func.func @cumprod(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y, %all = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 {
  ^bb0(%acc: f32, %new: f32):
    %product = arith.mulf %acc, %new : f32
    scan.yield %product : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %y, %all : tensor<?x?xf32>, tensor<?xf32>
}

// The sum of what comes after each element: from the right (`reverse`), without
// the element itself (`exclusive`). An exclusive scan has nothing to return for
// its first element, so it needs an initial value.
func.func @sum_of_the_rest(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %y = scan.associative ins(%x : tensor<?x?xf32>) init(%zero : f32) dim = 1 reverse exclusive {
  ^bb0(%acc: f32, %new: f32):
    %sum = arith.addf %acc, %new : f32
    scan.yield %sum : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
