//===- LinearScans.cpp - Compensated sums and linear recurrences ----------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanWalk.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::reference;

/// An init: an element of a tensor, zero if it has none, or a scalar.
static Scalar readInit(Frame &frame, Use init, const Tensor &tensor,
                       int64_t position) {
  if (!init.slot.isTensor)
    return frame.scalar(init.slot);
  return countElements(tensor.shape) > 0 ? tensor.load(position) : Scalar{};
}

static LogicalResult verifyInit(Operation *op, ArrayRef<int64_t> expected,
                                const Tensor &init) {
  if (expected == ArrayRef<int64_t>(init.shape))
    return success();
  return op->emitOpError("init does not fit: expected ")
         << describeShape(expected) << ", found " << describeShape(init.shape);
}

/// Allocates the result and, if wanted, the final states of a scan over one
/// tensor.
static LogicalResult allocateResults(Frame &frame, Operation *op,
                                     Format element, ArrayRef<int64_t> shape,
                                     const Segments &segments, bool wantsFinal,
                                     Tensor &result, Tensor &last) {
  FailureOr<Tensor> all = frame.session.allocate(op, element, shape);
  FailureOr<Tensor> states = frame.session.allocate(
      op, element,
      wantsFinal ? segments.getFinalShape(shape) : SmallVector<int64_t>{0});
  if (failed(all) || failed(states))
    return failure();
  result = std::move(*all);
  last = std::move(*states);
  return success();
}

//===----------------------------------------------------------------------===//
// Compensated sums
//===----------------------------------------------------------------------===//

namespace {
/// A sum that loses nothing: finite numbers that do not overlap, smallest
/// first, whose exact sum it is (Shewchuk, Adaptive Precision Floating-Point
/// Arithmetic, 1997).
class ExactSum {
public:
  void reset(double x) {
    parts.assign(1, x);
    isSpecial = !std::isfinite(x);
    special = x;
  }

  void add(double x) {
    if (isSpecial || !std::isfinite(x)) {
      special = isSpecial ? special + x : x;
      isSpecial = true;
      return;
    }
    size_t kept = 0;
    for (double part : parts) {
      if (std::fabs(x) < std::fabs(part))
        std::swap(x, part);
      double sum = x + part;
      double rest = part - (sum - x);
      if (rest != 0)
        parts[kept++] = rest;
      x = sum;
    }
    parts.truncate(kept);
    parts.push_back(x);
    if (!std::isfinite(x)) {
      special = x;
      isSpecial = true;
    }
  }

  /// The sum, rounded once.
  Scalar round(Format format) const {
    if (isSpecial)
      return fromDouble(special, format);
    size_t next = parts.size() - 1;
    double high = parts[next], low = 0;
    while (next > 0 && low == 0) {
      double part = parts[--next];
      double sum = high + part;
      low = part - (sum - high);
      high = sum;
    }
    // `high` is `high + low` rounded. What is left can only break a tie.
    if (format.kind == Format::F64) {
      double twice = 2 * low, away = high + twice;
      if (next > 0 && (low > 0) == (parts[next - 1] > 0) &&
          twice == away - high)
        high = away;
      return fromDouble(high, format);
    }
    // On the way to a narrower format, an odd last bit keeps on which side of
    // a tie the sum is.
    uint64_t bits;
    std::memcpy(&bits, &high, sizeof(bits));
    if (low != 0 && (bits & 1) == 0)
      high = std::nextafter(high, low > 0 ? HUGE_VAL : -HUGE_VAL);
    return fromDouble(high, format);
  }

private:
  SmallVector<double> parts = {0.0};
  double special = 0;
  bool isSpecial = false;
};
} // namespace

