// SSTables as docs/sstable.md lays them out: writing one, opening one for lookups, and reading one
// from end to end for merges.
//
// Threading: a writer and a scanner belong to one thread; a reader may be used by many.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/sstable/block_cache.h"
#include "engine/sstable/entry_view.h"
#include "engine/sstable/key_window.h"
#include "models/accounting/run_result.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class SstableWriter {
 public:
  /// The file and the window must outlive the writer.
  SstableWriter(WritableFile& file, const SstableFormat& format, Compression compression,
                const KeyWindow& window);
  ~SstableWriter();
  SstableWriter(const SstableWriter&) = delete;
  SstableWriter& operator=(const SstableWriter&) = delete;

  /// REQUIRES: by precedes() after the entries before; a key of at most 65535 bytes and a value of
  /// less than 4 GiB. `window`: of its key.
  [[nodiscard]] Result<void> add(const EntryView& entry, std::uint64_t window);
  /// What the model counts so far; without compression the file's size is size().file_bytes().
  [[nodiscard]] const SstableSize& size() const;
  /// Writes what is left: the last block, filter, index, properties, footer; neither syncs nor
  /// closes. Returns keys (windows), bytes (of the file as written), entries, tombstones, key and
  /// value bytes and sequences. `oldest_tombstone` is kept in the properties where there are
  /// tombstones. REQUIRES: at least one entry.
  [[nodiscard]] Result<File> finish(std::optional<Instant> oldest_tombstone);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

struct SstableProperties {
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  SequenceSpan sequences;
  std::optional<Instant> oldest_tombstone;
  std::uint64_t key_and_value_bytes = 0;
  std::string smallest_key;
  std::string largest_key;
};

class SstableReader {
 public:
  /// Reads footer, properties, index and filter, which stay in memory. Errors: damage, with path
  /// and offset.
  [[nodiscard]] static Result<std::shared_ptr<const SstableReader>> open(
      std::unique_ptr<ReadableFile> file, FileId id, const KeyWindow& window);

  [[nodiscard]] const SstableProperties& properties() const { return properties_; }
  [[nodiscard]] FileId id() const { return id_; }
  [[nodiscard]] const ReadableFile& file() const { return *file_; }
  [[nodiscard]] bool has_filter() const { return !filter_.empty(); }
  /// False where the filter says that the key is not there. `key_hash`: hash_of_key(key).
  [[nodiscard]] bool may_contain(std::uint64_t key_hash) const;
  [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }
  /// The block that holds the key if any does: the first whose last key is not below it;
  /// block_count() where there is none.
  [[nodiscard]] std::size_t block_of(std::string_view key) const;
  [[nodiscard]] std::string_view last_key_of(std::size_t block) const;
  [[nodiscard]] std::uint64_t last_window_of(std::size_t block) const {
    return blocks_[block].last_window;
  }
  [[nodiscard]] const KeyWindow& key_window() const { return window_; }
  /// Where the block begins in the file, and what it takes there, trailer included.
  [[nodiscard]] std::uint64_t block_position(std::size_t block) const;
  [[nodiscard]] std::uint32_t stored_bytes_of(std::size_t block) const;
  /// Stored bytes of the blocks that may hold keys whose windows are in the range: what reading a
  /// slice costs.
  [[nodiscard]] Bytes bytes_in(const KeyRange& windows) const;
  /// First and one past the last of those blocks. A block that begins with the range's largest
  /// window, where others end with it, is not among them: its index does not tell.
  [[nodiscard]] std::pair<std::size_t, std::size_t> blocks_in(const KeyRange& windows) const;

  /// A block, by way of the cache, checked and decompressed. Counts what it fetched and read (as
  /// models/accounting/run_result.h has it). Errors: I/O; damage, with path and offset.
  [[nodiscard]] Result<BlockHandle> fetch(std::size_t block, DataBlockCache& cache,
                                          BlockReads& reads) const;
  /// A block past the cache.
  [[nodiscard]] Result<BlockHandle> read(std::size_t block) const;

 private:
  friend class SstableOpener;
  struct Block {
    std::uint64_t last_window = 0;
    std::uint64_t position = 0;
    std::uint32_t stored_bytes = 0;
    std::uint32_t key_offset = 0;  // of the last key, in index_
    std::uint32_t key_bytes = 0;
  };
  SstableReader(std::unique_ptr<ReadableFile> file, FileId id, const KeyWindow& window)
      : file_(std::move(file)), id_(id), window_(window) {}

  std::unique_ptr<ReadableFile> file_;
  FileId id_;
  const KeyWindow& window_;
  SstableProperties properties_;
  std::string index_;
  std::vector<Block> blocks_;
  std::string filter_;  // lines; empty: none
  unsigned probes_ = 0;
};

[[nodiscard]] std::uint64_t hash_of_key(std::string_view key);

/// The entries of one SSTable in order, read in large pieces past the cache; every block's checksum
/// is verified.
class SstableScanner {
 public:
  /// Entries whose windows are in `windows`. The reader must outlive the scanner.
  /// `read_ahead_bytes`: at least so much is read at a time.
  SstableScanner(const SstableReader& table, const KeyRange& windows,
                 std::uint64_t read_ahead_bytes);
  ~SstableScanner();
  SstableScanner(const SstableScanner&) = delete;
  SstableScanner& operator=(const SstableScanner&) = delete;

  /// To the next entry, the first at first; false at the end. Errors: I/O; damage and keys out of
  /// order, with path and offset; after one the scanner is of no use.
  [[nodiscard]] Result<bool> next();
  /// Valid until next().
  [[nodiscard]] const EntryView& entry() const { return entry_; }
  [[nodiscard]] std::uint64_t window() const { return entry_window_; }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  EntryView entry_;
  std::uint64_t entry_window_ = 0;
};

/// Reads every block and compares what it finds with the properties, the index and the filter.
/// Errors: the first damage, with path and offset.
[[nodiscard]] Result<void> verify_sstable(const SstableReader& table);

}  // namespace lsmlab::engine
