#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
"builtin.module"() <{sym_name = "jit_loop"}> ({
  "func.func"() <{function_type = (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x64xf32>, %arg1: tensor<4x64xf32>):
    %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 3 : index}> : () -> index
    %4 = "arith.constant"() <{value = 0 : index}> : () -> index
    %5 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "tensor.empty"() : () -> tensor<64xf32>
    %7 = "linalg.generic"(%5, %6) <{indexing_maps = [#map, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32):
      "linalg.yield"(%arg15) : (f32) -> ()
    }) : (tensor<f32>, tensor<64xf32>) -> tensor<64xf32>
    %8 = "tensor.empty"() : () -> tensor<4x64xf32>
    %9 = "linalg.generic"(%5, %8) <{indexing_maps = [#map2, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32):
      "linalg.yield"(%arg13) : (f32) -> ()
    }) : (tensor<f32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    %10:2 = "scf.for"(%2, %1, %0, %7, %9) ({
    ^bb0(%arg2: i32, %arg3: tensor<64xf32>, %arg4: tensor<4x64xf32>):
      %11 = "arith.index_cast"(%arg2) : (i32) -> index
      %12 = "arith.maxsi"(%11, %4) : (index, index) -> index
      %13 = "arith.minsi"(%12, %3) : (index, index) -> index
      %14 = "tensor.extract_slice"(%arg0, %13) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 64>, static_strides = array<i64: 1, 1>}> : (tensor<4x64xf32>, index) -> tensor<1x64xf32>
      %15 = "tensor.collapse_shape"(%14) <{reassociation = [[0, 1]]}> : (tensor<1x64xf32>) -> tensor<64xf32>
      %16 = "arith.index_cast"(%arg2) : (i32) -> index
      %17 = "arith.maxsi"(%16, %4) : (index, index) -> index
      %18 = "arith.minsi"(%17, %3) : (index, index) -> index
      %19 = "tensor.extract_slice"(%arg1, %18) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 64>, static_strides = array<i64: 1, 1>}> : (tensor<4x64xf32>, index) -> tensor<1x64xf32>
      %20 = "tensor.collapse_shape"(%19) <{reassociation = [[0, 1]]}> : (tensor<1x64xf32>) -> tensor<64xf32>
      %21 = "tensor.empty"() : () -> tensor<64xf32>
      %22 = "linalg.generic"(%15, %arg3, %21) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg10: f32, %arg11: f32, %arg12: f32):
        %32 = "arith.mulf"(%arg10, %arg11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%32) : (f32) -> ()
      }) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %23 = "tensor.empty"() : () -> tensor<64xf32>
      %24 = "linalg.generic"(%22, %20, %23) <{indexing_maps = [#map1, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg7: f32, %arg8: f32, %arg9: f32):
        %31 = "arith.addf"(%arg7, %arg8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%31) : (f32) -> ()
      }) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %25 = "tensor.empty"() : () -> tensor<1x64xf32>
      %26 = "linalg.generic"(%24, %25) <{indexing_maps = [#map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg5: f32, %arg6: f32):
        "linalg.yield"(%arg5) : (f32) -> ()
      }) : (tensor<64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
      %27 = "arith.index_cast"(%arg2) : (i32) -> index
      %28 = "arith.maxsi"(%27, %4) : (index, index) -> index
      %29 = "arith.minsi"(%28, %3) : (index, index) -> index
      %30 = "tensor.insert_slice"(%26, %arg4, %29) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 64>, static_strides = array<i64: 1, 1>}> : (tensor<1x64xf32>, tensor<4x64xf32>, index) -> tensor<4x64xf32>
      "scf.yield"(%24, %30) : (tensor<64xf32>, tensor<4x64xf32>) -> ()
    }) : (i32, i32, i32, tensor<64xf32>, tensor<4x64xf32>) -> (tensor<64xf32>, tensor<4x64xf32>)
    "func.return"(%10#1) : (tensor<4x64xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()

