//===- execution.c - Programs run over arrays of the caller ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// For mmap with MAP_ANONYMOUS.
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include "common.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

static MlirScanExecutable create(MlirModule module, const char *function,
                                 const char *target) {
  MlirScanExecutable executable = mlirScanExecutableCreate(
      module, mlirScanString(function), mlirScanString(target));
  CHECK(!mlirScanExecutableIsNull(executable));
  return executable;
}

/// Numbers that look random: small ones of the type.
static void fill(void *data, MlirScanElementType type, size_t count,
                 uint32_t seed) {
  uint32_t state = seed * 2654435761u + 12345;
  bool isComplex = type == MlirScanElementTypeComplexF32 ||
                   type == MlirScanElementTypeComplexF64;
  for (size_t i = 0; i < count * (isComplex ? 2 : 1); ++i) {
    state = state * 1664525u + 1013904223u;
    uint32_t bits = state >> 16;
    float number = (float)bits / 32768.0f - 1.0f;
    switch (type) {
    case MlirScanElementTypeI1:
      ((uint8_t *)data)[i] = bits & 1;
      break;
    case MlirScanElementTypeI8:
      ((uint8_t *)data)[i] = (uint8_t)bits;
      break;
    case MlirScanElementTypeI16:
      ((uint16_t *)data)[i] = (uint16_t)bits;
      break;
    case MlirScanElementTypeI32:
      ((uint32_t *)data)[i] = state;
      break;
    case MlirScanElementTypeI64:
    case MlirScanElementTypeIndex:
      ((uint64_t *)data)[i] = (uint64_t)state << 20;
      break;
    case MlirScanElementTypeF16:
      // A sign, an exponent that keeps sums finite, a fraction.
      ((uint16_t *)data)[i] = (uint16_t)((bits & 0x83ff) | 0x2c00);
      break;
    case MlirScanElementTypeBF16:
      ((uint16_t *)data)[i] = (uint16_t)((bits & 0x807f) | 0x3e80);
      break;
    case MlirScanElementTypeF32:
    case MlirScanElementTypeComplexF32:
      ((float *)data)[i] = number;
      break;
    default:
      ((double *)data)[i] = number;
    }
  }
}

//===----------------------------------------------------------------------===//
// Every element type, against the reference interpreter
//===----------------------------------------------------------------------===//

static void runElementType(MlirContext context, MlirScanElementType type) {
  const char *name = mlirScanElementTypeGetName(type).data;
  size_t size = mlirScanElementTypeGetSize(type);
  const char *add = type == MlirScanElementTypeI1          ? "arith.xori"
                    : type < MlirScanElementTypeF16        ? "arith.subi"
                    : type < MlirScanElementTypeComplexF32 ? "arith.subf"
                                                           : "complex.sub";
  char program[1024];
  for (int dim = 0; dim < 2; ++dim) {
    snprintf(program, sizeof(program),
             "func.func @f(%%x: tensor<?x?x%s>) -> tensor<?x?x%s> {\n"
             "  %%y = scan.associative ins(%%x : tensor<?x?x%s>) dim = %d%s "
             "attributes {order = #scan.order<sequential>} {\n"
             "  ^bb0(%%acc: %s, %%new: %s):\n"
             "    %%s = %s %%acc, %%new : %s\n"
             "    scan.yield %%s : %s\n"
             "  } -> tensor<?x?x%s>\n"
             "  return %%y : tensor<?x?x%s>\n}\n",
             name, name, name, dim, dim ? " reverse" : "", name, name, add,
             name, name, name, name);
    MlirModule module = mlirScanModuleParse(context, mlirScanString(program),
                                            mlirScanString(name));
    CHECK(module.ptr);
    MlirScanExecutable cpu = create(module, "f", "cpu");
    MlirScanExecutable reference = create(module, "f", "reference");
    mlirScanModuleDestroy(module);

    const int64_t shapes[][2] = {{5, 37}, {1, 3}, {4, 1}, {0, 3}, {3, 0}};
    for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); ++k) {
      const int64_t *shape = shapes[k];
      size_t count = (size_t)(shape[0] * shape[1]);
      char *x = malloc(count * size + 16), *y = malloc(count * size + 16);
      char *z = malloc(count * size + 16);
      fill(x, type, count, (uint32_t)k + 1);
      memset(y, 0x55, count * size + 16);
      memset(z, 0xaa, count * size + 16);
      MlirScanBuffer input = {count ? x : NULL, type, 2, shape, NULL};
      MlirScanBuffer compiled = {count ? y : NULL, type, 2, shape, NULL};
      MlirScanBuffer interpreted = {z, type, 2, shape, NULL};
      CHECK_SUCCESS(mlirScanExecutableRun(cpu, 1, &input, 1, &compiled));
      CHECK_SUCCESS(
          mlirScanExecutableRun(reference, 1, &input, 1, &interpreted));
      CHECK(memcmp(y, z, count * size) == 0);
      // The first or the last column of the first row is that of the input.
      if (count && !dim)
        CHECK(memcmp(x, y, (size_t)shape[1] * size) == 0);
      // Nothing beyond the end.
      for (size_t i = 0; i < 16; ++i)
        CHECK(y[count * size + i] == 0x55);
      // The same from where nothing is aligned to more than an element, and not
      // even to that: read in place, and copied.
      for (size_t offset = 1; offset <= size; offset += size - 1) {
        memset(y, 0x55, count * size + 16);
        char *moved = malloc(count * size + 16);
        memcpy(moved + offset, x, count * size);
        input.data = moved + offset;
        compiled.data = y;
        CHECK_SUCCESS(mlirScanExecutableRun(cpu, 1, &input, 1, &compiled));
        CHECK(memcmp(y, z, count * size) == 0);
        free(moved);
        if (size == 1)
          break;
      }
      free(x);
      free(y);
      free(z);
    }
    mlirScanExecutableDestroy(cpu);
    mlirScanExecutableDestroy(reference);
  }
}

