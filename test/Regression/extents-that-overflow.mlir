// RUN: scan-opt %s --scan-normalize --split-input-file --verify-diagnostics

// The number of elements of a tensor type need not fit into 64 bits. Each of these
// ended in an assertion, an allocation of all memory or an access out of bounds.

func.func @kernel(%x: tensor<4x4294967296x2147483648xi32>, %y: tensor<4x4294967296x2147483648xi32>) {
  // expected-error @below {{'scan.kernel' op C3: expected the trailing dimensions of operand #0 to be static with at most 1024 elements, found 4294967296x2147483648}}
  %r = scan.kernel dim = 0
      ins(%x : tensor<4x4294967296x2147483648xi32>) outs(%y : tensor<4x4294967296x2147483648xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%a: i32):
        scan.yield %a : i32
      } combine {
      ^bb0(%a: i32, %b: i32):
        scan.yield %b : i32
      } store {
      ^bb0(%a: i32, %b: i32, %c: i32):
        scan.yield %b : i32
      } -> tensor<4x4294967296x2147483648xi32>
  return
}

// -----

// The product is 0 in 64 bits.
func.func @kernel_without_arguments(%x: tensor<4x4294967296x4294967296xi32>, %y: tensor<4x4294967296x4294967296xi32>) {
  // expected-error @below {{C3: expected the trailing dimensions of operand #0 to be static with at most 1024 elements, found 4294967296x4294967296}}
  %r = scan.kernel dim = 0
      ins(%x : tensor<4x4294967296x4294967296xi32>) outs(%y : tensor<4x4294967296x4294967296xi32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
      load {
      ^bb0:
        scan.yield
      } combine {
      ^bb0:
        scan.yield
      } store {
      ^bb0:
        scan.yield
      } -> tensor<4x4294967296x4294967296xi32>
  return
}

// -----

func.func @leaf(%x: tensor<4x4294967296x2147483648xi32>) {
  // expected-error @below {{'scan.associative' op has 9223372036854775807 or more trailing elements in leaf 0, and at most 1024 are supported}}
  %r = scan.associative ins(%x : tensor<4x4294967296x2147483648xi32>) dim = 0 {
  ^bb0(%a: tensor<4294967296x2147483648xi32>, %b: tensor<4294967296x2147483648xi32>):
    %s = arith.addi %a, %b : tensor<4294967296x2147483648xi32>
    scan.yield %s : tensor<4294967296x2147483648xi32>
  } -> tensor<4x4294967296x2147483648xi32>
  return
}

// -----

func.func @inside(%x: tensor<4xi32>) {
  // expected-note @below {{in the combine region of this scan}}
  %r = scan.associative ins(%x : tensor<4xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %c1 = arith.constant 1 : index
    // expected-error @below {{'tensor.splat' op has a value of type tensor<4294967296x4294967296xi32>, and tensors of at most 1048576 elements are split into scalars}}
    %e = tensor.splat %a : tensor<4294967296x4294967296xi32>
    %g = arith.addi %e, %e : tensor<4294967296x4294967296xi32>
    %s = tensor.extract %g[%c1, %c1] : tensor<4294967296x4294967296xi32>
    scan.yield %s : i32
  } -> tensor<4xi32>
  return
}

// -----

// A loop nest of more points than that, over tensors of few elements.
func.func @points(%x: tensor<4xi32>) {
  // expected-note @below {{in the combine region of this scan}}
  %r = scan.associative ins(%x : tensor<4xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %e = tensor.splat %a : tensor<65536xi32>
    %f = tensor.from_elements %b : tensor<i32>
    // expected-error @below {{'linalg.generic' op makes the combine region larger than 65536 scalar steps when unrolled}}
    %g = linalg.generic {
        indexing_maps = [affine_map<(i, j, k, l) -> (i)>, affine_map<(i, j, k, l) -> (j)>,
                         affine_map<(i, j, k, l) -> (k)>, affine_map<(i, j, k, l) -> (l)>,
                         affine_map<(i, j, k, l) -> ()>],
        iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
        ins(%e, %e, %e, %e : tensor<65536xi32>, tensor<65536xi32>, tensor<65536xi32>, tensor<65536xi32>)
        outs(%f : tensor<i32>) {
    ^bb0(%i: i32, %j: i32, %k: i32, %l: i32, %o: i32):
      linalg.yield %i : i32
    } -> tensor<i32>
    %s = tensor.extract %g[] : tensor<i32>
    scan.yield %s : i32
  } -> tensor<4xi32>
  return
}
