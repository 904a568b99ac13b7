// Offsets and flags that do not fit are an error of the run, of the interpreter and of
// compiled code. (GPUs do not look.)

// RUN: not scan-run %s --entry=offsets --input=ones:f32:8 --input=values:i32:3:1,4,8 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: segments-errors.mlir:[[#]]:{{.*}} 'scan.linear_recurrence' op segments: expected offset #0 to be 0, found 1
// RUN: not scan-run %s --entry=offsets --input=ones:f32:8 --input=values:i32:4:0,5,4,8 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: 'scan.linear_recurrence' op segments: expected offsets that do not decrease, found 4 as offset #2 after 5
// RUN: not scan-run %s --entry=offsets --input=ones:f32:8 --input=values:i32:3:0,4,9 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: 'scan.linear_recurrence' op segments: expected the last offset to be 8, the extent of the scan dimension, found 9
// RUN: not scan-run %s --entry=offsets --input=ones:f32:0 --input=zeros:i32:0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: 'scan.linear_recurrence' op segments: expected at least one offset, found none
// RUN: not scan-run %s --entry=flags --input=ones:f32:8 --input=zeros:i1:7 2>&1 | FileCheck %s --check-prefix=FLAGS
// FLAGS: 'scan.linear_recurrence' op segments: expected dimension 0 of the flags to have extent 8, found 7
// RUN: not scan-run %s --entry=inits --input=ones:f32:8 --input=values:i32:3:0,4,8 --input=ones:f32:3 2>&1 | FileCheck %s --check-prefix=INITS
// INITS: 'scan.linear_recurrence' op init does not fit: expected 2, found 3

// RUN: not scan-run %s --target=cpu --entry=offsets --input=ones:f32:8 --input=values:i32:3:1,4,8 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not scan-run %s --target=cpu --entry=offsets --input=ones:f32:8 --input=values:i32:4:0,5,4,8 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not scan-run %s --target=cpu --entry=offsets --input=ones:f32:8 --input=values:i32:3:0,4,9 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not scan-run %s --target=cpu --entry=offsets --input=ones:f32:0 --input=zeros:i32:0 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: {{.*}}'offsets' failed: {{.*}}scan: expected the offsets of segments to start with 0, not to decrease, and to end with the extent of dimension 0, which is scanned
// RUN: not scan-run %s --target=cpu --entry=flags --input=ones:f32:8 --input=zeros:i1:7 2>&1 | FileCheck %s --check-prefix=CPUFLAGS
// CPUFLAGS: error: {{.*}}'flags' failed: {{.*}}scan: expected dimension 0 of input #{{[0-9]}} to have the extent of dimension 0 of input #0

// What is right is accepted.
// RUN: scan-run %s --entry=offsets --input=ones:f32:8 --input=values:i32:4:0,4,4,8 --target=cpu --compare=reference | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{^ *}}0 {{ *}}8xf32 {{ *}}0 

func.func @offsets(%x: tensor<?xf32>, %s: tensor<?xi32>) -> tensor<?xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) segments(%s : tensor<?xi32>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @flags(%x: tensor<?xf32>, %s: tensor<?xi1>) -> tensor<?xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) segments(%s : tensor<?xi1>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @inits(%x: tensor<?xf32>, %s: tensor<?xi32>, %i: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.linear_recurrence ins(%x, %x : tensor<?xf32>, tensor<?xf32>) init(%i : tensor<?xf32>) segments(%s : tensor<?xi32>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}