//===----------------------------------------------------------------------===//
// Programs, against the reference interpreter
//===----------------------------------------------------------------------===//

/// Runs a function with dense random inputs on both targets; `shapes` has the
/// shapes of all inputs, one after the other.
static void compare(MlirModule module, const char *function, const char *target,
                    const int64_t *shapes) {
  MlirScanExecutable tested = create(module, function, target);
  MlirScanExecutable reference = create(module, function, "reference");
  MlirScanSignature signature = mlirScanExecutableGetSignature(tested);
  MlirScanBuffer inputs[4];
  intptr_t numInputs = mlirScanSignatureGetNumInputs(signature);
  for (intptr_t i = 0; i < numInputs; ++i) {
    MlirScanArrayType type = mlirScanSignatureGetInput(signature, i);
    size_t count = 1;
    for (int64_t dim = 0; dim < type.rank; ++dim)
      count *= (size_t)shapes[dim];
    void *data =
        malloc(count * mlirScanElementTypeGetSize(type.elementType) + 1);
    fill(data, type.elementType, count, (uint32_t)i + 7);
    inputs[i] =
        (MlirScanBuffer){data, type.elementType, type.rank, shapes, NULL};
    shapes += type.rank;
  }
  MlirScanResults found = mlirScanExecutableCall(tested, numInputs, inputs);
  MlirScanResults expected =
      mlirScanExecutableCall(reference, numInputs, inputs);
  CHECK(!mlirScanResultsIsNull(found) && !mlirScanResultsIsNull(expected));
  intptr_t numOutputs = mlirScanSignatureGetNumOutputs(signature);
  CHECK(mlirScanResultsGetNum(found) == numOutputs);
  CHECK(mlirScanResultsGetNum(expected) == numOutputs);
  mlirScanExecutableDestroy(tested);
  mlirScanExecutableDestroy(reference);
  for (intptr_t i = 0; i < numOutputs; ++i) {
    MlirScanBuffer a = mlirScanResultsGet(found, i);
    MlirScanBuffer b = mlirScanResultsGet(expected, i);
    CHECK(a.elementType == b.elementType && a.rank == b.rank);
    size_t count = 1;
    for (int64_t dim = 0; dim < a.rank; ++dim) {
      CHECK(a.shape[dim] == b.shape[dim]);
      count *= (size_t)a.shape[dim];
    }
    CHECK(!a.strides);
    size_t bytes = count * mlirScanElementTypeGetSize(a.elementType);
    CHECK(bytes == 0 || memcmp(a.data, b.data, bytes) == 0);
  }
  mlirScanResultsDestroy(found);
  mlirScanResultsDestroy(expected);
  for (intptr_t i = 0; i < numInputs; ++i)
    free(inputs[i].data);
}

