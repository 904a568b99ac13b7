// Packed sequences: several of them, of different lengths, in one tensor, one after
// the other. `segments` says where each begins, and where the last one ends, as the
// cu_seqlens of attention kernels do; the state starts anew with each of them.
//
// The `?` are extents that are known at run time only: of the steps, of the
// channels, and of the offsets (one more than there are sequences).
//
//   scan-run examples/packed.mlir --entry=rnn --target=cpu --compare=reference \
//       --input=random:f32:10x64:1:0:1 --input=random:f32:10x64:2 \
//       --input=values:i32:4:0,3,3,10 --input=random:f32:3x64:3
//
// The gradients stay within their sequences, too:
//
//   scan-opt examples/packed.mlir --scan-differentiate=function=rnn -o packed_gradients.mlir

// h[t] = a[t] * h[t-1] + b[t] within each sequence. Sequence s continues from state
// h0[s], and leaves its last one in the second result, the state to continue from
// with what comes next. A sequence may be empty: it leaves what it found.
func.func @rnn(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %cu_seqlens: tensor<?xi32>, %h0: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %h, %last = scan.linear_recurrence ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      init(%h0 : tensor<?x?xf32>) segments(%cu_seqlens : tensor<?xi32>) dim = 0
      -> tensor<?x?xf32>, tensor<?x?xf32>
  return %h, %last : tensor<?x?xf32>, tensor<?x?xf32>
}

// The same for any associative operator: here the largest element so far of each
// sequence.
func.func @largest(%x: tensor<?xf32>, %cu_seqlens: tensor<?xi32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) segments(%cu_seqlens : tensor<?xi32>) dim = 0 {
  ^bb0(%acc: f32, %new: f32):
    %m = arith.maximumf %acc, %new : f32
    scan.yield %m : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Where an episode ends in one of several streams, a flag says that the walk starts
// anew, per step and stream. (One flag per step, for all streams, is a
// tensor<?xi1>.)
func.func @returns(%reward: tensor<?x?xf32>, %is_last: tensor<?x?xi1>, %discount: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %g = scan.linear_recurrence ins(%discount, %reward : tensor<?x?xf32>, tensor<?x?xf32>)
      segments(%is_last : tensor<?x?xi1>) dim = 0 reverse -> tensor<?x?xf32>
  return %g : tensor<?x?xf32>
}
