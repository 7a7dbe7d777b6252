// The closed-form cost model of a family: what a paper says that its policies cost. This header
// defines the inputs and outputs of a model. The formulas are in models/theory.
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
  std::string name;  // the result's name for the figure, if results have it too
  double value = 0;
  std::string unit;    // "bytes/byte", "runs", "bytes/s", "ns", ...
  std::string source;  // the expression, and the paper and section that give it
};

/// What a model needs to know about a run.
struct ModelledRun {
  ResolvedOptions policy_options;
  std::uint64_t flushes = 0;
  std::optional<std::uint64_t> data_bytes;  // of all files at the end; known if the run has keys
  // Bandwidth of the device; either both values are known or neither.
  std::optional<std::uint64_t> device_write_bytes_per_second;
  std::optional<std::uint64_t> device_read_bytes_per_second;
  double lookup_bytes_per_second = 0;  // bytes that lookups read from the device per second
  std::optional<double> write_share;   // puts and deletes over all operations

  /// The value of the policy's option of that name. Nothing if the policy has no such option, or if
  /// it is not a count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view option) const;
  /// The policy's option "flush"; eager if it has no such option.
  [[nodiscard]] FlushMode flush_mode() const;
};

/// The model's figures for a run; empty if the model does not apply to it.
using CostModel = std::vector<CostFigure> (*)(const ModelledRun& run);

}  // namespace lsmlab