static void runPrograms(MlirModule module) {
  const int64_t recurrence[] = {2, 9, 37, 2, 9, 37, 2, 37};
  compare(module, "recurrence", "cpu", recurrence);
  const int64_t noTime[] = {2, 0, 3, 2, 0, 3, 2, 3};
  compare(module, "recurrence", "cpu", noTime);
  const int64_t affine[] = {3, 70, 3, 70};
  compare(module, "affine", "cpu", affine);
  compare(module, "affine", "emulator", affine);
  const int64_t indices[] = {41};
  compare(module, "indices", "cpu", indices);
  const int64_t segments[] = {41, 41};
  compare(module, "segments", "cpu", segments);
  const int64_t matrices[] = {3, 5, 2, 2};
  compare(module, "matrices", "cpu", matrices);
}

//===----------------------------------------------------------------------===//
// Strides, addresses, scalars
//===----------------------------------------------------------------------===//

/// y = cumulative sums along rows of x, by hand.
static void sumRows(const float *x, float *y, int rows, int columns) {
  for (int i = 0; i < rows; ++i) {
    float sum = 0;
    for (int j = 0; j < columns; ++j)
      y[i * columns + j] = sum = j ? sum + x[i * columns + j] : x[i * columns];
  }
}

static MlirScanExecutable
createStrided(MlirModule module, const char *function, const char *target,
              MlirScanStridedArguments stridedArguments) {
  MlirScanExecutable executable =
      mlirScanExecutableCreateStrided(module, mlirScanString(function),
                                      mlirScanString(target), stridedArguments);
  CHECK(!mlirScanExecutableIsNull(executable));
  return executable;
}

static void runStrided(MlirModule module, const char *target,
                       MlirScanStridedArguments strided) {
  MlirScanExecutable sums = createStrided(module, "sums", target, strided);
  float x[3 * 4], y[3 * 4], expected[3 * 4];
  fill(x, MlirScanElementTypeF32, 12, 3);
  sumRows(x, expected, 3, 4);
  const int64_t shape[] = {3, 4};
  MlirScanBuffer input = {x, MlirScanElementTypeF32, 2, shape, NULL};
  MlirScanBuffer output = {y, MlirScanElementTypeF32, 2, shape, NULL};
  CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  CHECK(memcmp(y, expected, sizeof(y)) == 0);

  // Dense by its strides.
  const int64_t dense[] = {4, 1};
  input.strides = dense;
  memset(y, 0, sizeof(y));
  CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  CHECK(memcmp(y, expected, sizeof(y)) == 0);

  // Column-major on both sides.
  float columns[12], result[12];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      columns[j * 3 + i] = x[i * 4 + j];
  const int64_t transposed[] = {1, 3};
  input =
      (MlirScanBuffer){columns, MlirScanElementTypeF32, 2, shape, transposed};
  output =
      (MlirScanBuffer){result, MlirScanElementTypeF32, 2, shape, transposed};
  CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      CHECK(result[j * 3 + i] == expected[i * 4 + j]);

  // Every other column, rows from the last to the first; what lies between is
  // neither read nor written.
  float gaps[3 * 8], holes[3 * 8];
  for (int i = 0; i < 24; ++i)
    gaps[i] = holes[i] = -1000;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      gaps[(2 - i) * 8 + 2 * j] = x[i * 4 + j];
  const int64_t backward[] = {-8, 2};
  input =
      (MlirScanBuffer){gaps + 16, MlirScanElementTypeF32, 2, shape, backward};
  output =
      (MlirScanBuffer){holes + 16, MlirScanElementTypeF32, 2, shape, backward};
  CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 8; ++j)
      CHECK(holes[(2 - i) * 8 + j] ==
            (j % 2 ? -1000 : expected[i * 4 + j / 2]));

  // One number for all.
  float one = 1;
  const int64_t broadcast[] = {0, 0};
  input = (MlirScanBuffer){&one, MlirScanElementTypeF32, 2, shape, broadcast};
  output = (MlirScanBuffer){y, MlirScanElementTypeF32, 2, shape, NULL};
  CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  for (int i = 0; i < 12; ++i)
    CHECK(y[i] == (float)(i % 4 + 1));

  // A dimension of extent 1 may have any stride.
  const int64_t row[] = {1, 4}, odd[] = {-77, 1};
  input = (MlirScanBuffer){x, MlirScanElementTypeF32, 2, row, odd};
  output = (MlirScanBuffer){y, MlirScanElementTypeF32, 2, row, odd};
  CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
  CHECK(memcmp(y, expected, 4 * sizeof(float)) == 0);

  // Inputs may overlap each other; they are never written to.
  float copy[12];
  memcpy(copy, x, sizeof(x));
  MlirScanExecutable recurrence =
      createStrided(module, "recurrence", target, strided);
  const int64_t cube[] = {1, 3, 4}, plane[] = {1, 4};
  MlirScanBuffer inputs[] = {{x, MlirScanElementTypeF32, 3, cube, NULL},
                             {x, MlirScanElementTypeF32, 3, cube, NULL},
                             {x, MlirScanElementTypeF32, 2, plane, NULL}};
  float last[4];
  MlirScanBuffer outputs[] = {{y, MlirScanElementTypeF32, 3, cube, NULL},
                              {last, MlirScanElementTypeF32, 2, plane, NULL}};
  CHECK_SUCCESS(mlirScanExecutableRun(recurrence, 3, inputs, 2, outputs));
  CHECK(memcmp(x, copy, sizeof(x)) == 0);
  CHECK(memcmp(y, last, sizeof(last)) == 0);
  mlirScanExecutableDestroy(recurrence);
  mlirScanExecutableDestroy(sums);
}

