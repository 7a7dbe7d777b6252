// The write-ahead log: one record per write batch, one file per memtable.
//
//   record  := payload, framed by record_log.h
//   payload := batch | mark
//   batch   := first sequence number u64 (from 1 on), operations so far varint, entries varint,
//              (kind u8, key length varint, value length varint, key, value) of each entry
//   mark    := 0 u64, kind u8, number of this log varint, number varint
//
//   mark            number
//   begin (1)       sequence number of this log's first write; earlier writes are in earlier logs
//                   or in SSTables. The first record of a log
//   synced (2)      bytes of this log, from its start, that a sync made durable before the mark
//                   was written
//   successor (3)   number of the log that was begun next, after a sync of all batches here
//
// Marks distinguish damage from a crash. A crash never changes the synced bytes; it may lose any of
// the bytes behind them, in any order. So an incomplete record is damage if a mark says that it was
// synced, and torn otherwise. A mark reaches the system when the sync returns, and the disk with
// the next sync. Logs of stores made before there were marks begin with a batch. In such a log only
// a whole batch behind it proves damage, if the store synced its logs.
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

/// A batch as the log holds it: entries without sequence numbers, which count up from
/// first_sequence.
struct LoggedBatch {
  std::uint64_t first_sequence = 0;
  Instant now;  // the policies' clock when it was accepted
  std::uint64_t entries = 0;
  std::string_view encoded;  // the concatenated encode_entry() of each
};

/// A mark, see above.
struct LogMark {
  enum class Kind : std::uint8_t { kBegin = 1, kSynced = 2, kSuccessor = 3 };
  Kind kind = Kind::kBegin;
  std::uint64_t log = 0;  // the mark's log: a value may hold records of another log
  std::uint64_t number = 0;
};

/// Appends an entry's encoding; it contains no sequence number.
void encode_entry(std::string& encoded, std::string_view key, std::string_view value,
                  bool is_tombstone);

/// Visits the entries of a batch with their sequence numbers. Errors: not an encoding of that many
/// entries, or sequence numbers above kSequenceMax; earlier entries may have been shown.
[[nodiscard]] Result<void> visit_entries(const LoggedBatch& batch,
                                         const std::function<void(const EntryView&)>& visit);

class WalWriter {
 public:
  /// Collects up to `buffer_bytes` before it writes to the file; 0: writes each record at once.
  WalWriter(std::unique_ptr<WritableFile> file, std::uint64_t buffer_bytes);

  /// Appends the begin mark. REQUIRES: nothing was appended.
  [[nodiscard]] Result<void> begin(std::uint64_t log, std::uint64_t next_sequence);
  /// Appends a batch. After a write error every later call fails with it. An input error means that
  /// the batch does not fit in a record (4 GiB); the log is then unchanged.
  [[nodiscard]] Result<void> append(const LoggedBatch& batch);
  /// Writes the collected bytes to the file.
  [[nodiscard]] Result<void> flush();
  /// flush(), makes the log durable and appends the synced mark.
  [[nodiscard]] Result<void> sync();
  /// REQUIRES: file() was synced when the log had `bytes` bytes. Appends the synced mark and writes
  /// it to the file with all collected bytes.
  [[nodiscard]] Result<void> note_synced(std::uint64_t bytes);
  /// Appends the successor mark. REQUIRES: nothing was appended since sync(), and the other log
  /// exists, durably if this one is durable.
  [[nodiscard]] Result<void> name_successor(std::uint64_t number);
  [[nodiscard]] Result<void> close();
  /// The file, which a thread may sync while others append. If that sync fails, the thread calls
  /// fail().
  [[nodiscard]] WritableFile& file() { return *file_; }
  /// Makes every later call fail with this error. A system reports a failed sync only once; the
  /// next one succeeds although data was lost.
  void fail(const Error& error) { static_cast<void>(keep(error)); }
  /// Bytes appended, including collected ones.
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
  std::uint64_t batches_end_ = 0;   // where the newest batch ends
  std::uint64_t marked_bytes_ = 0;  // number of the newest synced mark
  Result<void> error_ = success();
};

/// An incomplete or damaged record, and what is known of it.
struct LogDamage {
  std::uint64_t offset = 0;
  std::string reason;                // "is torn: ..." or "is damaged: ..."
  std::uint64_t batches_behind = 0;  // whole batches that follow it
  std::uint64_t synced_bytes = 0;    // largest number of any synced mark
  bool is_whole = false;             // its checksum matches, but it is not a batch: not a tear
  bool is_searched_whole = true;     // false: a crafted log; more batches may follow

  /// True if no crash can leave it: it is whole, or a mark says that it was durable.
  [[nodiscard]] bool is_proven() const { return is_whole || synced_bytes > offset; }
};

struct WalContents {
  std::uint64_t bytes = 0;    // size of the file
  std::uint64_t batches = 0;  // up to the first damage
  std::uint64_t valid_bytes = 0;
  std::optional<std::uint64_t> begins_with;  // sequence number; empty in a log without marks
  std::optional<std::uint64_t> successor;
  std::optional<LogDamage> damage;
  [[nodiscard]] std::uint64_t dropped_bytes() const { return bytes - valid_bytes; }
};

/// Receives a log's records in order, each with its offset, up to the first incomplete one. An
/// error of the visitor ends the reading.
struct WalVisitor {
  std::function<Result<void>(std::uint64_t offset, const LoggedBatch&)> batch;
  std::function<void(std::uint64_t offset, const LogMark&)> mark = {};
};

/// Reads a log. Behind the first damage it collects what marks and whole batches prove. The cost is
/// linear in the file's size. Errors: the file cannot be read, or `visitor` fails. A whole record
/// that is neither a sound batch nor a mark counts as damage.
[[nodiscard]] Result<WalContents> read_wal(FileSystem& files, const std::string& path,
                                           const WalVisitor& visitor);

}  // namespace lsmlab::engine
