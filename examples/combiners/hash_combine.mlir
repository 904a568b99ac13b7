// Wrong: a hash that mixes the next value into a seed (as boost::hash_combine does)
// depends on the order by design, and on the brackets as well. Use rolling_hash.
//
// VERDICT: refuted

func.func @hash_combine(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%x0: i32, %x1: i32):
    %golden = arith.constant 0x9e3779b9 : i32
    %six = arith.constant 6 : i32
    %two = arith.constant 2 : i32
    %left = arith.shli %x0, %six : i32
    %right = arith.shrui %x0, %two : i32
    %a = arith.addi %x1, %golden : i32
    %b = arith.addi %a, %left : i32
    %c = arith.addi %b, %right : i32
    %r = arith.xori %x0, %c : i32
    scan.yield %r : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