static void runScalars(MlirModule module, const char *target) {
  MlirScanExecutable scalars = create(module, "scalars", target);
  float x = 1.5f, t = 2.5f, y = 0, s = 0;
  int64_t n = 21, m = 0;
  uint8_t b = 1, c = 7;
  MlirScanBuffer inputs[] = {{&x, MlirScanElementTypeF32, 0, NULL, NULL},
                             {&n, MlirScanElementTypeIndex, 0, NULL, NULL},
                             {&t, MlirScanElementTypeF32, 0, NULL, NULL},
                             {&b, MlirScanElementTypeI1, 0, NULL, NULL}};
  MlirScanBuffer outputs[] = {{&y, MlirScanElementTypeF32, 0, NULL, NULL},
                              {&m, MlirScanElementTypeIndex, 0, NULL, NULL},
                              {&s, MlirScanElementTypeF32, 0, NULL, NULL},
                              {&c, MlirScanElementTypeI1, 0, NULL, NULL}};
  CHECK_SUCCESS(mlirScanExecutableRun(scalars, 4, inputs, 4, outputs));
  CHECK(y == 4.0f && m == 42 && s == 5.0f && c == 0);
  mlirScanExecutableDestroy(scalars);

  MlirScanExecutable nothing = create(module, "nothing", target);
  CHECK_SUCCESS(mlirScanExecutableRun(nothing, 0, NULL, 0, NULL));
  MlirScanResults none = mlirScanExecutableCall(nothing, 0, NULL);
  CHECK(!mlirScanResultsIsNull(none) && mlirScanResultsGetNum(none) == 0);
  mlirScanResultsDestroy(none);
  mlirScanExecutableDestroy(nothing);
}

/// Results whose shape only the run knows.
static void runUnknownShape(MlirModule module, const char *target) {
  MlirScanExecutable prefix = create(module, "prefix", target);
  float x[] = {1, 2, 3, 4};
  const int64_t shape[] = {4};
  for (int64_t n = 0; n <= 4; ++n) {
    MlirScanBuffer inputs[] = {{x, MlirScanElementTypeF32, 1, shape, NULL},
                               {&n, MlirScanElementTypeIndex, 0, NULL, NULL}};
    MlirScanResults results = mlirScanExecutableCall(prefix, 2, inputs);
    CHECK(mlirScanResultsGetNum(results) == 1);
    MlirScanBuffer y = mlirScanResultsGet(results, 0);
    CHECK(y.elementType == MlirScanElementTypeF32 && y.rank == 1);
    CHECK(y.shape[0] == n && !y.strides);
    CHECK((uintptr_t)y.data % 16 == 0);
    for (int64_t i = 0; i < n; ++i)
      CHECK(((float *)y.data)[i] == (float)((i + 1) * (i + 2) / 2));
    CHECK(mlirScanResultsGet(results, 1).rank == -1);
    CHECK(mlirScanResultsGet(results, -1).data == NULL);
    mlirScanResultsDestroy(results);
  }
  mlirScanExecutableDestroy(prefix);
}

