// What is wrong in the custom syntax is said in one line, with what may stand there and
// the nearest right spelling.

// RUN: scan-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected one of 'reverse', 'exclusive', 'shared_yields', 'attributes' or a region, found 'reversed'; did you mean 'reverse'?}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 reversed {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected one of 'exclusive', 'shared_yields', 'attributes' or a region, found 'exlusive'; did you mean 'exclusive'?}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 reverse exlusive {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected one of 'reverse', 'exclusive', 'shared_yields', 'attributes' or a region, found 'backwards'}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 backwards {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected 'reverse' once, found it again}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 reverse reverse {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected 'ins', found 'in'; did you mean 'ins'?}}
  %y = scan.associative in(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected 'ins'}}
  %y = scan.associative(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected one of 'init', 'segments' or 'dim', found 'inits'; did you mean 'init'?}}
  %y = scan.associative ins(%x : tensor<?xf32>) inits(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected one of 'init', 'segments' or 'dim', found 'axis'}}
  %y = scan.associative ins(%x : tensor<?xf32>) axis = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected one of 'init', 'segments' or 'dim', found 'dimension'; did you mean 'dim'?}}
  %y = scan.associative ins(%x : tensor<?xf32>) dimension = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected an attribute of the operation, found 'schedul'; did you mean 'schedule'?}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 attributes {schedul = 1} {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.associative' expected '->' and the types of the results at the end}}
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.linear_recurrence' expected 'attributes' in front of attributes, found '{'}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 {order = #scan.order<sequential>} -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.asociative' is unknown; did you mean 'scan.associative'?}}
  %y = scan.asociative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.cumsum' is unknown}}
  %y = scan.cumsum ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) dim = 0 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    // expected-error@+1 {{custom op 'scan.yeild' is unknown; did you mean 'scan.yield'?}}
    scan.yeild %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.linear_recurrence' expected one of 'reverse', 'exclusive', 'attributes' or '->', found 'reversed'; did you mean 'reverse'?}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 reversed -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.linear_recurrence' expected '->' and the types of the results at the end}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+2 {{custom op 'scan.linear_recurrence' expected one of 'reverse', 'exclusive', 'attributes' or '->', found 'return'}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0
  return %y : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.linear_recurrence' expected an attribute of the operation, found 'acumulator'; did you mean 'accumulator'?}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) dim = 0 attributes {acumulator = f64} -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{custom op 'scan.linear_recurrence' expected one of 'init', 'segments' or 'dim', found 'segment'; did you mean 'segments'?}}
  %y = scan.linear_recurrence ins(%a, %b : tensor<?xf32>, tensor<?xf32>) segment(%a : tensor<?xf32>) dim = 0 -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Words in any order, and attributes of others.
func.func @right(%x: tensor<?xf32>, %i: f32) -> tensor<?xf32> {
  %y = scan.associative ins(%x : tensor<?xf32>) init(%i : f32) dim = 0 exclusive reverse attributes {mine = 1, other.schedul = 2} {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    scan.yield %s : f32
  } -> tensor<?xf32>
  %z = scan.linear_recurrence ins(%x, %y : tensor<?xf32>, tensor<?xf32>) init(%i : f32) dim = 0 exclusive reverse -> tensor<?xf32>
  return %z : tensor<?xf32>
}
