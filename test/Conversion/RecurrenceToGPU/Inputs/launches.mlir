// Recurrences whose steps are launches of the whole grid (launches.test).

// An LSTM whose weights are too large for a thread block: chosen by the model.
func.func @lstm(%x: tensor<?x4096xf32>, %h0: tensor<1x1024xf32>, %c0: tensor<1x1024xf32>, %u: tensor<1024x4096xf32>)
    -> (tensor<?x1024xf32>, tensor<1x1024xf32>) {
  %h, %c, %hlast, %clast = scan.recurrence ins(%x : tensor<?x4096xf32>) init(%h0, %c0 : tensor<1x1024xf32>, tensor<1x1024xf32>)
      captures(%u : tensor<1024x4096xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<1024xf32>, %c1: tensor<1024xf32>, %row: tensor<4096xf32>, %w: tensor<1024x4096xf32>):
    %z = linalg.vecmat ins(%h1, %w : tensor<1024xf32>, tensor<1024x4096xf32>) outs(%row : tensor<4096xf32>) -> tensor<4096xf32>
    %i = tensor.extract_slice %z[0] [1024] [1] : tensor<4096xf32> to tensor<1024xf32>
    %f = tensor.extract_slice %z[1024] [1024] [1] : tensor<4096xf32> to tensor<1024xf32>
    %g = tensor.extract_slice %z[2048] [1024] [1] : tensor<4096xf32> to tensor<1024xf32>
    %o = tensor.extract_slice %z[3072] [1024] [1] : tensor<4096xf32> to tensor<1024xf32>
    %kept = arith.mulf %f, %c1 : tensor<1024xf32>
    %added = arith.mulf %i, %g : tensor<1024xf32>
    %cell = arith.addf %kept, %added : tensor<1024xf32>
    %seen = math.absf %cell : tensor<1024xf32>
    %next = arith.minimumf %o, %seen : tensor<1024xf32>
    scan.yield %next, %cell : tensor<1024xf32>, tensor<1024xf32>
  } -> tensor<?x1024xf32>, tensor<?x1024xf32>, tensor<1x1024xf32>, tensor<1x1024xf32>
  return %h, %clast : tensor<?x1024xf32>, tensor<1x1024xf32>
}

// A wide row of which all lanes read the first one: chosen by the model, unless a schedule
// says otherwise. One launch for each step.
func.func @wide(%x: tensor<?x65537xi32>, %init: tensor<1x65537xi32>) -> tensor<?x65537xi32> {
  %h = scan.recurrence ins(%x : tensor<?x65537xi32>) init(%init : tensor<1x65537xi32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<65537xi32>, %row: tensor<65537xi32>):
    %zero = arith.constant 0 : index
    %first = tensor.extract %h1[%zero] : tensor<65537xi32>
    %all = tensor.splat %first : tensor<65537xi32>
    %scaled = arith.muli %h1, %row : tensor<65537xi32>
    %next = arith.subi %scaled, %all : tensor<65537xi32>
    scan.yield %next : tensor<65537xi32>
  } -> tensor<?x65537xi32>
  return %h : tensor<?x65537xi32>
}

func.func @asked(%x: tensor<?x65537xi32>, %init: tensor<1x65537xi32>) -> tensor<?x65537xi32> {
  %h = scan.recurrence ins(%x : tensor<?x65537xi32>) init(%init : tensor<1x65537xi32>) dim = 0
      attributes {scan.schedule = #scan.schedule<strategy = sequential, threads = 512>} {
  ^bb0(%t: index, %h1: tensor<65537xi32>, %row: tensor<65537xi32>):
    %zero = arith.constant 0 : index
    %first = tensor.extract %h1[%zero] : tensor<65537xi32>
    %all = tensor.splat %first : tensor<65537xi32>
    %scaled = arith.muli %h1, %row : tensor<65537xi32>
    %next = arith.subi %scaled, %all : tensor<65537xi32>
    scan.yield %next : tensor<65537xi32>
  } -> tensor<?x65537xi32>
  return %h : tensor<?x65537xi32>
}

