//===- Passes.td - Proving operators associative -----------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_PROVE_PASSES_TD
#define SCAN_PROVE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScanProveAssociativity : Pass<"scan-prove-associativity", "::mlir::ModuleOp"> {
  let summary = "prove combine regions associative, or show a counterexample";
  let description = [{
    Asks an SMT solver, z3, for a counterexample to (a∘b)∘c = a∘(b∘c), where ∘ is
    the combine region of a `scan.associative`. Integers are bit vectors with the
    semantics of `arith`. Floats are real numbers, so that a proof holds up to
    rounding; in a region that only compares, chooses and negates floats they are
    the numbers of IEEE 754, with infinities, signed zeros and NaN. A product of
    exponentials is the exponential of a sum, which decides softmax and its
    relatives. Of other functions the solver knows that equal arguments give equal
    results.

    A remark at the operation says what was found, and so does the attribute
    `scan.associativity`; an operation that has it is passed over.

    *   `"proved"`: exactly.
    *   `"proved_up_to_rounding"`: of real numbers.
    *   `"refuted"`: an error (or, with `refuted=warning`, a warning) says a, b
        and c, and both results, as the reference interpreter computes them. What
        the interpreter does not confirm is not reported.
    *   `"unknown"`: the solver did not come to an answer, there is no solver, or
        the region has an operation that has no translation. Then 10,000 random and
        special triples are evaluated by the reference interpreter. One on which the
        results differ, by more than rounding explains, refutes the operator.

    With `mode=random` these triples are all that is asked, and nothing is said of
    operators on which they agree.

    With `order = sequential` a scan is its left fold, and no operator of it is
    looked at.

    A proof does not speak of values for which the operator has no result, which
    the remark then names: overflow that a flag excludes, shifts by the width or
    more, divisions by 0.

    z3 is a program of its own (Debian's package `z3`, or `z3-solver` for Python).
    Without it only operators on few values are decided: where all leaves together
    have at most 256, the reference interpreter evaluates all triples.

    Before:

    ```mlir
    func.func @add_mod_256(%x: tensor<?xi8>) -> tensor<?xi8> {
      %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {
      ^bb0(%acc: i8, %new: i8):
        %s = arith.addi %acc, %new : i8
        scan.yield %s : i8
      } -> tensor<?xi8>
      return %y : tensor<?xi8>
    }
    ```

    After `--scan-prove-associativity`:

    ```mlir
    func.func @add_mod_256(%arg0: tensor<?xi8>) -> tensor<?xi8> {
      %0 = scan.associative ins(%arg0 : tensor<?xi8>) dim = 0
          attributes {scan.associativity = "proved"} {
      ^bb0(%arg1: i8, %arg2: i8):
        %1 = arith.addi %arg1, %arg2 : i8
        scan.yield %1 : i8
      } -> tensor<?xi8>
      return %0 : tensor<?xi8>
    }
    ```
  }];
  let options = [
    Option<"mode", "mode", "::mlir::scan::ProveMode",
           /*default=*/"::mlir::scan::ProveMode::SMT",
           "What is asked: off (nothing), random (triples only) or smt (the solver, "
           "and random triples where it does not decide)",
           "::mlir::scan::getProveModeValues()">,
    Option<"randomTriples", "random-triples", "unsigned", "10000",
           "How many random triples are evaluated">,
    Option<"seed", "seed", "uint64_t", "0", "Which random triples these are">,
    Option<"exact", "exact", "bool", "false",
           "Random triples have NaN among them, infinities and the largest numbers, "
           "too, and results have to be the same numbers, not only up to rounding">,
    Option<"z3", "z3", "std::string", "\"\"",
           "Path of z3 (default: z3 in PATH, or in the active environment of Python)">,
    Option<"timeout", "timeout", "unsigned", "5",
           "Seconds for one operation and all that is asked about it, by the clock and "
           "of processor time">,
    Option<"emitSMT", "emit-smt", "std::string", "\"\"",
           "Folder for the scripts that z3 is given, one file per question; it is "
           "made if it does not exist">,
    Option<"writeOnly", "write-only", "bool", "false",
           "Only write the scripts of emit-smt: z3 is not asked, nothing is said of "
           "operators, and none is marked">,
    Option<"refuted", "refuted", "std::string", "\"error\"",
           "What an operator that is not associative is: error or warning">,
    Option<"properties", "properties", "bool", "false",
           "Also say whether operators are commutative and idempotent, what their "
           "identity is, and whether they pass NaN on; what of it holds to the bit is "
           "kept in the attribute scan.operator, which later passes use">
  ];
  let statistics = [
    Statistic<"numProved", "operators-proved", "Operators proved associative">,
    Statistic<"numRefuted", "operators-refuted", "Operators with a counterexample">,
    Statistic<"numUnknown", "operators-unknown", "Operators without an answer">
  ];
}

#endif // SCAN_PROVE_PASSES_TD
