// Layers of an image, the right one over the left one, with colours that are
// multiplied by alpha already (Porter and Duff, Compositing Digital Images, SIGGRAPH
// 1984). (With colours that are not: alpha_over_straight.)
//
// VERDICT: proved up to rounding

func.func @alpha_over(%color: tensor<?xf32>, %alpha: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %y_color, %y_alpha = scan.associative
      ins(%color, %alpha : tensor<?xf32>, tensor<?xf32>) dim = 0 {
  ^bb0(%color0: f32, %alpha0: f32, %color1: f32, %alpha1: f32):
    %one = arith.constant 1.0 : f32
    %through = arith.subf %one, %alpha1 : f32
    %c = arith.mulf %color0, %through : f32
    %a = arith.mulf %alpha0, %through : f32
    %r = arith.addf %c, %color1 : f32
    %s = arith.addf %a, %alpha1 : f32
    scan.yield %r, %s : f32, f32
  } -> tensor<?xf32>, tensor<?xf32>
  return %y_color, %y_alpha : tensor<?xf32>, tensor<?xf32>
}