// Only the last row is asked for: two are kept.
func.func @last(%init: tensor<1x65537xi32>, %steps: index) -> tensor<1x65537xi32> {
  %h, %last = scan.recurrence init(%init : tensor<1x65537xi32>) steps(%steps : index) dim = 0 {
  ^bb0(%t: index, %h1: tensor<65537xi32>):
    %zero = arith.constant 0 : index
    %first = tensor.extract %h1[%zero] : tensor<65537xi32>
    %all = tensor.splat %first : tensor<65537xi32>
    %square = arith.muli %h1, %h1 : tensor<65537xi32>
    %next = arith.subi %square, %all : tensor<65537xi32>
    scan.yield %next : tensor<65537xi32>
  } -> tensor<?x65537xi32>, tensor<1x65537xi32>
  return %last : tensor<1x65537xi32>
}

// Two rows back, in reverse, by matrices: the operator does not commute. A batch, of extents
// that only a run tells; the final rows are results, too.
func.func @back(%x: tensor<?x?x5xi32>, %init: tensor<?x2x5xi32>, %m: tensor<5x5xi32>) -> (tensor<?x?x5xi32>, tensor<?x2x5xi32>) {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x5xi32>) init(%init : tensor<?x2x5xi32>) captures(%m : tensor<5x5xi32>)
      dim = 1 reverse attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<?x5xi32>, %h2: tensor<?x5xi32>, %row: tensor<?x5xi32>, %w: tensor<5x5xi32>):
    %sum = linalg.matmul ins(%h2, %w : tensor<?x5xi32>, tensor<5x5xi32>) outs(%row : tensor<?x5xi32>) -> tensor<?x5xi32>
    %next = arith.subi %sum, %h1 : tensor<?x5xi32>
    scan.yield %next : tensor<?x5xi32>
  } -> tensor<?x?x5xi32>, tensor<?x2x5xi32>
  return %h, %last : tensor<?x?x5xi32>, tensor<?x2x5xi32>
}

// Segments, and lanes that are moved: a stencil of neighbours.
func.func @segments(%x: tensor<?x6xi32>, %init: tensor<1x6xi32>, %offsets: tensor<?xi32>) -> tensor<?x6xi32> {
  %h = scan.recurrence ins(%x : tensor<?x6xi32>) init(%init : tensor<1x6xi32>) segments(%offsets : tensor<?xi32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<6xi32>, %row: tensor<6xi32>):
    %part = tensor.extract_slice %h1[1] [5] [1] : tensor<6xi32> to tensor<5xi32>
    %moved = tensor.insert_slice %part into %row[0] [5] [1] : tensor<5xi32> into tensor<6xi32>
    %two = arith.constant dense<2> : tensor<6xi32>
    %twice = arith.muli %h1, %two : tensor<6xi32>
    %next = arith.subi %moved, %twice : tensor<6xi32>
    scan.yield %next : tensor<6xi32>
  } -> tensor<?x6xi32>
  return %h : tensor<?x6xi32>
}

// What is pointwise has launches for its steps where a schedule asks for them.
func.func @lanes(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %p = arith.mulf %h1, %h1 : tensor<?xf32>
    %next = arith.subf %p, %row : tensor<?xf32>
    scan.yield %next : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

// An RNN whose weights are too large for a thread block, of a batch of any extent: chosen by the
// model.
func.func @batch(%x: tensor<?x?x1024xi32>, %init: tensor<?x1x1024xi32>, %u: tensor<1024x1024xi32>) -> tensor<?x?x1024xi32> {
  %h = scan.recurrence ins(%x : tensor<?x?x1024xi32>) init(%init : tensor<?x1x1024xi32>) captures(%u : tensor<1024x1024xi32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x1024xi32>, %row: tensor<?x1024xi32>, %w: tensor<1024x1024xi32>):
    %z = linalg.matmul ins(%h1, %w : tensor<?x1024xi32>, tensor<1024x1024xi32>) outs(%row : tensor<?x1024xi32>) -> tensor<?x1024xi32>
    scan.yield %z : tensor<?x1024xi32>
  } -> tensor<?x?x1024xi32>
  return %h : tensor<?x?x1024xi32>
}

