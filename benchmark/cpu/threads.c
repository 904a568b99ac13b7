// The driver of threads.py.

#define _GNU_SOURCE
#include "threads.h"
#include <immintrin.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

void omp_set_num_threads(int);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

enum { kHuge = 2 << 20, kPage = 4096, kMostItems = 32 };
static const int kThreads[] = {1, 2, 4, 8};
enum { kNumThreads = sizeof kThreads / sizeof *kThreads };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static long round_up(long n) { return (n + kPage + kHuge - 1) & ~(long)(kHuge - 1); }

static char *map_pages(long n) {
  char *p = mmap(0, round_up(n) + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    fprintf(stderr, "threads.c: no memory for %ld bytes\n", n);
    exit(1);
  }
  p = (char *)(((uintptr_t)p + kHuge - 1) & ~(uintptr_t)(kHuge - 1));
  madvise(p, round_up(n), MADV_HUGEPAGE);
  memset(p, 1, n);
  return p;
}

static uint64_t state = 88172645463325252u;
static double next_random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (state >> 11) * 0x1p-53;
}

static void fill(char *p, const struct Input *input) {
  static const int bytes[] = {4, 2, 8, 4};
  for (long i = 0; i < input->nbytes / bytes[input->type]; ++i) {
    double value = input->low + (input->high - input->low) * next_random();
    float single = value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    switch (input->type) {
    case 0: ((float *)p)[i] = single; break;
    case 1: ((uint16_t *)p)[i] = bits >> 16; break;
    case 2: ((double *)p)[i] = value; break;
    case 3: ((int *)p)[i] = (int)(next_random() * 18) - 9; break;
    }
  }
}

// Copies of half of a case's bytes: what it reads and writes in all is as much.
static char *source, *target;
static long copied;
static volatile long sink;

static void copy_part(int kind, long begin, long end) {
  if (kind == 0) {
    memcpy(target + begin, source + begin, end - begin);
    return;
  }
  // Two halves of a cache line in turn: a store buffer still writes the line at once.
  __m256i low = _mm256_setzero_si256(), high = low;
  for (long i = begin; i + 64 <= end; i += 64) {
    __m256i x = _mm256_loadu_si256((void *)(source + i));
    __m256i y = _mm256_loadu_si256((void *)(source + i + 32));
    if (kind == 1) {
      _mm256_stream_si256((void *)(target + i), x);
      _mm256_stream_si256((void *)(target + i + 32), y);
    } else {
      low = _mm256_xor_si256(low, x);
      high = _mm256_xor_si256(high, y);
    }
  }
  _mm_sfence();
  if (kind == 2)
    sink = _mm256_extract_epi64(_mm256_xor_si256(low, high), 0);
}

static void copy(int kind, int threads) {
  if (threads == 1)
    return copy_part(kind, 0, copied);
#pragma omp parallel num_threads(threads)
  {
    long pages = copied / kPage, t = omp_get_thread_num(), all = omp_get_num_threads();
    copy_part(kind, pages * t / all * kPage, pages * (t + 1) / all * kPage);
  }
}

// What is measured: a call of the case, or a copy.
struct Item {
  const char *name;
  int call, threads; // The copy of kind -1 - call where that is negative.
};

static void run(const struct Case *c, const struct Item *item, void **in, void **out) {
  if (item->call < 0)
    copy(-1 - item->call, item->threads);
  else
    c->calls[item->call](in, out);
}

static void measure(const struct Case *c, int rounds, double limit) {
  void *in[16], *out[16];
  for (int i = 0; i < c->num_inputs; ++i)
    fill(in[i] = map_pages(c->inputs[i].nbytes), &c->inputs[i]);
  for (int i = 0; i < c->num_outputs; ++i)
    out[i] = map_pages(c->output_bytes);
  copied = c->nbytes / 2;
  source = map_pages(copied), target = map_pages(copied);

  struct Item items[kMostItems] = {{"one", 0, 1}};
  int n = 1;
  static const char *names[] = {"memcpy", "stores", "reads"};
  for (int t = 0; t < kNumThreads; ++t) {
    items[n++] = (struct Item){"openmp", 1, kThreads[t]};
    for (int kind = 0; kind < 3; ++kind)
      items[n++] = (struct Item){names[kind], -1 - kind, kThreads[t]};
  }
  double *times = calloc(n * rounds, sizeof(double)), began = now();
  int order[kMostItems], calls[kMostItems], done = 0;
  for (int i = 0; i < n; ++i)
    order[i] = i, calls[i] = 1;
  // The round before the first one says how often short calls are repeated.
  for (int round = -1; round < rounds; ++round) {
    if (round > 4 && now() - began > limit)
      break;
    for (int i = n - 1; i > 0; --i) {
      int j = next_random() * (i + 1), swapped = order[i];
      order[i] = order[j], order[j] = swapped;
    }
    for (int k = 0; k < n; ++k) {
      int i = order[k];
      omp_set_num_threads(items[i].threads);
      if (round < 0 || calls[i] > 1)
        run(c, &items[i], in, out);
      double start = now();
      for (int call = 0; call < calls[i]; ++call)
        run(c, &items[i], in, out);
      double taken = (now() - start) / calls[i];
      if (round < 0)
        calls[i] = taken > 4e-3 ? 1 : (int)(3e-3 / taken) + 1;
      else
        times[i * rounds + round] = taken;
    }
    done = round + 1;
  }
  for (int i = 0; i < n; ++i) {
    printf("%s|%ld|%s|%d|", c->name, c->nbytes, items[i].name, items[i].threads);
    for (int round = 0; round < done; ++round)
      printf(" %.9g", times[i * rounds + round]);
    printf("\n");
  }
  fflush(stdout);
  free(times);
  for (int i = 0; i < c->num_inputs; ++i)
    munmap(in[i], round_up(c->inputs[i].nbytes));
  for (int i = 0; i < c->num_outputs; ++i)
    munmap(out[i], round_up(c->output_bytes));
  munmap(source, round_up(copied)), munmap(target, round_up(copied));
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: drive ROUNDS SECONDS\n");
    return 2;
  }
  // Arrays that a program allocates are not to be new pages in each call.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT32_MAX);
  for (struct Case *c = cases; c->name; ++c)
    measure(c, atoi(argv[1]), atof(argv[2]));
}
