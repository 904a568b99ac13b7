// RUN: scan-run %s --entry=segments --target=cpu --compare=reference --input=values:i1:4:0,1,0,0 --input=random:i32:4:1 --input=values:i32:4:0,2,2,4 --input=values:i1::1 --input=values:i32::7

// A scan.clone in a branch of a combine region, which is also computed outside of any
// kernel: on the inits and the states of segments.
func.func @segments(%f: tensor<?xi1>, %x: tensor<?xi32>, %s: tensor<4xi32>, %if: i1, %ix: i32) -> (tensor<3xi1>, tensor<3xi32>) {
  %r:4 = scan.associative ins(%f, %x : tensor<?xi1>, tensor<?xi32>) init(%if, %ix : i1, i32) segments(%s : tensor<4xi32>) dim = 0 exclusive {
  ^bb0(%p: i1, %a: i32, %q: i1, %b: i32):
    %h = arith.ori %p, %q : i1
    %c = scf.if %q -> (i32) {
      scf.yield %b : i32
    } else {
      %t = scan.clone %a : i32
      scf.yield %t : i32
    }
    scan.yield %h, %c : i1, i32
  } -> tensor<?xi1>, tensor<?xi32>, tensor<3xi1>, tensor<3xi32>
  return %r#2, %r#3 : tensor<3xi1>, tensor<3xi32>
}
