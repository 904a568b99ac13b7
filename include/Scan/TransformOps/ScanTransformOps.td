//===- ScanTransformOps.td - Transform ops for scans -------*- tablegen -*-===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SCAN_TRANSFORMOPS_SCANTRANSFORMOPS_TD
#define SCAN_TRANSFORMOPS_SCANTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Scan/IR/ScanAttributes.td"

/// Applied to each operation of its handle in turn. An operation that it does
/// not apply to is a silenceable failure, after which that operation is as it
/// was.
class Scan_EachTransformOp<string mnemonic, list<Trait> traits>
    : Op<Transform_Dialect, "scan." # mnemonic,
         [TransformOpInterface, TransformEachOpTrait] # traits> {
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure
    applyToOne(::mlir::transform::TransformRewriter &rewriter,
               ::mlir::Operation *target,
               ::mlir::transform::ApplyToEachResultList &results,
               ::mlir::transform::TransformState &state);
  }];
}

/// One that changes the operations in place: it reads its handle.
class Scan_InPlaceTransformOp<string mnemonic>
    : Scan_EachTransformOp<mnemonic, [
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::transform::onlyReadsHandle(getTargetMutable(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

def ScanSetScheduleOp : Scan_InPlaceTransformOp<"set_schedule"> {
  let summary = "says how scans are laid over threads";
  let description = [{
    Writes the schedule on each operation of `target`: a `scan.associative`, a
    `scan.linear_recurrence`, a `scan.kernel` or a `scan.recurrence`. One that is there
    already is overwritten. `transform.scan.normalize` hands the schedule of a scan on
    to its kernel.

    Of a recurrence, `sequential` binds what is no time to threads, `threads` of a
    block, and loads rows of inputs `items` steps ahead. The other strategies split
    time, which is legal where `--scan-raise-recurrence` makes a scan of the steps.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: tensor<8xf32>) -> tensor<8xf32> {
        %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
        ^bb0(%acc: f32, %new: f32):
          %s = arith.addf %acc, %new : f32
          scan.yield %s : f32
        } -> tensor<8xf32>
        return %y : tensor<8xf32>
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %scans = transform.structured.match ops{["scan.associative"]} in %root
            : (!transform.any_op) -> !transform.any_op
        transform.scan.set_schedule %scans
            <strategy = row, threads = 256, items = 8> chip = "sm_90" : !transform.any_op
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    %0 = scan.associative ins(%arg0 : tensor<8xf32>) dim = 0 attributes {schedule = #scan.schedule<strategy = row, threads = 256, items = 8>} {
    // ...
    ```

    #### Return modes

    A schedule that breaks a limit of every chip does not parse. Silenceable
    failure, which says the limit, if an operation is no scan, if it asks for the
    order `sequential` and the strategy is another one, for a `scan.kernel` if the
    schedule breaks a limit of `chip`, and for a `scan.recurrence` if its step is none of
    a scan and the schedule splits time, or if the elements that are loaded ahead do not
    fit the registers.

    Reads the handle and changes the operations in place.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       Scan_ScheduleAttr:$schedule,
                       DefaultValuedAttr<StrAttr, "\"sm_90\"">:$chip);
  let results = (outs);
  let assemblyFormat = [{
    $target $schedule (`chip` `=` $chip^)? attr-dict
    `:` type($target)
  }];
  let hasVerifier = 1;
}

def ScanAssignScheduleOp : Scan_InPlaceTransformOp<"assign_schedule"> {
  let summary = "lets the cost model say how kernels are laid over threads";
  let description = [{
    Writes the schedule that `--scan-assign-schedule` would choose for `chip` on
    each `scan.kernel` of `target`. One that is there already is overwritten.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: memref<64x?xf32>, %y: memref<64x?xf32>) {
        scan.kernel dim = 1 ins(%x : memref<64x?xf32>) outs(%y : memref<64x?xf32>)
            maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
            load {
            ^bb0(%e: f32):
              scan.yield %e : f32
            } combine {
            ^bb0(%acc: f32, %new: f32):
              %s = arith.addf %acc, %new : f32
              scan.yield %s : f32
            } store {
            ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
              scan.yield %inclusive : f32
            }
        return
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %scans = transform.structured.match ops{["scan.kernel"]} in %root
            : (!transform.any_op) -> !transform.any_op
        transform.scan.assign_schedule %scans chip = "sm_90" : !transform.any_op
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    maps ... attributes {schedule = #scan.schedule<strategy = ...>}
    ```

    #### Return modes

    Silenceable failure if an operation is no `scan.kernel`. Reads the handle
    and changes the operations in place.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<StrAttr, "\"sm_90\"">:$chip);
  let results = (outs);
  let assemblyFormat = [{
    $target (`chip` `=` $chip^)? attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def ScanNormalizeOp : Scan_EachTransformOp<"normalize", [
    FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface]> {
  let summary = "turns scans into scan.kernel";
  let description = [{
    Replaces each `scan.associative` and `scan.linear_recurrence` of `target` by
    its `scan.kernel`, as `--scan-normalize` does. The result is a handle to the
    kernels. A `scan.kernel` stays as it is; a scan over elements of no size,
    which leaves no kernel, adds nothing to the handle.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: tensor<8xf32>) -> tensor<8xf32> {
        %y = scan.associative ins(%x : tensor<8xf32>) dim = 0 {
        ^bb0(%acc: f32, %new: f32):
          %s = arith.addf %acc, %new : f32
          scan.yield %s : f32
        } -> tensor<8xf32>
        return %y : tensor<8xf32>
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %scans = transform.structured.match ops{["scan.associative"]} in %root
            : (!transform.any_op) -> !transform.any_op
        %kernels = transform.scan.normalize %scans
            : (!transform.any_op) -> !transform.op<"scan.kernel">
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    func.func @sums(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tensor.empty() : tensor<8xf32>
      %1 = scan.kernel dim = 0
          ins(%arg0 : tensor<8xf32>) outs(%0 : tensor<8xf32>)
          // ...
          } -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```

    #### Return modes

    Silenceable failure if an operation is no scan, or if its combine region has
    something in it that cannot be normalised. Consumes the operand.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$kernel);
  let assemblyFormat = [{
    $target attr-dict `:` functional-type(operands, results)
  }];
}

def ScanFuseElementwiseOp : Scan_EachTransformOp<"fuse_elementwise", [
    FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface]> {
  let summary = "grows the maps of kernels by the elementwise code around them";
  let description = [{
    Inlines elementwise producers and consumers into each `scan.kernel` of
    `target`, as `--scan-fuse-elementwise` does, and leaves other kernels alone.
    The result is a handle to what the kernels have become. A kernel whose
    results nobody uses disappears, and adds nothing to the handle.

    Handles to producers and consumers that were inlined lose them.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: tensor<8xf32>) -> tensor<8xf32> {
        %negated = arith.negf %x : tensor<8xf32>
        %empty = tensor.empty() : tensor<8xf32>
        %y = scan.kernel dim = 0 ins(%negated : tensor<8xf32>) outs(%empty : tensor<8xf32>)
            maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
            load {
            ^bb0(%e: f32):
              scan.yield %e : f32
            } combine {
            ^bb0(%acc: f32, %new: f32):
              %s = arith.addf %acc, %new : f32
              scan.yield %s : f32
            } store {
            ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
              scan.yield %inclusive : f32
            } -> tensor<8xf32>
        return %y : tensor<8xf32>
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %scans = transform.structured.match ops{["scan.kernel"]} in %root
            : (!transform.any_op) -> !transform.any_op
        %fused = transform.scan.fuse_elementwise %scans
            : (!transform.any_op) -> !transform.op<"scan.kernel">
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    %1 = scan.kernel dim = 0
        ins(%arg0 : tensor<8xf32>) outs(%0 : tensor<8xf32>)
        maps [#map, #map]
        load {
        ^bb0(%arg1: f32):
          %2 = arith.negf %arg1 : f32
          scan.yield %2 : f32
        } combine {
        // ...
    ```

    #### Return modes

    Silenceable failure if an operation is no `scan.kernel`, or is one on
    memrefs. Finding nothing to fuse is a success. Consumes the operand.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$kernel);
  let assemblyFormat = [{
    $target attr-dict `:` functional-type(operands, results)
  }];
}

def ScanLowerToLoopsOp : Op<Transform_Dialect, "scan.lower_to_loops", [
    DeclareOpInterfaceMethods<TransformOpInterface>,
    FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface]> {
  let summary = "turns kernels on memrefs into loops";
  let description = [{
    Replaces each `scan.kernel` of `target` by loops, as
    `--convert-scan-to-loops` does; the attributes are the options of that pass,
    with the same limits.
    The result is a handle to the outermost loops, in their order, which may be
    several for one kernel.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: memref<64x100xf32>, %y: memref<64x100xf32>) {
        scan.kernel dim = 1 ins(%x : memref<64x100xf32>) outs(%y : memref<64x100xf32>)
            maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
            load {
            ^bb0(%e: f32):
              scan.yield %e : f32
            } combine {
            ^bb0(%acc: f32, %new: f32):
              %s = arith.addf %acc, %new : f32
              scan.yield %s : f32
            } store {
            ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
              scan.yield %inclusive : f32
            }
        return
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %scans = transform.structured.match ops{["scan.kernel"]} in %root
            : (!transform.any_op) -> !transform.any_op
        %loops = transform.scan.lower_to_loops %scans rows = 1
            : (!transform.any_op) -> !transform.any_op
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    scf.for ... {
      // ...
        ... = scf.for ... iter_args(...) -> (vector<16xf32>) {
          // ...
          ... = arith.addf ... : vector<16xf32>
          // ...
          vector.store ... : memref<64x100xf32>, vector<16xf32>
          // ...
    ```

    #### Return modes

    Silenceable failure if an operation is no `scan.kernel`, or is one on
    tensors. Consumes the operand.
  }];
  let arguments = (ins
    TransformHandleTypeInterface:$target,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "512">:$vector_bits,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "16384">:$state_bytes,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "4">:$rows);
  let results = (outs TransformHandleTypeInterface:$loops);
  let assemblyFormat = [{
    $target (`vector_bits` `=` $vector_bits^)? (`state_bytes` `=` $state_bytes^)?
    (`rows` `=` $rows^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def ScanLowerToGPUOp : Scan_EachTransformOp<"lower_to_gpu", [
    FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface]> {
  let summary = "turns kernels on memrefs into GPU kernels and their launches";
  let description = [{
    Makes a `gpu.func` of each `scan.kernel` of `target`, as
    `--convert-scan-to-gpu` does, in the `gpu.module @scan_kernels` of the module
    around it, which is made if there is none. The results are handles to the
    `gpu.launch_func` operations in the place of the kernels and to the
    `gpu.func` operations.

    Before:

    ```mlir
    module attributes {transform.with_named_sequence} {
      func.func @sums(%x: memref<64x?xf32>, %y: memref<64x?xf32>) {
        scan.kernel dim = 1 ins(%x : memref<64x?xf32>) outs(%y : memref<64x?xf32>)
            maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] attributes {
              schedule = #scan.schedule<strategy = row, threads = 256, items = 8>}
            load {
            ^bb0(%e: f32):
              scan.yield %e : f32
            } combine {
            ^bb0(%acc: f32, %new: f32):
              %s = arith.addf %acc, %new : f32
              scan.yield %s : f32
            } store {
            ^bb0(%inclusive: f32, %exclusive: f32, %e: f32):
              scan.yield %inclusive : f32
            }
        return
      }
      transform.named_sequence @__transform_main(%root: !transform.any_op) {
        %scans = transform.structured.match ops{["scan.kernel"]} in %root
            : (!transform.any_op) -> !transform.any_op
        %launch, %function = transform.scan.lower_to_gpu %scans
            : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
        transform.yield
      }
    }
    ```

    After `--transform-interpreter`:

    ```mlir
    func.func @sums(%arg0: memref<64x?xf32>, %arg1: memref<64x?xf32>) {
      // ...
      gpu.launch_func  @scan_kernels::@sums_scan0 blocks in (...) threads in (...)  args(...)
      return
    }
    // ...
    gpu.module @scan_kernels {
      gpu.func @sums_scan0(...) workgroup(...) kernel attributes {...} {
        // ...
    ```

    #### Return modes

    Silenceable failure if an operation is no `scan.kernel`, or is one on
    tensors, on memrefs without a strided layout, without a schedule, or in
    device code. Consumes the operand.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$launch,
                      TransformHandleTypeInterface:$function);
  let assemblyFormat = [{
    $target attr-dict `:` functional-type(operands, results)
  }];
}

include "Scan/TransformOps/RecurrenceTransforms.td"

#endif // SCAN_TRANSFORMOPS_SCANTRANSFORMOPS_TD
