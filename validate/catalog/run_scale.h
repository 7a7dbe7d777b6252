// A run made smaller, or larger, in one step: the policy's sizes of data and the numbers of keys
// and operations are multiplied by the same factor (docs/scale.md).
#pragma once

#include <cstdint>
#include <string>

#include "models/base/error.h"
#include "models/base/spec.h"
#include "models/execution/write_stall.h"
#include "models/policies/registry.h"
#include "traces/workloads/key_workload.h"

namespace lsmlab {

class RunScale {
 public:
  /// Reads "1/20", "0.05", "5%" or "4". Errors: another text, 0, more than 10^6 or less than 10^-6.
  [[nodiscard]] static Result<RunScale> parse(const std::string& text);

  /// Errors: a number is 0, or one is more than 10^6 times the other.
  [[nodiscard]] static Result<RunScale> ratio(std::uint64_t numerator, std::uint64_t denominator);

  /// Rounded to the nearest; 0 only for 0.
  [[nodiscard]] std::uint64_t of(std::uint64_t size) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::uint64_t numerator() const { return numerator_; }
  [[nodiscard]] std::uint64_t denominator() const { return denominator_; }

 private:
  std::uint64_t numerator_ = 1;
  std::uint64_t denominator_ = 1;
  std::string text_;
};

/// The policy with all its sizes of data scaled: memtable, files, levels, limits of merges, cache;
/// and its ages in operations or writes. A block keeps its size. `made`: what the SPEC makes, which
/// has the defaults.
[[nodiscard]] Spec scaled_policy(const Spec& spec, const ConfiguredPolicy& made,
                                 const RunScale& scale);

/// The limits of bytes that wait for merges.
void scale_stalls(StallRules& stalls, const RunScale& scale);

/// The workload, which the SPEC makes, with as many keys and operations as the scale says. Errors:
/// a workload that cannot be scaled, with what can be done instead.
[[nodiscard]] Result<KeyWorkload> scaled_workload(const Spec& spec, const KeyWorkload& workload,
                                                  const RunScale& scale);

}  // namespace lsmlab
