// What scans with one init per segment move: of 4 inits the 3 whose segments have steps,
// and a number per step in place of an init.

// 512x64 elements twice, 5 offsets, 512 numbers and 3x64 inits; 512x64 results and 512
// numbers.
// RUN: scan-run %s --entry=packed --target=emulator --stats --json --input=random:f32:512x64:1 --input=random:f32:512x64:2 --input=values:i32:5:0,100,100,300,512 --input=random:f32:4x64:3 | FileCheck %s
// CHECK: "global_reads": {
// CHECK: "compulsory_bytes": 264980,
// CHECK: "global_writes": {
// CHECK-NEXT: "bytes": 133120,

// As --scan-print-traffic counts all 4 inits, and the numbers twice.
// RUN: scan-opt %s --scan-to-fused --scan-print-traffic -o /dev/null | FileCheck %s --check-prefix=GPU
// GPU:      linalg.generic {{.*}} 2048
// GPU-NEXT: scan.kernel {{.*}} 265216 131072
// RUN: scan-opt %s --scan-to-fused=target=cpu --scan-print-traffic -o /dev/null | FileCheck %s --check-prefix=CPU
// CPU:      scan.kernel {{.*}} 265216 131072
func.func @packed(%a: tensor<512x64xf32>, %b: tensor<512x64xf32>, %s: tensor<5xi32>, %h0: tensor<4x64xf32>) -> tensor<512x64xf32> {
  %h = scan.linear_recurrence ins(%a, %b : tensor<512x64xf32>, tensor<512x64xf32>) init(%h0 : tensor<4x64xf32>)
      segments(%s : tensor<5xi32>) dim = 0 -> tensor<512x64xf32>
  return %h : tensor<512x64xf32>
}
