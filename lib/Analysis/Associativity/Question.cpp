//===- Question.cpp - Questions about a combine region --------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Question.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::scan;
using namespace mlir::scan::associativity;
namespace associativity = mlir::scan::associativity;

/// The parts of a leaf's state.
static unsigned countParts(Type leaf) {
  auto tensor = dyn_cast<RankedTensorType>(leaf);
  return (tensor ? tensor.getNumElements() : 1) *
         getNumParts(getElementTypeOrSelf(leaf));
}

std::string associativity::getUnknownName(AssociativeOp op,
                                          const Unknown &unknown) {
  Type leaf = op.getLeafTypes()[unknown.leaf];
  unsigned parts = getNumParts(getElementTypeOrSelf(leaf));
  std::string name =
      std::string(1, 'a' + unknown.state) + std::to_string(unknown.leaf);
  if (countParts(leaf) != parts)
    name += "_" + std::to_string(unknown.part / parts);
  if (parts == 2)
    name += unknown.part % 2 ? "_im" : "_re";
  return name;
}

/// Questions are not asked in more parts than this: each takes a process.
static constexpr size_t kMaxParts = 64;
/// How many bits of a result are one part.
static constexpr unsigned kSliceBits = 4;

/// The type of the parts of an element.
static Type getPartType(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType();
  return element;
}

/// One question while it is put together.
struct Questioner::Builder {
  Builder(const Questioner &questioner, StringRef title)
      : questioner(questioner), op(questioner.op),
        region(pool, questioner.op, questioner.theory, questioner.encoding) {
    query.title =
        ("Is there a counterexample? " + title +
         "\nsat: yes, with the values below; unsat: there is none.\n" +
         "Run by hand: z3 FILE")
            .str();
    question.theory = questioner.theory;
    question.encoding = questioner.encoding;
  }

  /// A state of variables of which the invariants hold, or nothing.
  State makeState(unsigned index);
  /// f(x, y), called `name` in comments; x and y are taken to be defined.
  State combine(const State &x, const State &y, StringRef name);
  void section(const Twine &text) {
    query.sections.push_back({pool.size(), text.str()});
  }
  void assertThat(Term term, const Twine &comment) {
    if (!pool.isTrue(term))
      query.assertions.push_back({term, comment.str()});
  }
  Term holds(const LeafInvariant &invariant, const Symbol &leaf);
  Term invariantsHold(const State &state);
  Term isDefined(const State &state);
  Term areEqual(const State &x, const State &y);
  /// The script that asks whether `goal` can be false.
  Question finish(Term goal, StringRef text);

  const Questioner &questioner;
  AssociativeOp op;
  TermPool pool;
  RegionTerms region;
  Query query;
  Question question;
  bool isRefused = false;
  /// Some states have no defined results.
  bool excludes = false;
};

State Questioner::Builder::makeState(unsigned index) {
  State state;
  for (auto [leaf, type] : llvm::enumerate(op.getLeafTypes())) {
    Type element = getElementTypeOrSelf(type);
    std::optional<Sort> sort = region.getSort(element);
    if (!sort) {
      question.refusal = "a leaf has elements that the solver does not know";
      isRefused = true;
      return {};
    }
    // That a number is positive is worth knowing when terms are made.
    bool isPositive = false, isNonNegative = false;
    for (const LeafInvariant &invariant : questioner.invariants)
      if (invariant.leaf == leaf && !invariant.magnitude && invariant.lower &&
          sort->isReal()) {
        isPositive |= *invariant.lower > 0 ||
                      (*invariant.lower == 0 && invariant.lowerStrict);
        isNonNegative |= *invariant.lower >= 0;
      }
    unsigned count = countParts(type);
    Symbol symbol;
    for (unsigned part = 0; part < count; ++part) {
      question.unknowns.push_back({index, static_cast<unsigned>(leaf), part});
      Term variable =
          pool.variable(*sort, getUnknownName(op, question.unknowns.back()),
                        isPositive, isNonNegative);
      query.variables.push_back(variable);
      symbol.push_back({variable, pool.boolean(true)});
      assertThat(region.makeRangeCondition(variable, getPartType(element)),
                 "the numbers of its type");
    }
    state.push_back(std::move(symbol));
  }
  assertThat(invariantsHold(state),
             Twine("what is assumed of ") + Twine(char('a' + index)));
  return state;
}

