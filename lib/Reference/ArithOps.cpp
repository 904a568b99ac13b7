//===- ArithOps.cpp - Scalar semantics of the arith dialect ---------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan::reference;

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

/// IEEE 754-2019 maximum: NaN if either is, and -0 < +0.
template <typename T> static T maximum(T a, T b) {
  if (a != a || b != b)
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T> static T minimum(T a, T b) {
  if (a != a || b != b)
    return a + b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
/// The other operand if one is NaN.
template <typename T> static T maxnum(T a, T b) {
  if (a != a)
    return b;
  return b != b ? a : maximum(a, b);
}
template <typename T> static T minnum(T a, T b) {
  if (a != a)
    return b;
  return b != b ? a : minimum(a, b);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static bool compare(arith::CmpIPredicate predicate, const Scalar *in,
                    unsigned width) {
  uint64_t ua = in[0].i, ub = in[1].i;
  int64_t sa = signExtend(ua, width), sb = signExtend(ub, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ua == ub;
  case arith::CmpIPredicate::ne:
    return ua != ub;
  case arith::CmpIPredicate::slt:
    return sa < sb;
  case arith::CmpIPredicate::sle:
    return sa <= sb;
  case arith::CmpIPredicate::sgt:
    return sa > sb;
  case arith::CmpIPredicate::sge:
    return sa >= sb;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("all predicates are covered");
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = a != a || b != b;
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  }
  llvm_unreachable("all predicates are covered");
}

//===----------------------------------------------------------------------===//
// Divisions and shifts: what has no result is an error
//===----------------------------------------------------------------------===//

static constexpr const char *kDivisionByZero = "division by zero";

template <typename Fn> static ScalarKernel unsignedDivision(Format f, Fn fn) {
  return [fn, width = f.width](const Scalar *in, Scalar *out) -> const char * {
    if (in[1].i == 0)
      return kDivisionByZero;
    out->i = truncateBits(fn(in[0].i, in[1].i), width);
    return nullptr;
  };
}

/// `overflow` says whether the smallest value over -1 is an error: it is for
/// quotients, while the remainder is 0.
template <typename Fn>
static ScalarKernel signedDivision(Format f, bool overflow, Fn fn) {
  return [fn, overflow, width = f.width](const Scalar *in,
                                         Scalar *out) -> const char * {
    int64_t a = signExtend(in[0].i, width), b = signExtend(in[1].i, width);
    if (b == 0)
      return kDivisionByZero;
    if (b == -1) {
      if (overflow && in[0].i == uint64_t(1) << (width - 1))
        return "signed division overflows: the smallest integer over -1";
      out->i = overflow ? truncateBits(-in[0].i, width) : 0;
      return nullptr;
    }
    out->i = truncateBits(static_cast<uint64_t>(fn(a, b)), width);
    return nullptr;
  };
}

template <typename Fn> static ScalarKernel shift(Format f, Fn fn) {
  return [fn, width = f.width](const Scalar *in, Scalar *out) -> const char * {
    if (in[1].i >= width)
      return "shift amount is not less than the bit width";
    out->i = truncateBits(fn(in[0].i, in[1].i, width), width);
    return nullptr;
  };
}

/// The product's low and high half.
template <typename Wide>
static ScalarKernel extendedProduct(Format f, bool isSigned) {
  return [isSigned, width = f.width](const Scalar *in,
                                     Scalar *out) -> const char * {
    Wide a = isSigned ? static_cast<Wide>(signExtend(in[0].i, width))
                      : static_cast<Wide>(in[0].i);
    Wide b = isSigned ? static_cast<Wide>(signExtend(in[1].i, width))
                      : static_cast<Wide>(in[1].i);
    Wide product = a * b;
    out[0].i = truncateBits(static_cast<uint64_t>(product), width);
    out[1].i = truncateBits(static_cast<uint64_t>(product >> width), width);
    return nullptr;
  };
}

static ScalarKernel buildIntegerKernel(Operation *op, Format f) {
  using Kernel = ScalarKernel;
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](arith::AddIOp) {
        return unsignedBinary(f, [](uint64_t a, uint64_t b) { return a + b; });
      })
      .Case([&](arith::SubIOp) {
        return unsignedBinary(f, [](uint64_t a, uint64_t b) { return a - b; });
      })
      .Case([&](arith::MulIOp) {
        return unsignedBinary(f, [](uint64_t a, uint64_t b) { return a * b; });
      })
      .Case([&](arith::AndIOp) {
        return unsignedBinary(f, [](uint64_t a, uint64_t b) { return a & b; });
      })
      .Case([&](arith::OrIOp) {
        return unsignedBinary(f, [](uint64_t a, uint64_t b) { return a | b; });
      })
      .Case([&](arith::XOrIOp) {
        return unsignedBinary(f, [](uint64_t a, uint64_t b) { return a ^ b; });
      })
      .Case([&](arith::MaxUIOp) {
        return unsignedBinary(
            f, [](uint64_t a, uint64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinUIOp) {
        return unsignedBinary(
            f, [](uint64_t a, uint64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::MaxSIOp) {
        return signedBinary(
            f, [](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::MinSIOp) {
        return signedBinary(
            f, [](int64_t a, int64_t b) { return std::min(a, b); });
      })
      .Case([&](arith::DivUIOp) {
        return unsignedDivision(f,
                                [](uint64_t a, uint64_t b) { return a / b; });
      })
      .Case([&](arith::RemUIOp) {
        return unsignedDivision(f,
                                [](uint64_t a, uint64_t b) { return a % b; });
      })
      .Case([&](arith::CeilDivUIOp) {
        return unsignedDivision(
            f, [](uint64_t a, uint64_t b) { return a / b + (a % b != 0); });
      })
      .Case([&](arith::DivSIOp) {
        return signedDivision(f, /*overflow=*/true,
                              [](int64_t a, int64_t b) { return a / b; });
      })
      .Case([&](arith::RemSIOp) {
        return signedDivision(f, /*overflow=*/false,
                              [](int64_t a, int64_t b) { return a % b; });
      })
      .Case([&](arith::CeilDivSIOp) {
        return signedDivision(f, /*overflow=*/true, [](int64_t a, int64_t b) {
          return a / b + (a % b != 0 && (a < 0) == (b < 0));
        });
      })
      .Case([&](arith::FloorDivSIOp) {
        return signedDivision(f, /*overflow=*/true, [](int64_t a, int64_t b) {
          return a / b - (a % b != 0 && (a < 0) != (b < 0));
        });
      })
      .Case([&](arith::ShLIOp) {
        return shift(f,
                     [](uint64_t a, uint64_t b, unsigned) { return a << b; });
      })
      .Case([&](arith::ShRUIOp) {
        return shift(f,
                     [](uint64_t a, uint64_t b, unsigned) { return a >> b; });
      })
      .Case([&](arith::ShRSIOp) {
        return shift(f, [](uint64_t a, uint64_t b, unsigned width) {
          return static_cast<uint64_t>(signExtend(a, width) >> b);
        });
      })
      .Case([&](arith::AddUIExtendedOp) -> Kernel {
        return
            [width = f.width](const Scalar *in, Scalar *out) -> const char * {
              out[0].i = truncateBits(in[0].i + in[1].i, width);
              out[1].i = out[0].i < in[0].i;
              return nullptr;
            };
      })
      .Case([&](arith::MulSIExtendedOp) {
        return extendedProduct<__int128>(f, /*isSigned=*/true);
      })
      .Case([&](arith::MulUIExtendedOp) {
        return extendedProduct<unsigned __int128>(f, /*isSigned=*/false);
      })
      .Case([&](arith::CmpIOp cmp) -> Kernel {
        return [predicate = cmp.getPredicate(), width = f.width](
                   const Scalar *in, Scalar *out) -> const char * {
          out->i = compare(predicate, in, width);
          return nullptr;
        };
      })
      .Default([](Operation *) { return Kernel(); });
}

static ScalarKernel buildFloatKernel(Operation *op, Format f) {
  using Kernel = ScalarKernel;
  return llvm::TypeSwitch<Operation *, Kernel>(op)
      .Case([&](arith::AddFOp) {
        return floatBinary(f, [](auto a, auto b) { return a + b; });
      })
      .Case([&](arith::SubFOp) {
        return floatBinary(f, [](auto a, auto b) { return a - b; });
      })
      .Case([&](arith::MulFOp) {
        return floatBinary(f, [](auto a, auto b) { return a * b; });
      })
      .Case([&](arith::DivFOp) {
        return floatBinary(f, [](auto a, auto b) { return a / b; });
      })
      .Case([&](arith::RemFOp) {
        return floatBinary(f, [](auto a, auto b) { return std::fmod(a, b); });
      })
      .Case([&](arith::NegFOp) {
        return floatUnary(f, [](auto a) { return -a; });
      })
      .Case([&](arith::MaximumFOp) {
        return floatBinary(f, [](auto a, auto b) { return maximum(a, b); });
      })
      .Case([&](arith::MinimumFOp) {
        return floatBinary(f, [](auto a, auto b) { return minimum(a, b); });
      })
      .Case([&](arith::MaxNumFOp) {
        return floatBinary(f, [](auto a, auto b) { return maxnum(a, b); });
      })
      .Case([&](arith::MinNumFOp) {
        return floatBinary(f, [](auto a, auto b) { return minnum(a, b); });
      })
      .Case([&](arith::CmpFOp cmp) -> Kernel {
        return [predicate = cmp.getPredicate(),
                f](const Scalar *in, Scalar *out) -> const char * {
          out->i = compare(predicate, toDouble(in[0], f), toDouble(in[1], f));
          return nullptr;
        };
      })
      .Default([](Operation *) { return Kernel(); });
}

ScalarKernel mlir::scan::reference::buildArithKernel(Operation *op,
                                                     ArrayRef<Format> in,
                                                     ArrayRef<Format> out) {
  if (isa<arith::SelectOp>(op))
    return [](const Scalar *in, Scalar *out) -> const char * {
      *out = in[0].i ? in[1] : in[2];
      return nullptr;
    };
  if (op->getNumOperands() == 1 && !isa<arith::NegFOp>(op))
    return buildArithCastKernel(op, in[0], out[0]);
  return in[0].isInteger() ? buildIntegerKernel(op, in[0])
                           : buildFloatKernel(op, in[0]);
}
