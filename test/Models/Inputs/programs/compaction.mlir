// Stream compaction: the elements that are kept, one after the other; where each goes is the number of those before it.

func.func @compaction(%keep: tensor<?xi1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %size_t = tensor.dim %keep, %c0 : tensor<?xi1>
  %one_dest = tensor.empty(%size_t) : tensor<?xi32>
  %one = linalg.generic {
      indexing_maps = [affine_map<(t) -> (t)>,
                       affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]}
      ins(%keep : tensor<?xi1>)
      outs(%one_dest : tensor<?xi32>) {
  ^bb0(%e0: i1, %out0: i32):
    %r = arith.extui %e0 : i1 to i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  %none = arith.constant 0 : i32
  %before = scan.associative ins(%one : tensor<?xi32>) init(%none : i32) dim = 0 exclusive {
  ^bb0(%a0: i32, %b0: i32):
    %r = arith.addi %a0, %b0 : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  %place_dest = tensor.empty(%size_t) : tensor<?xi32>
  %place = linalg.generic {
      indexing_maps = [affine_map<(t) -> (t)>,
                       affine_map<(t) -> (t)>,
                       affine_map<(t) -> (t)>],
      iterator_types = ["parallel"]}
      ins(%keep, %before : tensor<?xi1>, tensor<?xi32>)
      outs(%place_dest : tensor<?xi32>) {
  ^bb0(%e0: i1, %e1: i32, %out0: i32):
    %out = arith.constant -1 : i32
    %r = arith.select %e0, %e1, %out : i32
    linalg.yield %r : i32
  } -> tensor<?xi32>
  %zeros_value = arith.constant 0.0 : f32
  %zeros_empty = tensor.empty(%size_t) : tensor<?xf32>
  %zeros = linalg.fill ins(%zeros_value : f32) outs(%zeros_empty : tensor<?xf32>) -> tensor<?xf32>
  %y = scan.scatter %x into %zeros at %place dim = 0 : tensor<?xf32> into tensor<?xf32> at tensor<?xi32>
  return %y : tensor<?xf32>
}