/// Whatever a function returns twice, each result is memory of its own, and no
/// longer that of the run.
static void runShared(MlirModule module, const char *target) {
  MlirScanExecutable shared = create(module, "shared", target);
  int32_t x[] = {1, 2, 3};
  const int64_t shape[] = {3};
  MlirScanBuffer input = {x, MlirScanElementTypeI32, 1, shape, NULL};
  MlirScanResults results = mlirScanExecutableCall(shared, 1, &input);
  MlirScanResults more = mlirScanExecutableCall(shared, 1, &input);
  mlirScanExecutableDestroy(shared);
  CHECK(mlirScanResultsGetNum(results) == 5);
  const int32_t expected[5][3] = {
      {1, 3, 6}, {1, 3, 6}, {3}, {1, 2, 3}, {5, 6, 7}};
  for (intptr_t i = 0; i < 5; ++i) {
    MlirScanBuffer result = mlirScanResultsGet(results, i);
    CHECK(result.shape[0] == (i == 2 ? 1 : 3));
    CHECK((uintptr_t)result.data % 16 == 0);
    int32_t *numbers = result.data;
    for (int64_t k = 0; k < result.shape[0]; ++k) {
      CHECK(numbers[k] == expected[i][k]);
      numbers[k] = -1;
    }
  }
  CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3);
  mlirScanResultsDestroy(results);
  int32_t *numbers = mlirScanResultsGet(more, 4).data;
  CHECK(numbers[0] == 5 && numbers[2] == 7);
  mlirScanResultsDestroy(more);
}

