// RocksDB with a policy's options. Its events fill the ledger: RocksDB reports sizes when it
// creates a table file, and jobs when they end. The keys of new files are then looked up among the
// live files. One compaction runs at a time, so no other one can remove its outputs before. A
// flushed file may be gone when RocksDB reports its flush.
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/statistics.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <map>
#include <thread>

#include "engine/foreign/foreign_store.h"
#include "engine/foreign/rocksdb_options.h"
#include "engine/foreign/status_and_scan.h"
#include "traces/workloads/made_data.h"

namespace lsmlab::engine {
namespace {

Result<void> checked(const rocksdb::Status& status) { return checked_status("RocksDB", status); }

rocksdb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }

PlanReason reason_of(rocksdb::CompactionReason reason) {
  switch (reason) {
    case rocksdb::CompactionReason::kLevelL0FilesNum:
    case rocksdb::CompactionReason::kUniversalSortedRunNum:
      return PlanReason::kSortedRunCount;
    case rocksdb::CompactionReason::kUniversalSizeAmplification:
      return PlanReason::kSpaceAmplification;
    case rocksdb::CompactionReason::kUniversalSizeRatio:
      return PlanReason::kSizeRatio;
    case rocksdb::CompactionReason::kFilesMarkedForCompaction:
      return PlanReason::kMarkedFile;
    case rocksdb::CompactionReason::kPeriodicCompaction:
      return PlanReason::kPeriodic;
    case rocksdb::CompactionReason::kTtl:
    case rocksdb::CompactionReason::kRoundRobinTtl:
    case rocksdb::CompactionReason::kFIFOTtl:
      return PlanReason::kTimeToLive;
    case rocksdb::CompactionReason::kFIFOMaxSize:
      return PlanReason::kTotalSize;
    case rocksdb::CompactionReason::kFIFOReduceNumFiles:
      return PlanReason::kLevel0Only;
    case rocksdb::CompactionReason::kManualCompaction:
      return PlanReason::kManual;
    default:
      return PlanReason::kLevelSaturated;
  }
}

// The range from the first to the last key that is not a tombstone.
KeyRange keys_in(const std::string& path, const KeyFormat& format) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  if (!reader.Open(path).ok()) return {};
  const std::unique_ptr<rocksdb::Iterator> entry(reader.NewIterator({}));
  entry->SeekToFirst();
  if (!entry->Valid()) return {};
  const std::uint64_t smallest = format.read(entry->key().ToStringView());
  entry->SeekToLast();
  return {smallest, format.read(entry->key().ToStringView())};
}

class Events final : public rocksdb::EventListener {
 public:
  Events(ForeignLedger& ledger, const KeyFormat& keys) : ledger_(ledger), keys_(keys) {}

  void OnMemTableSealed(const rocksdb::MemTableInfo&) override { sealed_.fetch_add(1); }
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override {
    if (!info.status.ok()) return;
    const rocksdb::TableProperties& properties = info.table_properties;
    const bool is_flush = info.reason == rocksdb::TableFileCreationReason::kFlush;
    if (!is_flush) merged_bytes_.fetch_add(info.file_size);
    const ForeignFile file{0,
                           0,
                           info.file_size,
                           is_flush ? keys_in(info.file_path, keys_) : KeyRange{},
                           properties.num_entries,
                           properties.num_deletions,
                           properties.raw_key_size - 8 * properties.num_entries,
                           properties.raw_value_size};
    const std::lock_guard lock(mutex_);
    created_[info.file_path] = file;
  }
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override {
    const auto files = files_of(db, {{info.file_number, info.file_path}}, 0);
    if (files) ledger_.flushed(files->front());
  }
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override {
    if (!info.status.ok()) {
      if (!info.status.IsShutdownInProgress()) {
        ledger_.fail(machine_error("RocksDB: " + info.status.ToString()));
      }
      return;
    }
    std::vector<std::uint64_t> inputs;
    for (const auto& file : info.input_file_infos) inputs.push_back(file.file_number);
    std::vector<std::pair<std::uint64_t, std::string>> outputs;
    bool is_move = !info.output_file_infos.empty();
    for (std::size_t i = 0; i < info.output_file_infos.size(); ++i) {
      const std::uint64_t number = info.output_file_infos[i].file_number;
      outputs.emplace_back(number, info.output_files[i]);
      is_move = is_move && std::find(inputs.begin(), inputs.end(), number) != inputs.end();
    }
    ledger_.wait_for(inputs);
    const auto level = static_cast<std::uint32_t>(info.output_level);
    const PlanReason reason = reason_of(info.compaction_reason);
    const bool is_drop = info.compaction_reason == rocksdb::CompactionReason::kFIFOTtl ||
                         info.compaction_reason == rocksdb::CompactionReason::kFIFOMaxSize;
    if (is_drop) {
      ledger_.dropped(reason, inputs);
      return;
    }
    if (is_move) {
      ledger_.moved(reason, inputs, level);
      return;
    }
    const auto files = files_of(db, outputs, level);
    if (files) ledger_.merged(reason, inputs, *files, level);
  }

