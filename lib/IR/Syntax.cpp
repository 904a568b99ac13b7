//===- Syntax.cpp - The custom syntax of scans ----------------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::scan;

StringRef scan::impl::findSimilar(StringRef found, ArrayRef<StringRef> names) {
  StringRef best;
  // A third of the letters may be others.
  unsigned least = found.size() / 3 + 1;
  for (StringRef name : names) {
    unsigned distance = name.edit_distance(found);
    if (found.starts_with(name) ||
        (found.size() > 1 && name.starts_with(found)))
      distance = std::min(distance, 1u);
    if (distance < least || (best.empty() && distance == least)) {
      best = name;
      least = distance;
    }
  }
  return best;
}

std::string scan::impl::suggestSimilar(StringRef found,
                                       ArrayRef<StringRef> names) {
  StringRef similar = findSimilar(found, names);
  return similar.empty() ? "" : ("; did you mean '" + similar + "'?").str();
}

/// "'init', 'segments' or 'dim'", with `last` as it is, if there is one.
static std::string list(ArrayRef<StringRef> words, StringRef last = "") {
  SmallVector<std::string> items = llvm::map_to_vector(
      words, [](StringRef word) { return ("'" + word + "'").str(); });
  if (!last.empty())
    items.push_back(last.str());
  std::string end = items.pop_back_val();
  return items.empty() ? end : llvm::join(items, ", ") + " or " + end;
}

/// Emits that one of `words` or `last` was expected.
static ParseResult emitUnexpected(OpAsmParser &parser,
                                  ArrayRef<StringRef> words,
                                  StringRef last = "") {
  SMLoc loc = parser.getCurrentLocation();
  StringRef found;
  std::string expected =
      (words.size() + !last.empty() > 1 ? "expected one of " : "expected ") +
      list(words, last);
  if (failed(parser.parseOptionalKeyword(&found)))
    return parser.emitError(loc) << expected;
  return parser.emitError(loc) << expected << ", found '" << found << "'"
                               << scan::impl::suggestSimilar(found, words);
}

ParseResult scan::impl::parseWord(OpAsmParser &parser, StringRef keyword,
                                  ArrayRef<StringRef> optional) {
  if (succeeded(parser.parseOptionalKeyword(keyword)))
    return success();
  SmallVector<StringRef> words(optional);
  words.push_back(keyword);
  return emitUnexpected(parser, words);
}

ParseResult scan::impl::parseDim(OpAsmParser &parser, int64_t &dim,
                                 ArrayRef<StringRef> optional) {
  return failure(parseWord(parser, "dim", optional) || parser.parseEqual() ||
                 parser.parseInteger(dim));
}

/// "; did you mean 'schedule'?" if `name`, an attribute that is none of those
/// in `known`, is spelled almost as one of them: as an attribute of no dialect
/// it would be ignored.
static std::string suggestAttribute(StringRef name, ArrayRef<StringRef> known) {
  return name.contains('.') ? "" : scan::impl::suggestSimilar(name, known);
}

static SmallVector<StringRef> getKnownAttributes(OperationName name) {
  return llvm::map_to_vector(name.getAttributeNames(),
                             [](StringAttr name) { return name.getValue(); });
}

/// Fails at an attribute that is none of the operation, but is spelled almost
/// as one.
static ParseResult checkAttributeNames(OpAsmParser &parser, SMLoc loc,
                                       const OperationState &state) {
  SmallVector<StringRef> known = getKnownAttributes(state.name);
  for (NamedAttribute attribute : state.attributes) {
    StringRef name = attribute.getName();
    if (llvm::is_contained(known, name))
      continue;
    if (std::string similar = suggestAttribute(name, known); !similar.empty())
      return parser.emitError(loc)
             << "expected an attribute of the operation, found '" << name << "'"
             << similar;
  }
  return success();
}

