// Recurrences that thread blocks compute (numbers.test).

// Whether a neighbour was set two steps before.
func.func @flags(%x: tensor<?x40xi1>, %i: tensor<2x40xi1>) -> (tensor<?x40xi1>, tensor<2x40xi1>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x40xi1>) init(%i : tensor<2x40xi1>) dim = 0 reverse {
  ^bb0(%t: index, %h1: tensor<40xi1>, %h2: tensor<40xi1>, %row: tensor<40xi1>):
    %part = tensor.extract_slice %h2[1] [39] [1] : tensor<40xi1> to tensor<39xi1>
    %moved = tensor.insert_slice %part into %h1[0] [39] [1] : tensor<39xi1> into tensor<40xi1>
    %next = arith.xori %row, %moved : tensor<40xi1>
    scan.yield %next : tensor<40xi1>
  } -> tensor<?x40xi1>, tensor<2x40xi1>
  return %h, %last : tensor<?x40xi1>, tensor<2x40xi1>
}

// Rows of bf16, a product in f32.
func.func @bf16(%x: tensor<?x?x24xbf16>, %h0: tensor<?x1x24xbf16>, %w: tensor<24x24xbf16>) -> (tensor<?x?x24xbf16>, tensor<?x1x24xbf16>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x24xbf16>) init(%h0 : tensor<?x1x24xbf16>)
      captures(%w : tensor<24x24xbf16>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x24xbf16>, %row: tensor<?x24xbf16>, %m: tensor<24x24xbf16>):
    %start = arith.extf %row : tensor<?x24xbf16> to tensor<?x24xf32>
    %z = linalg.generic {
        indexing_maps = [affine_map<(n, j, k) -> (n, k)>, affine_map<(n, j, k) -> (k, j)>, affine_map<(n, j, k) -> (n, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%h1, %m : tensor<?x24xbf16>, tensor<24x24xbf16>) outs(%start : tensor<?x24xf32>) {
    ^bb0(%a: bf16, %b: bf16, %acc: f32):
      %c = arith.extf %a : bf16 to f32
      %d = arith.extf %b : bf16 to f32
      %p = arith.mulf %c, %d : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x24xf32>
    %next = arith.truncf %z : tensor<?x24xf32> to tensor<?x24xbf16>
    scan.yield %next : tensor<?x24xbf16>
  } -> tensor<?x?x24xbf16>, tensor<?x1x24xbf16>
  return %h, %last : tensor<?x?x24xbf16>, tensor<?x1x24xbf16>
}

// Each element from one of the other half of the row.
func.func @wide(%x: tensor<?x3000xi32>, %i: tensor<1x3000xi32>) -> tensor<?x3000xi32> {
  %h = scan.recurrence ins(%x : tensor<?x3000xi32>) init(%i : tensor<1x3000xi32>) dim = 0 init_rows {
  ^bb0(%t: index, %h1: tensor<3000xi32>, %row: tensor<3000xi32>):
    %low = tensor.extract_slice %h1[0] [1500] [1] : tensor<3000xi32> to tensor<1500xi32>
    %high = tensor.extract_slice %h1[1500] [1500] [1] : tensor<3000xi32> to tensor<1500xi32>
    %empty = tensor.empty() : tensor<3000xi32>
    %a = tensor.insert_slice %high into %empty[0] [1500] [1] : tensor<1500xi32> into tensor<3000xi32>
    %b = tensor.insert_slice %low into %a[1500] [1500] [1] : tensor<1500xi32> into tensor<3000xi32>
    %next = arith.subi %row, %b : tensor<3000xi32>
    scan.yield %next : tensor<3000xi32>
  } -> tensor<?x3000xi32>
  return %h : tensor<?x3000xi32>
}

// The largest element of the previous row, in buffers that shared memory has no room for.
func.func @large(%x: tensor<?x?x20000xf32>, %h0: tensor<?x1x20000xf32>) -> tensor<?x?x20000xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?x20000xf32>) init(%h0 : tensor<?x1x20000xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x20000xf32>, %row: tensor<?x20000xf32>):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %h1, %c0 : tensor<?x20000xf32>
    %low = arith.constant -1.0 : f32
    %space = tensor.empty(%n) : tensor<?xf32>
    %start = linalg.fill ins(%low : f32) outs(%space : tensor<?xf32>) -> tensor<?xf32>
    %most = linalg.reduce ins(%h1 : tensor<?x20000xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
      (%e: f32, %acc: f32) {
        %m = arith.maximumf %acc, %e : f32
        linalg.yield %m : f32
      }
    %next = linalg.generic {
        indexing_maps = [affine_map<(b, i) -> (b, i)>, affine_map<(b, i) -> (b)>, affine_map<(b, i) -> (b, i)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%row, %most : tensor<?x20000xf32>, tensor<?xf32>) outs(%row : tensor<?x20000xf32>) {
    ^bb0(%e: f32, %m: f32, %out: f32):
      %s = arith.subf %e, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x20000xf32>
    scan.yield %next : tensor<?x20000xf32>
  } -> tensor<?x?x20000xf32>
  return %h : tensor<?x?x20000xf32>
}

// The first element in all lanes.
func.func @steps(%x: tensor<?x?xf32>, %h0: tensor<1x?xf32>, %n: index) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%h0 : tensor<1x?xf32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %c0 = arith.constant 0 : index
    %lane = tensor.extract %h1[%c0] : tensor<?xf32>
    %next = linalg.map ins(%row : tensor<?xf32>) outs(%row : tensor<?xf32>) (%e: f32, %out: f32) {
      %s = arith.addf %e, %lane : f32
      linalg.yield %s : f32
    }
    scan.yield %next : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// One row for two states, which is computed where one of them was.
func.func @twice(%i: tensor<1x4xi32>, %j: tensor<1x4xi32>, %x: tensor<0x4xi32>, %n: index) -> (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xi32>) {
  %g, %h = scan.recurrence init(%i, %j : tensor<1x4xi32>, tensor<1x4xi32>) steps(%n : index) dim = 0 init_rows {
  ^bb0(%t: index, %g1: tensor<4xi32>, %h1: tensor<4xi32>):
    %c1 = arith.constant 1 : index
    %e = tensor.extract %g1[%c1] : tensor<4xi32>
    %all = tensor.splat %e : tensor<4xi32>
    %d = arith.subi %h1, %g1 : tensor<4xi32>
    %s = arith.addi %d, %all : tensor<4xi32>
    scan.yield %s, %s : tensor<4xi32>, tensor<4xi32>
  } -> tensor<?x4xi32>, tensor<?x4xi32>
  // A slice of an input without rows.
  %c0 = arith.constant 0 : index
  %none = scan.recurrence ins(%x : tensor<0x4xi32>) init(%i : tensor<1x4xi32>) steps(%c0 : index) dim = 0 init_rows {
  ^bb0(%t: index, %g1: tensor<4xi32>, %row: tensor<4xi32>):
    %d = arith.subi %g1, %row : tensor<4xi32>
    scan.yield %d : tensor<4xi32>
  } -> tensor<?x4xi32>
  return %g, %h, %none : tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xi32>
}

// Outputs that are the row of a state as it was, a part of it, and as it becomes.
func.func @outputs(%i: tensor<2x4xi32>, %j: tensor<1x4xi32>, %n: index)
    -> (tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x3xi32>, tensor<?x4xi32>, tensor<2x4xi32>) {
  %r:7 = scan.recurrence init(%i, %j : tensor<2x4xi32>, tensor<1x4xi32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %g1: tensor<4xi32>, %g2: tensor<4xi32>, %h1: tensor<4xi32>):
    %c1 = arith.constant 1 : index
    %e = tensor.extract %g2[%c1] : tensor<4xi32>
    %all = tensor.splat %e : tensor<4xi32>
    %s = arith.subi %h1, %all : tensor<4xi32>
    %part = tensor.extract_slice %g1[1] [3] [1] : tensor<4xi32> to tensor<3xi32>
    scan.yield %s, %g2, %h1, %part, %s : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xi32>, tensor<4xi32>
  } -> tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x3xi32>, tensor<?x4xi32>, tensor<2x4xi32>, tensor<1x4xi32>
  return %r#0, %r#2, %r#3, %r#4, %r#5 : tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x3xi32>, tensor<?x4xi32>, tensor<2x4xi32>
}
