// One operation of a client, as generators make it, trace files keep it, and simulator and engine
// execute it. Keys are 64-bit ids whose order is the order of the keys that they stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/base/error.h"
#include "models/base/operation_kind.h"

namespace lsmlab {

struct Operation {
  std::uint64_t key = 0;
  std::uint64_t scan_last_key = 0;     // kScan: the largest key that it may visit
  std::uint32_t scan_entries_max = 0;  // kScan: the most entries that it visits; 0: no limit
  std::uint32_t value_bytes = 0;       // kPut
  std::uint16_t key_bytes = 0;
  OperationKind kind = OperationKind::kPut;

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// Hands out operations in order. One user, one thread.
class OperationSource {
 public:
  OperationSource() = default;
  OperationSource(const OperationSource&) = delete;
  OperationSource& operator=(const OperationSource&) = delete;
  virtual ~OperationSource() = default;

  /// Writes the next operations to the front of the span and returns how many: fewer than asked for
  /// only at the end, 0 from then on. Errors: what it reads from fails or is damaged.
  [[nodiscard]] virtual Result<std::size_t> fill(std::span<Operation> operations) = 0;
  /// So many of the first operations only load what the others work on: rates and latencies count
  /// from there. Fewer than all.
  [[nodiscard]] virtual std::uint64_t loading_operations() const { return 0; }
};

}  // namespace lsmlab
