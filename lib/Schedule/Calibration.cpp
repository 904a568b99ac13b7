//===- Calibration.cpp - What was measured of a GPU -----------------------===//
//
// Part of the mlir-scan project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace mlir;
using namespace mlir::scan;

namespace {
/// How a constant changes with the clock of a chip.
enum class Scale { None, Time, Rate };

struct Constant {
  StringLiteral name;
  double Calibration::*member;
  Scale scale;
};
} // namespace

static constexpr Constant constants[] = {
    {"launch_ns", &Calibration::launch, Scale::None},
    {"load_ns", &Calibration::load, Scale::Time},
    {"reachable_bandwidth", &Calibration::reachableBandwidth, Scale::None},
    {"bandwidth_of_one_sm", &Calibration::bandwidthOfOneSM, Scale::None},
    {"half_speed_in_flight", &Calibration::halfSpeedInFlight, Scale::None},
    {"partial_line", &Calibration::partialLine, Scale::None},
    {"partial_row_line", &Calibration::partialRowLine, Scale::None},
    {"same_address", &Calibration::sameAddress, Scale::None},
    {"warp_ns", &Calibration::warp, Scale::Time},
    {"tile_ns", &Calibration::tile, Scale::Time},
    {"item_ns", &Calibration::item, Scale::Time},
    {"block_ns", &Calibration::block, Scale::Time},
    {"step_ns", &Calibration::step, Scale::Time},
    {"ticket_ns", &Calibration::ticket, Scale::Time},
    {"look_back_ns", &Calibration::lookBack, Scale::Time},
    {"second_look_back_ns", &Calibration::secondLookBack, Scale::Time},
    {"look_back_window_ns", &Calibration::lookBackWindow, Scale::Time},
    {"chain_ns", &Calibration::chain, Scale::Time},
    {"stage_ns", &Calibration::stage, Scale::Time},
    {"stage_item_ns", &Calibration::stageItem, Scale::Time},
    {"fill_stages", &Calibration::fillStages, Scale::None},
    {"spare_cache_bytes", &Calibration::spareCacheBytes, Scale::None},
    {"crowded_stage", &Calibration::crowdedStage, Scale::None},
    {"first_tile_ns", &Calibration::firstTile, Scale::Time},
    {"found_ns", &Calibration::found, Scale::Time},
    {"look_back_of_warp_ns", &Calibration::lookBackOfWarp, Scale::Time},
    {"turn_instruction_ns", &Calibration::turnInstruction, Scale::Time},
    {"turn_word_ns", &Calibration::turnWord, Scale::Time},
    {"issue_rate_per_ns", &Calibration::issueRate, Scale::Rate},
    {"half_rate_warps", &Calibration::halfRateWarps, Scale::None},
    {"parallel_states", &Calibration::parallelStates, Scale::None},
    {"word_instructions", &Calibration::wordInstructions, Scale::None},
    {"shared_instructions", &Calibration::sharedInstructions, Scale::None},
    {"tile_instructions", &Calibration::tileInstructions, Scale::None},
    {"dynamic_instructions", &Calibration::dynamicInstructions, Scale::None},
    {"shuffle_instructions", &Calibration::shuffleInstructions, Scale::None},
    {"scattered_instructions", &Calibration::scatteredInstructions,
     Scale::None},
    {"spill_instructions", &Calibration::spillInstructions, Scale::None},
    {"overlap", &Calibration::overlap, Scale::None},
    {"overlap_of_two", &Calibration::overlapOfTwo, Scale::None},
    {"overlap_prefetch", &Calibration::overlapPrefetch, Scale::None},
    {"overlap_roles", &Calibration::overlapRoles, Scale::None},
};

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool readObject(const llvm::json::Value &value, Calibration &result,
                       llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("chip", result.chip) ||
      !mapper.map("gpu", result.gpu) || !mapper.map("date", result.date) ||
      !mapper.map("command", result.command) ||
      !mapper.map("clock_ghz", result.clock))
    return false;
  const llvm::json::Object &object = *value.getAsObject();
  const llvm::json::Object *found = object.getObject("constants");
  llvm::json::Path inner = path.field("constants");
  if (!found) {
    inner.report("expected an object");
    return false;
  }
  for (const Constant &constant : constants) {
    std::optional<double> number = found->getNumber(constant.name);
    // Most divide or are divided by.
    if (!number || !(*number > 0) || !std::isfinite(*number)) {
      inner.field(constant.name).report("expected a positive number");
      return false;
    }
    result.*constant.member = *number;
  }
  for (const auto &entry : *found)
    if (llvm::none_of(constants, [&](const Constant &constant) {
          return constant.name == StringRef(entry.first);
        })) {
      inner.field(entry.first).report("expected no other constant");
      return false;
    }
  if (!lookupChip(result.chip)) {
    path.field("chip").report("expected a known chip");
    return false;
  }
  if (!(result.clock > 0)) {
    path.field("clock_ghz").report("expected a positive number");
    return false;
  }
  return true;
}

