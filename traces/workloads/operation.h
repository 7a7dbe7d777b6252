// One operation of a client: generators make it, trace files store it, simulator and engine execute
// it. Keys are 64-bit ids whose order is the order of the keys that they represent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/base/error.h"
#include "models/base/operation_kind.h"

namespace lsmlab {

struct Operation {
  std::uint64_t key = 0;
  std::uint64_t scan_last_key = 0;  // kScan: the largest key that it may visit
  // kScan: the largest number of entries that it visits; 0: no limit
  std::uint32_t scan_entries_max = 0;
  std::uint32_t value_bytes = 0;  // kPut
  std::uint16_t key_bytes = 0;
  OperationKind kind = OperationKind::kPut;

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// Returns operations in order. One user, one thread.
class OperationSource {
 public:
  OperationSource() = default;
  OperationSource(const OperationSource&) = delete;
  OperationSource& operator=(const OperationSource&) = delete;
  virtual ~OperationSource() = default;

  /// Writes the next operations to the front of the span and returns how many: fewer than the
  /// span's size only at the end, and 0 from then on. Errors: the underlying file cannot be read or
  /// is damaged.
  [[nodiscard]] virtual Result<std::size_t> fill(std::span<Operation> operations) = 0;
  /// The number of operations at the start that only load the data for the others, fewer than all.
  /// Rates and latencies count after them.
  [[nodiscard]] virtual std::uint64_t loading_operations() const { return 0; }
};

}  // namespace lsmlab
