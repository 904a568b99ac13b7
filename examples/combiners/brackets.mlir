// Brackets that a stretch of text leaves unmatched: so many closing ones, then so many
// opening ones. What the left stretch opens, the right one closes. This is the
// bicyclic monoid, with which brackets are matched in parallel (Bar-On and Vishkin,
// Optimal Parallel Generation of a Computation Tree Form, ACM TOPLAS 7, 1985). Counts
// are not negative, and none may overflow (`nsw`).
//
// VERDICT: proved exactly

func.func @brackets(%close: tensor<?xi32>, %open: tensor<?xi32>)
    -> (tensor<?xi32>, tensor<?xi32>) {
  %y_close, %y_open = scan.associative
      ins(%close, %open : tensor<?xi32>, tensor<?xi32>) dim = 0
      attributes {scan.assume = [#scan.invariant<leaf = 0, ge = 0>,
                                #scan.invariant<leaf = 1, ge = 0>]} {
  ^bb0(%close0: i32, %open0: i32, %close1: i32, %open1: i32):
    %matched = arith.minsi %open0, %close1 : i32
    %left = arith.subi %close1, %matched overflow<nsw> : i32
    %right = arith.subi %open0, %matched overflow<nsw> : i32
    %r = arith.addi %close0, %left overflow<nsw> : i32
    %s = arith.addi %right, %open1 overflow<nsw> : i32
    scan.yield %r, %s : i32, i32
  } -> tensor<?xi32>, tensor<?xi32>
  return %y_close, %y_open : tensor<?xi32>, tensor<?xi32>
}