static llvm::Expected<SmallVector<Calibration, 0>>
parseAll(StringRef text, bool isArrayAllowed) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  llvm::json::Path::Root root("calibration");
  SmallVector<Calibration, 0> result;
  const llvm::json::Array *array = value->getAsArray();
  if (!array || !isArrayAllowed) {
    if (!readObject(*value, result.emplace_back(), root))
      return root.getError();
    return std::move(result);
  }
  for (auto [number, element] : llvm::enumerate(*array))
    if (!readObject(element, result.emplace_back(),
                    llvm::json::Path(root).index(number)))
      return root.getError();
  return std::move(result);
}

llvm::Expected<Calibration> Calibration::parse(StringRef text) {
  auto all = parseAll(text, /*isArrayAllowed=*/false);
  if (!all)
    return all.takeError();
  return std::move(all->front());
}

llvm::Expected<SmallVector<Calibration, 0>>
Calibration::parseFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  auto result = parseAll((*buffer)->getBuffer(), /*isArrayAllowed=*/true);
  if (!result)
    return llvm::createFileError(path, result.takeError());
  return result;
}

void Calibration::printConstants(llvm::json::OStream &json) const {
  json.attributeObject("constants", [&] {
    for (const Constant &constant : constants)
      json.attribute(constant.name, this->*constant.member);
  });
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

Calibration Calibration::scaleTo(const Chip &chip) const {
  Calibration result = *this;
  // Chips that were measured keep their numbers, to the last bit.
  if (this->chip == chip.name)
    return result;
  double ratio = clock / chip.clock;
  for (const Constant &constant : constants) {
    double &number = result.*constant.member;
    if (constant.scale == Scale::Time)
      number *= ratio;
    else if (constant.scale == Scale::Rate)
      number /= ratio;
  }
  return result;
}

/// The files in Chips/, which CMake writes into the header.
static SmallVector<Calibration, 0> parseBuiltIn() {
  static constexpr StringLiteral texts[] = {
#include "Calibrations.inc"
  };
  SmallVector<Calibration, 0> result;
  for (StringRef text : texts) {
    llvm::Expected<Calibration> calibration = Calibration::parse(text);
    if (!calibration)
      llvm::report_fatal_error(Twine("lib/Schedule/Chips: ") +
                               llvm::toString(calibration.takeError()));
    result.push_back(std::move(*calibration));
  }
  return result;
}

static std::vector<GPUModel> makeModels() {
  SmallVector<Calibration, 0> measured = parseBuiltIn();
  std::vector<GPUModel> models;
  for (const Chip &chip : getKnownChips()) {
    auto getDistance = [&](const Calibration &calibration) {
      return std::abs(int(lookupChip(calibration.chip)->computeCapability) -
                      int(chip.computeCapability));
    };
    const Calibration &nearest = *llvm::min_element(
        measured, [&](const Calibration &a, const Calibration &b) {
          return getDistance(a) < getDistance(b);
        });
    models.push_back({chip, nearest.scaleTo(chip)});
  }
  return models;
}

const GPUModel *mlir::scan::lookupGPUModel(StringRef name) {
  static const std::vector<GPUModel> models = makeModels();
  const Chip *chip = lookupChipWithFeatures(name);
  return chip ? &models[chip - getKnownChips().begin()] : nullptr;
}
