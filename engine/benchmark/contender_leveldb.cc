// LevelDB with the same sizes; it has one background thread, for flushes and compactions.
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "engine/benchmark/contender.h"
#include "engine/foreign/status_and_scan.h"

namespace lsmlab::engine {
namespace {

constexpr int kLevels = 7;
constexpr std::uint64_t kLevel0Files = 4;         // kL0_CompactionTrigger
constexpr std::uint64_t kLevel1Bytes = 10 << 20;  // MaxBytesForLevel

Result<void> checked(const leveldb::Status& status) { return checked_status("LevelDB", status); }

leveldb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }

class LeveldbContender final : public Contender {
 public:
  explicit LeveldbContender(const ContenderSetup& setup)
      : cache_(leveldb::NewLRUCache(setup.block_cache_bytes)),
        filter_(leveldb::NewBloomFilterPolicy(kContenderFilterBitsPerKey)) {}

  [[nodiscard]] Result<void> open(const std::string& directory) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = kContenderBufferBytes;
    options.max_file_size = kContenderFileBytes;
    options.max_open_files = 10'000;
    options.compression = leveldb::kNoCompression;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    leveldb::DB* db = nullptr;
    BOOST_OUTCOME_TRYV(checked(leveldb::DB::Open(options, directory, &db)));
    db_.reset(db);
    return success();
  }
  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value) override {
    return checked(db_->Put({}, slice_of(key), slice_of(value)));
  }
  [[nodiscard]] Result<bool> get(std::string_view key, std::string& value) override {
    return found_status("LevelDB", db_->Get({}, slice_of(key), &value));
  }
  [[nodiscard]] Result<std::uint64_t> scan(std::string_view first_key,
                                           std::uint64_t entries_max) override {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
    return scan_entries<leveldb::Slice>("LevelDB", iterator, first_key, nullptr, entries_max);
  }
  [[nodiscard]] Result<void> settle() override {
    // A range below every key: the memtable is flushed, and no file compacted.
    const leveldb::Slice below("\0", 1);
    db_->CompactRange(&below, &below);
    // LevelDB has no call that waits. It compacts while a level's score is at least 1.
    while (wants_compaction()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return success();
  }

 private:
  [[nodiscard]] bool wants_compaction() const {
    std::string text;
    if (!db_->GetProperty("leveldb.sstables", &text)) return false;
    // "--- level 1 ---", then for each file " number:bytes['smallest' .. 'largest']", keys escaped.
    int level = -1;
    std::uint64_t files[kLevels] = {};
    std::uint64_t bytes[kLevels] = {};
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      const char* const line = text.c_str() + at;
      if (*line == '-') {
        ++level;
        continue;
      }
      const char* const colon = text.c_str() + text.find(':', at);
      ++files[level];
      bytes[level] += std::strtoull(colon + 1, nullptr, 10);
    }
    if (files[0] >= kLevel0Files) return true;
    std::uint64_t bytes_max = kLevel1Bytes;
    for (int i = 1; i + 1 < kLevels; ++i, bytes_max *= 10) {
      if (bytes[i] >= bytes_max) return true;
    }
    return false;
  }

  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> db_;  // uses both
};

}  // namespace

MadeContender make_leveldb(const ContenderSetup& setup) {
  auto contender = std::make_unique<LeveldbContender>(setup);
  BOOST_OUTCOME_TRYV(contender->open(setup.directory));
  return contender;
}

}  // namespace lsmlab::engine
