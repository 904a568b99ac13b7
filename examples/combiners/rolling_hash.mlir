// Hash of the concatenation of two strings, and the power of the base that their
// length stands for, mod 2^64 (Karp and Rabin, Efficient Randomized Pattern-Matching
// Algorithms, IBM Journal of Research and Development 31, 1987).
//
// VERDICT: proved exactly

func.func @rolling_hash(%hash: tensor<?xi64>, %power: tensor<?xi64>)
    -> (tensor<?xi64>, tensor<?xi64>) {
  %y_hash, %y_power = scan.associative
      ins(%hash, %power : tensor<?xi64>, tensor<?xi64>) dim = 0 {
  ^bb0(%hash0: i64, %power0: i64, %hash1: i64, %power1: i64):
    %shifted = arith.muli %hash0, %power1 : i64
    %r = arith.addi %shifted, %hash1 : i64
    %s = arith.muli %power0, %power1 : i64
    scan.yield %r, %s : i64, i64
  } -> tensor<?xi64>, tensor<?xi64>
  return %y_hash, %y_power : tensor<?xi64>, tensor<?xi64>
}
