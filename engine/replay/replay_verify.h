// Reads a replayed store and checks that every key has its expected value.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine/store/store.h"
#include "models/accounting/run_result.h"
#include "models/sizes/key_format.h"
#include "models/tree/plan.h"
#include "traces/workloads/made_data.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

/// The newest write of every key.
class WrittenKeys {
 public:
  struct Write {
    std::uint64_t number = 0;  // number of the write, from 1
    std::uint32_t value_bytes = 0;
    std::uint16_t key_bytes = 0;
  };
  explicit WrittenKeys(const KeyFormat& format = {}) : format_(format) {}
  [[nodiscard]] const KeyFormat& format() const { return format_; }
  void put(const Operation& operation, std::uint64_t number) {
    live_[operation.key] = {number, operation.value_bytes, operation.key_bytes};
  }
  void remove(std::uint64_t key) { live_.erase(key); }
  /// A file with these writes and keys was dropped, and older data before it. O(keys).
  void drop(const SequenceSpan& writes, const KeyRange& keys) {
    std::erase_if(live_, [&](const auto& one) {
      return writes.first <= one.second.number && one.second.number <= writes.last &&
             keys.smallest <= one.first && one.first <= keys.largest;
    });
  }
  [[nodiscard]] const std::unordered_map<std::uint64_t, Write>& live() const { return live_; }

 private:
  KeyFormat format_;
  std::unordered_map<std::uint64_t, Write> live_;  // no result depends on its order
};

/// Scans the whole store and compares keys, sizes and values, which have this shape. The scan does
/// not count in the figures. Errors: those of reading.
[[nodiscard]] Result<VerificationFigures> verify_keys(Store& store, const WrittenKeys& written,
                                                      const ValueShape& values);

}  // namespace lsmlab::engine
