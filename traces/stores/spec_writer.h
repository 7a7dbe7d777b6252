// Writes a policy SPEC that stands for a user's options, and notes what of it is a guess.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/stores/compression_spec.h"
#include "traces/stores/policy_spec.h"

namespace lsmlab::stores {

class SpecWriter {
 public:
  void begin(std::string_view policy) { result_.spec = policy; }
  void add(std::string_view parameter, std::string_view value);
  void add(CompressionSpec compression);
  /// A number of operations or writes, as a time.
  void add_time(std::string_view parameter, std::uint64_t seconds);
  void guess(std::string_view parameter, std::string why, bool is_rounded = false) {
    result_.guesses.push_back({std::string(parameter), std::move(why), is_rounded});
  }
  void add_unmodelled(std::string text) { result_.unmodelled.push_back(std::move(text)); }
  /// The option's number as lsmlab can take it; another number is a guess.
  [[nodiscard]] std::uint64_t in_range(std::string_view parameter, std::string_view option,
                                       std::uint64_t number, std::uint64_t min, std::uint64_t max);
  [[nodiscard]] PolicySpec finish() { return std::move(result_); }

 private:
  PolicySpec result_;
};

}  // namespace lsmlab::stores
