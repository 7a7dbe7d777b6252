// SSTables in the format of docs/sstable.md: writing one, opening one for lookups, and reading one
// from end to end for merges.
//
// Threading: a writer and a scanner belong to one thread; many threads may use a reader.
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
#include "models/tree/kept_ranges.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class SstableWriter {
 public:
  /// The file and the window must outlive the writer.
  SstableWriter(WritableFile& file, const SstableFormat& format, const KeyWindow& window);
  ~SstableWriter();
  SstableWriter(const SstableWriter&) = delete;
  SstableWriter& operator=(const SstableWriter&) = delete;

  /// Appends an entry. `window`: of its key. REQUIRES: the entry follows all earlier ones in the
  /// order of precedes(); its key has at most 65535 bytes and its value less than 4 GiB.
  [[nodiscard]] Result<void> add(const EntryView& entry, std::uint64_t window);
  /// The size so far. The size of the open block, and with compression nothing else, is expected.
  [[nodiscard]] const SstableSize& size() const;
  /// Writes the rest of the file: last block, filter, index, properties, footer. Neither syncs nor
  /// closes. Returns a File with keys (windows), bytes (of the file as written), entries,
  /// tombstones, key and value bytes and sequences. If the file has tombstones, the properties keep
  /// `oldest_tombstone`. REQUIRES: at least one entry.
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
  /// False if the filter proves that the key is absent. `key_hash`: hash_of_key(key).
  [[nodiscard]] bool may_contain(std::uint64_t key_hash) const;
  [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }
  /// The only block that may hold the key: the first whose last key is not smaller; block_count()
  /// if there is none.
  [[nodiscard]] std::size_t block_of(std::string_view key) const;
  [[nodiscard]] std::string_view last_key_of(std::size_t block) const;
  [[nodiscard]] std::uint64_t last_window_of(std::size_t block) const {
    return blocks_[block].last_window;
  }
  [[nodiscard]] const KeyWindow& key_window() const { return window_; }
  /// Whether the index has the blocks' first keys, too.
  [[nodiscard]] bool has_first_keys() const { return !first_windows_.empty(); }
  /// REQUIRES: has_first_keys().
  [[nodiscard]] std::uint64_t first_window_of(std::size_t block) const {
    return first_windows_[block];
  }
  /// Ranges of windows that the file's entries lie in, from the index; one range of all its blocks
  /// where the index has no first keys.
  [[nodiscard]] std::shared_ptr<const KeptRanges> kept_ranges(Bytes range_bytes) const;
  /// Offset of the block in the file, and its stored size including the trailer.
  [[nodiscard]] std::uint64_t block_position(std::size_t block) const;
  [[nodiscard]] std::uint32_t stored_bytes_of(std::size_t block) const;
  /// Stored bytes of the blocks that may hold keys whose windows are in the range: the cost of
  /// reading a slice.
  [[nodiscard]] Bytes bytes_in(const KeyRange& windows) const;
  /// The first and one past the last of those blocks. If a block ends with the range's largest
  /// window, the next block is not counted even if it begins with that window: the index cannot
  /// tell.
  [[nodiscard]] std::pair<std::size_t, std::size_t> blocks_in(const KeyRange& windows) const;

  /// Gets a block from the cache, or reads, checks and decompresses it. Counts it in `reads`
  /// (models/accounting/run_result.h). Errors: I/O; damage, with path and offset.
  [[nodiscard]] Result<BlockHandle> fetch(std::size_t block, DataBlockCache& cache,
                                          BlockReads& reads) const;
  /// Whether the table holds the key, true also if it has no filter. Reads a block, without the
  /// cache, if the filter passes the key. Errors: as for fetch().
  [[nodiscard]] Result<bool> passes(std::string_view key) const;
  /// Reads a block without the cache.
  [[nodiscard]] Result<BlockHandle> read(std::size_t block) const;

 private:
  friend class SstableOpener;
  struct Block {
    std::uint64_t last_window = 0;
    std::uint64_t position = 0;
    std::uint32_t stored_bytes = 0;
    std::uint32_t key_offset = 0;  // of the block's last key, in index_
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
  std::vector<std::uint64_t> first_windows_;  // of the blocks; empty: the index has none
  std::string filter_;                        // lines; empty: none
  unsigned probes_ = 0;
};

[[nodiscard]] std::uint64_t hash_of_key(std::string_view key);

/// Reads the entries of one SSTable in order, in large pieces and without the cache. Verifies every
/// block's checksum.
class SstableScanner {
 public:
  /// Scans entries whose windows are in `windows`. Reads at least `read_ahead_bytes` at a time. The
  /// reader must outlive the scanner.
  SstableScanner(const SstableReader& table, const KeyRange& windows,
                 std::uint64_t read_ahead_bytes);
  ~SstableScanner();
  SstableScanner(const SstableScanner&) = delete;
  SstableScanner& operator=(const SstableScanner&) = delete;

  /// Moves to the next entry; the first call moves to the first entry. False at the end. Errors:
  /// I/O; damage or keys out of order, with path and offset. After an error the scanner must not be
  /// used.
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

/// Reads every block and compares its content with the properties, the index and the filter. Error:
/// the first damage, with path and offset.
[[nodiscard]] Result<void> verify_sstable(const SstableReader& table);

}  // namespace lsmlab::engine