// Weights of each head, which a thread block has room for, however many heads there are.
func.func @heads(%x: tensor<?x?x?x32xf32>, %init: tensor<?x1x?x32xf32>, %u: tensor<?x32x32xf32>) -> tensor<?x?x?x32xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?x?x32xf32>) init(%init : tensor<?x1x?x32xf32>) captures(%u : tensor<?x32x32xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?x?x32xf32>, %row: tensor<?x?x32xf32>, %w: tensor<?x32x32xf32>):
    %z = linalg.generic {
        indexing_maps = [affine_map<(n, h, j, k) -> (n, h, k)>, affine_map<(n, h, j, k) -> (h, k, j)>, affine_map<(n, h, j, k) -> (n, h, j)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%h1, %w : tensor<?x?x32xf32>, tensor<?x32x32xf32>) outs(%row : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x?x32xf32>
    scan.yield %z : tensor<?x?x32xf32>
  } -> tensor<?x?x?x32xf32>
  return %h : tensor<?x?x?x32xf32>
}

// The scalar of a branch is a selection, and a short loop over lanes is unrolled.
func.func @control(%x: tensor<?x5xi32>, %init: tensor<1x5xi32>) -> tensor<?x5xi32> {
  %h = scan.recurrence ins(%x : tensor<?x5xi32>) init(%init : tensor<1x5xi32>) dim = 0 reverse
      attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<5xi32>, %row: tensor<5xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0 : i32
    %first = tensor.extract %row[%c0] : tensor<5xi32>
    %is = arith.cmpi slt, %first, %zero : i32
    %sign = scf.if %is -> i32 {
      %m = arith.subi %zero, %first : i32
      scf.yield %m : i32
    } else {
      scf.yield %first : i32
    }
    %next = scf.for %l = %c1 to %c5 step %c1 iter_args(%r = %h1) -> (tensor<5xi32>) {
      %before = arith.subi %l, %c1 : index
      %left = tensor.extract %r[%before] : tensor<5xi32>
      %e = tensor.extract %row[%l] : tensor<5xi32>
      %twice = arith.addi %left, %left : i32
      %d = arith.subi %twice, %e : i32
      %s = arith.addi %d, %sign : i32
      %n = tensor.insert %s into %r[%l] : tensor<5xi32>
      scf.yield %n : tensor<5xi32>
    }
    scan.yield %next : tensor<5xi32>
  } -> tensor<?x5xi32>
  return %h : tensor<?x5xi32>
}

// Three rows back, in reverse, of which only the last ones are results: a ring of four.
func.func @ring(%x: tensor<?x?x5xi32>, %init: tensor<?x3x5xi32>, %m: tensor<5x5xi32>) -> tensor<?x3x5xi32> {
  %h, %last = scan.recurrence ins(%x : tensor<?x?x5xi32>) init(%init : tensor<?x3x5xi32>) captures(%m : tensor<5x5xi32>)
      dim = 1 reverse attributes {scan.schedule = #scan.step_launches} {
  ^bb0(%t: index, %h1: tensor<?x5xi32>, %h2: tensor<?x5xi32>, %h3: tensor<?x5xi32>, %row: tensor<?x5xi32>, %w: tensor<5x5xi32>):
    %sum = linalg.matmul ins(%h3, %w : tensor<?x5xi32>, tensor<5x5xi32>) outs(%row : tensor<?x5xi32>) -> tensor<?x5xi32>
    %next = arith.subi %sum, %h1 : tensor<?x5xi32>
    scan.yield %next : tensor<?x5xi32>
  } -> tensor<?x?x5xi32>, tensor<?x3x5xi32>
  return %last : tensor<?x3x5xi32>
}
