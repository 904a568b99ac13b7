// RUN: scan-opt %s --scan-normalize --scan-explain=chip=sm_90 -o %t | FileCheck %s

// Columns of a block are neighbours in a row of memory.

// Rows begin anywhere in a sector: the first and the last one of a block's
// columns hold others, too, so that wide blocks move less.
// CHECK: @odd_rows
// CHECK: schedule {{ *}}strategy = column, threads = 512, items = 16;
// CHECK: moves {{ *}}32.5 MiB; compulsory 26.7 MiB
func.func @odd_rows(%a: tensor<3x1001x777xf32>, %b: tensor<3x1001x777xf32>) -> tensor<3x1001x777xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<3x1001x777xf32>, tensor<3x1001x777xf32>) dim = 1
      -> tensor<3x1001x777xf32>
  return %h : tensor<3x1001x777xf32>
}

// CHECK: @even_rows
// CHECK: strategy = column, threads = 512, items = 16, lanes = 16;
// CHECK: moves {{ *}}30.6 MiB; compulsory 26.4 MiB
func.func @even_rows(%a: tensor<3x1001x768xf32>, %b: tensor<3x1001x768xf32>) -> tensor<3x1001x768xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<3x1001x768xf32>, tensor<3x1001x768xf32>) dim = 1
      -> tensor<3x1001x768xf32>
  return %h : tensor<3x1001x768xf32>
}

// No more columns than a row has: a block of 32 would be half idle.
// CHECK: @short_rows
// CHECK: schedule {{ *}}strategy = column, {{.*}}lanes = 8, vector = 2, scope = grid;
func.func @short_rows(%a: tensor<2x65536x16xf32>, %b: tensor<2x65536x16xf32>) -> tensor<2x65536x16xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<2x65536x16xf32>, tensor<2x65536x16xf32>) dim = 1
      -> tensor<2x65536x16xf32>
  return %h : tensor<2x65536x16xf32>
}
