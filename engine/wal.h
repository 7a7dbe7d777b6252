// The write-ahead log: one record a write batch, one file a memtable.
//
//   record  := payload, framed by record_log.h
//   payload := first sequence number u64, operations so far varint, entries varint,
//              (kind u8, key length varint, value length varint, key, value) of each entry
//
// Recovery takes records up to the first that is torn or damaged: what stands behind it was not
// synced when a crash came, as a log is synced from its beginning.
//
// Threading: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/entry_view.h"
#include "engine/file_system.h"
#include "models/units.h"

namespace lsmlab::engine {

/// A batch as it is logged: entries without sequence numbers, which count up from first_sequence.
struct LoggedBatch {
  std::uint64_t first_sequence = 0;
  Instant now;  // the policies' clock when it was accepted
  std::uint64_t entries = 0;
  std::string_view encoded;  // encode_entry() of each, one after another
};

/// Appends an entry's encoding; the tag's sequence number is not kept.
void encode_entry(std::string& encoded, std::string_view key, std::string_view value,
                  bool is_tombstone);

/// Visits the entries of a batch with their sequence numbers filled in. Errors: not an encoding of
/// that many entries, or sequence numbers above kSequenceMax; entries before may have been shown.
[[nodiscard]] Result<void> visit_entries(const LoggedBatch& batch,
                                         const std::function<void(const EntryView&)>& visit);

class WalWriter {
 public:
  /// Gathers up to `buffer_bytes` before it writes; 0: writes each record at once.
  WalWriter(std::unique_ptr<WritableFile> file, std::uint64_t buffer_bytes);

  /// Errors of writing stick: after one every later call fails with it. An input error: the batch
  /// does not fit a record (4 GiB); the log is as it was.
  [[nodiscard]] Result<void> append(const LoggedBatch& batch);
  /// Writes what is gathered.
  [[nodiscard]] Result<void> flush();
  /// flush(), and makes it durable.
  [[nodiscard]] Result<void> sync();
  [[nodiscard]] Result<void> close();
  /// What is written to: may be synced while others append. Whoever does tells fail() of an error.
  [[nodiscard]] WritableFile& file() { return *file_; }
  /// An error that sticks: a system tells a failed sync once, and the next one succeeds though what
  /// was lost stays lost.
  void fail(const Error& error) { static_cast<void>(keep(error)); }
  /// Bytes appended, gathered ones included.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[nodiscard]] Result<void> keep(Result<void> outcome);

  std::unique_ptr<WritableFile> file_;
  std::uint64_t buffer_bytes_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  Result<void> error_ = success();
};

struct WalRecovery {
  std::uint64_t batches = 0;
  std::uint64_t valid_bytes = 0;    // up to the first damage
  std::uint64_t dropped_bytes = 0;  // from there on
};

/// Shows every whole record with the byte where it begins, in order. Errors: the file cannot be
/// read, a record is whole and no batch (path and offset), or `visit` fails.
[[nodiscard]] Result<WalRecovery> visit_wal(
    FileSystem& files, const std::string& path,
    const std::function<Result<void>(std::uint64_t offset, const LoggedBatch&)>& visit);

/// The same without the offsets.
[[nodiscard]] Result<WalRecovery> read_wal(
    FileSystem& files, const std::string& path,
    const std::function<Result<void>(const LoggedBatch&)>& visit);

}  // namespace lsmlab::engine
