// What threads.py writes of each case, and threads.c runs.

#pragma once

struct Input {
  long nbytes;
  int type; // 0 f32, 1 bf16, 2 f64, 3 i32.
  double low, high;
};

typedef void (*Call)(void **in, void **out);

struct Case {
  const char *name;
  long nbytes;
  int num_inputs;
  struct Input inputs[16];
  int num_outputs;
  long output_bytes; // Of each, at most.
  Call calls[2];     // Compiled for one thread, and with --openmp.
};
extern struct Case cases[];
