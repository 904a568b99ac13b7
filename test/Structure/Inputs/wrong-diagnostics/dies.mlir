// RUN: python3 -c "import os, sys; 'dies' + 'here' in open(sys.argv[1]).read() and os.abort()" %s --verify-diagnostics
// -----
// dieshere
// expected-error@+1 {{something}}
