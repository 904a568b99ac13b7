// RUN: scan-ir-test %s --test-build-associative --verify-diagnostics

// What a program builds is held to C9 and C10 as what is parsed.
// expected-error@+1 {{'scan.associative' op C9: expected a fresh value as yielded value #0, found block argument #1; wrap it in 'scan.clone' if it is meant to be passed on}}
func.func @last(%x: tensor<8xf32>) { // expected-note {{the yield is here}}
  return
}