FailureOr<Step> mlir::scan::reference::compileCompensated(Compiler &compiler,
                                                          AssociativeOp op) {
  Use input = compiler.use(op.getInputsMutable()[0]);
  std::optional<Use> init;
  if (!op.getInits().empty())
    init = compiler.use(op.getInitsMutable()[0]);
  std::optional<Use> segmentsUse;
  if (op.getSegments())
    segmentsUse = compiler.use(*op.getSegmentsMutable().begin());
  Slot resultSlot = compiler.lookup(op.getResults()[0]);
  std::optional<Slot> finalSlot;
  if (op.getFinalStates())
    finalSlot = compiler.lookup(op.getFinalResults()[0]);
  return Step([=](Frame &frame) mutable -> LogicalResult {
    Tensor x = frame.take(input);
    Tensor start = init && init->slot.isTensor ? frame.take(*init) : Tensor();
    int64_t dim = op.getDim(), rank = x.shape.size();
    FailureOr<Segments> segments =
        Segments::create(frame, op, op.getSegments(), segmentsUse, x.shape, dim,
                         op.getReverse());
    if (failed(segments) ||
        (init && init->slot.isTensor &&
         failed(verifyInit(
             op, segments->getInitShape(x.shape, start.shape.size()), start))))
      return failure();
    Format format = x.format;
    Tensor result, last;
    if (failed(allocateResults(frame, op, format, x.shape, *segments,
                               finalSlot.has_value(), result, last)))
      return failure();
    StateIndex initIndex(start.shape, x.shape, rank, dim),
        finalIndex(last.shape, x.shape, rank, dim);
    SmallVector<int64_t> strides = getStrides(x.shape);
    int64_t line = 0;
    (void)forEachLine(x.shape, dim, [&](ArrayRef<int64_t> point) {
      int64_t base = dot(point, strides);
      for (const Run &run : segments->getRuns(point)) {
        ExactSum sum;
        // Adding to a zero would turn a first element of -0 into +0.
        bool hasSum = init.has_value();
        if (init)
          sum.reset(toDouble(
              readInit(frame, *init, start, initIndex(point, run, line)),
              format));
        for (int64_t i = 0; i < run.count; ++i) {
          int64_t t = run.first + (op.getReverse() ? -i : i);
          int64_t position = base + t * strides[dim];
          double element = toDouble(x.load(position), format);
          if (op.getExclusive())
            result.store(position, sum.round(format));
          if (hasSum)
            sum.add(element);
          else
            sum.reset(element);
          hasSum = true;
          if (!op.getExclusive())
            result.store(position, sum.round(format));
        }
        if (finalSlot)
          last.store(finalIndex(point, run, line), sum.round(format));
      }
      ++line;
      return success();
    });
    if (failed(setResult(frame, op, 0, resultSlot, std::move(result))))
      return failure();
    return finalSlot ? setResult(frame, op, 1, *finalSlot, std::move(last))
                     : success();
  });
}

//===----------------------------------------------------------------------===//
// scan.linear_recurrence
//===----------------------------------------------------------------------===//

/// a * h + b with the product and the sum rounded to the format.
static Scalar multiplyAdd(Scalar a, Scalar h, Scalar b, Format format) {
  Scalar result = {};
  switch (format.kind) {
  case Format::Integer:
    result.i = truncateBits(a.i * h.i + b.i, format.width);
    break;
  case Format::F16:
  case Format::BF16:
    result.f = roundFloat(roundFloat(a.f * h.f, format) + b.f, format);
    break;
  case Format::F32:
    result.f = a.f * h.f + b.f;
    break;
  case Format::F64:
    result.d = a.d * h.d + b.d;
    break;
  case Format::C32:
    result.cf.re = (a.cf.re * h.cf.re - a.cf.im * h.cf.im) + b.cf.re;
    result.cf.im = (a.cf.re * h.cf.im + a.cf.im * h.cf.re) + b.cf.im;
    break;
  case Format::C64:
    result.cd.re = (a.cd.re * h.cd.re - a.cd.im * h.cd.im) + b.cd.re;
    result.cd.im = (a.cd.re * h.cd.im + a.cd.im * h.cd.re) + b.cd.im;
    break;
  }
  return result;
}

/// The distances between neighbours of `a`, 0 along broadcast dimensions; an
/// error if `a` has neither the extent of `b` nor the static extent 1.
static FailureOr<SmallVector<int64_t>>
getBroadcastStrides(LinearRecurrenceOp op, const Tensor &a, const Tensor &b) {
  SmallVector<int64_t> strides = getStrides(a.shape);
  ArrayRef<int64_t> type =
      cast<RankedTensorType>(op.getA().getType()).getShape();
  for (auto [d, stride] : llvm::enumerate(strides)) {
    if (type[d] == 1 &&
        static_cast<int64_t>(d) != static_cast<int64_t>(op.getDim()))
      stride = 0;
    else if (a.shape[d] != b.shape[d])
      return op.emitOpError("a does not fit b in dimension ")
             << d << ": expected extent " << b.shape[d] << ", found "
             << a.shape[d];
  }
  return strides;
}

