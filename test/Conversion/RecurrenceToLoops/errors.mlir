// What has no result is an error at the operation: the interpreter's with the numbers,
// that of compiled code in the same words without them.

// DEFINE: %{cpu} = not scan-run %s --target=cpu
// DEFINE: %{reference} = not scan-run %s

// RUN: %{reference} --entry=steps --input=ones:f32:4 --input=ones:f32:1 --input=const:index::-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: %{cpu} --entry=steps --input=ones:f32:4 --input=ones:f32:1 --input=const:index::-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:8: 'scan.recurrence' op expected a number of steps of 0 or more{{(, found -1)?$}}
// RUN: %{reference} --entry=steps --input=ones:f32:4 --input=ones:f32:1 --input=const:index::5 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{cpu} --entry=steps --input=ones:f32:4 --input=ones:f32:1 --input=const:index::5 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:8: 'scan.recurrence' op input #0 has other rows than there are steps{{(: expected 5 or more in dimension 0, found 4)?$}}

// RUN: %{reference} --entry=inputs --input=ones:f32:3x4 --input=ones:f32:3x5 --input=ones:f32:3x1 2>&1 | FileCheck %s --check-prefix=INPUTS
// RUN: %{cpu} --entry=inputs --input=ones:f32:3x4 --input=ones:f32:3x5 --input=ones:f32:3x1 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:8: 'scan.recurrence' op input #1 has other rows than there are steps{{(: expected 4 in dimension 1, found 5)?$}}

// RUN: %{reference} --entry=extents --input=ones:f32:2x4 --input=ones:f32:1x3 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: %{cpu} --entry=extents --input=ones:f32:2x4 --input=ones:f32:1x3 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:8: 'scan.recurrence' op the row of state #0 has other extents than its init{{(: expected 3, found 4)?$}}

// RUN: %{reference} --entry=output --input=ones:f32:2x4 --input=ones:f32:1x4 --input=const:index::3 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: %{cpu} --entry=output --input=ones:f32:2x4 --input=ones:f32:1x4 --input=const:index::3 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:12: 'scan.recurrence' op the row of output #0 has other extents than 'extents' says{{(: expected 3, found 4)?$}}
// RUN: %{reference} --entry=output --input=ones:f32:2x4 --input=ones:f32:1x4 --input=const:index::-1 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: %{cpu} --entry=output --input=ones:f32:2x4 --input=ones:f32:1x4 --input=const:index::-1 2>&1 | FileCheck %s --check-prefix=LESS
// LESS: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:12: 'scan.recurrence' op expected extents of 0 or more{{(, found -1 as number #0)?$}}

// A lane that a row does not have.
// RUN: %{reference} --entry=lane --input=ones:f32:2x4 --input=ones:f32:1x4 2>&1 | FileCheck %s --check-prefix=LANE
// RUN: %{cpu} --entry=lane --input=ones:f32:2x4 --input=ones:f32:1x4 2>&1 | FileCheck %s --check-prefix=LANE
// LANE: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:13: 'tensor.extract' op index {{.*}}out of bounds

// RUN: %{reference} --entry=division --input=zeros:i32:2 --input=ones:i32:1 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: %{cpu} --entry=division --input=zeros:i32:2 --input=ones:i32:1 2>&1 | FileCheck %s --check-prefix=DIVISION
// DIVISION: {{^}}scan-run: error: {{.*}}errors.mlir:{{[0-9]+}}:10: 'arith.divsi' op {{.*}}division by zero

func.func @steps(%x: tensor<?xf32>, %i: tensor<1xf32>, %n: index) -> tensor<?xf32> {
  %h = scan.recurrence ins(%x : tensor<?xf32>) init(%i : tensor<1xf32>) steps(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: f32, %row: f32):
    %s = arith.subf %row, %h1 : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %h : tensor<?xf32>
}

func.func @inputs(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %i: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) init(%i : tensor<?x1xf32>) dim = 1 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %s = arith.subf %b, %h1 : tensor<?xf32>
    scan.yield %s : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

func.func @extents(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    scan.yield %row : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

func.func @lane(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %h = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %c7 = arith.constant 7 : index
    %lane = tensor.extract %h1[%c7] : tensor<?xf32>
    %c0 = arith.constant 0 : index
    %s = tensor.insert %lane into %row[%c0] : tensor<?xf32>
    scan.yield %s : tensor<?xf32>
  } -> tensor<?x?xf32>
  return %h : tensor<?x?xf32>
}

func.func @division(%x: tensor<?xi32>, %i: tensor<1xi32>) -> tensor<?xi32> {
  %h = scan.recurrence ins(%x : tensor<?xi32>) init(%i : tensor<1xi32>) dim = 0 {
  ^bb0(%t: index, %h1: i32, %row: i32):
    %q = arith.divsi %h1, %row : i32
    scan.yield %q : i32
  } -> tensor<?xi32>
  return %h : tensor<?xi32>
}

func.func @output(%x: tensor<?x?xf32>, %i: tensor<1x?xf32>, %n: index) -> tensor<?x?xf32> {
  %h, %y = scan.recurrence ins(%x : tensor<?x?xf32>) init(%i : tensor<1x?xf32>) extents(%n : index) dim = 0 {
  ^bb0(%t: index, %h1: tensor<?xf32>, %row: tensor<?xf32>):
    %s = arith.subf %row, %h1 : tensor<?xf32>
    scan.yield %h1, %s : tensor<?xf32>, tensor<?xf32>
  } -> tensor<?x?xf32>, tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
