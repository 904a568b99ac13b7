// RUN: python3 -c "import sys; sys.exit('error: another thing')" %s --split-input-file --verify-diagnostics | FileCheck %s
// expected-error@+1 {{one thing}}
