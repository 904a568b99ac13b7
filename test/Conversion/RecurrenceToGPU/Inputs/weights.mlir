// Recurrences with weights that registers have no room for (weights.test).

// A layer of 645 units between states of 7, which more threads than a block has compute;
// the second matrix as torch.nn.Linear has it, [out, in]; biases. In reverse.
func.func @bottleneck(%x: tensor<?x?x7xf32>, %h0: tensor<?x1x7xf32>, %u: tensor<7x645xf32>, %a: tensor<645xf32>,
                      %v: tensor<7x645xf32>, %b: tensor<7xf32>) -> (tensor<?x?x7xf32>, tensor<?x1x7xf32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x7xf32>) init(%h0 : tensor<?x1x7xf32>)
      captures(%u, %a, %v, %b : tensor<7x645xf32>, tensor<645xf32>, tensor<7x645xf32>, tensor<7xf32>) dim = 1 reverse {
  ^bb0(%t: index, %h1: tensor<?x7xf32>, %row: tensor<?x7xf32>, %up: tensor<7x645xf32>, %bias: tensor<645xf32>,
       %down: tensor<7x645xf32>, %shift: tensor<7xf32>):
    %c0 = arith.constant 0 : index
    %batch = tensor.dim %h1, %c0 : tensor<?x7xf32>
    %space = tensor.empty(%batch) : tensor<?x645xf32>
    %biases = linalg.broadcast ins(%bias : tensor<645xf32>) outs(%space : tensor<?x645xf32>) dimensions = [0]
    %wide = linalg.matmul ins(%h1, %up : tensor<?x7xf32>, tensor<7x645xf32>) outs(%biases : tensor<?x645xf32>) -> tensor<?x645xf32>
    %active = math.absf %wide : tensor<?x645xf32>
    %small = tensor.empty(%batch) : tensor<?x7xf32>
    %shifts = linalg.broadcast ins(%shift : tensor<7xf32>) outs(%small : tensor<?x7xf32>) dimensions = [0]
    %start = arith.addf %row, %shifts : tensor<?x7xf32>
    %next = linalg.generic {
        indexing_maps = [affine_map<(n, j, k) -> (n, k)>, affine_map<(n, j, k) -> (j, k)>, affine_map<(n, j, k) -> (n, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%active, %down : tensor<?x645xf32>, tensor<7x645xf32>) outs(%start : tensor<?x7xf32>) {
    ^bb0(%e: f32, %w: f32, %acc: f32):
      %p = arith.mulf %e, %w : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x7xf32>
    scan.yield %next : tensor<?x7xf32>
  } -> tensor<?x?x7xf32>, tensor<?x1x7xf32>
  return %h, %last : tensor<?x?x7xf32>, tensor<?x1x7xf32>
}

// More elements of a column, in f64, than a thread has registers for: the first stay in them,
// the others are in shared memory, which the launch has to ask for.
func.func @column(%x: tensor<?x160xf64>, %h0: tensor<1x160xf64>, %u: tensor<160x160xf64>) -> tensor<?x160xf64> {
  %h = scan.recurrence ins(%x : tensor<?x160xf64>) init(%h0 : tensor<1x160xf64>) captures(%u : tensor<160x160xf64>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<160xf64>, %row: tensor<160xf64>, %w: tensor<160x160xf64>):
    %next = linalg.vecmat ins(%h1, %w : tensor<160xf64>, tensor<160x160xf64>) outs(%row : tensor<160xf64>) -> tensor<160xf64>
    scan.yield %next : tensor<160xf64>
  } -> tensor<?x160xf64>
  return %h : tensor<?x160xf64>
}

// Weights of bf16 along two reductions, the lanes of two states; taps that all threads read
// alike, which two operations read.
func.func @taps(%x: tensor<?x600xbf16>, %h0: tensor<2x600xbf16>, %c0: tensor<1x600xi32>, %u: tensor<2x5x600xbf16>, %k: tensor<5xi32>)
    -> (tensor<?x600xbf16>, tensor<?x600xi32>) {
  %h, %c = scan.recurrence ins(%x : tensor<?x600xbf16>) init(%h0, %c0 : tensor<2x600xbf16>, tensor<1x600xi32>)
      captures(%u, %k : tensor<2x5x600xbf16>, tensor<5xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<600xbf16>, %h2: tensor<600xbf16>, %c1: tensor<600xi32>, %row: tensor<600xbf16>, %w: tensor<2x5x600xbf16>, %f: tensor<5xi32>):
    %start = arith.extf %row : tensor<600xbf16> to tensor<600xf32>
    %sums = linalg.generic {
        indexing_maps = [affine_map<(j, s, k) -> (s, k, j)>, affine_map<(j, s, k) -> (k)>, affine_map<(j, s, k) -> (j)>],
        iterator_types = ["parallel", "reduction", "reduction"]}
        ins(%w, %f : tensor<2x5x600xbf16>, tensor<5xi32>) outs(%start : tensor<600xf32>) {
    ^bb0(%e: bf16, %tap: i32, %acc: f32):
      %wide = arith.extf %e : bf16 to f32
      %number = arith.sitofp %tap : i32 to f32
      %p = arith.mulf %wide, %number : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<600xf32>
    %next = arith.truncf %sums : tensor<600xf32> to tensor<600xbf16>
    %both = arith.subf %next, %h2 : tensor<600xbf16>
    // A part of the neighbours, so that no thread walks a lane.
    %counts = linalg.generic {
        indexing_maps = [affine_map<(j, k) -> (k)>, affine_map<(j, k) -> (j)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%f : tensor<5xi32>) outs(%c1 : tensor<600xi32>) {
    ^bb0(%tap: i32, %acc: i32):
      %s = arith.subi %tap, %acc : i32
      linalg.yield %s : i32
    } -> tensor<600xi32>
    %part = tensor.extract_slice %counts[1] [599] [1] : tensor<600xi32> to tensor<599xi32>
    %moved = tensor.insert_slice %part into %counts[0] [599] [1] : tensor<599xi32> into tensor<600xi32>
    scan.yield %both, %moved : tensor<600xbf16>, tensor<600xi32>
  } -> tensor<?x600xbf16>, tensor<?x600xi32>
  return %h, %c : tensor<?x600xbf16>, tensor<?x600xi32>
}

// More than any block has room for.
func.func @streamed(%x: tensor<?x3xi64>, %h0: tensor<1x3xi64>, %u: tensor<3x20001xi64>) -> tensor<?x3xi64> {
  %h = scan.recurrence ins(%x : tensor<?x3xi64>) init(%h0 : tensor<1x3xi64>) captures(%u : tensor<3x20001xi64>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<3xi64>, %row: tensor<3xi64>, %w: tensor<3x20001xi64>):
    %space = tensor.empty() : tensor<3xi64>
    %moved = linalg.generic {
        indexing_maps = [affine_map<(j, k) -> (j, k)>, affine_map<(j, k) -> (j)>, affine_map<(j, k) -> (j)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%w, %h1 : tensor<3x20001xi64>, tensor<3xi64>) outs(%row : tensor<3xi64>) {
    ^bb0(%e: i64, %f: i64, %acc: i64):
      %p = arith.muli %e, %f : i64
      %s = arith.subi %p, %acc : i64
      linalg.yield %s : i64
    } -> tensor<3xi64>
    %first = tensor.extract_slice %moved[1] [2] [1] : tensor<3xi64> to tensor<2xi64>
    %next = tensor.insert_slice %first into %moved[0] [2] [1] : tensor<2xi64> into tensor<3xi64>
    scan.yield %next : tensor<3xi64>
  } -> tensor<?x3xi64>
  return %h : tensor<?x3xi64>
}
