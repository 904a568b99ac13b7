// Wrong: alpha_over with colours that are not multiplied by alpha. The background of
// two layers together has no single colour with which this could be right.
//
// VERDICT: refuted

func.func @alpha_over_straight(%color: tensor<?xf32>, %alpha: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y_color, %y_alpha = scan.associative
      ins(%color, %alpha : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%color0: f32, %alpha0: f32, %color1: f32, %alpha1: f32):
    %one = arith.constant 1.0 : f32
    %through = arith.subf %one, %alpha1 : f32
    %c = arith.mulf %color0, %through : f32
    %d = arith.mulf %color1, %alpha1 : f32
    %r = arith.addf %c, %d : f32
    %a = arith.mulf %alpha0, %through : f32
    %s = arith.addf %a, %alpha1 : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_color, %y_alpha : tensor<?xf32>, tensor<?xf32>
}
