// Shifts that no kernel reads: they become slices. Above each function are its
// inputs; N stands for the extent.

// run: random:f32:2xNx3:1 random:f32:2x3:2 random:f32:2xN:3 random:f32::4
func.func @tensors(%x: tensor<2x?x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x?xf32>, %d: f32) -> (tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>) {
  %p = scan.shift %x boundary(%b : tensor<2x3xf32>) dim = 1 by = 1 : tensor<2x?x3xf32>
  %q = scan.shift %x boundary(%b : tensor<2x3xf32>) dim = 1 by = -2 : tensor<2x?x3xf32>
  %r = scan.shift %x boundary(%c : tensor<2x?xf32>) dim = 2 by = -2 : tensor<2x?x3xf32>
  %s = scan.shift %q boundary(%d : f32) dim = 0 by = 5 : tensor<2x?x3xf32>
  return %p, %q, %r, %s : tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>
}

// run: random:i8:N:1 random:i8::2
func.func @far(%x: tensor<?xi8>, %b: i8) -> (tensor<?xi8>, tensor<?xi8>, tensor<?xi8>) {
  %p = scan.shift %x boundary(%b : i8) dim = 0 by = 33 : tensor<?xi8>
  %q = scan.shift %x boundary(%b : i8) dim = 0 by = -9223372036854775808 : tensor<?xi8>
  %r = scan.shift %p boundary(%b : i8) dim = 0 by = -33 : tensor<?xi8>
  return %p, %q, %r : tensor<?xi8>, tensor<?xi8>, tensor<?xi8>
}

// A shift of states that are needed themselves.
// run: random:i32:Nx3:1 random:i32:Nx3:2 random:i32:3:3
func.func @of_states(%a: tensor<?x3xi32>, %b: tensor<?x3xi32>, %h0: tensor<3xi32>) -> (tensor<?x3xi32>, tensor<?x3xi32>) {
  %h = scan.linear_recurrence ins(%a, %b : tensor<?x3xi32>, tensor<?x3xi32>) init(%h0 : tensor<3xi32>) dim = 0 -> tensor<?x3xi32>
  %p = scan.shift %h boundary(%h0 : tensor<3xi32>) dim = 0 by = 1 : tensor<?x3xi32>
  return %h, %p : tensor<?x3xi32>, tensor<?x3xi32>
}

// The shifted tensor is not needed any more, and must not be overwritten while
// it is read.
// run: random:i32:Nx3:1 random:i32:3:2
func.func @dead_source(%x: tensor<?x3xi32>, %b: tensor<3xi32>) -> tensor<?x3xi32> {
  %y = arith.addi %x, %x : tensor<?x3xi32>
  %p = scan.shift %y boundary(%b : tensor<3xi32>) dim = 0 by = 1 : tensor<?x3xi32>
  return %p : tensor<?x3xi32>
}

// No element at all, whatever the other extents are.
// run: random:f32:2xNx0:1 random:f32::2
func.func @empty(%x: tensor<2x?x0xf32>, %b: f32) -> (tensor<2x?x0xf32>, tensor<2x?x0xf32>) {
  %p = scan.shift %x boundary(%b : f32) dim = 0 by = 1 : tensor<2x?x0xf32>
  %q = scan.shift %x boundary(%b : f32) dim = 1 by = -2 : tensor<2x?x0xf32>
  return %p, %q : tensor<2x?x0xf32>, tensor<2x?x0xf32>
}
