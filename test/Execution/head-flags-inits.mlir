// Head flags of a list that begins behind the first step of a walk, as segments with one init per step: the
// first step takes its init whatever the flags say, in both directions.

// REQUIRES: numpy
// RUN: %python -c "import numpy as np; np.save('%t.late.npy', np.array([2, 7], np.int32))"
// RUN: %python -c "import numpy as np; np.save('%t.early.npy', np.array([0, 5], np.int32))"
// RUN: %python -c "import numpy as np; np.save('%t.whole.npy', np.array([0, 2, 7], np.int32))"
// DEFINE: %{of} =
// DEFINE: %{both} = scan-run %s --compare=reference --tolerance=1e-6 --input=random:f32:7x5:1 --input=random:f32:7x5:2 %{of} --target=cpu && \
// DEFINE:   scan-run %s --compare=reference --tolerance=1e-6 --input=random:f32:7x5:1 --input=random:f32:7x5:2 %{of} --target=emulator

// REDEFINE: %{of} = --input=%t.late.npy --entry=forward
// RUN: %{both}
// REDEFINE: %{of} = --input=%t.whole.npy --entry=forward
// RUN: %{both}
// REDEFINE: %{of} = --input=%t.late.npy --entry=backward
// RUN: %{both}
// REDEFINE: %{of} = --input=%t.whole.npy --entry=backward
// RUN: %{both}
// REDEFINE: %{of} = --input=%t.early.npy --entry=sums
// RUN: %{both}
// REDEFINE: %{of} = --input=%t.whole.npy --entry=sums
// RUN: %{both}

func.func @forward(%x: tensor<?x?xf32>, %h0: tensor<?x?xf32>, %o: tensor<?xi32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %f = scan.head_flags %o extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %h = scan.linear_recurrence ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) init(%h0 : tensor<?x?xf32>)
      segments(%f : tensor<?xi1>) dim = 0 -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// Flags of walks forwards, taken as those of one backwards.
func.func @backward(%x: tensor<?x?xf32>, %h0: tensor<?x?xf32>, %o: tensor<?xi32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %f = scan.head_flags %o extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %h = scan.linear_recurrence ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) init(%h0 : tensor<?x?xf32>)
      segments(%f : tensor<?xi1>) dim = 0 reverse -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

func.func @sums(%x: tensor<?x?xf32>, %h0: tensor<?x?xf32>, %o: tensor<?xi32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %f = scan.head_flags %o extent(%n) reverse : tensor<?xi32> -> tensor<?xi1>
  %h = scan.associative ins(%x : tensor<?x?xf32>) init(%h0 : tensor<?x?xf32>) segments(%f : tensor<?xi1>)
      dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}