LogicalResult scan::impl::verifyAttributeNames(Operation *op) {
  SmallVector<StringRef> known = getKnownAttributes(op->getName());
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (std::string similar = suggestAttribute(name, known); !similar.empty())
      return op->emitOpError()
             << "expected an attribute of the operation, found '" << name << "'"
             << similar;
  }
  return success();
}

ParseResult
scan::impl::parseFlagsAndAttributes(OpAsmParser &parser, OperationState &state,
                                    ArrayRef<StringRef> flags, StringRef next,
                                    function_ref<void(StringRef)> set) {
  SmallVector<StringRef> found;
  StringRef flag;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&flag, flags))) {
    if (llvm::is_contained(found, flag))
      return parser.emitError(loc)
             << "expected '" << flag << "' once, found it again";
    found.push_back(flag);
    set(flag);
    loc = parser.getCurrentLocation();
  }
  loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  if (!state.attributes.getAttrs().empty())
    return checkAttributeNames(parser, loc, state);
  if (failed(parser.parseOptionalKeyword(&flag)))
    return success();
  SmallVector<StringRef> words;
  for (StringRef word : flags)
    if (!llvm::is_contained(found, word))
      words.push_back(word);
  words.push_back("attributes");
  return parser.emitError(loc)
         << "expected one of " << list(words, next) << ", found '" << flag
         << "'" << suggestSimilar(flag, words);
}

ParseResult scan::impl::parseGroupBody(OpAsmParser &parser,
                                       OperationState &state, int32_t &count) {
  count = 0;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  if (parser.parseLParen())
    return failure();
  // An empty group is left to the verifier, which knows what is missing.
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parser.parseColonTypeList(types) ||
      parser.parseRParen() ||
      parser.resolveOperands(operands, types, loc, state.operands))
    return failure();
  count = operands.size();
  return success();
}

ParseResult scan::impl::parseOptionalGroup(OpAsmParser &parser,
                                           StringRef keyword,
                                           OperationState &state,
                                           int32_t &count) {
  count = 0;
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parseGroupBody(parser, state, count);
}

ParseResult scan::impl::parseOptionalSegments(OpAsmParser &parser,
                                              OperationState &state,
                                              int32_t &count) {
  SMLoc loc = parser.getCurrentLocation();
  if (parseOptionalGroup(parser, "segments", state, count))
    return failure();
  if (count > 1)
    return parser.emitError(loc)
           << "expected one tensor of segments, offsets or flags, found "
           << count;
  return success();
}

void scan::impl::printGroup(OpAsmPrinter &printer, StringRef keyword,
                            ValueRange operands) {
  if (operands.empty())
    return;
  printer << ' ' << keyword << '(' << operands << " : " << operands.getTypes()
          << ')';
}

ParseResult scan::impl::parseOptionalResultTypes(OpAsmParser &parser,
                                                 SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalArrow()))
    return success();
  return parser.parseTypeList(types);
}

ParseResult scan::impl::parseResultTypes(OpAsmParser &parser,
                                         SmallVectorImpl<Type> &types) {
  SMLoc loc = parser.getNameLoc(), here = parser.getCurrentLocation();
  if (failed(parser.parseOptionalArrow())) {
    if (succeeded(parser.parseOptionalLBrace()))
      return parser.emitError(here)
             << "expected 'attributes' in front of attributes, found '{'";
    return parser.emitError(loc)
           << "expected '->' and the types of the results at the end";
  }
  return parser.parseTypeList(types);
}

ParseResult scan::impl::parseCount(AsmParser &parser, unsigned &count) {
  SMLoc loc = parser.getCurrentLocation();
  APInt value;
  OptionalParseResult parsed = parser.parseOptionalInteger(value);
  if (!parsed.has_value())
    return parser.emitError(loc, "expected a number");
  if (failed(*parsed))
    return failure();
  if (value.isNegative() || value.getActiveBits() > 32) {
    SmallString<24> text;
    value.toStringSigned(text);
    return parser.emitError(loc)
           << "expected a number of 0 or more and of 32 bits, found " << text;
  }
  count = static_cast<unsigned>(value.getZExtValue());
  return success();
}
