// RUN: scan-opt %s -split-input-file -verify-diagnostics

// Every constraint of scan.kernel, broken once.

// C1: an element type.
func.func @c1_element(%x: tensor<4x8xi24>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C1: expected operand #0 (input) to be a ranked tensor, a memref or a scalar of i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'tensor<4x8xi24>'}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xi24>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C1: an output is no scalar.
func.func @c1_scalar_out(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: f32) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C1: expected operand #3 (final) to be a ranked tensor or a memref of i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'f32'}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : f32)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C1: tensors and memrefs.
func.func @c1_mixed(%x: memref<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C1: expected all shaped operands to be tensors or all to be memrefs, found both; bufferize the function as a whole}}
  %y, %last = scan.kernel dim = 1
      ins(%x : memref<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C2: number of maps.
func.func @c2_count(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C2: expected one indexing map per operand, 4, found 3}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C2: another domain.
func.func @c2_domain(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C2: expected indexing map #1 to have 2 dimensions and no symbols, found affine_map<(d0) -> (d0)>}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C2: a result that is no dimension.
func.func @c2_expr(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C2: expected the results of indexing map #0 (input) to be different domain dimensions or the constant 0, found affine_map<(d0, d1) -> (d0, d1 + 1)>}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1 + 1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C2: a dimension twice.
func.func @c2_twice(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C2: expected the results of indexing map #0 (input) to be different domain dimensions or the constant 0, found affine_map<(d0, d1) -> (d1, d1)>}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d1, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C24: the places of a scattered output are along the scan dimension.
func.func @c24_other_dim(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C24: expected output #0, a scattered output, to have all dimensions of the domain, the constant 0 in place of the scan dimension, in a kernel that scans in one direction, found affine_map<(d0, d1) -> (0, d1)>}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C24: nor are they further ones.
func.func @c24_further_dim(%x: tensor<8xf32>, %o: tensor<8x1xf32>) -> tensor<8x1xf32> {
  // expected-error@+1 {{'scan.kernel' op C24: expected output #0, a scattered output, to have all dimensions of the domain, the constant 0 in place of the scan dimension, in a kernel that scans in one direction, found affine_map<(d0) -> (d0, 0)>}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%o : tensor<8x1xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, 0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } -> tensor<8x1xf32>
  return %y : tensor<8x1xf32>
}

// -----

// C24: steps have one order.
func.func @c24_bidirectional(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'scan.kernel' op C24: expected output #0, a scattered output, to have all dimensions of the domain, the constant 0 in place of the scan dimension, in a kernel that scans in one direction, found affine_map<(d0) -> (0)> and 'bidirectional'}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>]
      attributes {bidirectional = 1 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.addf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %e: f32):
        %place = scan.index 0 : index
        scan.yield %ia, %place : f32, index
      } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// C4: along its places a scattered output has the extent of the scan dimension.
func.func @c4_scattered(%x: tensor<8xf32>, %o: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error@+1 {{'scan.kernel' op C4: expected extent 8 for domain dimension d0, found 9 in dimension 0 of operand #1}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%o : tensor<9xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        %place = scan.index 0 : index
        scan.yield %in, %place : f32, index
      } -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

// C8: the place is yielded, too.
func.func @c8_no_place(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'scan.kernel' op C8: expected the region 'store' to yield 2 value(s), found 1}}
  %y = scan.kernel dim = 0
      ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        // expected-note@+1 {{the yield is here}}
        scan.yield %in : f32
      } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// C3: more results than dimensions.
func.func @c3_rank(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C3: expected indexing map #1 to have at most 1 results, the rank of its operand, found affine_map<(d0, d1) -> (d0, 0)>}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C3: dynamic trailing dimensions.
func.func @c3_dynamic(%x: tensor<4x8x?xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C3: expected the trailing dimensions of operand #0 to be static with at most 1024 elements, found ?}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8x?xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C4: extents differ.
func.func @c4_extents(%x: tensor<4x8xf32>, %h: tensor<5xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C4: expected extent 4 for domain dimension d0, found 5 in dimension 0 of operand #1}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<5xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C4: a broadcast extent is 1.
func.func @c4_broadcast(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C4: expected extent 1 under the constant 0 in dimension 0 of operand #0, found 'tensor<4x8xf32>'}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C4: a dimension that no operand has.
func.func @c4_uncovered(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C4: expected every domain dimension to occur in the map of a shaped operand, found none for d2}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C5: dim.
func.func @c5_dim(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C5: expected dim to be in [0, 2), found 2}}
  %y, %last = scan.kernel dim = 2
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C20: a reduction output is of a type that can be added up.
func.func @c20_sum(%x: tensor<4x8xbf16>, %o: tensor<4xbf16>) -> tensor<4xbf16> {
  // expected-error@+1 {{'scan.kernel' op C20: expected output #0, a reduction output, whose map leaves out domain dimensions, to have elements of type f32, f64, complex<f32>, complex<f64>, i32 or i64, found 'tensor<4xbf16>'}}
  %y = scan.kernel dim = 1
      ins(%x : tensor<4x8xbf16>) outs(%o : tensor<4xbf16>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: bf16):
        scan.yield %e : bf16
      } combine {
      ^bb0(%acc: bf16, %new: bf16):
        %s = arith.addf %acc, %new : bf16
        scan.yield %s : bf16
      } store {
      ^bb0(%inclusive: bf16, %exclusive: bf16, %e: bf16):
        scan.yield %inclusive : bf16
      } -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// C21: floating-point reduction outputs have no order.
func.func @c21_order(%x: tensor<4x8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'scan.kernel' op C21: expected no reduction output of floating-point or complex numbers, which is added up in any order, in a kernel with #scan.order<deterministic>, found output #0, whose map leaves out domain dimensions}}
  %y = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) outs(%o : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {order = #scan.order<deterministic>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
        scan.yield %inclusive : f32
      } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// C5: an init has no scan dimension.
func.func @c5_init(%x: tensor<4x8xf32>, %h: tensor<8xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C5: expected the map of init operand #1 not to use the scan dimension, found affine_map<(d0, d1) -> (d1)>}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<8xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C5: a final has no scan dimension.
func.func @c5_final(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C5: expected the map of final operand #3 to cover all domain dimensions but the scan dimension, found affine_map<(d0, d1) -> (d1)>}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C6: no leaf.
func.func @c6_leaf(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C6: expected the combine region to have two arguments per leaf and at least one leaf, found 0 arguments}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0:
        %s = arith.constant 0.0 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C6: no output.
func.func @c6_output(%x: tensor<8xf32>) {
  // expected-error@+1 {{'scan.kernel' op C6: expected at least one output or final, found none}}
  scan.kernel dim = 0
      ins(%x : tensor<8xf32>)
      maps [affine_map<(d0) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield
      }
  return
}

// -----

// C7: initialize is missing.
func.func @c7_initialize(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      // expected-error@+1 {{custom op 'scan.kernel' C7: expected a region 'initialize' as there are inits, found none}}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C7: finalize without finals.
func.func @c7_finalize(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      // expected-error@+1 {{custom op 'scan.kernel' C7: expected no region 'finalize' as there are no finals, found one}}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C8: the type of a leaf.
func.func @c8_leaf(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C8: expected leaves of type i1, i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32> or complex<f64>, found 'index'}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: index, %new: index):
        %s = arith.constant 0.0 : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C8: the arguments of a region.
func.func @c8_arguments(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C8: expected the region 'store' to have arguments of types ('f32', 'f32', 'f32'), found ('f32', 'f32')}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C8: the values that a region yields.
func.func @c8_yields(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C8: expected the region 'store' to yield 1 value(s), found 2}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        // expected-note@+1 {{the yield is here}}
        scan.yield %in, %e : f32, f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C8: the type that a region yields.
func.func @c8_yield_type(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C8: expected the region 'load' to yield 'f32' as value #0, found 'f64'}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        %w = arith.extf %e : f32 to f64
        // expected-note@+1 {{the yield is here}}
        scan.yield %w : f64
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C8: a region without a yield.
func.func @c8_no_yield(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C8: expected the region to end in 'scan.yield', found 'arith.negf'}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        %n = arith.negf %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C9: exclusive values need an init.
func.func @c9_exclusive(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C9: expected the exclusive value of leaf #0 to be unused in a kernel without an init, found a use in 'store'}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %ex : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C10: memory effects.
func.func @c10_effects(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C10: the region 'initialize' must not read or write memory: expected operations without memory effects, found 'memref.alloca'; compute a new value instead of changing one in place}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        // expected-note@+1 {{the operation with effects is here}}
        %m = memref.alloca() : memref<f32>
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C11: the types of the results.
func.func @c11_results(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // expected-error@+1 {{'scan.kernel' op C11: expected results of types ('tensor<4x8xf32>', 'tensor<4xf32>'), those of the outputs and finals that are tensors, found ('tensor<4x8xf32>', 'tensor<8xf32>')}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<8xf32>
  func.return %y, %last : tensor<4x8xf32>, tensor<8xf32>
}

// -----

// C12: the schedule.
func.func @c12_schedule(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C12: 'order = sequential' needs the strategy 'sequential', or 'row' with as many rows as threads, found 'row', which reassociates; drop the schedule or relax the order}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {order = #scan.order<sequential>, schedule = #scan.schedule<strategy = row>}
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C13: a closure.
// expected-note@+1 {{the captured value is defined here}}
func.func @c13_closure(%x: tensor<4x8xf32>, %h: tensor<4xf32>, %c: f32, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C13: the region must not use values from outside: expected block arguments and values defined in the region, found a captured value of type 'f32'; pass it as a further leaf, or define it inside the region if it is constant}}
  %y, %last = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) init(%h : tensor<4xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      load {
      ^bb0(%e: f32):
        scan.yield %e : f32
      } initialize {
      ^bb0(%i: f32):
        scan.yield %i : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        // expected-note@+1 {{operand #1 of 'arith.addf' is captured here}}
        %s = arith.addf %acc, %c : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32):
        scan.yield %in : f32
      } finalize {
      ^bb0(%in: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %last : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C14: boundaries are missing.
func.func @c14_shifts_only(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C14: expected both 'shifts' and 'boundaries', or neither, found only 'shifts'}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1, 0>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C14: shifts are missing.
func.func @c14_boundaries_only(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C14: expected both 'shifts' and 'boundaries', or neither, found only 'boundaries'}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {boundaries = array<i64: 1, -1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C14: too few shifts.
func.func @c14_shift_count(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C14: expected 'shifts' to have one entry per input, 2, found 1}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1>, boundaries = array<i64: 1, -1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C14: too many boundaries.
func.func @c14_boundary_count(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C14: expected 'boundaries' to have one entry per input, 2, found 3}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: 1, -1, -1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C15: a boundary of an input that is not shifted.
func.func @c15_unshifted(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C15: expected the boundary -1 for input #0, which is not shifted, found 1}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 0, 0>, boundaries = array<i64: 1, -1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C15: nothing to shift along.
func.func @c15_map(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C15: expected the map of shifted input #1 to use the scan dimension, found affine_map<(d0, d1) -> (d0)>}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 0, 1>, boundaries = array<i64: -1, 1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C15: no such input.
func.func @c15_range(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C15: expected the boundary of shifted input #0 to be the number of an input, in [0, 2), found 2}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: 2, -1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C15: no boundary.
func.func @c15_none(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C15: expected the boundary of shifted input #0 to be the number of an input, in [0, 2), found -1}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: -1, -1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C16: another element type.
func.func @c16_type(%x: tensor<4x8xf32>, %b: tensor<4xf64>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C16: expected input #1, the boundary of input #0, to have 1 element(s) of type 'f32' or to be a scalar of it, found 'tensor<4xf64>'}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf64>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: 1, -1>}
      load {
      ^bb0(%e: f32, %b0: f64):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f64):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C16: more elements.
func.func @c16_elements(%x: tensor<4x8xf32>, %b: tensor<4x2xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C16: expected input #1, the boundary of input #0, to have 1 element(s) of type 'f32' or to be a scalar of it, found 'tensor<4x2xf32>'}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4x2xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: 1, -1>}
      load {
      ^bb0(%e: f32, %b0: f32, %b1: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32, %b1: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// C16: an input is not its own boundary, nor another that has steps.
func.func @c16_map(%x: tensor<4x8xf32>, %b: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'scan.kernel' op C16: expected input #0, the boundary of input #0, not to be shifted and its map not to use the scan dimension, found shift 1 and affine_map<(d0, d1) -> (d0, d1)>}}
  %y = scan.kernel dim = 1
      ins(%x, %b : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
      attributes {shifts = array<i64: 1, 0>, boundaries = array<i64: 0, -1>}
      load {
      ^bb0(%e: f32, %b0: f32):
        scan.yield %e : f32
      } combine {
      ^bb0(%acc: f32, %new: f32):
        %s = arith.addf %acc, %new : f32
        scan.yield %s : f32
      } store {
      ^bb0(%in: f32, %ex: f32, %e: f32, %b0: f32):
        scan.yield %in : f32
      } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The generic form has no parser that reads the former name of an attribute.
func.func @former(%x: tensor<3xi32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  // expected-error@+1 {{'scan.kernel' op expected the attribute 'bidirectional', found its former name 'opposite'; rename it}}
  %0:2 = "scan.kernel"(%x, %y, %y) <{dim = 0 : i64, indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], operandSegmentSizes = array<i32: 1, 0, 2, 0>}> ({
  ^bb0(%e: i32):
    "scan.yield"(%e, %e) : (i32, i32) -> ()
  }, {
    "scan.yield"() : () -> ()
  }, {
  ^bb0(%x0: i32, %y0: i32, %x1: i32, %y1: i32):
    %s = "arith.addi"(%x0, %x1) : (i32, i32) -> i32
    %t = "arith.addi"(%y0, %y1) : (i32, i32) -> i32
    "scan.yield"(%s, %t) : (i32, i32) -> ()
  }, {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32):
    "scan.yield"(%a, %b) : (i32, i32) -> ()
  }, {
  ^bb0(%a: i32, %b: i32):
    "scan.yield"() : () -> ()
  }) {opposite = 1 : i64} : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xi32>, tensor<3xi32>
}

// -----

// C17: no leaf is of the opposite direction.
func.func @c17_none(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C17: expected 'bidirectional' to be at least 1 and less than the number of leaves, 2, found 0}}
  %y, %z = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {bidirectional = 0 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.mulf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %e: f32):
        %u = arith.addf %ia, %e : f32
        scan.yield %u : f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32):
        %v = arith.addf %fb, %fb : f32
        scan.yield %v : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C17: all do.
func.func @c17_all(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C17: expected 'bidirectional' to be at least 1 and less than the number of leaves, 2, found 2}}
  %y, %z = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {bidirectional = 2 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.mulf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %e: f32):
        %u = arith.addf %ia, %e : f32
        scan.yield %u : f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32):
        %v = arith.addf %fb, %fb : f32
        scan.yield %v : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C17: a negative number.
func.func @c17_negative(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C17: expected 'bidirectional' to be at least 1 and less than the number of leaves, 2, found -1}}
  %y, %z = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {bidirectional = -1 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.mulf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %e: f32):
        %u = arith.addf %ia, %e : f32
        scan.yield %u : f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32):
        %v = arith.addf %fb, %fb : f32
        scan.yield %v : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C18: a leaf is combined from one that is of the opposite direction.
func.func @c18(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C18: expected the combined leaf #1 to depend on leaves of its own direction only, found leaf #0, which is scanned forward}}
  %y, %z = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {bidirectional = 1 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        // expected-note@+1 {{this value}}
        %t = arith.mulf %a0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %e: f32):
        %u = arith.addf %ia, %e : f32
        scan.yield %u : f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32):
        %v = arith.addf %fb, %fb : f32
        scan.yield %v : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// C19: a final depends on leaves of both directions.
func.func @c19_final(%x: tensor<4x8xf32>, %o: tensor<4x8xf32>, %l: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'scan.kernel' op C19: expected final #0 to depend on leaves of one direction only, found both; make one final of each}}
  %y, %z = scan.kernel dim = 1
      ins(%x : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) finals(%l : tensor<4xf32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>]
      attributes {bidirectional = 1 : i64}
      load {
      ^bb0(%e: f32):
        scan.yield %e, %e : f32, f32
      } combine {
      ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
        %s = arith.addf %a0, %a1 : f32
        %t = arith.mulf %b0, %b1 : f32
        scan.yield %s, %t : f32, f32
      } store {
      ^bb0(%ia: f32, %ib: f32, %ea: f32, %eb: f32, %e: f32):
        %u = arith.addf %ia, %e : f32
        scan.yield %u : f32
      } finalize {
      ^bb0(%fa: f32, %fb: f32):
        // expected-note@+1 {{this value}}
        %v = arith.addf %fb, %fa : f32
        scan.yield %v : f32
      } -> tensor<4x8xf32>, tensor<4xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4xf32>
}
