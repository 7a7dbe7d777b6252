#include "traces/stores/leveldb_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/quantity_text.h"

namespace lsmlab::stores {

namespace {

bool is_goleveldb(const Store& store) {
  for (const NamedLog& named : store.logs) {
    for (const auto& [family, table] : named.log.statistics) {
      if (table.is_goleveldb) return true;
    }
  }
  return false;
}

// Of a table, which has sums only. Nothing below level 0: 0.
std::uint64_t mean_file_bytes(const FamilyFigures& figures) {
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  for (std::size_t i = 1; i < figures.levels.size(); ++i) {
    bytes += figures.levels[i].bytes.value_or(0);
    files += figures.levels[i].files;
  }
  return files == 0 ? 0 : bytes / files;
}

// The smallest write_buffer_size that LevelDB takes is 64 KiB (db/db_impl.cc, SanitizeOptions). So
// small a file was no full memtable, even if it was compressed.
constexpr std::uint64_t kFullFlushMin = 16 << 10;

// A table does not count flushes, but the files of level 0 are flushed memtables.
std::uint64_t mean_flush_bytes(const FamilyFigures& figures, const Store& store) {
  if (figures.source == HistorySource::kStatistics) {
    if (figures.levels.empty()) return 0;
    const LevelFigures& level0 = figures.levels.front();
    return level0.files == 0 ? 0 : level0.bytes.value_or(0) / level0.files;
  }
  std::uint64_t flushes = figures.flushes.flushes;
  std::uint64_t bytes = figures.flushes.bytes;
  for (const NamedLog& named : store.logs) {
    for (const LoggedFlush& flush : named.log.flushes) {
      if (flush.reason != kRecoveredLog || flushes == 0) continue;
      --flushes;
      bytes -= std::min(bytes, flush.bytes());
    }
  }
  const std::uint64_t mean = flushes == 0 ? 0 : bytes / flushes;
  return mean < kFullFlushMin ? 0 : mean;
}

}  // namespace

std::uint64_t leveldb_base_mebibytes(const Store& store) {
  constexpr std::uint64_t kLeveldb = 10;
  constexpr std::uint64_t kGoleveldb = 100;
  return is_goleveldb(store) ? kGoleveldb : kLeveldb;
}

// LevelDB writes its options nowhere, so sizes must be guessed from its files.
PolicySpec leveldb_spec(const FamilyFigures& figures, const Store& store) {
  constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 40;
  constexpr std::uint64_t kBufferBytes = std::uint64_t{4} << 20;
  constexpr std::uint64_t kFileBytes = std::uint64_t{2} << 20;
  PolicySpec result;
  const FamilyTree* const tree = store.tree(figures.name);
  const std::uint64_t base = leveldb_base_mebibytes(store);
  const std::uint64_t mean_file = mean_file_bytes(figures);
  std::uint64_t file_bytes = 0;
  if (tree != nullptr) {
    for (std::size_t i = 1; i < tree->levels.size(); ++i) {
      for (const auto& [number, file] : tree->levels[i]) {
        file_bytes = std::max(file_bytes, file.bytes);
      }
    }
  }
  const std::uint64_t mean = mean_flush_bytes(figures, store);
  const std::uint64_t buffer = mean > 0 && mean < kBytesMax ? mean : kBufferBytes;
  const std::uint64_t file = file_bytes > 0 && file_bytes < kBytesMax ? file_bytes : kFileBytes;
  result.spec = fmt::format(
      "leveldb:size_ratio=10,level_base={}MiB,l0_trigger=4,file_size={},table_format=leveldb,"
      "buffer={},block_size=4KiB,bits_per_key=0",
      base, typed_bytes_text(file), typed_bytes_text(buffer));
  // goleveldb flushes into level 0 only (db.go, memdbMaxLevel).
  if (is_goleveldb(store)) result.spec += ",flush_level_max=0";
  if (figures.source == HistorySource::kStatistics) {
    result.guesses.push_back(
        {"level_base", base == 10 ? "LevelDB's, which no option changes"
                                  : "of goleveldb's defaults (ten times CompactionTotalSize); its "
                                    "table does not state it"});
  }
  result.guesses.push_back(
      {"file_size", file_bytes > 0 ? "the largest file below level 0; LevelDB records no options"
                    : mean_file > 0
                        ? fmt::format("LevelDB's default; files below level 0 have {} on average",
                                      bytes_text(mean_file))
                        : "LevelDB's default; no file below level 0 was found"});
  const bool is_counted = mean > 0 && figures.source != HistorySource::kStatistics;
  result.guesses.push_back(
      {"buffer",
       is_counted ? "the mean size of a flushed file; a memtable takes more memory than its "
                    "file, unless compression is on"
       : mean > 0 ? "the mean size of level 0's files, which are flushed memtables; with "
                    "compression a memtable is larger"
       : figures.source == HistorySource::kStatistics
           ? "LevelDB's default; its table does not count flushes, and level 0 has no file"
       : figures.flushes.flushes > 0
           ? "LevelDB's default; no flush was of a full memtable, but of what a log held "
             "when the store was opened"
           : "LevelDB's default; no file counts its flushes"});
  result.guesses.push_back({"block_size", "LevelDB's default; LevelDB records no options"});
  result.guesses.push_back({"bits_per_key", "LevelDB's default; LevelDB records no options"});
  return result;
}

}  // namespace lsmlab::stores
