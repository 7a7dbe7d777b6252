// RocksDB with the same sizes and one flush thread next to the compaction threads, as in lsmlab's
// engine.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <chrono>
#include <string>
#include <thread>

#include "engine/benchmark/contender.h"
#include "engine/foreign/status_and_scan.h"

namespace lsmlab::engine {
namespace {

Result<void> checked(const rocksdb::Status& status) { return checked_status("RocksDB", status); }

rocksdb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }

rocksdb::Options options_of(const ContenderSetup& setup) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = kContenderBufferBytes;
  options.max_write_buffer_number = 2;
  options.target_file_size_base = kContenderFileBytes;
  options.max_bytes_for_level_base = 10 * kContenderBufferBytes;
  options.max_bytes_for_level_multiplier = 10;
  options.level_compaction_dynamic_level_bytes = false;
  options.level0_file_num_compaction_trigger = 4;
  options.level0_slowdown_writes_trigger = 20;
  options.level0_stop_writes_trigger = 36;
  options.compression = rocksdb::kNoCompression;
  const int threads = static_cast<int>(setup.merge_threads);
  options.max_background_flushes = 1;
  options.max_background_compactions = threads;
  options.env->SetBackgroundThreads(1, rocksdb::Env::HIGH);
  options.env->SetBackgroundThreads(threads, rocksdb::Env::LOW);
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kContenderFilterBitsPerKey));
  table.block_cache = rocksdb::NewLRUCache(setup.block_cache_bytes);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

class RocksdbContender final : public Contender {
 public:
  explicit RocksdbContender(std::unique_ptr<rocksdb::DB> db) : db_(std::move(db)) {}

  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value) override {
    return checked(db_->Put({}, slice_of(key), slice_of(value)));
  }
  [[nodiscard]] Result<bool> get(std::string_view key, std::string& value) override {
    return found_status("RocksDB", db_->Get({}, slice_of(key), &value));
  }
  [[nodiscard]] Result<std::uint64_t> scan(std::string_view first_key,
                                           std::uint64_t entries_max) override {
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
    return scan_entries<rocksdb::Slice>("RocksDB", iterator, first_key, nullptr, entries_max);
  }
  [[nodiscard]] Result<void> settle() override {
    BOOST_OUTCOME_TRYV(checked(db_->Flush({})));
    // RocksDB 7.8 has no public call that waits.
    while (value_of(rocksdb::DB::Properties::kCompactionPending) > 0 ||
           value_of(rocksdb::DB::Properties::kNumRunningCompactions) > 0 ||
           value_of(rocksdb::DB::Properties::kNumRunningFlushes) > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return success();
  }

 private:
  [[nodiscard]] std::uint64_t value_of(const std::string& property) const {
    std::uint64_t value = 0;
    db_->GetIntProperty(property, &value);
    return value;
  }
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

MadeContender make_rocksdb(const ContenderSetup& setup) {
  rocksdb::DB* db = nullptr;
  BOOST_OUTCOME_TRYV(checked(rocksdb::DB::Open(options_of(setup), setup.directory, &db)));
  return std::make_unique<RocksdbContender>(std::unique_ptr<rocksdb::DB>(db));
}

}  // namespace lsmlab::engine
