//===- ScanRecurrenceSchedule.td - Schedules of steps ------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule of a scan.recurrence as loops of a CPU: discardable attributes,
// declared in RecurrenceSchedule.h.
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANRECURRENCESCHEDULE_TD
#define SCAN_IR_SCANRECURRENCESCHEDULE_TD

include "mlir/IR/AttrTypeBase.td"
include "Scan/IR/ScanDialect.td"

def Scan_LoopsAttr : AttrDef<Scan_Dialect, "Loops"> {
  let mnemonic = "loops";
  let summary = "how the loop over time of a recurrence is made";
  let description = [{
    The discardable attribute `scan.loops` of a `scan.recurrence`: on a CPU its steps
    become the loop over time of `--convert-recurrence-to-loops`, whatever else they
    could become (`--scan-raise-recurrence`, `--convert-recurrence-to-scans`). Results
    do not depend on it.

    *   `unroll`: how many steps an iteration of that loop computes, 1 to 64; steps that
        are left over have a loop of their own.

    ```mlir
    #scan.loops<unroll = 4>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"unsigned", "1", "steps per iteration">:$unroll
  );
  let assemblyFormat = "`<` struct(custom<Count>($unroll)) `>`";
  let genVerifyDecl = 1;
}

def Scan_StageAttr : AttrDef<Scan_Dialect, "Stage"> {
  let mnemonic = "stage";
  let summary = "how a stage of a step is computed";
  let description = [{
    A *stage* is an operation in the body of a `scan.recurrence` that computes a tensor:
    elementwise code, or an operation of `linalg`. The discardable attribute `scan.stage`
    says how it is computed where the recurrence becomes loops on a CPU, as `scan.loops`
    does; a recurrence with such a stage needs no `scan.loops`. Results do not depend on
    it. Without it a stage is computed as a whole, behind the stages in front of it.

    *   `split`: a factor for each dimension of what the stage computes, or for the
        first few of them: loops over parts of that many elements, the first dimension's
        outermost; 0 leaves a dimension whole. (`split` of TVM.)
    *   `vector`: how many neighbours along the last dimension are computed as one
        vector, a power of two up to 64; what is left over is computed element by
        element. (`vectorize` of TVM.)
    *   `inside`: the stage is computed part by part within the loops of the only stage
        that reads it, which has a split or a vector, or is itself inside of another.
        A part is read by the same part of the reader only, lane by lane. (`compute_at`
        of TVM; without it the stage is in front of its reader, as by `compute_root`.)

    ```mlir
    #scan.stage<split = [32]>
    ```

    ```mlir
    #scan.stage<split = [0, 32], vector = 8>
    ```

    ```mlir
    #scan.stage<inside>
    ```
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"unsigned", "a factor per dimension">:$split,
    DefaultValuedParameter<"unsigned", "1", "elements of a vector">:$vector,
    DefaultValuedParameter<"bool", "false", "within its reader's loops">:$inside
  );
  let extraClassDeclaration = [{
    /// Whether the stage has loops of its own over parts.
    bool hasLoops() const {
      return getVector() > 1 ||
             ::llvm::any_of(getSplit(), [](unsigned n) { return n != 0; });
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // SCAN_IR_SCANRECURRENCESCHEDULE_TD