  [[nodiscard]] std::uint64_t sealed() const { return sealed_.load(); }
  /// Of files that compactions wrote.
  [[nodiscard]] std::uint64_t merged_bytes() const { return merged_bytes_.load(); }

 private:
  std::optional<std::vector<ForeignFile>> files_of(
      rocksdb::DB* db, const std::vector<std::pair<std::uint64_t, std::string>>& named,
      std::uint32_t level) {
    struct Described {
      KeyRange keys;
      SequenceSpan sequences;
    };
    std::unordered_map<std::uint64_t, Described> known;
    std::vector<rocksdb::LiveFileMetaData> live;
    db->GetLiveFilesMetaData(&live);
    for (const rocksdb::LiveFileMetaData& file : live) {
      known[file.file_number] = {{keys_.read(file.smallestkey), keys_.read(file.largestkey)},
                                 {file.smallest_seqno, file.largest_seqno}};
    }
    std::vector<ForeignFile> files;
    const std::lock_guard lock(mutex_);
    for (const auto& [number, path] : named) {
      const auto created = created_.find(path);
      const auto described = known.find(number);
      if (created == created_.end() || (described == known.end() && level > 0)) {
        ledger_.fail(machine_error(fmt::format("RocksDB: lost track of file {}", number)));
        return std::nullopt;
      }
      ForeignFile file = created->second;
      created_.erase(created);
      file.number = number;
      file.level = level;
      if (described != known.end()) {
        file.keys = described->second.keys;
        file.sequences = described->second.sequences;
      }
      files.push_back(file);
    }
    return files;
  }

  ForeignLedger& ledger_;
  KeyFormat keys_;
  std::mutex mutex_;
  std::unordered_map<std::string, ForeignFile> created_;  // by path; looked up, never iterated
  std::atomic<std::uint64_t> sealed_{0};
  std::atomic<std::uint64_t> merged_bytes_{0};
};

// RocksDB's clock for the ages of files. It counts operations, as the tree's clock does, so that
// ttl and periodic_age mean the same here. RocksDB takes a time of 0 as unknown, so the count
// begins at 1. With a ttl it begins that much later: RocksDB subtracts the ttl from the time of
// day.
class OperationClock final : public rocksdb::EnvWrapper {
 public:
  OperationClock(const ForeignLedger& ledger, std::uint64_t begin)
      : EnvWrapper(rocksdb::Env::Default()), ledger_(ledger), begin_(begin) {
    file_system_ = rocksdb::Env::Default()->GetFileSystem();
  }
  rocksdb::Status GetCurrentTime(std::int64_t* seconds) override {
    *seconds = static_cast<std::int64_t>(begin_ + ledger_.operations());
    return rocksdb::Status::OK();
  }

 private:
  const ForeignLedger& ledger_;
  const std::uint64_t begin_;
};

class RocksdbStore final : public ForeignStore {
 public:
  RocksdbStore(const ForeignSetup& setup, ForeignLedger& ledger)
      : is_paced_(setup.run.options.is_stepped),
        ttl_(age_of(setup.run.policy, "ttl")),
        may_pend_forever_(ttl_ > 0 ||
                          setup.run.policy.foreign != ForeignCompaction::kRocksdbLeveled),
        stop_(setup.stop),
        ledger_(ledger),
        write_batch_(setup.run.policy.store.write_batch),
        events_(std::make_shared<Events>(ledger, setup.run.policy.store.keys)),
        clock_(ledger, 1 + ttl_),
        statistics_(rocksdb::CreateDBStatistics()) {
    write_options_.disableWAL = setup.run.options.disable_wal;
  }

