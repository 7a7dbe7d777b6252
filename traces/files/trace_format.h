// Converts a block of operations to bytes and back. docs/trace-format.md describes the format byte
// by byte; trace_file.h puts blocks into files.
//
// A block stores its operations by columns: kinds, keys, key sizes, value sizes (puts only), scan
// ends and scan limits (scans only). A column consists of its smallest value, and for each entry
// the difference from it, in as few bytes as the largest difference needs. A constant column takes
// no bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "traces/workloads/operation.h"

namespace lsmlab {

inline constexpr std::size_t kTraceBlockOperationsMax = std::size_t{1} << 16;
inline constexpr std::size_t kTraceColumns = 6;
inline constexpr std::size_t kTraceColumnHeaderBytes = 24;
/// No valid block has a longer payload. It bounds the memory that a reader allocates.
inline constexpr std::size_t kTracePayloadBytesMax =
    kTraceColumns * (kTraceColumnHeaderBytes + 8 * kTraceBlockOperationsMax);

/// Little-endian integers on every machine.
template <std::size_t kBytes>
inline void store_little(std::uint64_t value, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
}
template <std::size_t kBytes>
inline std::uint64_t load_little(const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kBytes; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

class TraceBlockEncoder {
 public:
  TraceBlockEncoder();
  TraceBlockEncoder(const TraceBlockEncoder&) = delete;
  TraceBlockEncoder& operator=(const TraceBlockEncoder&) = delete;
  ~TraceBlockEncoder();

  /// Returns the payload of a block, valid until the next call. Members that a kind does not use
  /// (the value size of a get, the scan end of a put) are not stored. REQUIRES: 1 to
  /// kTraceBlockOperationsMax operations.
  [[nodiscard]] std::span<const std::uint8_t> encode(std::span<const Operation> operations);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class TraceBlockDecoder {
 public:
  TraceBlockDecoder();
  TraceBlockDecoder(const TraceBlockDecoder&) = delete;
  TraceBlockDecoder& operator=(const TraceBlockDecoder&) = delete;
  ~TraceBlockDecoder();

  /// Decodes a payload of any origin into all operations of the span. An error says what is wrong
  /// but not where, because only the caller knows the block. REQUIRES: at most
  /// kTraceBlockOperationsMax operations.
  [[nodiscard]] Result<void> decode(std::span<const std::uint8_t> payload,
                                    std::span<Operation> operations);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lsmlab
