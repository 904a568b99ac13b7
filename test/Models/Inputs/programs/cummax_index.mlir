// The largest element so far and where it was first seen: the index tensor is an iota.

func.func @cummax_index(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %time = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%rows, %time) : tensor<?x?xi32>
  %iota = linalg.generic {indexing_maps = [affine_map<(b, t) -> (b, t)>], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<?x?xi32>) {
  ^bb0(%out: i32):
    %t = linalg.index 1 : index
    %i = arith.index_cast %t : index to i32
    linalg.yield %i : i32
  } -> tensor<?x?xi32>
  %m, %i = scan.associative ins(%x, %iota : tensor<?x?xf32>, tensor<?x?xi32>) dim = 1 {
  ^bb0(%x0: f32, %i0: i32, %x1: f32, %i1: i32):
    %larger = arith.cmpf ogt, %x1, %x0 : f32
    %r = arith.select %larger, %x1, %x0 : f32
    %s = arith.select %larger, %i1, %i0 : i32
    scan.yield %r, %s : f32, i32
  } -> tensor<?x?xf32>, tensor<?x?xi32>
  return %m, %i : tensor<?x?xf32>, tensor<?x?xi32>
}