  [[nodiscard]] Result<void> open(const std::string& directory, rocksdb::Options options) {
    merges_by_itself_ = !options.disable_auto_compactions;
    const bool has_ages = options.ttl > 0 || options.periodic_compaction_seconds > 0;
    if (has_ages) options.env = &clock_;
    options.listeners = {events_};
    options.statistics = statistics_;
    rocksdb::DB* db = nullptr;
    BOOST_OUTCOME_TRYV(checked(rocksdb::DB::Open(options, directory, &db)));
    db_.reset(db);
    return success();
  }

  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value) override {
    return added(batch_.Put(slice_of(key), slice_of(value)), key.size() + value.size());
  }
  [[nodiscard]] Result<void> remove(std::string_view key) override {
    return added(batch_.Delete(slice_of(key)), key.size());
  }
  [[nodiscard]] Result<bool> get(std::string_view key) override {
    BOOST_OUTCOME_TRYV(write_batch());
    ledger_.add_operation(0);
    return found_status("RocksDB", db_->Get({}, slice_of(key), &value_));
  }
  [[nodiscard]] Result<void> scan(std::string_view first_key, std::string_view last_key,
                                  std::uint64_t entries_max) override {
    BOOST_OUTCOME_TRYV(write_batch());
    ledger_.add_operation(0);
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
    BOOST_OUTCOME_TRYV(
        scan_entries<rocksdb::Slice>("RocksDB", iterator, first_key, &last_key, entries_max));
    return success();
  }
  [[nodiscard]] Result<void> flush() override {
    BOOST_OUTCOME_TRYV(write_batch());
    rocksdb::FlushOptions options;
    // Otherwise it waits for merges that begin with this flush: where the trigger of level 0 is
    // that of slow writes.
    options.allow_write_stall = true;
    BOOST_OUTCOME_TRYV(checked(db_->Flush(options)));
    return settle();
  }

  // As db_bench's compact, compactall, compact0 and compact1 do, after the compactions that are
  // due: simulations do them first.
  [[nodiscard]] Result<void> compact(ManualScope scope) override {
    if (!flushes_first(scope)) {
      BOOST_OUTCOME_TRYV(settle());
      BOOST_OUTCOME_TRYV(push_level(scope == ManualScope::kLevel0 ? 0 : 1));
      return settle();
    }
    BOOST_OUTCOME_TRYV(flush());
    rocksdb::CompactRangeOptions options;
    if (scope == ManualScope::kWhole) {
      options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    }
    BOOST_OUTCOME_TRYV(checked(db_->CompactRange(options, nullptr, nullptr)));
    return settle();
  }

  [[nodiscard]] MeteredStore& metered() override { return ledger_; }
  void with_state(const std::function<void()>& look) override { ledger_.with_state(look); }
  [[nodiscard]] std::uint64_t flushes() const override { return ledger_.flushes(); }

  [[nodiscard]] Result<void> settle() override {
    constexpr std::chrono::microseconds kPause{100};
    // RocksDB reports universal compaction as pending from a number of runs on, FIFO compaction
    // from a number of files or a size on, and leveled compaction while a file of the deepest level
    // is past its ttl, even if it then picks nothing. If none begins within 30 ms, none will. Any
    // other pending compaction begins sooner or later.
    const unsigned idle_pauses_max = may_pend_forever_ ? 300 : 20'000;
    unsigned idle_pauses = 0;
    for (;;) {
      BOOST_OUTCOME_TRYV(ledger_.state());
      const bool is_running = value_of(rocksdb::DB::Properties::kNumRunningCompactions) > 0 ||
                              value_of(rocksdb::DB::Properties::kNumRunningFlushes) > 0;
      const bool is_wanted =
          value_of(rocksdb::DB::Properties::kNumImmutableMemTable) > 0 ||
          value_of(rocksdb::DB::Properties::kMemTableFlushPending) > 0 ||
          (merges_by_itself_ && value_of(rocksdb::DB::Properties::kCompactionPending) > 0);
      if (!is_running && !is_wanted) break;
      if (stop_ != nullptr && stop_->load()) break;
      idle_pauses = is_running ? 0 : idle_pauses + 1;
      if (idle_pauses == idle_pauses_max) break;
      std::this_thread::sleep_for(kPause);
    }
    return ledger_.state();
  }

  [[nodiscard]] Result<std::uint64_t> live_bytes() override {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.readahead_size = 2 << 20;
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator(options));
    return sum_entries("RocksDB", iterator);
  }

  [[nodiscard]] std::vector<BytesWritten> bytes_by_kind() override {
    // The ticker does not count the headers of log records. A write has one header, and one more
    // for each further block that it reaches into.
    constexpr std::uint64_t kHeaderBytes = 7;
    constexpr std::uint64_t kLogBlockBytes = 32'768;
    const std::uint64_t logged = statistics_->getTickerCount(rocksdb::WAL_FILE_BYTES);
    const std::uint64_t headers =
        logged == 0 ? 0 : kHeaderBytes * (writes_ + logged / kLogBlockBytes);
    // The threads of subcompactions do not count what they write when they close their last file.
    const std::uint64_t merged = std::max(statistics_->getTickerCount(rocksdb::COMPACT_WRITE_BYTES),
                                          events_->merged_bytes());
    return {{WriteKind::kWal, logged + headers},
            {WriteKind::kFlush, statistics_->getTickerCount(rocksdb::FLUSH_WRITE_BYTES)},
            {WriteKind::kMerge, merged},
            {WriteKind::kManifest, manifest_bytes()}};
  }
  [[nodiscard]] std::optional<std::vector<StallFigures>> stalls() override {
    const std::uint64_t micros = statistics_->getTickerCount(rocksdb::STALL_MICROS);
    rocksdb::HistogramData stalls;
    statistics_->histogramData(rocksdb::WRITE_STALL, &stalls);
    return std::vector<StallFigures>{{"RocksDB's write stalls", stalls.count, micros * 1000,
                                      static_cast<std::uint64_t>(stalls.max * 1000)}};
  }

  [[nodiscard]] Result<void> close() override {
    log_statistics();
    const rocksdb::Status status = db_->Close();
    db_.reset();
    return checked(status);
  }

 private:
  [[nodiscard]] Result<void> added(const rocksdb::Status& status, std::uint64_t bytes) {
    BOOST_OUTCOME_TRYV(checked(status));
    ledger_.add_operation(bytes);
    return batch_.Count() < write_batch_ ? success() : write_batch();
  }
  [[nodiscard]] Result<void> write_batch() {
    if (batch_.Count() == 0) return success();
    BOOST_OUTCOME_TRYV(checked(db_->Write(write_options_, &batch_)));
    batch_.Clear();
    ++writes_;
    if (events_->sealed() == sealed_) return success();
    sealed_ = events_->sealed();
    // The write that sealed the memtable is already in the next one.
    return is_paced_ ? settle() : ledger_.state();
  }
  // As db_bench's CompactLevelHelper: all files of level 0, or of the first level below it that has
  // files, into the next level that has any.
  [[nodiscard]] Result<void> push_level(int level_min) {
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::map<int, std::vector<std::string>> names;  // by level
    for (const rocksdb::LiveFileMetaData& file : files) {
      if (file.level >= level_min) names[file.level].push_back(file.name);
    }
    if (names.size() < 2 || (level_min == 0 && names.begin()->first > 0)) return success();
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kDisableCompressionOption;  // that of the level
    options.output_file_size_limit = db_->GetOptions().target_file_size_base;
    // RocksDB tells its listeners nothing of this compaction. Meanwhile no other one may take its
    // outputs.
    rocksdb::CompactionJobInfo info;
    BOOST_OUTCOME_TRYV(checked(db_->PauseBackgroundWork()));
    const rocksdb::Status merged = db_->CompactFiles(
        options, names.begin()->second, std::next(names.begin())->first, -1, nullptr, &info);
    if (merged.ok()) events_->OnCompactionCompleted(db_.get(), info);
    BOOST_OUTCOME_TRYV(checked(db_->ContinueBackgroundWork()));
    return checked(merged);
  }
  // RocksDB writes its statistics to its LOG every ten minutes, but not when it closes.
  void log_statistics() const {
    std::string text;
    if (!db_->GetProperty(rocksdb::DB::Properties::kStats, &text)) return;
    rocksdb::Log(rocksdb::InfoLogLevel::INFO_LEVEL, db_->GetDBOptions().info_log, "%s",
                 text.c_str());
  }
  [[nodiscard]] std::uint64_t manifest_bytes() const {
    std::vector<std::string> names;
    std::uint64_t bytes = 0;
    static_cast<void>(db_->GetLiveFiles(names, &bytes, false));  // on failure 0
    return bytes;
  }
  [[nodiscard]] std::uint64_t value_of(const std::string& property) const {
    std::uint64_t value = 0;
    db_->GetIntProperty(property, &value);
    return value;
  }

  bool is_paced_;
  std::uint64_t ttl_;
  bool may_pend_forever_;
  bool merges_by_itself_ = true;  // RocksDB reports compactions as pending that it will not do
  const std::atomic<bool>* stop_;
  ForeignLedger& ledger_;
  std::uint64_t write_batch_;  // writes of each batch
  std::shared_ptr<Events> events_;
  OperationClock clock_;  // where files have ages; outlives the database
  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::WriteOptions write_options_;
  rocksdb::WriteBatch batch_;  // not written yet
  std::string value_;
  std::uint64_t sealed_ = 0;
  std::uint64_t writes_ = 0;  // records of the log
};

}  // namespace

Result<void> check_rocksdb(const ConfiguredPolicy& policy) {
  BOOST_OUTCOME_TRYV(rocksdb_options(policy));
  return success();
}

Result<std::unique_ptr<ForeignStore>> open_rocksdb(const ForeignSetup& setup,
                                                   ForeignLedger& ledger) {
  rocksdb::Options options = BOOST_OUTCOME_TRYX(rocksdb_options(setup.run.policy));
  auto store = std::make_unique<RocksdbStore>(setup, ledger);
  BOOST_OUTCOME_TRYV(store->open(setup.directory, std::move(options)));
  return std::unique_ptr<ForeignStore>(std::move(store));
}

std::string rocksdb_version() {
  return fmt::format("{}.{}.{}", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
}

}  // namespace lsmlab::engine
