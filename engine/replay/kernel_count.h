// The kernel's count of what a store wrote, to hold the store's own counts against.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/files/process_io.h"
#include "traces/io/byte_file.h"

namespace lsmlab::engine {

/// Counts from its construction on.
class KernelCount {
 public:
  /// Bytes that this process passed to write calls, besides those of its outputs (a plan log);
  /// nothing if the system does not count them.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const {
    const std::optional<std::uint64_t> now = process_bytes_written();
    if (!written_ || !now) return std::nullopt;
    return *now - *written_ - (output_bytes_written() - outputs_);
  }

 private:
  std::optional<std::uint64_t> written_ = process_bytes_written();
  std::uint64_t outputs_ = output_bytes_written();
};

}  // namespace lsmlab::engine
