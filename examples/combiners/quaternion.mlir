// Hamilton's product of quaternions w + xi + yj + zk: the orientation after a chain of
// rotations (Shoemake, Animating Rotation with Quaternion Curves, SIGGRAPH 1985).
//
// VERDICT: proved up to rounding

func.func @quaternion(%q: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = scan.associative ins(%q : tensor<?x4xf32>) dim = 0 {
  ^bb0(%q0: tensor<4xf32>, %q1: tensor<4xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %w0 = tensor.extract %q0[%c0] : tensor<4xf32>
    %x0 = tensor.extract %q0[%c1] : tensor<4xf32>
    %y0 = tensor.extract %q0[%c2] : tensor<4xf32>
    %z0 = tensor.extract %q0[%c3] : tensor<4xf32>
    %w1 = tensor.extract %q1[%c0] : tensor<4xf32>
    %x1 = tensor.extract %q1[%c1] : tensor<4xf32>
    %y1 = tensor.extract %q1[%c2] : tensor<4xf32>
    %z1 = tensor.extract %q1[%c3] : tensor<4xf32>
    %w_ww = arith.mulf %w0, %w1 : f32
    %w_xx = arith.mulf %x0, %x1 : f32
    %w_1 = arith.subf %w_ww, %w_xx : f32
    %w_yy = arith.mulf %y0, %y1 : f32
    %w_2 = arith.subf %w_1, %w_yy : f32
    %w_zz = arith.mulf %z0, %z1 : f32
    %w_3 = arith.subf %w_2, %w_zz : f32
    %x_wx = arith.mulf %w0, %x1 : f32
    %x_xw = arith.mulf %x0, %w1 : f32
    %x_1 = arith.addf %x_wx, %x_xw : f32
    %x_yz = arith.mulf %y0, %z1 : f32
    %x_2 = arith.addf %x_1, %x_yz : f32
    %x_zy = arith.mulf %z0, %y1 : f32
    %x_3 = arith.subf %x_2, %x_zy : f32
    %y_wy = arith.mulf %w0, %y1 : f32
    %y_xz = arith.mulf %x0, %z1 : f32
    %y_1 = arith.subf %y_wy, %y_xz : f32
    %y_yw = arith.mulf %y0, %w1 : f32
    %y_2 = arith.addf %y_1, %y_yw : f32
    %y_zx = arith.mulf %z0, %x1 : f32
    %y_3 = arith.addf %y_2, %y_zx : f32
    %z_wz = arith.mulf %w0, %z1 : f32
    %z_xy = arith.mulf %x0, %y1 : f32
    %z_1 = arith.addf %z_wz, %z_xy : f32
    %z_yx = arith.mulf %y0, %x1 : f32
    %z_2 = arith.subf %z_1, %z_yx : f32
    %z_zw = arith.mulf %z0, %w1 : f32
    %z_3 = arith.addf %z_2, %z_zw : f32
    %r = tensor.from_elements %w_3, %x_3, %y_3, %z_3 : tensor<4xf32>
    scan.yield %r : tensor<4xf32>
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
