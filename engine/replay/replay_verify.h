// Reading a replayed store back: what every key should hold, and whether it does.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine/store/store.h"
#include "models/accounting/run_result.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

/// The newest write of every key.
class WrittenKeys {
 public:
  struct Write {
    std::uint64_t number = 0;  // of the write, counted from 1
    std::uint32_t value_bytes = 0;
    std::uint16_t key_bytes = 0;
  };
  void put(const Operation& operation, std::uint64_t number) {
    live_[operation.key] = {number, operation.value_bytes, operation.key_bytes};
  }
  void remove(std::uint64_t key) { live_.erase(key); }
  [[nodiscard]] const std::unordered_map<std::uint64_t, Write>& live() const { return live_; }

 private:
  std::unordered_map<std::uint64_t, Write> live_;  // asked, never walked
};

/// Scans the whole store, uncounted, and compares keys, sizes and values. Errors: what reading
/// meets.
[[nodiscard]] Result<VerificationFigures> verify_keys(Store& store, const WrittenKeys& written);

}  // namespace lsmlab::engine
