// An index, a slice or an extent that does not fit stops compiled code with the
// reference interpreter's words: in statements, in branches, in loops, in gathers and
// in scatters. What fits has the interpreter's results.
//
// DEFINE: %{cpu} = scan-run %s --target=cpu
// DEFINE: %{four} = --input=values:f32:4:1,2,3,4
//
// The element behind the last one, and the one before the first.
// RUN: not %{cpu} --entry=extract %{four} --input=values:index::4 2>&1 | FileCheck %s --check-prefix=EXTRACT
// RUN: not %{cpu} --entry=extract %{four} --input=values:index::-1 2>&1 | FileCheck %s --check-prefix=EXTRACT
// RUN: not scan-run %s --entry=extract %{four} --input=values:index::4 2>&1 | FileCheck %s --check-prefix=INTERPRETER
// RUN: not %{cpu} --entry=insert %{four} --input=values:index::100000000 2>&1 | FileCheck %s --check-prefix=INSERT
// RUN: not %{cpu} --entry=insert %{four} --input=values:index::-100000000 2>&1 | FileCheck %s --check-prefix=INSERT
// EXTRACT: {{^}}scan-run: error: {{.*}}: 'extract' failed: {{.*}}cpu-bounds.mlir:{{[0-9]+}}:8: 'tensor.extract' op index is out of bounds in dimension 0{{$}}
// EXTRACT-NOT: {{.}}
// INTERPRETER: {{^}}scan-run: error: {{.*}}cpu-bounds.mlir:{{[0-9]+}}:8: 'tensor.extract' op index 4 is out of bounds: dimension 0 has extent 4{{$}}
// INSERT: 'insert' failed: {{.*}}: 'tensor.insert' op index is out of bounds in dimension 0
//
// Slices: too long, from behind the end, of a negative size, by strides of both signs,
// where the product of size and stride overflows, and what does not fit into one.
// DEFINE: %{slice} = %{cpu} --entry=slice %{four}
// RUN: not %{slice} --input=values:index::3 --input=values:index::2 --input=values:index::1 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not %{slice} --input=values:index::-1 --input=values:index::2 --input=values:index::1 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not %{slice} --input=values:index::0 --input=values:index::3 --input=values:index::2 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not %{slice} --input=values:index::1 --input=values:index::3 --input=values:index::-1 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not %{slice} --input=values:index::0 --input=values:index::3 --input=values:index::9223372036854775807 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not %{slice} --input=values:index::4 --input=values:index::1 --input=values:index::0 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not %{slice} --input=values:index::0 --input=values:index::-1 --input=values:index::1 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not %{cpu} --entry=part %{four} --input=values:index::3 --input=values:index::2 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not %{cpu} --entry=insert_slice %{four} --input=values:f32:3:5,6,7 --input=values:index::2 --input=values:index::3 2>&1 | FileCheck %s --check-prefix=INSERT-SLICE
// RUN: not %{cpu} --entry=insert_slice %{four} --input=values:f32:3:5,6,7 --input=values:index::0 --input=values:index::4 2>&1 | FileCheck %s --check-prefix=SOURCE
// SLICE: 'slice' failed: {{.*}}: 'tensor.extract_slice' op slice is out of bounds in dimension 0
// SIZE: 'slice' failed: {{.*}}: 'tensor.extract_slice' op expected a size of 0 or more in dimension 0
// PART: 'part' failed: {{.*}}: 'tensor.extract_slice' op slice is out of bounds in dimension 0
// INSERT-SLICE: 'insert_slice' failed: {{.*}}: 'tensor.insert_slice' op slice is out of bounds in dimension 0
// SOURCE: 'insert_slice' failed: {{.*}}: 'tensor.insert_slice' op source has other extents than the slice in dimension 0
//
// Extents.
// RUN: not %{cpu} --entry=cast --input=values:f32:3:1,2,3 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: not %{cpu} --entry=twice --input=values:f32:3:1,2,3 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %{cpu} --entry=expand --input=values:f32:5:1,2,3,4,5 --input=values:index::1 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not %{cpu} --entry=dim %{four} --input=values:index::1 2>&1 | FileCheck %s --check-prefix=DIM
// CAST: 'cast' failed: {{.*}}: 'tensor.cast' op result #0 has extents that contradict its type: expected 4 in dimension 0
// TWICE: 'twice' failed: {{.*}}: 'tensor.cast' op result #0 has extents that contradict its type: expected 4 in dimension 0
// EXPAND: 'expand' failed: {{.*}}: 'tensor.expand_shape' op dimension 0 cannot be expanded
// DIM: 'dim' failed: {{.*}}: 'tensor.dim' op dimension is out of bounds: the tensor has rank 1
//
// In a branch, in loops, in a gather and where the gathered is scanned, in both
// directions; in the branch that is not taken nothing is checked.
// RUN: not %{cpu} --entry=branch %{four} --input=values:index::4 --input=values:i1::1 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: %{cpu} --entry=branch --compare=reference %{four} --input=values:index::4 --input=values:i1::0
// RUN: not %{cpu} --entry=loop %{four} --input=values:index::5 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: %{cpu} --entry=loop --compare=reference %{four} --input=values:index::4
// RUN: %{cpu} --entry=loop --compare=reference %{four} --input=values:index::0
// RUN: %{cpu} --entry=loop --compare=reference %{four} --input=values:index::-3
// RUN: not %{cpu} --entry=loop_that_stays %{four} --input=values:index:3:0,4,2 2>&1 | FileCheck %s --check-prefix=STAYS
// RUN: %{cpu} --entry=loop_that_stays --compare=reference %{four} --input=values:index:3:3,0,1
// RUN: not %{cpu} --entry=gather %{four} --input=values:index:3:0,4,2 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: %{cpu} --entry=gather --compare=reference %{four} --input=values:index:3:0,3,2
// RUN: %{cpu} --entry=gather --compare=reference --input=values:f32:0: --input=values:index:0:
// RUN: not %{cpu} --entry=scanned %{four} --input=values:i32:3:0,-1,2 2>&1 | FileCheck %s --check-prefix=SCANNED
// RUN: %{cpu} --entry=scanned --compare=reference %{four} --input=values:i32:3:0,3,2
// BRANCH: 'branch' failed: {{.*}}: 'tensor.extract' op index is out of bounds in dimension 0
// LOOP: 'loop' failed: {{.*}}: 'tensor.extract_slice' op slice is out of bounds in dimension 0
// STAYS: 'loop_that_stays' failed: {{.*}}: 'tensor.extract' op index is out of bounds in dimension 0
// GATHER: 'gather' failed: {{.*}}: 'tensor.extract' op index is out of bounds in dimension 0
// SCANNED: 'scanned' failed: {{.*}}: 'tensor.extract' op index is out of bounds in dimension 0
//
// tensor.scatter. scan.scatter skips such indices.
// RUN: not %{cpu} --entry=scatter %{four} --input=values:index:3x1:0,4,2 --input=values:f32:3:7,8,9 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not %{cpu} --entry=scatter %{four} --input=values:index:3x1:0,-1,2 --input=values:f32:3:7,8,9 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not %{cpu} --entry=scatter %{four} --input=values:index:3x1:0,3,2 --input=values:f32:2:7,8 2>&1 | FileCheck %s --check-prefix=SCATTER-SOURCE
// RUN: %{cpu} --entry=scatter --compare=reference %{four} --input=values:index:3x1:0,3,2 --input=values:f32:3:7,8,9
// RUN: not %{cpu} --entry=scatter_rows --input=random:i32:3x2:1 --input=values:i64:2x1:0,3 --input=random:i32:2x2:2 2>&1 | FileCheck %s --check-prefix=SCATTER-ROWS
// RUN: not %{cpu} --entry=scatter_rows --input=random:i32:3x2:1 --input=values:i64:2x1:0,2 --input=random:i32:2x3:2 2>&1 | FileCheck %s --check-prefix=SCATTER-ROWS-SOURCE
// RUN: %{cpu} --entry=scatter_rows --compare=reference --input=random:i32:3x2:1 --input=values:i64:2x1:0,2 --input=random:i32:2x2:2
// SCATTER: 'scatter' failed: {{.*}}: 'tensor.scatter' op index is out of bounds in dimension 0
// SCATTER-SOURCE: 'scatter' failed: {{.*}}: 'tensor.scatter' op source does not fit in dimension 0
// SCATTER-ROWS: 'scatter_rows' failed: {{.*}}: 'tensor.scatter' op index is out of bounds in dimension 0
// SCATTER-ROWS-SOURCE: 'scatter_rows' failed: {{.*}}: 'tensor.scatter' op source does not fit in dimension 1
//
// What fits, to the last element and with nothing left.
// RUN: %{cpu} --entry=extract --compare=reference %{four} --input=values:index::3
// RUN: %{cpu} --entry=insert --compare=reference %{four} --input=values:index::0
// RUN: %{slice} --compare=reference --input=values:index::1 --input=values:index::3 --input=values:index::1
// RUN: %{slice} --compare=reference --input=values:index::4 --input=values:index::0 --input=values:index::1
// RUN: %{slice} --compare=reference --input=values:index::7 --input=values:index::0 --input=values:index::1
// RUN: not %{slice} --input=values:index::7 --input=values:index::1 --input=values:index::1 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: %{slice} --compare=reference --input=values:index::1 --input=values:index::2 --input=values:index::2
// RUN: %{slice} --compare=reference --input=values:index::3 --input=values:index::4 --input=values:index::-1
// RUN: %{slice} --compare=reference --input=values:index::3 --input=values:index::1 --input=values:index::9223372036854775807
// RUN: %{slice} --compare=reference --input=values:index::3 --input=values:index::9 --input=values:index::0
// RUN: %{slice} --compare=reference --input=values:index::4 --input=values:index::0 --input=values:index::-5
// RUN: %{cpu} --entry=insert_slice --compare=reference %{four} --input=values:f32:3:5,6,7 --input=values:index::1 --input=values:index::3
// RUN: %{cpu} --entry=cast --compare=reference %{four}
// RUN: %{cpu} --entry=expand --compare=reference --input=values:f32:8:1,2,3,4,5,6,7,8 --input=values:index::2
// RUN: %{cpu} --entry=dim --compare=reference %{four} --input=values:index::0

