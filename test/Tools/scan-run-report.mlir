// What scan-run prints: arrays, tables, times, JSON, help.

// RUN: scan-run %s --entry=all | FileCheck %s --check-prefix=PRINT --match-full-lines --strict-whitespace
//      PRINT:result 0: i8
// PRINT-NEXT:-128
// PRINT-NEXT:result 1: 3xi1
// PRINT-NEXT:[1, 0, 1]
// PRINT-NEXT:result 2: 2xcomplex<f32>
// PRINT-NEXT:[1.5-2j, 0+1j]
// PRINT-NEXT:result 3: 2x2xbf16
// PRINT-NEXT:{{\[\[}}1, 0.5],
// PRINT-NEXT: [-2, 3.14]]
// PRINT-NEXT:result 4: 0x3xf64
// PRINT-NEXT:[]
// PRINT-NEXT:result 5: 4xf64
// PRINT-NEXT:[inf, -inf, nan, 0.1]
func.func @all() -> (i8, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<2x2xbf16>, tensor<0x3xf64>, tensor<4xf64>) {
  %a = arith.constant -128 : i8
  %b = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %c = arith.constant dense<[(1.5, -2.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  %d = arith.constant dense<[[1.0, 0.5], [-2.0, 3.14]]> : tensor<2x2xbf16>
  %e = tensor.empty() : tensor<0x3xf64>
  %f = arith.constant dense<[0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0.1]> : tensor<4xf64>
  return %a, %b, %c, %d, %e, %f
      : i8, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<2x2xbf16>, tensor<0x3xf64>, tensor<4xf64>
}

// More than a thousand elements: three at each end of each dimension.
// RUN: scan-run %s --entry=count --input=zeros:i32:40x30 | FileCheck %s --check-prefix=LONG --match-full-lines --strict-whitespace
//      LONG:result 0: 40x30xi32
// LONG-NEXT:{{\[\[}}0, 1, 2, ..., 27, 28, 29],
// LONG-NEXT: [1, 2, 3, ..., 28, 29, 30],
// LONG-NEXT: [2, 3, 4, ..., 29, 30, 31],
// LONG-NEXT: ...,
// LONG-NEXT: [37, 38, 39, ..., 64, 65, 66],
// LONG-NEXT: [38, 39, 40, ..., 65, 66, 67],
// LONG-NEXT: [39, 40, 41, ..., 66, 67, 68]]
func.func @count(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : tensor<?x?xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    %v = arith.index_cast %s : index to i32
    linalg.yield %v : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// RUN: scan-run %s --entry=two --input=random:f32:3x4:1 --time --repeat=2 | FileCheck %s --check-prefix=TIME
// 48 bytes in; 48 and 96 out.
// TIME: {{^}}reference: {{[0-9.]+}} ms, {{[0-9.]+}} GB/s (192 bytes in and out, median of 2 runs){{$}}
// TIME-NOT: result
// RUN: scan-run %s --entry=two --input=random:f32:3x4:1 --target=cpu --compare=reference | FileCheck %s --check-prefix=TABLE
// TABLE: {{^}}cpu against reference:
// TABLE-NEXT: {{^}}  result  shape   differing  max abs error  max rel error  max ulps
// TABLE-NEXT: {{^}}  0       3x4xf32         0              0              0         0
// TABLE-NEXT: {{^}}  1       3x4xf64         0              0              0         0
// RUN: scan-run - --entry=two --input=random:f32:3x4:1 --time --repeat=1 --target=cpu --compare=reference --json < %s | %python -m json.tool | FileCheck %s --check-prefix=JSON
// JSON: "program": "-"
// JSON-NEXT: "entry": "two"
// JSON-NEXT: "target": "cpu"
// JSON-NEXT: "compare": "reference"
// JSON-NEXT: "bytes": 192
// JSON-NEXT: "seconds": {{[0-9.e-]+}}
// JSON-NEXT: "gb_per_s": {{[0-9.e-]+}}
// JSON-NEXT: "compare_seconds": {{[0-9.e-]+}}
// JSON: "type": "f32"
// JSON: "differing": 0
// JSON-NEXT: "max_abs_error": 0
// JSON-NEXT: "max_rel_error": 0
// JSON-NEXT: "max_ulps": 0
// JSON: "type": "f64"
func.func @two(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf64>) {
  %y = scan.associative ins(%x : tensor<?x?xf32>) dim = 1 reverse {
  ^bb0(%a: f32, %n: f32):
    %s = arith.addf %a, %n : f32
    scan.yield %s : f32
  } -> tensor<?x?xf32>
  %w = arith.extf %y : tensor<?x?xf32> to tensor<?x?xf64>
  return %y, %w : tensor<?x?xf32>, tensor<?x?xf64>
}

// RUN: scan-run --help | FileCheck %s --check-prefix=STATES
// STATES: --max-state-bytes=<N>{{ +}}- With --target=emulator or cuda: the most bytes of states
// RUN: scan-run --help | FileCheck %s --check-prefix=HELP
// HELP: reference  the reference interpreter
// HELP-NEXT: cpu
// HELP: USAGE: scan-run [options] PROGRAM.mlir
// HELP-NOT: print-after
// HELP: examples:
