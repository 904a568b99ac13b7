// RUN: scan-opt %s --scan-require-extents --split-input-file --verify-diagnostics

// expected-error@+1 {{expected 'scan.requires' to be an array of comparisons, such as ["==", "arg0_d1", 8], found 3 : i64}}
func.func @number(%x: tensor<?xf32>) attributes {scan.requires = 3} {
  return
}

// -----

// expected-error@+1 {{expected 'scan.requires' to be an array of comparisons, such as ["==", "arg0_d1", 8], found [["+", "arg0_d0", 3]]}}
func.func @sum(%x: tensor<?xf32>) attributes {scan.requires = [["+", "arg0_d0", 3]]} {
  return
}

// -----

// expected-error@+1 {{expected 'scan.requires' to be an array of comparisons, such as ["==", "arg0_d1", 8], found [["==", "arg0_d0"]]}}
func.func @one_side(%x: tensor<?xf32>) attributes {scan.requires = [["==", "arg0_d0"]]} {
  return
}
