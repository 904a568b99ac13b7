// What the counters of the emulator say of rows. Where rows are aligned, every
// request of a warp moves 512 bytes, side by side; no row costs more bytes than
// it has, and shared memory has no bank conflicts, in full tiles and partial
// ones, aligned and not.
//
// DEFINE: %{entry} =
// DEFINE: %{inputs} =
// DEFINE: %{run} = scan-run %s --entry=%{entry} --target=emulator --stats --json %{inputs}
//
// REDEFINE: %{entry} = sum8
// REDEFINE: %{inputs} = --input=random:f32:4x4096:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
// REDEFINE: %{inputs} = --input=random:f32:3x4097:1
// RUN: %{run} | FileCheck %s --check-prefix=LEAST
// REDEFINE: %{inputs} = --input=random:f32:3x1001:1
// RUN: %{run} | FileCheck %s --check-prefix=LEAST
// REDEFINE: %{entry} = sum16
// REDEFINE: %{inputs} = --input=random:f32:2x4096:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
// REDEFINE: %{entry} = backwards12
// REDEFINE: %{inputs} = --input=random:f32:2x3072:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
// REDEFINE: %{entry} = odd
// REDEFINE: %{inputs} = --input=random:f32:2x1001:1
// RUN: %{run} | FileCheck %s --check-prefix=LEAST
//
// Several rows per block: of 128 elements, of 8, which share sectors with their
// neighbours, and of 100 in tiles of 128.
// REDEFINE: %{entry} = rows8
// REDEFINE: %{inputs} = --input=random:f32:64x128:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
// REDEFINE: %{inputs} = --input=random:f32:61x100:1
// RUN: %{run} | FileCheck %s --check-prefix=LEAST
// REDEFINE: %{inputs} = --input=random:f32:61x99:1
// RUN: %{run} | FileCheck %s --check-prefix=LEAST
// REDEFINE: %{entry} = rows128
// REDEFINE: %{inputs} = --input=random:f32:256x8:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
// REDEFINE: %{inputs} = --input=random:f32:255x7:1
// RUN: %{run} | FileCheck %s --check-prefix=LEAST
//
// Elements of 2, 8 and 16 bytes.
// REDEFINE: %{entry} = halves
// REDEFINE: %{inputs} = --input=random:bf16:2x4096:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
// REDEFINE: %{entry} = doubles
// REDEFINE: %{inputs} = --input=random:f64:2x2048:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
// REDEFINE: %{entry} = matrices
// REDEFINE: %{inputs} = --input=random:f32:2x256x2x2:1
// RUN: %{run} | FileCheck %s --check-prefixes=ALIGNED,LEAST
//
// LEAST: "global_reads": {
// LEAST-NEXT: "bytes": [[#READ:]],
// LEAST-NEXT: "compulsory_bytes": [[#READ]],
// ALIGNED-NEXT: "requests": [[#div(READ,512)]],
// LEAST: "global_writes": {
// LEAST-NEXT: "bytes": [[#WRITTEN:]],
// LEAST-NEXT: "compulsory_bytes": [[#WRITTEN]],
// ALIGNED-NEXT: "requests": [[#div(WRITTEN,512)]],
// LEAST: "bank_conflicts": 0,

func.func @sum8(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = scan.associative ins(%x : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 8>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @sum16(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = scan.associative ins(%x : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 16>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @backwards12(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 reverse
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 12>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @odd(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = scan.associative ins(%x : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 5>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @rows8(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = scan.associative ins(%x : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 8, rows = 8>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @rows128(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = scan.associative ins(%x : tensor<?x?xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 8, rows = 128>} {
  ^bb0(%acc: f32, %new: f32):
    %r = arith.addf %acc, %new : f32
    scan.yield %r : f32
  } -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

func.func @halves(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %p = scan.associative ins(%x : tensor<?x?xbf16>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 16>} {
  ^bb0(%acc: bf16, %new: bf16):
    %r = arith.addf %acc, %new : bf16
    scan.yield %r : bf16
  } -> tensor<?x?xbf16>
  return %p : tensor<?x?xbf16>
}

func.func @doubles(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %p = scan.associative ins(%x : tensor<?x?xf64>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 128, items = 8>} {
  ^bb0(%acc: f64, %new: f64):
    %r = arith.addf %acc, %new : f64
    scan.yield %r : f64
  } -> tensor<?x?xf64>
  return %p : tensor<?x?xf64>
}

func.func @matrices(%x: tensor<?x?x2x2xf32>) -> tensor<?x?x2x2xf32> {
  %p = scan.associative ins(%x : tensor<?x?x2x2xf32>) dim = 1
      attributes {schedule = #scan.schedule<strategy = row, threads = 64, items = 4>} {
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf32>
    %c = linalg.matmul ins(%acc, %new : tensor<2x2xf32>, tensor<2x2xf32>)
                       outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
    scan.yield %c : tensor<2x2xf32>
  } -> tensor<?x?x2x2xf32>
  return %p : tensor<?x?x2x2xf32>
}