State Questioner::Builder::combine(const State &x, const State &y,
                                   StringRef name) {
  if (isRefused)
    return {};
  section(name);
  FailureOr<State> result = region.combine(x, y);
  if (failed(result)) {
    isRefused = true;
    question.refusal = region.getRefusal().str();
    return {};
  }
  Term defined = isDefined(*result);
  excludes |= !pool.isTrue(defined);
  assertThat(defined, name + " is defined");
  for (Symbol &leaf : *result)
    for (Part &part : leaf)
      part.defined = pool.boolean(true);
  return std::move(*result);
}

Term Questioner::Builder::isDefined(const State &state) {
  Term defined = pool.boolean(true);
  for (const Symbol &leaf : state)
    for (Part part : leaf)
      defined = pool.andOf(defined, part.defined);
  return defined;
}

Term Questioner::Builder::areEqual(const State &x, const State &y) {
  Term equal = pool.boolean(true);
  for (auto [left, right] : llvm::zip_equal(x, y))
    for (auto [a, b] : llvm::zip_equal(left, right)) {
      Term same = pool.equal(a.value, b.value);
      equal = pool.andOf(equal, same);
      if (pool.isTrue(same))
        continue;
      Sort sort = pool.get(a.value).sort;
      if (sort.kind != Sort::Bits || sort.width <= kSliceBits) {
        query.goals.push_back(same);
        continue;
      }
      for (unsigned low = 0; low < sort.width; low += kSliceBits) {
        unsigned high = std::min(low + kSliceBits, sort.width) - 1;
        StringRef slice =
            pool.intern("(_ extract " + Twine(high) + " " + Twine(low) + ")");
        Sort bits = Sort::bits(high - low + 1);
        query.goals.push_back(pool.equal(pool.apply(bits, slice, a.value),
                                         pool.apply(bits, slice, b.value)));
      }
    }
  return equal;
}

