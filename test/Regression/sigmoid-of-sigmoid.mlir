// The argument of a sigmoid is a sigmoid that is replaced first.

// RUN: scan-run %s --target=emulator --compare=reference --tolerance=4e-6 --input=random:f32:77:1:-3:3

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %one = arith.constant 1.0 : f32
  %ones = tensor.splat %one[%n] : tensor<?xf32>
  %t0 = arith.negf %x : tensor<?xf32>
  %t1 = math.exp %t0 : tensor<?xf32>
  %t2 = arith.addf %t1, %ones : tensor<?xf32>
  %t3 = arith.divf %ones, %t2 : tensor<?xf32>
  %t4 = arith.negf %t3 : tensor<?xf32>
  %t5 = math.exp %t4 : tensor<?xf32>
  %t6 = arith.addf %t5, %ones : tensor<?xf32>
  %t7 = arith.divf %ones, %t6 : tensor<?xf32>
  %y = scan.associative ins(%t7 : tensor<?xf32>) dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
