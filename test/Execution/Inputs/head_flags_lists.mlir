// The program of head_flags_lists.py.

// Flags and numbers of one list, of a static extent and of a dynamic one.
func.func @each(%o: tensor<?xi32>, %p: tensor<?xi64>, %x: tensor<?xi8>)
    -> (tensor<7xi1>, tensor<7xi1>, tensor<?xi1>, tensor<?xi1>, tensor<7xi32>, tensor<7xi64>, tensor<?xi64>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi8>
  %0 = scan.head_flags %o : tensor<?xi32> -> tensor<7xi1>
  %1 = scan.head_flags %o reverse : tensor<?xi32> -> tensor<7xi1>
  %2 = scan.head_flags %p extent(%n) : tensor<?xi64> -> tensor<?xi1>
  %3 = scan.head_flags %p extent(%n) reverse : tensor<?xi64> -> tensor<?xi1>
  %4 = scan.head_flags %o : tensor<?xi32> -> tensor<7xi32>
  %5 = scan.head_flags %o reverse : tensor<?xi32> -> tensor<7xi64>
  %6 = scan.head_flags %p extent(%n) : tensor<?xi64> -> tensor<?xi64>
  %7 = scan.head_flags %p extent(%n) reverse : tensor<?xi64> -> tensor<?xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<7xi1>, tensor<7xi1>, tensor<?xi1>, tensor<?xi1>, tensor<7xi32>, tensor<7xi64>, tensor<?xi64>, tensor<?xi32>
}

// Lists of static extent.

func.func @static(%a: tensor<3xi64>, %b: tensor<1xi32>, %c: tensor<0xi32>)
    -> (tensor<7xi1>, tensor<7xi1>, tensor<7xi32>, tensor<7xi1>, tensor<7xi1>, tensor<7xi32>, tensor<7xi1>, tensor<7xi32>) {
  %0 = scan.head_flags %a : tensor<3xi64> -> tensor<7xi1>
  %1 = scan.head_flags %a reverse : tensor<3xi64> -> tensor<7xi1>
  %2 = scan.head_flags %a reverse : tensor<3xi64> -> tensor<7xi32>
  %3 = scan.head_flags %b : tensor<1xi32> -> tensor<7xi1>
  %4 = scan.head_flags %b reverse : tensor<1xi32> -> tensor<7xi1>
  %5 = scan.head_flags %b : tensor<1xi32> -> tensor<7xi32>
  %6 = scan.head_flags %c reverse : tensor<0xi32> -> tensor<7xi1>
  %7 = scan.head_flags %c reverse : tensor<0xi32> -> tensor<7xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<7xi1>, tensor<7xi1>, tensor<7xi32>, tensor<7xi1>, tensor<7xi1>, tensor<7xi32>, tensor<7xi1>, tensor<7xi32>
}

// Single scans: kernels look up flags of their own direction in the list, and of flags of the other one 64 steps
// share a bisection. In the blocks of a grid, too.

