// A function that returns what it was given takes no kernel: PTX without entries,
// and a manifest that says where the result is.
//
// RUN: scan-translate --scan-to-ptx %s -o %t.ptx --manifest=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: FileCheck %s --input-file=%t.json
// PTX:     .version
// PTX-NOT: .entry
// CHECK:     "name": "same"
// CHECK:     "buffer": "arg0"
// CHECK:     "kernels": []
func.func @same(%x: tensor<?xi8>) -> tensor<?xi8> {
  return %x : tensor<?xi8>
}
