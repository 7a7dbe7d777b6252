// Trace files: operations on disk, written and read as streams in constant memory. The format is
// described byte by byte in docs/trace-format.md.
//
// Whatever a file holds, reading it ends in operations that were written or in an error that names
// path, block and byte offset. Every checksum is seeded with the one before it, so blocks cannot be
// lost, doubled or moved unnoticed, and the footer counts them, so a cut is known. One thread each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/files/trace_format.h"
#include "traces/io/byte_file.h"
#include "traces/io/stop_flag.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

inline constexpr std::size_t kTraceProvenanceBytesMax = std::size_t{1} << 20;

struct TraceCounts {
  std::uint64_t blocks = 0;
  std::uint64_t operations = 0;
  std::array<std::uint64_t, 4> by_kind{};  // indexed by OperationKind

  friend bool operator==(const TraceCounts&, const TraceCounts&) = default;
};

class TraceWriter {
 public:
  /// `provenance` says where the operations come from: resolved options as JSON, or nothing.
  /// Errors: longer than kTraceProvenanceBytesMax, or the file cannot be made (input).
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path,
                                                     const std::string& provenance = {});
  /// To anywhere else; without provenance.
  static Result<std::unique_ptr<TraceWriter>> create(std::unique_ptr<ByteSink> sink);

  /// Errors: an operation of no known kind (input); the disk (machine).
  [[nodiscard]] Result<void> append(std::span<const Operation> operations);
  /// The file stands under its name, whole. Without it, no file stays. Nothing may follow.
  [[nodiscard]] Result<void> finish();
  /// Of the blocks written; all after finish().
  [[nodiscard]] const TraceCounts& counts() const { return counts_; }

 private:
  explicit TraceWriter(std::unique_ptr<ByteSink> file);
  Result<void> write_header(const std::string& provenance);
  Result<void> write_block();

  std::unique_ptr<ByteSink> file_;
  TraceBlockEncoder encoder_;
  std::vector<Operation> pending_;
  TraceCounts counts_;
  std::uint64_t checksum_ = 0;  // of what was written last
};

struct TraceReaderOptions {
  /// Hand out every block before a damage and then end, with the damage told by damage(), instead
  /// of failing. A damaged header leaves nothing to hand out and fails all the same.
  bool salvage = false;
  /// Ends a wait for bytes of a pipe with an error (machine).
  StopFlag stop = nullptr;
};

class TraceReader : public OperationSource {
 public:
  /// Errors: no such file, no trace file, another version, a damaged header (input).
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path,
                                                   TraceReaderOptions options = {});
  /// From anywhere else.
  static Result<std::unique_ptr<TraceReader>> open(std::unique_ptr<ByteReader> file,
                                                   TraceReaderOptions options = {});

  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override;
  [[nodiscard]] const std::string& provenance() const { return provenance_; }
  /// Of the blocks read so far.
  [[nodiscard]] const TraceCounts& counts() const { return counts_; }
  /// What ended a salvaged file before its footer.
  [[nodiscard]] const std::optional<Error>& damage() const { return damage_; }

 private:
  TraceReader(std::unique_ptr<ByteReader> file, TraceReaderOptions options);
  Result<void> read_header();
  Result<void> read_exactly(std::span<std::uint8_t> bytes);
  Result<bool> next_block();
  Result<bool> read_block();
  Result<void> read_footer(std::span<const std::uint8_t> front);
  Error damaged(const std::string& what) const;

  std::unique_ptr<ByteReader> file_;
  TraceReaderOptions options_;
  std::string provenance_;
  TraceBlockDecoder decoder_;
  std::vector<std::uint8_t> payload_;
  std::vector<Operation> block_;  // decoded
  std::size_t handed_out_ = 0;    // of block_
  TraceCounts counts_;
  std::uint64_t checksum_ = 0;      // of what was read last
  std::uint64_t block_offset_ = 0;  // where the part being read begins
  bool ended_ = false;
  std::optional<Error> damage_;
};

}  // namespace lsmlab