func.func @scans(%x: tensor<?xi32>, %o: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %f = scan.head_flags %o extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %r = scan.head_flags %o extent(%n) reverse : tensor<?xi32> -> tensor<?xi1>
  %0 = scan.linear_recurrence ins(%x, %x : tensor<?xi32>, tensor<?xi32>) segments(%f : tensor<?xi1>) dim = 0 -> tensor<?xi32>
  %1 = scan.linear_recurrence ins(%x, %x : tensor<?xi32>, tensor<?xi32>) segments(%r : tensor<?xi1>) dim = 0 reverse -> tensor<?xi32>
  %2 = scan.linear_recurrence ins(%0, %x : tensor<?xi32>, tensor<?xi32>) segments(%r : tensor<?xi1>) dim = 0 -> tensor<?xi32>
  %3 = scan.linear_recurrence ins(%1, %x : tensor<?xi32>, tensor<?xi32>) segments(%f : tensor<?xi1>) dim = 0 reverse -> tensor<?xi32>
  return %0, %1, %2, %3 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// Kernels that read flags and numbers of one list do not read flags from numbers: at the end of the last segment
// there is a flag, and no number. There the init is zero.

func.func @inits(%x: tensor<?x5xi32>, %h: tensor<?x5xi32>, %o: tensor<?xi32>, %all: tensor<?xi32>) -> (tensor<?x5xi32>, tensor<?x5xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xi32>
  %f = scan.head_flags %o extent(%n) : tensor<?xi32> -> tensor<?xi1>
  %at = scan.head_flags %o extent(%n) : tensor<?xi32> -> tensor<?xi32>
  %g = func.call @gather(%at, %h) : (tensor<?xi32>, tensor<?x5xi32>) -> tensor<?x5xi32>
  %0 = scan.linear_recurrence ins(%x, %x : tensor<?x5xi32>, tensor<?x5xi32>) init(%g : tensor<?x5xi32>)
      segments(%f : tensor<?xi1>) dim = 0 -> tensor<?x5xi32>
  %1 = scan.linear_recurrence ins(%0, %x : tensor<?x5xi32>, tensor<?x5xi32>) segments(%all : tensor<?xi32>) dim = 0 -> tensor<?x5xi32>
  return %0, %1 : tensor<?x5xi32>, tensor<?x5xi32>
}

func.func @reverse(%x: tensor<?x5xi32>, %h: tensor<?x5xi32>, %o: tensor<?xi32>, %all: tensor<?xi32>) -> (tensor<?x5xi32>, tensor<?x5xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xi32>
  %f = scan.head_flags %o extent(%n) reverse : tensor<?xi32> -> tensor<?xi1>
  %at = scan.head_flags %o extent(%n) reverse : tensor<?xi32> -> tensor<?xi32>
  %g = func.call @gather(%at, %h) : (tensor<?xi32>, tensor<?x5xi32>) -> tensor<?x5xi32>
  %0 = scan.linear_recurrence ins(%x, %x : tensor<?x5xi32>, tensor<?x5xi32>) init(%g : tensor<?x5xi32>)
      segments(%f : tensor<?xi1>) dim = 0 reverse -> tensor<?x5xi32>
  %1 = scan.linear_recurrence ins(%0, %x : tensor<?x5xi32>, tensor<?x5xi32>) segments(%all : tensor<?xi32>) dim = 0 reverse -> tensor<?x5xi32>
  return %0, %1 : tensor<?x5xi32>, tensor<?x5xi32>
}

func.func private @gather(%at: tensor<?xi32>, %h: tensor<?x5xi32>) -> tensor<?x5xi32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %n = tensor.dim %at, %c0 : tensor<?xi32>
  %s = tensor.dim %h, %c0 : tensor<?x5xi32>
  %e = tensor.empty(%n) : tensor<?x5xi32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%at : tensor<?xi32>) outs(%e : tensor<?x5xi32>) {
  ^bb0(%k: i32, %out: i32):
    %p = arith.index_cast %k : i32 to index
    %is = arith.cmpi ult, %p, %s : index
    %c = linalg.index 1 : index
    %r = scf.if %is -> i32 {
      %v = tensor.extract %h[%p, %c] : tensor<?x5xi32>
      scf.yield %v : i32
    } else {
      scf.yield %none : i32
    }
    linalg.yield %r : i32
  } -> tensor<?x5xi32>
  return %g : tensor<?x5xi32>
}

// A list that a scan checks says nothing of flags of more steps.

func.func @more(%x: tensor<9x5xi32>, %o: tensor<?xi32>) -> (tensor<9x5xi32>, tensor<12xi1>, tensor<8xi1>) {
  %0 = scan.linear_recurrence ins(%x, %x : tensor<9x5xi32>, tensor<9x5xi32>) segments(%o : tensor<?xi32>) dim = 0 -> tensor<9x5xi32>
  %1 = scan.head_flags %o : tensor<?xi32> -> tensor<12xi1>
  %2 = scan.head_flags %o reverse : tensor<?xi32> -> tensor<8xi1>
  return %0, %1, %2 : tensor<9x5xi32>, tensor<12xi1>, tensor<8xi1>
}
