"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x64xf32>) -> tensor<4x64xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x64xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "tensor.empty"() : () -> tensor<4x64xf32>
    %2 = "tensor.empty"() : () -> tensor<4xf32>
    %3 = "linalg.fill"(%0, %2) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      "linalg.yield"(%arg3) : (f32) -> ()
    }) : (f32, tensor<4xf32>) -> tensor<4xf32>
    %4:2 = "iree_linalg_ext.scan"(%arg0, %1, %3) <{dimension = 1 : i64, inclusive = false}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %5 = "arith.addf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "iree_linalg_ext.yield"(%5) : (f32) -> ()
    }) : (tensor<4x64xf32>, tensor<4x64xf32>, tensor<4xf32>) -> (tensor<4x64xf32>, tensor<4xf32>)
    "func.return"(%4#0) : (tensor<4x64xf32>) -> ()
  }) : () -> ()
}) : () -> ()

