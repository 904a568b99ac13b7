// RUN: scan-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @+1 {{expected unroll to be between 1 and 64, found 0}}
"t.op"() {a = #scan.loops<unroll = 0>} : () -> ()

// -----

// expected-error @+1 {{expected unroll to be between 1 and 64, found 65}}
"t.op"() {a = #scan.loops<unroll = 65>} : () -> ()

// -----

// expected-error @+1 {{expected a number of 0 or more and of 32 bits, found -1}}
"t.op"() {a = #scan.loops<unroll = -1>} : () -> ()

// -----

// expected-error @+1 {{expected a split by a factor of 1 or more, found 0 for each dimension; leave split out}}
"t.op"() {a = #scan.stage<split = [0, 0]>} : () -> ()

// -----

// expected-error @+1 {{expected vector to be a power of two up to 64, found 3}}
"t.op"() {a = #scan.stage<vector = 3>} : () -> ()

// -----

// expected-error @+1 {{expected vector to be a power of two up to 64, found 0}}
"t.op"() {a = #scan.stage<vector = 0>} : () -> ()

// -----

// expected-error @+1 {{expected no split and no vector of a stage inside of its reader's loops, which divide it}}
"t.op"() {a = #scan.stage<inside, split = [32]>} : () -> ()

// -----

// expected-error @+1 {{expected one of split, vector or inside, found 'outside'}}
"t.op"() {a = #scan.stage<outside>} : () -> ()

// -----

// expected-error @+1 {{expected one of split, vector or inside}}
"t.op"() {a = #scan.stage<32>} : () -> ()

// -----

// expected-error @+1 {{expected a number of 0 or more and of 32 bits, found -32}}
"t.op"() {a = #scan.stage<split = [-32]>} : () -> ()
