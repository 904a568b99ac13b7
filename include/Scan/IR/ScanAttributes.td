//===- ScanAttributes.td - Attributes of the scan dialect --*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_IR_SCANATTRIBUTES_TD
#define SCAN_IR_SCANATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "Scan/IR/ScanDialect.td"

def Scan_Order : I32EnumAttr<"Order", "how freely a scan may reassociate", [
    I32EnumAttrCase<"Any", 0, "any">,
    I32EnumAttrCase<"Deterministic", 1, "deterministic">,
    I32EnumAttrCase<"Sequential", 2, "sequential">]> {
  let cppNamespace = "::mlir::scan";
  let genSpecializedAttr = 0;
}

def Scan_OrderAttr : EnumAttr<Scan_Dialect, Scan_Order, "order"> {
  let summary = "how freely a scan may reassociate";
  let description = [{
    *   `any` (the default): the combine region is associative, possibly up to
        rounding; any bracketing is allowed.
    *   `deterministic`: any bracketing, but the same one in every run: results
        are bitwise equal from run to run.
    *   `sequential`: results are bitwise equal to the left fold.

    ```mlir
    #scan.order<deterministic>
    ```
  }];
  let assemblyFormat = "`<` custom<OrderKeyword>($value) `>`";
}

def Scan_Strategy : I32EnumAttr<"Strategy", "how threads are laid over a scan", [
    I32EnumAttrCase<"Sequential", 0, "sequential">,
    I32EnumAttrCase<"Row", 1, "row">]> {
  let cppNamespace = "::mlir::scan";
  let genSpecializedAttr = 0;
}

def Scan_StrategyAttr : EnumAttr<Scan_Dialect, Scan_Strategy, "strategy">;

def Scan_ScheduleAttr : AttrDef<Scan_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a scan is laid over threads";
  let description = [{
    Data on the op: the result never depends on it, only the speed does.
    `--scan-assign-schedule` writes one where there is none.

    *   `strategy`: `sequential`, one thread walks the scan dimension and
        neighbouring threads own neighbouring elements of the innermost other
        dimension; `row`, one block of threads owns a row along the scan
        dimension and walks it tile by tile.
    *   `threads`: threads per block, a multiple of 32 and at most 1024.
    *   `items`: consecutive elements of the scan dimension that one thread
        holds in registers at a time (`row`), or that it loads ahead
        (`sequential`).

    ```mlir
    #scan.schedule<strategy = row, threads = 128, items = 8>
    ```
  }];
  let parameters = (ins
    EnumParameter<Scan_Strategy>:$strategy,
    DefaultValuedParameter<"unsigned", "128",
                           "threads per block, a multiple of 32 up to 1024">:$threads,
    DefaultValuedParameter<"unsigned", "1",
                           "elements per thread at a time">:$items
  );
  let assemblyFormat = [{
    `<` struct(custom<StrategyKeyword>($strategy), $threads, $items) `>`
  }];
  let genVerifyDecl = 1;
}

#endif // SCAN_IR_SCANATTRIBUTES_TD
