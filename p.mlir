#map = affine_map<(d0) -> (d0)>
module {
  func.func @scan(%arg0: tensor<65536x2x2xf32>) -> tensor<65536x2x2xf32> {
    %0 = tensor.empty() : tensor<65536x2x2xf32>
    %1 = scan.kernel dim = 0
        ins(%arg0 : tensor<65536x2x2xf32>) outs(%0 : tensor<65536x2x2xf32>)
        maps [#map, #map] attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 8, rows = 1, scope = grid>}
        load {
        ^bb0(%arg1: f32, %arg2: f32, %arg3: f32, %arg4: f32):
          scan.yield %arg1, %arg2, %arg3, %arg4 : f32, f32, f32, f32
        } combine {
        ^bb0(%arg1: f32, %arg2: f32, %arg3: f32, %arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32, %arg8: f32):
          %cst = arith.constant 0.000000e+00 : f32
          %2 = arith.mulf %arg1, %arg5 : f32
          %3 = arith.addf %2, %cst : f32
          %4 = arith.mulf %arg2, %arg7 : f32
          %5 = arith.addf %3, %4 : f32
          %6 = arith.mulf %arg1, %arg6 : f32
          %7 = arith.addf %6, %cst : f32
          %8 = arith.mulf %arg2, %arg8 : f32
          %9 = arith.addf %7, %8 : f32
          %10 = arith.mulf %arg3, %arg5 : f32
          %11 = arith.addf %10, %cst : f32
          %12 = arith.mulf %arg4, %arg7 : f32
          %13 = arith.addf %11, %12 : f32
          %14 = arith.mulf %arg3, %arg6 : f32
          %15 = arith.addf %14, %cst : f32
          %16 = arith.mulf %arg4, %arg8 : f32
          %17 = arith.addf %15, %16 : f32
          scan.yield %5, %9, %13, %17 : f32, f32, f32, f32
        } store {
        ^bb0(%arg1: f32, %arg2: f32, %arg3: f32, %arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32, %arg8: f32, %arg9: f32, %arg10: f32, %arg11: f32, %arg12: f32):
          scan.yield %arg1, %arg2, %arg3, %arg4 : f32, f32, f32, f32
        } -> tensor<65536x2x2xf32>
    return %1 : tensor<65536x2x2xf32>
  }
}