Term Questioner::Builder::holds(const LeafInvariant &invariant,
                                const Symbol &leaf) {
  Term all = pool.boolean(true);
  Type element = getElementTypeOrSelf(op.getLeafTypes()[invariant.leaf]);
  auto real = dyn_cast<FloatType>(getPartType(element));
  Sort sort = *region.getSort(element);
  unsigned parts = getNumParts(element);
  auto require = [&](Term term) { all = pool.andOf(all, term); };
  for (size_t at = 0; at < leaf.size(); at += parts) {
    Term x = leaf[at].value;
    // A bound of a number of each sort.
    auto bound = [&](double limit, bool isLower, bool isStrict) {
      if (sort.kind == Sort::Bool) {
        // 0 and 1, unsigned: x >= 1 is x, x <= 0 is not x.
        bool value = limit >= 1;
        if (isLower ? value || isStrict : !value || isStrict)
          require(isLower ? x : pool.notOf(x));
      } else if (real && sort.kind != Sort::Real) {
        APFloat value(limit);
        bool losesInfo = false;
        value.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
        Term other = region.ieee(value);
        Term compared = x;
        if (invariant.magnitude)
          compared = pool.ifThenElse(region.isNegativeFloat(x),
                                     region.negateFloat(x, real), x);
        require(region.isFloatLess(isLower ? other : compared,
                                   isLower ? compared : other, real,
                                   !isStrict));
      } else if (sort.kind == Sort::Bits) {
        Term other =
            pool.bits(APInt(sort.width, static_cast<int64_t>(limit),
                            /*isSigned=*/true, /*implicitTrunc=*/true));
        StringRef relation = isStrict ? "bvslt" : "bvsle";
        require(pool.apply(Sort::boolean(), relation,
                           isLower ? ArrayRef<Term>{other, x}
                                   : ArrayRef<Term>{x, other}));
      } else if (sort.kind == Sort::Int) {
        unsigned width =
            element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
        Term other = pool.integer(Rational(static_cast<int64_t>(limit), 1));
        Term compared = region.toSigned(x, width);
        require(region.isLess(isLower ? other : compared,
                              isLower ? compared : other, !isStrict));
      } else {
        // |x| against a bound: the squares, of complex numbers too.
        Term compared = x, limitTerm = pool.real(getRational(APFloat(limit)));
        if (invariant.magnitude) {
          compared = pool.multiply(x, x);
          if (parts == 2)
            compared = pool.add(compared, pool.multiply(leaf[at + 1].value,
                                                        leaf[at + 1].value));
          if (limit < 0) {
            require(pool.boolean(isLower));
            return;
          }
          limitTerm = pool.multiply(limitTerm, limitTerm);
        }
        Term low = isLower ? limitTerm : compared;
        Term high = isLower ? compared : limitTerm;
        require(isStrict ? pool.lessThan(low, high)
                         : pool.lessEqual(low, high));
      }
    };
    if (invariant.lower)
      bound(*invariant.lower, true, invariant.lowerStrict);
    if (invariant.upper)
      bound(*invariant.upper, false, invariant.upperStrict);
    if (!real || sort.kind == Sort::Real)
      continue;
    for (unsigned part = 0; part < parts; ++part) {
      Term y = leaf[at + part].value;
      if (invariant.finite || invariant.notNaN)
        require(pool.notOf(region.isNaN(y, real)));
      if (invariant.finite)
        require(pool.notOf(region.isInfinite(y, real)));
    }
  }
  return all;
}

Term Questioner::Builder::invariantsHold(const State &state) {
  Term all = pool.boolean(true);
  for (const LeafInvariant &invariant : questioner.invariants)
    all = pool.andOf(all, holds(invariant, state[invariant.leaf]));
  return all;
}

