// The write-ahead log: one record a write batch, one file a memtable.
//
//   record  := payload, framed by record_log.h
//   payload := batch | mark
//   batch   := first sequence number u64 (from 1 on), operations so far varint, entries varint,
//              (kind u8, key length varint, value length varint, key, value) of each entry
//   mark    := 0 u64, kind u8, number of this log varint, number varint
//
//   mark            number
//   begin (1)       of the first write that belongs here: earlier ones stand in earlier logs or in
//                   SSTables. The first record of a log
//   synced (2)      bytes of this log, from its start, that a sync made durable before the mark was
//                   written
//   successor (3)   of the log that was begun next, after a sync of all batches here
//
// Marks tell damage from a crash. A crash leaves the synced bytes as they are; any of those behind
// may be lost, in any order. So a record that is not whole is damage where a mark says that it was
// synced, and torn otherwise. The mark reaches the system with the sync's return, and the disk with
// the next sync. Logs of stores from before there were marks begin with a batch; there
// only a whole batch behind shows damage, if the store synced its logs.
//
// Threading: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/files/file_system.h"
#include "engine/sstable/entry_view.h"
#include "models/base/units.h"

namespace lsmlab::engine {

/// A batch as it is logged: entries without sequence numbers, which count up from first_sequence.
struct LoggedBatch {
  std::uint64_t first_sequence = 0;
  Instant now;  // the policies' clock when it was accepted
  std::uint64_t entries = 0;
  std::string_view encoded;  // encode_entry() of each, one after another
};

/// What a log says of itself, see above.
struct LogMark {
  enum class Kind : std::uint8_t { kBegin = 1, kSynced = 2, kSuccessor = 3 };
  Kind kind = Kind::kBegin;
  std::uint64_t log = 0;  // whose it is: a value may hold records of another log
  std::uint64_t number = 0;
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

  /// The begin mark. REQUIRES: nothing was appended.
  [[nodiscard]] Result<void> begin(std::uint64_t log, std::uint64_t next_sequence);
  /// Errors of writing stick: after one every later call fails with it. An input error: the batch
  /// does not fit a record (4 GiB); the log is as it was.
  [[nodiscard]] Result<void> append(const LoggedBatch& batch);
  /// Writes what is gathered.
  [[nodiscard]] Result<void> flush();
  /// flush(), makes it durable and writes the mark that says so.
  [[nodiscard]] Result<void> sync();
  /// Somebody else synced file() when the log had so many bytes: writes the mark that says so, and
  /// what is gathered with it.
  [[nodiscard]] Result<void> note_synced(std::uint64_t bytes);
  /// The successor mark. REQUIRES: nothing was appended since sync(), and the other log is there,
  /// durably where this one is.
  [[nodiscard]] Result<void> name_successor(std::uint64_t number);
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
  [[nodiscard]] Result<void> append_large(const LoggedBatch& batch);
  [[nodiscard]] Result<void> append_mark(LogMark::Kind kind, std::uint64_t number);
  [[nodiscard]] Result<void> flush_full();

  std::unique_ptr<WritableFile> file_;
  std::uint64_t buffer_bytes_;
  std::uint64_t log_ = 0;  // its number
  std::string buffer_;
  std::uint64_t size_ = 0;
  std::uint64_t batches_end_ = 0;   // of the newest batch
  std::uint64_t marked_bytes_ = 0;  // that the newest synced mark speaks of
  Result<void> error_ = success();
};

/// A record that is not whole, and what is known of it.
struct LogDamage {
  std::uint64_t offset = 0;
  std::string reason;                // "is torn: ..." or "is damaged: ..."
  std::uint64_t batches_behind = 0;  // whole ones
  std::uint64_t synced_bytes = 0;    // the most that any mark of the log says
  bool is_whole = false;             // its checksum matches what is no batch: nothing was torn
  bool is_searched_whole = true;     // false: a crafted log; there may be more behind

  /// No crash leaves it: it is whole, or a mark says that it was durable.
  [[nodiscard]] bool is_proven() const { return is_whole || synced_bytes > offset; }
};

struct WalContents {
  std::uint64_t bytes = 0;    // of the file
  std::uint64_t batches = 0;  // up to the first damage
  std::uint64_t valid_bytes = 0;
  std::optional<std::uint64_t> begins_with;  // sequence number; nothing in a log of before marks
  std::optional<std::uint64_t> successor;
  std::optional<LogDamage> damage;
  [[nodiscard]] std::uint64_t dropped_bytes() const { return bytes - valid_bytes; }
};

/// Who is shown a log's records; each with the byte where it begins, in order, up to the first that
/// is not whole. A visitor's error ends the reading.
struct WalVisitor {
  std::function<Result<void>(std::uint64_t offset, const LoggedBatch&)> batch;
  std::function<void(std::uint64_t offset, const LogMark&)> mark = {};
};

/// Reads a log and, behind the first damage, what marks and whole batches tell of it. Cost: linear
/// in the file. Errors: the file cannot be read, or `visitor` fails. A record that is whole and
/// neither a sound batch nor a mark counts as damage.
[[nodiscard]] Result<WalContents> read_wal(FileSystem& files, const std::string& path,
                                           const WalVisitor& visitor);

}  // namespace lsmlab::engine