func.func @extract(%t: tensor<?xf32>, %i: index) -> f32 {
  %r = tensor.extract %t[%i] : tensor<?xf32>
  return %r : f32
}

func.func @insert(%t: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %v = arith.constant 7.0 : f32
  %r = tensor.insert %v into %t[%i] : tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @slice(%t: tensor<?xf32>, %offset: index, %size: index, %stride: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %t[%offset] [%size] [%stride] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

// A slice that a scan reads.
func.func @part(%t: tensor<?xf32>, %offset: index, %size: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %t[%offset] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  %r = scan.associative ins(%s : tensor<?xf32>) dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    scan.yield %sum : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @insert_slice(%t: tensor<?xf32>, %s: tensor<?xf32>, %offset: index, %size: index) -> tensor<?xf32> {
  %r = tensor.insert_slice %s into %t[%offset] [%size] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @cast(%t: tensor<?xf32>) -> tensor<4xf32> {
  %r = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// There and back again.
func.func @twice(%t: tensor<?xf32>) -> tensor<?xf32> {
  %c = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  %r = tensor.cast %c : tensor<4xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @expand(%t: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %r = tensor.expand_shape %t [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @dim(%t: tensor<?xf32>, %dim: index) -> index {
  %r = tensor.dim %t, %dim : tensor<?xf32>
  return %r : index
}

func.func @branch(%t: tensor<?xf32>, %i: index, %taken: i1) -> f32 {
  %r = scf.if %taken -> f32 {
    %e = tensor.extract %t[%i] : tensor<?xf32>
    scf.yield %e : f32
  } else {
    %z = arith.constant 0.0 : f32
    scf.yield %z : f32
  }
  return %r : f32
}

func.func @loop(%t: tensor<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z) -> f32 {
    %e = tensor.extract %t[%i] : tensor<?xf32>
    %s = arith.addf %sum, %e : f32
    scf.yield %s : f32
  }
  return %r : f32
}

func.func @loop_that_stays(%t: tensor<?xf32>, %index: tensor<?xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %index, %c0 : tensor<?xindex>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<?xf32> {
    %j = tensor.extract %index[%i] : tensor<?xindex>
    %e = tensor.extract %u[%j] : tensor<?xf32>
    %s = arith.addf %e, %e : f32
    %next = tensor.insert %s into %u[%j] : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @gather(%t: tensor<?xf32>, %index: tensor<?xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %index, %c0 : tensor<?xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%index : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %t[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @scanned(%t: tensor<?xf32>, %index: tensor<?xi32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %index, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%index : tensor<?xi32>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: i32, %o: f32):
    %j = arith.index_cast %i : i32 to index
    %v = tensor.extract %t[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %r = scan.associative ins(%g : tensor<?xf32>) dim = 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    scan.yield %sum : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @scatter(%t: tensor<?xf32>, %index: tensor<?x1xindex>, %s: tensor<?xf32>) -> tensor<?xf32> {
  %r = tensor.scatter %s into %t[%index] scatter_dims([0]) unique : (tensor<?xf32>, tensor<?xf32>, tensor<?x1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @scatter_rows(%t: tensor<?x?xi32>, %index: tensor<?x1xi64>, %s: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = tensor.scatter %s into %t[%index] scatter_dims([0]) unique : (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x1xi64>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
