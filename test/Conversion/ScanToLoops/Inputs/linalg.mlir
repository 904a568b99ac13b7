// Structured operations outside of kernels, of extents that tiles leave something over of.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @product(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func @narrow(%a: tensor<5x7xi8>, %b: tensor<7x45xi8>, %c: tensor<5x45xi32>) -> tensor<5x45xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<5x7xi8>, tensor<7x45xi8>) outs(%c : tensor<5x45xi32>) -> tensor<5x45xi32>
  return %r : tensor<5x45xi32>
}

func.func @halves(%a: tensor<9x6xbf16>, %b: tensor<6x40xbf16>, %c: tensor<9x40xbf16>) -> tensor<9x40xbf16> {
  %r = linalg.matmul ins(%a, %b : tensor<9x6xbf16>, tensor<6x40xbf16>) outs(%c : tensor<9x40xbf16>) -> tensor<9x40xbf16>
  return %r : tensor<9x40xbf16>
}

// Two results, of several reductions.
func.func @both(%x: tensor<3x4x?xi64>, %s: tensor<?xi64>, %t: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(n, i, j) -> (i, j, n)>, affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (n)>],
                         iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<3x4x?xi64>) outs(%s, %t : tensor<?xi64>, tensor<?xi64>) {
  ^bb0(%e: i64, %p: i64, %q: i64):
    %three = arith.constant 3 : i64
    %p3 = arith.muli %p, %three : i64
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %en = arith.addi %e, %n : i64
    %pe = arith.addi %p3, %en : i64
    %qe = arith.maxsi %q, %pe : i64
    linalg.yield %pe, %qe : i64, i64
  } -> (tensor<?xi64>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xi64>, tensor<?xi64>
}

// A layer whose weights are packed, backwards, in batches and heads with weights of
// their own; with what all steps add, and weights in two orders of dimensions.
func.func @heads(%x: tensor<?x?x2x32xi32>, %h0: tensor<?x1x2x32xi32>, %w: tensor<2x32x32xi32>) -> tensor<?x?x2x32xi32> {
  %h = scan.recurrence ins(%x : tensor<?x?x2x32xi32>) init(%h0 : tensor<?x1x2x32xi32>) captures(%w : tensor<2x32x32xi32>) dim = 1 reverse {
  ^bb0(%t: index, %h1: tensor<?x2x32xi32>, %row: tensor<?x2x32xi32>, %u: tensor<2x32x32xi32>):
    %next = linalg.generic {
        indexing_maps = [affine_map<(n, h, j, k) -> (n, h, k)>, affine_map<(n, h, j, k) -> (h, k, j)>, affine_map<(n, h, j, k) -> (n, h, j)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%h1, %u : tensor<?x2x32xi32>, tensor<2x32x32xi32>) outs(%row : tensor<?x2x32xi32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %p = arith.muli %a, %b : i32
      %s = arith.addi %o, %p : i32
      linalg.yield %s : i32
    } -> tensor<?x2x32xi32>
    scan.yield %next : tensor<?x2x32xi32>
  } -> tensor<?x?x2x32xi32>
  return %h : tensor<?x?x2x32xi32>
}

func.func @layer(%x: tensor<?x?x64xf32>, %h0: tensor<?x1x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> (tensor<?x?x64xf32>, tensor<?x1x64xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x64xf32>) init(%h0 : tensor<?x1x64xf32>)
      captures(%w, %v : tensor<64x64xf32>, tensor<64x64xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x64xf32>, %row: tensor<?x64xf32>, %win: tensor<64x64xf32>, %rec: tensor<64x64xf32>):
    %zero = arith.constant 0 : index
    %batch = tensor.dim %h1, %zero : tensor<?x64xf32>
    %none = arith.constant 0.0 : f32
    %empty = tensor.empty(%batch) : tensor<?x64xf32>
    %zeros = linalg.fill ins(%none : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
    %xw = linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %win : tensor<?x64xf32>, tensor<64x64xf32>) outs(%zeros : tensor<?x64xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x64xf32>
    %hw = linalg.matmul ins(%h1, %rec : tensor<?x64xf32>, tensor<64x64xf32>) outs(%xw : tensor<?x64xf32>) -> tensor<?x64xf32>
    %next = math.tanh %hw : tensor<?x64xf32>
    scan.yield %next : tensor<?x64xf32>
  } -> tensor<?x?x64xf32>, tensor<?x1x64xf32>
  return %h, %last : tensor<?x?x64xf32>, tensor<?x1x64xf32>
}

// A choice among three memrefs by what is the same for all lanes: the state before, the
// initial one of the first step, and that of a segment's first step.
func.func @kept(%x: tensor<?x?xi32>, %h0: tensor<1x?xi32>, %offsets: tensor<3xi32>) -> tensor<?x?xi32> {
  %r = scan.recurrence ins(%x : tensor<?x?xi32>) init(%h0 : tensor<1x?xi32>) segments(%offsets : tensor<3xi32>) dim = 0 {
  ^bb0(%t: index, %h: tensor<?xi32>, %row: tensor<?xi32>):
    scan.yield %h : tensor<?xi32>
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
