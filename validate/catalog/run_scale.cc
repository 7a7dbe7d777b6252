#include "validate/catalog/run_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/quantity_text.h"
#include "models/base/rocksdb_arena.h"
#include "models/base/scaled_count.h"
#include "models/base/shortened.h"
#include "models/base/spec_parameters.h"
#include "validate/catalog/db_bench_workload.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kFactorMax = 1'000'000;
constexpr const char* kArenaBlock = "arena_block";
// Sizes of other things than data, and one that depends on another one's default.
constexpr std::string_view kUnscaled[] = {"block_size", kArenaBlock};
// At its default it has no effect, and cannot be stated, without an option that most policies lack.
constexpr std::string_view kOnlyIfChanged[] = {"range_bytes"};

bool is_one_of(std::span<const std::string_view> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Ages are counted in operations or writes, so they shrink with the run.
bool is_scaled(const OptionInfo& option) {
  const bool is_size = option.unit == "bytes" || counts_operations(option);
  return is_size && !is_one_of(kUnscaled, option.name);
}

std::vector<OptionInfo> options_of(const std::string& family) {
  std::vector<OptionInfo> options = declared_by(StoreOptions());
  for (const PolicyFamily& one : policy_families()) {
    if (one.name == family) {
      options.insert(options.end(), one.options.begin(), one.options.end());
    }
  }
  return options;
}

bool is_within(Uint128 numerator, Uint128 denominator) {
  return denominator <= numerator * kFactorMax && numerator <= denominator * kFactorMax;
}

Error bad_scale(const std::string& text) {
  return input_error(
      fmt::format("--scale: '{}' is no factor; expected 1/20, 0.05 or 5% (smaller), or 4 (larger), "
                  "between 1/{} and {}",
                  excerpt(text), kFactorMax, kFactorMax));
}

}  // namespace

Result<RunScale> RunScale::ratio(std::uint64_t numerator, std::uint64_t denominator) {
  RunScale scale;
  scale.text_ = fmt::format("{}/{}", numerator, denominator);
  scale.numerator_ = numerator;
  scale.denominator_ = denominator;
  if (numerator == 0 || denominator == 0 || !is_within(numerator, denominator)) {
    return bad_scale(scale.text_);
  }
  return scale;
}

Result<RunScale> RunScale::parse(const std::string& text) {
  RunScale scale;
  scale.text_ = text;
  if (text.starts_with("1/")) {
    const Result<std::uint64_t> whole = parse_count(text.substr(2));
    if (!whole || whole.value() == 0) return bad_scale(text);
    scale.denominator_ = whole.value();
  } else {
    const std::optional<Decimal> factor = Decimal::parse(text);
    if (!factor || factor->numerator() == 0) return bad_scale(text);
    scale.numerator_ = factor->numerator();
    scale.denominator_ = factor->denominator();
  }
  if (!is_within(scale.numerator_, scale.denominator_)) return bad_scale(text);
  return scale;
}

std::uint64_t RunScale::of(std::uint64_t size) const {
  constexpr Uint128 kMost = std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::min(kMost, scaled_count(size, numerator_, denominator_)));
}

Spec scaled_policy(const Spec& spec, const ConfiguredPolicy& made, const RunScale& scale) {
  ResolvedOptions values = made.options;
  values.insert(values.end(), made.store_options.begin(), made.store_options.end());
  Spec scaled = spec;
  for (const OptionInfo& option : options_of(made.family)) {
    if (!is_scaled(option)) continue;
    for (const auto& [name, value] : values) {
      const auto* const size = std::get_if<std::uint64_t>(&value);
      // 0 switches something off, and the largest number is no limit.
      const bool has_size =
          size != nullptr && *size > 0 && *size < std::numeric_limits<std::uint64_t>::max();
      if (name != option.name || !has_size) continue;
      const bool is_default = option_value_text(value) == option.default_text;
      if (is_default && is_one_of(kOnlyIfChanged, name)) continue;
      state(scaled.parameters, name, std::to_string(scale.of(*size)));
    }
  }
  // Otherwise a memtable of fewer blocks would be full at another share of its size.
  if (made.store.layout == SstableLayout::kRocksdb) {
    const Bytes block = made.store.arena_block.value_or(default_arena_block(made.store.buffer));
    state(scaled.parameters, kArenaBlock,
          std::to_string(
              std::clamp(scale.of(block.value()), kArenaBlockBytesMin, kArenaBlockBytesMax)));
  }
  return scaled;
}

void scale_stalls(StallRules& stalls, const RunScale& scale) {
  for (Bytes* limit : {&stalls.pending_slowdown_bytes, &stalls.pending_stop_bytes}) {
    if (limit->value() > 0) *limit = Bytes(scale.of(limit->value()));
  }
}

Result<KeyWorkload> scaled_workload(const Spec& spec, const KeyWorkload& workload,
                                    const RunScale& scale) {
  if (workload.name == kDbBenchWorkload) {
    auto lines = db_bench_workload(spec, {scale.numerator(), scale.denominator()});
    if (!lines) return in_context("--scale", lines.error());
    lines.value().options.emplace_back("scale", scale.text());
    return lines;
  }
  if (workload.model == nullptr) {
    return input_error(fmt::format(
        "--scale: workload '{}' has operations of its own; give it fewer of them, and scale the "
        "policy's sizes by hand",
        workload.name));
  }
  OperationWorkload model = *workload.model;
  BOOST_OUTCOME_TRYV(model.scale(scale.numerator(), scale.denominator()));
  if (const auto faults = model.validate(); !faults.empty()) {
    return input_error(fmt::format("--scale: workload '{}': {}", workload.name, faults.front()));
  }
  KeyWorkload scaled = workload;
  scaled.options.emplace_back("scale", scale.text());
  scaled.operations = model.operation_count();
  scaled.keys_max = model.insert_count();
  scaled.parts = model.parts();
  scaled.model = std::make_shared<const OperationWorkload>(std::move(model));
  scaled.open = [made =
                     scaled.model](std::uint64_t seed) -> Result<std::unique_ptr<OperationSource>> {
    return made->open(seed);
  };
  return scaled;
}

}  // namespace lsmlab
