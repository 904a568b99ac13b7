// RUN: true %s \
// RUN:   -verify-diagnostics
// expected-error@below {{something}}
