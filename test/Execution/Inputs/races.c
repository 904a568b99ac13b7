// Runs what races.test computes in blocks on several threads, with a stand-in for libomp
// that ThreadSanitizer sees through. With FREEZE one of the threads stops for as long as
// the others take for all that they can do without it.

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  float *allocated, *aligned;
  int64_t offset, size, stride;
} Vector;
typedef struct {
  float *allocated, *aligned;
  int64_t offset;
} Scalar;
typedef struct {
  int32_t *allocated, *aligned;
  int64_t offset, size, stride;
} Integers;

void _mlir_ciface_recurrence(Vector *result, Vector *a, Vector *b);
void _mlir_ciface_twice(Integers *result, Integers *x);
void _mlir_ciface_total(Scalar *result, Vector *max, Vector *sum);

/// So many steps that no thread does all before another one has begun.
enum { threads = 4, steps = 600011 };
static _Thread_local int place, places = 1;

#ifdef FREEZE
enum { runs = 60, frozen = 1, most = 20000 };
#else
enum { runs = 2 };
#endif

typedef void (*Body)(int32_t *thread, int32_t *bound, void *arguments);
typedef struct {
  Body body;
  void *arguments;
  int place;
} Member;

static void *runMember(void *data) {
  Member *member = data;
  int32_t number = place = member->place;
  places = threads;
  member->body(&number, &number, member->arguments);
  return NULL;
}

#ifdef FREEZE
static _Atomic int goesOn;
static int stuck;

/// Stops this thread until the others have ended, or for 20 seconds; every other
/// time for less than that takes.
static void freeze(int number) {
  static unsigned times;
  (void)number;
  if (times++ % 2) {
    usleep(times * 13 % 300);
    return;
  }
  for (int i = 0; i < most && !goesOn; ++i)
    usleep(1000);
  stuck += !goesOn;
}
#endif

void __kmpc_fork_call_if(void *location, int32_t count, Body body,
                         int32_t condition, void *arguments) {
  pthread_t team[threads];
  Member members[threads];
  (void)location, (void)count, (void)condition;
  for (int i = 0; i < threads; ++i) {
    members[i] = (Member){body, arguments, i};
    if (pthread_create(&team[i], NULL, runMember, &members[i]))
      abort();
  }
#ifdef FREEZE
  static unsigned forks;
  goesOn = 0;
  usleep(forks++ * 37 % 1000);
  pthread_kill(team[frozen], SIGUSR1);
  for (int i = 0; i < threads; ++i)
    if (i != frozen)
      pthread_join(team[i], NULL);
  goesOn = 1;
  pthread_join(team[frozen], NULL);
#else
  for (int i = 0; i < threads; ++i)
    pthread_join(team[i], NULL);
#endif
}

int32_t __kmpc_global_thread_num(void *location) {
  (void)location;
  return place;
}

void __kmpc_for_static_init_8u(void *location, int32_t thread, int32_t schedule,
                               int32_t *isLast, uint64_t *lower,
                               uint64_t *upper, int64_t *stride,
                               int64_t increment, int64_t chunk) {
  (void)location, (void)thread, (void)schedule, (void)increment, (void)chunk;
  uint64_t begin = *lower, count = *upper - *lower + 1;
  *stride = count;
  *isLast = place + 1 == places;
  *lower = begin + count * place / places;
  *upper = begin + count * (place + 1) / places - 1;
}

void __kmpc_for_static_fini(void *location, int32_t thread) {
  (void)location, (void)thread;
}

int main(void) {
  static float a[steps], b[steps];
  for (int i = 0; i < steps; ++i) {
    a[i] = i * 7 % 100 * 0.01f;
    b[i] = i * 13 % 100 * 0.01f;
  }
  Vector x = {a, a, 0, steps, 1}, y = {b, b, 0, steps, 1};
  int wrong = 0;
#ifdef FREEZE
  signal(SIGUSR1, freeze);
#endif
  for (int run = 0; run < runs; ++run) {
    Vector states;
    _mlir_ciface_recurrence(&states, &x, &y);
    float state = b[steps - 1];
    for (int i = steps - 2; i >= 0; --i) {
      state = a[i] * state + b[i];
      float found = states.aligned[i];
      wrong += !(found > state - 1e-4f && found < state + 1e-4f);
    }
    free(states.allocated);
    static int32_t ones[steps];
    for (int i = 0; i < steps; ++i)
      ones[i] = 1;
    Integers counts = {ones, ones, 0, steps, 1}, sums;
    _mlir_ciface_twice(&sums, &counts);
    uint32_t sum = 0;
    for (int i = steps - 1; i >= 0; --i)
      wrong += (uint32_t)sums.aligned[i] != (sum += i + 1);
    free(sums.allocated);
    Scalar total;
    _mlir_ciface_total(&total, &x, &y);
    static float first;
    if (run == 0)
      first = *total.aligned;
    wrong += !(*total.aligned == first && first > 1);
    free(total.allocated);
  }
#ifdef FREEZE
  printf("%d times stuck\n", stuck);
#endif
  printf("%d wrong\n", wrong);
  return 0;
}