FailureOr<Step>
mlir::scan::reference::compileLinearRecurrence(Compiler &compiler,
                                               LinearRecurrenceOp op) {
  Use aUse = compiler.use(op.getAMutable());
  Use bUse = compiler.use(op.getBMutable());
  std::optional<Use> init;
  if (op.getInit())
    init = compiler.use(*op.getInitMutable().begin());
  std::optional<Use> segmentsUse;
  if (op.getSegments())
    segmentsUse = compiler.use(*op.getSegmentsMutable().begin());
  Slot resultSlot = compiler.lookup(op.getResult());
  std::optional<Slot> finalSlot;
  if (op.getLast())
    finalSlot = compiler.lookup(op.getLast());
  Format format = *getFormat(op.getAccumulatorType());
  return Step([=](Frame &frame) mutable -> LogicalResult {
    Tensor a = frame.take(aUse), b = frame.take(bUse);
    Tensor start = init && init->slot.isTensor ? frame.take(*init) : Tensor();
    int64_t dim = op.getDim(), rank = b.shape.size();
    FailureOr<SmallVector<int64_t>> aStrides = getBroadcastStrides(op, a, b);
    if (failed(aStrides))
      return failure();
    FailureOr<Segments> segments =
        Segments::create(frame, op, op.getSegments(), segmentsUse, b.shape, dim,
                         op.getReverse());
    if (failed(segments) ||
        (init && init->slot.isTensor &&
         failed(verifyInit(
             op, segments->getInitShape(b.shape, start.shape.size()), start))))
      return failure();
    Format element = b.format;
    Tensor result, last;
    if (failed(allocateResults(frame, op, element, b.shape, *segments,
                               finalSlot.has_value(), result, last)))
      return failure();
    StateIndex initIndex(start.shape, b.shape, rank, dim),
        finalIndex(last.shape, b.shape, rank, dim);
    SmallVector<int64_t> strides = getStrides(b.shape);
    int64_t line = 0;
    (void)forEachLine(b.shape, dim, [&](ArrayRef<int64_t> point) {
      int64_t base = dot(point, strides), aBase = dot(point, *aStrides);
      for (const Run &run : segments->getRuns(point)) {
        Scalar h = {};
        bool hasState = init.has_value();
        if (init)
          h = convert(
              readInit(frame, *init, start, initIndex(point, run, line)),
              element, format);
        for (int64_t i = 0; i < run.count; ++i) {
          int64_t t = run.first + (op.getReverse() ? -i : i);
          int64_t position = base + t * strides[dim];
          Scalar at =
              convert(a.load(aBase + t * (*aStrides)[dim]), element, format);
          Scalar bt = convert(b.load(position), element, format);
          if (op.getExclusive())
            result.store(position, convert(h, format, element));
          h = hasState ? multiplyAdd(at, h, bt, format) : bt;
          hasState = true;
          if (!op.getExclusive())
            result.store(position, convert(h, format, element));
        }
        if (finalSlot)
          last.store(finalIndex(point, run, line), convert(h, format, element));
      }
      ++line;
      return success();
    });
    if (failed(setResult(frame, op, 0, resultSlot, std::move(result))))
      return failure();
    return finalSlot ? setResult(frame, op, 1, *finalSlot, std::move(last))
                     : success();
  });
}

//===----------------------------------------------------------------------===//
// scan.shift
//===----------------------------------------------------------------------===//

FailureOr<Step> mlir::scan::reference::compileShift(Compiler &compiler,
                                                    ShiftOp op) {
  Use source = compiler.use(op.getSourceMutable());
  Use boundary = compiler.use(op.getBoundaryMutable());
  Slot resultSlot = compiler.lookup(op.getResult());
  return Step([=](Frame &frame) mutable -> LogicalResult {
    Tensor x = frame.take(source);
    Tensor edge = boundary.slot.isTensor ? frame.take(boundary) : Tensor();
    int64_t dim = op.getDim(), extent = x.shape[dim], by = op.getDistance();
    if (boundary.slot.isTensor &&
        failed(verifyInit(op, withoutDim(x.shape, dim), edge)))
      return failure();
    FailureOr<Tensor> result = frame.session.allocate(op, x.format, x.shape);
    if (failed(result))
      return failure();
    SmallVector<int64_t> strides = getStrides(x.shape);
    int64_t line = 0;
    (void)forEachLine(x.shape, dim, [&](ArrayRef<int64_t> point) {
      int64_t base = dot(point, strides);
      Scalar outside = readInit(frame, boundary, edge, line++);
      for (int64_t t = 0; t < extent; ++t) {
        bool inBounds = by > 0 ? t >= by : t < extent + by;
        result->store(base + t * strides[dim],
                      inBounds ? x.load(base + (t - by) * strides[dim])
                               : outside);
      }
      return success();
    });
    return setResult(frame, op, 0, resultSlot, std::move(*result));
  });
}
