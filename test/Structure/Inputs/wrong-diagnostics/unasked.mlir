// RUN: python3 -c "import sys; sys.exit('error: no')" %s --verify-diagnostics