/// The bytes that malloc has given out; 0 where it does not say (sanitizers).
static size_t getAllocated(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Results are computed in outputs of the caller, dense and aligned ones: no
/// array of their size stays with the executable. Others are copied there.
static void runIntoOutputs(MlirModule module) {
  const int64_t shape[] = {4, 1 << 18}, strides[] = {1 << 18, 1};
  const int64_t mixed[] = {1, 4};
  size_t count = 4 << 18, bytes = count * sizeof(float);
  float *x = malloc(bytes), *expected = malloc(bytes);
  // Sums of small whole numbers are exact in every order.
  for (size_t i = 0; i < count; ++i)
    x[i] = (float)(i % 7) - 3;
  sumRows(x, expected, 4, 1 << 18);
  char *block = NULL;
  CHECK(posix_memalign((void **)&block, 64, bytes + 64) == 0);
  MlirScanBuffer input = {x, MlirScanElementTypeF32, 2, shape, NULL};
  for (int kind = 0; kind < 4; ++kind) {
    // Dense, the same with strides, not aligned, column-major.
    MlirScanBuffer output = {kind == 2 ? block + 4 : block,
                             MlirScanElementTypeF32, 2, shape,
                             kind == 1   ? strides
                             : kind == 3 ? mixed
                                         : NULL};
    memset(block, 0x55, bytes + 64);
    MlirScanExecutable sums = create(module, "sums", "cpu");
    size_t before = getAllocated();
    CHECK_SUCCESS(mlirScanExecutableRun(sums, 1, &input, 1, &output));
    size_t kept = getAllocated() - before;
    CHECK(kept == 0 || (kind < 2 ? kept < bytes / 2 : kept >= bytes));
    const float *y = output.data;
    for (size_t i = 0; i < count; ++i)
      CHECK(y[kind == 3 ? i % (1 << 18) * 4 + i / (1 << 18) : i] ==
            expected[i]);
    CHECK(block[bytes + 63] == 0x55);
    mlirScanExecutableDestroy(sums);
  }
  free(block);
  free(x);
  free(expected);

  // One array that is returned twice, and parts of it.
  MlirScanExecutable shared = create(module, "shared", "cpu");
  _Alignas(64) int32_t numbers[5][16];
  memset(numbers, 0x55, sizeof(numbers));
  int32_t y[] = {1, 2, 3};
  const int64_t three[] = {3}, one[] = {1};
  input = (MlirScanBuffer){y, MlirScanElementTypeI32, 1, three, NULL};
  MlirScanBuffer outputs[5];
  for (int i = 0; i < 5; ++i)
    outputs[i] = (MlirScanBuffer){numbers[i], MlirScanElementTypeI32, 1,
                                  i == 2 ? one : three, NULL};
  CHECK_SUCCESS(mlirScanExecutableRun(shared, 1, &input, 5, outputs));
  const int32_t results[5][3] = {
      {1, 3, 6}, {1, 3, 6}, {3}, {1, 2, 3}, {5, 6, 7}};
  for (int i = 0; i < 5; ++i) {
    CHECK(memcmp(numbers[i], results[i], i == 2 ? 4 : 12) == 0);
    CHECK(numbers[i][i == 2 ? 1 : 3] == 0x55555555);
  }
  mlirScanExecutableDestroy(shared);
}

/// A result stays where it was computed: there is one array of its size, not
/// a second one that it was copied from.
static void runWithoutCopy(MlirModule module) {
  MlirScanExecutable sums = create(module, "sums", "cpu");
  const int64_t shape[] = {4, 1 << 20};
  size_t bytes = 4 * sizeof(float) << 20;
  float *x = calloc(4 << 20, sizeof(float));
  MlirScanBuffer input = {x, MlirScanElementTypeF32, 2, shape, NULL};
  size_t before = getAllocated();
  void *data = NULL;
  for (int run = 0; run < 3; ++run) {
    MlirScanResults results = mlirScanExecutableCall(sums, 1, &input);
    CHECK(!mlirScanResultsIsNull(results));
    size_t used = getAllocated() - before;
    CHECK(used == 0 || (used >= bytes && used < bytes + bytes / 2));
    // The memory of results that are destroyed serves the next run.
    void *next = mlirScanResultsGet(results, 0).data;
    CHECK(!data || data == next);
    data = next;
    mlirScanResultsDestroy(results);
  }
  // Results that live on keep theirs, also from the executable.
  MlirScanResults first = mlirScanExecutableCall(sums, 1, &input);
  MlirScanResults second = mlirScanExecutableCall(sums, 1, &input);
  CHECK(mlirScanResultsGet(first, 0).data !=
        mlirScanResultsGet(second, 0).data);
  mlirScanResultsDestroy(first);
  mlirScanExecutableDestroy(sums);
  mlirScanResultsDestroy(second);
  CHECK(getAllocated() < before + bytes / 2);
  free(x);
}

/// An array as large as the machine's memory can be read where it is, but not
/// copied.
static void runInPlace(MlirModule module) {
  title("in place");
  const int64_t shape[] = {(int64_t)sysconf(_SC_PHYS_PAGES) *
                           sysconf(_SC_PAGESIZE)};
  void *memory = mmap(NULL, (size_t)shape[0], PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    printf("no such address space\n");
    return;
  }
  int8_t y = 1;
  MlirScanBuffer input = {memory, MlirScanElementTypeI8, 1, shape, NULL};
  MlirScanBuffer output = {&y, MlirScanElementTypeI8, 0, NULL, NULL};
  MlirScanExecutable cpu = create(module, "first", "cpu");
  CHECK_SUCCESS(mlirScanExecutableRun(cpu, 1, &input, 1, &output));
  CHECK(y == 0);
  const int64_t backward[] = {-1};
  input.data = (char *)memory + shape[0] - 1;
  input.strides = backward;
  CHECK_FAILURE(mlirScanExecutableRun(cpu, 1, &input, 1, &output));
  // Unless the function was compiled for strides.
  MlirScanExecutable any =
      createStrided(module, "first", "cpu", MlirScanStridedArgumentsAny);
  y = 1;
  CHECK_SUCCESS(mlirScanExecutableRun(any, 1, &input, 1, &output));
  CHECK(y == 0);
  mlirScanExecutableDestroy(any);
  MlirScanExecutable outer =
      createStrided(module, "first", "cpu", MlirScanStridedArgumentsOuter);
  CHECK_FAILURE(mlirScanExecutableRun(outer, 1, &input, 1, &output));
  mlirScanExecutableDestroy(outer);
  CHECK(mlirScanExecutableIsNull(mlirScanExecutableCreateStrided(
      module, mlirScanString("first"), mlirScanString("cpu"), 3)));
  MlirScanExecutable reference = create(module, "first", "reference");
  input = (MlirScanBuffer){memory, MlirScanElementTypeI8, 1, shape, NULL};
  CHECK_FAILURE(mlirScanExecutableRun(reference, 1, &input, 1, &output));
  mlirScanExecutableDestroy(cpu);
  mlirScanExecutableDestroy(reference);
  munmap(memory, (size_t)shape[0]);
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static void querySignatures(MlirModule module) {
  MlirScanSignature signature =
      mlirScanSignatureGet(module, mlirScanString("scalars"));
  CHECK(!mlirScanSignatureIsNull(signature));
  CHECK(mlirScanSignatureGetNumInputs(signature) == 4);
  CHECK(mlirScanSignatureGetNumOutputs(signature) == 4);
  MlirScanArrayType type = mlirScanSignatureGetInput(signature, 0);
  CHECK(type.elementType == MlirScanElementTypeF32 && type.rank == 0);
  CHECK(type.isScalar);
  type = mlirScanSignatureGetOutput(signature, 2);
  CHECK(type.elementType == MlirScanElementTypeF32 && type.rank == 0);
  CHECK(!type.isScalar);
  CHECK(mlirScanSignatureGetInput(signature, -1).rank == -1);
  CHECK(mlirScanSignatureGetInput(signature, 4).rank == -1);
  CHECK(mlirScanSignatureGetOutput(signature, 4).rank == -1);
  mlirScanSignatureDestroy(signature);

  signature = mlirScanSignatureGet(module, mlirScanString("matrices"));
  type = mlirScanSignatureGetInput(signature, 0);
  CHECK(type.elementType == MlirScanElementTypeF64 && type.rank == 4);
  CHECK(type.shape[0] == 3 && type.shape[1] == 5 && type.shape[3] == 2);
  mlirScanSignatureDestroy(signature);

  signature = mlirScanSignatureGet(module, mlirScanString("affine"));
  type = mlirScanSignatureGetOutput(signature, 2);
  CHECK(type.elementType == MlirScanElementTypeI32 && type.rank == 1);
  CHECK(type.shape[0] == MLIR_SCAN_DYNAMIC);
  mlirScanSignatureDestroy(signature);

  CHECK(mlirScanElementTypeGetSize(MlirScanElementTypeNone) == 0);
  CHECK(mlirScanElementTypeGetSize(99) == 0);
  CHECK(mlirScanElementTypeGetSize(-1) == 0);
  CHECK(equals(mlirScanElementTypeGetName(99), "none"));
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc != 2)
    return EXIT_FAILURE;
  MlirContext context = mlirScanContextCreate(/*threading=*/false);
  mlirScanContextAttachDiagnosticCallback(context, printDiagnostic, NULL);
  MlirModule module = mlirScanModuleParseFile(context, mlirScanString(argv[1]));
  CHECK(module.ptr);
  querySignatures(module);
  for (MlirScanElementType type = MlirScanElementTypeI1;
       type <= MlirScanElementTypeComplexF64; ++type)
    // An index is no leaf of a scan.
    if (type != MlirScanElementTypeIndex)
      runElementType(context, type);
  runPrograms(module);
  const char *const targets[] = {"cpu", "reference"};
  runStrided(module, "emulator", MlirScanStridedArgumentsOuter);
  runStrided(module, "emulator", MlirScanStridedArgumentsAny);
  for (int i = 0; i < 2; ++i) {
    for (MlirScanStridedArguments strided = MlirScanStridedArgumentsNone;
         strided <= MlirScanStridedArgumentsAny; ++strided)
      runStrided(module, targets[i], strided);
    runScalars(module, targets[i]);
    runUnknownShape(module, targets[i]);
    runShared(module, targets[i]);
  }
  runWithoutCopy(module);
  runIntoOutputs(module);
  runInPlace(module);
  mlirScanModuleDestroy(module);
  mlirScanContextDestroy(context);
  return finish();
}
