// Trace files: operations on disk, written and read as streams in constant memory.
// docs/trace-format.md describes the format byte by byte.
//
// Whatever a file contains, reading it returns only operations that were written, or an error with
// path, block and byte offset. Each checksum depends on the one before it, so a lost, doubled or
// moved block is noticed. The footer counts the blocks, so a truncated file is noticed. One thread
// per object.
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
  /// Creates a trace file. `provenance` says where the operations come from: resolved options as
  /// JSON, or nothing. Errors: provenance longer than kTraceProvenanceBytesMax, or the file cannot
  /// be created (input).
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path,
                                                     const std::string& provenance = {});
  /// Writes the trace to a sink, without provenance.
  static Result<std::unique_ptr<TraceWriter>> create(std::unique_ptr<ByteSink> sink);

  /// Errors: an operation of an unknown kind (input); the disk (machine).
  [[nodiscard]] Result<void> append(std::span<const Operation> operations);
  /// Completes the file, which then appears under its name. Without this call no file remains.
  /// REQUIRES: no append() follows.
  [[nodiscard]] Result<void> finish();
  /// Counts over the blocks written so far; after finish(), over all operations.
  [[nodiscard]] const TraceCounts& counts() const { return counts_; }

 private:
  explicit TraceWriter(std::unique_ptr<ByteSink> file);
  Result<void> write_header(const std::string& provenance);
  Result<void> write_block();

  std::unique_ptr<ByteSink> file_;
  TraceBlockEncoder encoder_;
  std::vector<Operation> pending_;
  TraceCounts counts_;
  std::uint64_t checksum_ = 0;  // checksum of the part written last
};

struct TraceReaderOptions {
  /// True: return every block before a damage and then end; damage() tells what was damaged. False:
  /// fail. A damaged header always fails, because there is nothing to return.
  bool salvage = false;
  /// A set flag ends a wait for bytes of a pipe with an error (machine).
  StopFlag stop = nullptr;
};

class TraceReader : public OperationSource {
 public:
  /// Errors: the file does not exist, is not a trace file, has another version, or has a damaged
  /// header (input).
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path,
                                                   TraceReaderOptions options = {});
  /// Reads the trace from `file`.
  static Result<std::unique_ptr<TraceReader>> open(std::unique_ptr<ByteReader> file,
                                                   TraceReaderOptions options = {});

  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override;
  [[nodiscard]] const std::string& provenance() const { return provenance_; }
  /// Counts over the blocks read so far.
  [[nodiscard]] const TraceCounts& counts() const { return counts_; }
  /// The damage that ended a salvaged file before its footer; nothing if there was none.
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
  std::size_t handed_out_ = 0;    // number of operations of block_ that were returned
  TraceCounts counts_;
  std::uint64_t checksum_ = 0;      // checksum of the part read last
  std::uint64_t block_offset_ = 0;  // where the part that is being read begins
  bool ended_ = false;
  std::optional<Error> damage_;
};

}  // namespace lsmlab
