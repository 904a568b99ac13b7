// What has no form on buffers is named, with the way out, by every pipeline.

// RUN: scan-opt %s --scan-bufferize --split-input-file --verify-diagnostics --allow-unregistered-dialect
// RUN: scan-opt %s --scan-to-gpu --split-input-file --verify-diagnostics --allow-unregistered-dialect
// RUN: scan-opt %s --scan-to-cpu --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @tosa(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tosa.abs' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; lower it first by scan-opt --pass-pipeline='builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor))', or compute it outside and pass it in}}
  %y = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @gather(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = arith.constant dense<[[0], [1]]> : tensor<2x1xindex>
  // expected-error@+1 {{'tensor.gather' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; write it as a linalg.generic that reads with tensor.extract, or compute it outside and pass it in}}
  %y = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @bits(%x: tensor<4xf32>) -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.bitcast' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; write it as a linalg.generic with arith.bitcast, or compute it outside and pass it in}}
  %y = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @softmax(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.softmax' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; lower it first by transform.structured.decompose_interface, or compute it outside and pass it in}}
  %y = linalg.softmax dimension(0) ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @pack(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  // expected-error@+1 {{'linalg.pack' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; lower it first by transform.structured.lower_pack or lower_unpack, or compute it outside and pass it in}}
  %y = linalg.pack %x inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<4xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

func.func @clone(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'scan.clone' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; outside of combine regions use its operand, or compute it outside and pass it in}}
  %y = scan.clone %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'foo.bar' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; lower it to these first, or compute it outside and pass it in}}
  %y = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @stable(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'stablehlo.abs' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; lower it first by stablehlo-opt --chlo-legalize-to-stablehlo --stablehlo-legalize-to-linalg, or compute it outside and pass it in}}
  %y = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @unranked(%x: tensor<4xf32>) -> tensor<4xf32> {
  %u = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  // expected-error@+1 {{'arith.negf' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; lower it to these first, or compute it outside and pass it in}}
  %n = arith.negf %u : tensor<*xf32>
  %y = tensor.cast %n : tensor<*xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @sparse(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'sparse_tensor.convert' op cannot be bufferized: expected scans, structured operations of linalg, elementwise ones, and those of tensor, scf and func that change shapes and control, all on ranked tensors; use dense tensors, or compute it outside and pass it in}}
  %u = sparse_tensor.convert %x : tensor<4xf32> to tensor<4xf32, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>
  %y = sparse_tensor.convert %u : tensor<4xf32, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>> to tensor<4xf32>
  return %y : tensor<4xf32>
}
