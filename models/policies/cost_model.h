// A family's closed-form cost model: what a paper says that its policies cost. The formulas are in
// models/theory; here is what a model is asked and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/options.h"
#include "models/policies/flush_mode.h"

namespace lsmlab {

/// One figure of a model, for a table or a result.
struct CostFigure {
  std::string name;  // as in results where they have the figure too (design: Accounting)
  double value = 0;
  std::string unit;    // "bytes/byte", "runs", "bytes/s", "ns", ...
  std::string source;  // the expression, and the paper and section that give it
};

/// What a model needs to know of a run.
struct ModelledRun {
  ResolvedOptions policy_options;
  std::uint64_t flushes = 0;
  std::optional<std::uint64_t> data_bytes;  // of all files at the end, where keys are known
  // Of the device, where it is known: both or neither.
  std::optional<std::uint64_t> device_write_bytes_per_second;
  std::optional<std::uint64_t> device_read_bytes_per_second;
  double lookup_bytes_per_second = 0;  // that lookups read from the device
  std::optional<double> write_share;   // puts and deletes over all operations

  /// The policy's option of that name, where it has it and it is a count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view option) const;
  /// The policy's option "flush"; eager where it has none.
  [[nodiscard]] FlushMode flush_mode() const;
};

/// The model's figures for a run; none where the model does not apply to it.
using CostModel = std::vector<CostFigure> (*)(const ModelledRun& run);

}  // namespace lsmlab
