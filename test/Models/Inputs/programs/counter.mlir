// A first-order delta-sigma modulator: the bits that carry out of a phase accumulator, which is the difference of
// neighbouring sums without their low 8 bits.

func.func @counter(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %x, %c1 : tensor<?x?xi32>
  %size_b = tensor.dim %x, %c0 : tensor<?x?xi32>
  %s = scan.associative ins(%x : tensor<?x?xi32>) dim = 1 {
  ^bb0(%a0: i32, %b0: i32):
    %r = arith.addi %a0, %b0 : i32
    scan.yield %r : i32
  } -> tensor<?x?xi32>
  %zero = arith.constant 0 : i32
  %z = scan.associative ins(%x : tensor<?x?xi32>) init(%zero : i32) dim = 1 exclusive {
  ^bb0(%a0: i32, %b0: i32):
    %r = arith.addi %a0, %b0 : i32
    scan.yield %r : i32
  } -> tensor<?x?xi32>
  %y_dest = tensor.empty(%size_b, %size_t) : tensor<?x?xi32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>,
                       affine_map<(b, t) -> (b, t)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%s, %z : tensor<?x?xi32>, tensor<?x?xi32>)
      outs(%y_dest : tensor<?x?xi32>) {
  ^bb0(%e0: i32, %e1: i32, %out0: i32):
    %eight = arith.constant 8 : i32
    %hi = arith.shrsi %e0, %eight : i32
    %lo = arith.shrsi %e1, %eight : i32
    %d = arith.subi %hi, %lo : i32
    linalg.yield %d : i32
  } -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
