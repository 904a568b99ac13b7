#map = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x64xf32>, %arg1: tensor<4x64xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %2 = "tensor.empty"() : () -> tensor<4x64xf32>
    %3 = "linalg.generic"(%arg1, %2) <{indexing_maps = [#map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      %11 = "arith.negf"(%arg11) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %12 = "math.exp"(%11) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %13 = "arith.addf"(%12, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %14 = "arith.divf"(%1, %13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%14) : (f32) -> ()
    }) : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    %4 = "linalg.generic"(%arg0, %3, %2) <{indexing_maps = [#map, #map, #map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32, %arg10: f32):
      %10 = "arith.mulf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%10) : (f32) -> ()
    }) : (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    %5 = "linalg.fill"(%0, %2) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      "linalg.yield"(%arg6) : (f32) -> ()
    }) : (f32, tensor<4x64xf32>) -> tensor<4x64xf32>
    %6 = "tensor.empty"() : () -> tensor<4xf32>
    %7 = "linalg.fill"(%0, %6) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      "linalg.yield"(%arg4) : (f32) -> ()
    }) : (f32, tensor<4xf32>) -> tensor<4xf32>
    %8:2 = "tm_tensor.scan"(%4, %5, %7) <{dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %9 = "arith.addf"(%arg2, %arg3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tm_tensor.yield"(%9) : (f32) -> ()
    }) : (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4xf32>) -> (tensor<4x64xf32>, tensor<4xf32>)
    "func.return"(%8#0) : (tensor<4x64xf32>) -> ()
  }) : () -> ()
}) : () -> ()