Question Questioner::Builder::finish(Term goal, StringRef text) {
  if (isRefused)
    return std::move(question);
  // What is excluded somewhere may make no difference to the results.
  if (excludes || !pool.isTrue(region.getAssumptions()))
    for (StringRef exclusion : region.getExclusions())
      question.exclusions.push_back(exclusion.str());
  if (excludes && question.exclusions.empty())
    question.exclusions.push_back("elements to which nothing was written");
  question.isTrivial = pool.isTrue(goal);
  assertThat(region.getAssumptions(), "nothing undefined is executed");
  query.assertions.push_back({pool.notOf(goal), ("not: " + text).str()});
  if (query.goals.size() > kMaxParts)
    query.goals.clear();
  question.script = writeQuery(pool, query, question.assertion, question.parts);
  return std::move(question);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

Question Questioner::isAssociative(bool isClosed, bool withoutNaN) const {
  Builder builder(*this, "Is (a f b) f c other than a f (b f c)?");
  State a = builder.makeState(0), b = builder.makeState(1),
        c = builder.makeState(2);
  if (withoutNaN && !builder.isRefused)
    for (const State &state : {a, b, c})
      for (auto [symbol, leaf] :
           llvm::zip_equal(state, builder.op.getLeafTypes()))
        for (Part part : symbol)
          if (auto real =
                  dyn_cast<FloatType>(getPartType(getElementTypeOrSelf(leaf))))
            builder.assertThat(
                builder.pool.notOf(builder.region.isNaN(part.value, real)),
                "not NaN");
  State ab = builder.combine(a, b, "a f b");
  State bc = builder.combine(b, c, "b f c");
  if (isClosed && !builder.isRefused)
    for (const State &state : {ab, bc})
      builder.assertThat(builder.invariantsHold(state),
                         "what is assumed of a and b holds of a f b");
  State left = builder.combine(ab, c, "(a f b) f c");
  State right = builder.combine(a, bc, "a f (b f c)");
  if (builder.isRefused)
    return builder.finish({}, "");
  builder.section("the question");
  return builder.finish(builder.areEqual(left, right),
                        "(a f b) f c = a f (b f c)");
}

Question Questioner::isClosed() const {
  Builder builder(*this, "Do a and b fulfil what is assumed, and a f b not?");
  State a = builder.makeState(0), b = builder.makeState(1);
  State ab = builder.combine(a, b, "a f b");
  if (builder.isRefused)
    return builder.finish({}, "");
  builder.section("the question");
  return builder.finish(builder.invariantsHold(ab),
                        "what is assumed holds of a f b");
}

Question Questioner::isCommutative() const {
  Builder builder(*this, "Is a f b other than b f a?");
  State a = builder.makeState(0), b = builder.makeState(1);
  State left = builder.combine(a, b, "a f b");
  State right = builder.combine(b, a, "b f a");
  if (builder.isRefused)
    return builder.finish({}, "");
  builder.section("the question");
  return builder.finish(builder.areEqual(left, right), "a f b = b f a");
}

Question Questioner::isIdempotent() const {
  Builder builder(*this, "Is a f a other than a?");
  State a = builder.makeState(0);
  State twice = builder.combine(a, a, "a f a");
  if (builder.isRefused)
    return builder.finish({}, "");
  builder.section("the question");
  return builder.finish(builder.areEqual(twice, a), "a f a = a");
}

Question Questioner::isIdentity(ArrayRef<TypedAttr> identity) const {
  Builder builder(*this, "Is e f a or a f e other than a, for the given e?");
  State a = builder.makeState(0), e;
  if (builder.isRefused)
    return builder.finish({}, "");
  for (auto [leaf, symbol] : llvm::enumerate(a)) {
    FailureOr<Symbol> parts = builder.region.getConstantParts(identity[leaf]);
    if (failed(parts)) {
      builder.isRefused = true;
      builder.question.refusal = "the identity is not a number";
      return builder.finish({}, "");
    }
    Symbol whole;
    while (whole.size() < symbol.size())
      llvm::append_range(whole, *parts);
    e.push_back(std::move(whole));
  }
  State left = builder.combine(e, a, "e f a");
  State right = builder.combine(a, e, "a f e");
  if (builder.isRefused)
    return builder.finish({}, "");
  builder.section("the question");
  Term goal =
      builder.pool.andOf(builder.areEqual(left, a), builder.areEqual(right, a));
  return builder.finish(goal, "e f a = a and a f e = a");
}

Question Questioner::keepsNaN() const {
  Builder builder(*this, "Is a leaf of a f b NaN and none of a and b, or the "
                         "other way round?");
  State a = builder.makeState(0), b = builder.makeState(1);
  State ab = builder.combine(a, b, "a f b");
  if (builder.isRefused)
    return builder.finish({}, "");
  builder.section("the question");
  TermPool &pool = builder.pool;
  Term goal = pool.boolean(true);
  for (auto [x, y, z, leaf] :
       llvm::zip_equal(a, b, ab, builder.op.getLeafTypes())) {
    auto real = dyn_cast<FloatType>(getPartType(getElementTypeOrSelf(leaf)));
    if (!real)
      continue;
    Term before = pool.boolean(false), after = pool.boolean(false);
    for (auto [p, q, r] : llvm::zip_equal(x, y, z)) {
      before = pool.orOf(before, builder.region.isNaN(p.value, real));
      before = pool.orOf(before, builder.region.isNaN(q.value, real));
      after = pool.orOf(after, builder.region.isNaN(r.value, real));
    }
    goal = pool.andOf(goal, pool.equal(before, after));
  }
  return builder.finish(goal, "a leaf of a f b is NaN where one of a or b is");
}
