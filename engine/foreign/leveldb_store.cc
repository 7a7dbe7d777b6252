// LevelDB with a policy's options. A layer below it (an Env) counts the bytes of each file that it
// writes, and reads its manifest as it grows. Every edit there is a job, with file sizes and keys.
// The entries of new files are counted by reading them.
#include <fmt/format.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/iterator.h>
#include <leveldb/table.h>
#include <leveldb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <thread>

#include "engine/files/file_system.h"
#include "engine/foreign/foreign_store.h"
#include "engine/foreign/leveldb_manifest.h"
#include "engine/foreign/options.h"
#include "engine/foreign/status_and_scan.h"
#include "models/sizes/sstable_format.h"
#include "traces/workloads/made_data.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kSizeRatio = 10;          // MaxBytesForLevel
constexpr std::uint64_t kLevel1Bytes = 10 << 20;  // MaxBytesForLevel
constexpr std::uint64_t kLevel0Files = 4;         // kL0_CompactionTrigger
constexpr std::uint64_t kLevels = 7;
constexpr std::uint64_t kFlushLevelMax = 2;  // kMaxMemCompactLevel

Result<void> checked(const leveldb::Status& status) { return checked_status("LevelDB", status); }

leveldb::Slice slice_of(std::string_view text) { return {text.data(), text.size()}; }

WriteKind kind_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(".log")) return WriteKind::kWal;
  if (name.ends_with(".ldb") || name.ends_with(".sst")) return WriteKind::kMerge;
  return name.starts_with("MANIFEST") ? WriteKind::kManifest : WriteKind::kOther;
}

// The number in "DIRECTORY/000017.log".
std::uint64_t number_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  std::uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

// Adds the numbers and sizes of a file's entries to `file`.
Result<void> count_entries(leveldb::Env& env, const std::string& path, ForeignFile& file) {
  leveldb::RandomAccessFile* opened = nullptr;
  BOOST_OUTCOME_TRYV(checked(env.NewRandomAccessFile(path, &opened)));
  const std::unique_ptr<leveldb::RandomAccessFile> source(opened);
  leveldb::Table* made = nullptr;
  BOOST_OUTCOME_TRYV(checked(leveldb::Table::Open({}, source.get(), file.bytes, &made)));
  const std::unique_ptr<leveldb::Table> table(made);
  leveldb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<leveldb::Iterator> entry(table->NewIterator(options));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    const leveldb::Slice key = entry->key();
    ++file.entries;
    file.tombstones += key[key.size() - kTagBytes] == 0;
    file.key_bytes += key.size() - kTagBytes;
    file.value_bytes += entry->value().size();
  }
  return checked(entry->status());
}

// The layer below LevelDB. It counts written bytes and reports jobs to the ledger. LevelDB's
// background thread is the only one that writes tables and, once the store is open, the manifest.
class CountingEnv final : public leveldb::EnvWrapper {
 public:
  CountingEnv(std::string directory, ForeignLedger& ledger, const KeyFormat& keys)
      : EnvWrapper(leveldb::Env::Default()),
        directory_(std::move(directory)),
        ledger_(ledger),
        keys_(keys) {}

  leveldb::Status NewWritableFile(const std::string& path, leveldb::WritableFile** file) override {
    leveldb::Status status = noted(target()->NewWritableFile(path, file));
    if (!status.ok()) return status;
    const WriteKind kind = kind_of(path);
    if (kind == WriteKind::kManifest) manifest_ = {};
    // LevelDB begins a new log when it seals a memtable.
    if (kind == WriteKind::kWal) newest_log_.store(number_of(path));
    *file = new CountingFile(*file, *this, kind);
    return status;
  }

  [[nodiscard]] std::uint64_t newest_log() const { return newest_log_.load(); }
  /// A memtable waits to be flushed.
  [[nodiscard]] bool is_flush_wanted() const { return first_log_.load() < newest_log_.load(); }
  [[nodiscard]] const WriteCounters& counters() const { return counters_; }
  /// Edits of the tree so far.
  [[nodiscard]] std::uint64_t edits() const { return edits_.load(); }

 private:
  class CountingFile final : public leveldb::WritableFile {
   public:
    CountingFile(leveldb::WritableFile* file, CountingEnv& env, WriteKind kind)
        : file_(file), env_(env), kind_(kind) {}
    leveldb::Status Append(const leveldb::Slice& bytes) override {
      leveldb::Status status = env_.noted(file_->Append(bytes));
      if (!status.ok()) return status;
      env_.counters_.add(kind_, bytes.size());
      if (kind_ == WriteKind::kManifest) env_.manifest_.append({bytes.data(), bytes.size()});
      return status;
    }
    leveldb::Status Close() override { return env_.noted(file_->Close()); }
    leveldb::Status Flush() override { return env_.noted(file_->Flush()); }
    leveldb::Status Sync() override {
      leveldb::Status status = env_.noted(file_->Sync());
      // An edit counts once it is synced. LevelDB holds no lock at that time.
      if (status.ok() && kind_ == WriteKind::kManifest) env_.read_edits();
      return status;
    }

   private:
    std::unique_ptr<leveldb::WritableFile> file_;
    CountingEnv& env_;
    WriteKind kind_;
  };

  // After a failure LevelDB does no more work, and does not report this to settle().
  leveldb::Status noted(leveldb::Status status) {
    const Result<void> outcome = checked(status);
    if (!outcome) ledger_.fail(outcome.error());
    return status;
  }

  void read_edits() {
    for (;;) {
      const Result<std::optional<LeveldbEdit>> edit = manifest_.next();
      if (!edit) {
        ledger_.fail(edit.error());
        return;
      }
      if (!edit.value()) return;
      const Result<void> entered = enter(*edit.value());
      if (!entered) ledger_.fail(entered.error());
      if (edit.value()->log_number) first_log_.store(*edit.value()->log_number);
      edits_.fetch_add(1);
    }
  }

  Result<void> enter(const LeveldbEdit& edit) {
    if (edit.added.empty() && edit.removed.empty()) return success();
    std::vector<std::uint64_t> inputs;
    std::uint32_t upper = static_cast<std::uint32_t>(kLevels);
    for (const LeveldbEdit::Removed& file : edit.removed) {
      inputs.push_back(file.number);
      upper = std::min(upper, file.level);
    }
    std::vector<ForeignFile> outputs;
    for (const LeveldbEdit::Added& added : edit.added) {
      const bool is_known = ledger_.knows(added.number);
      if (is_known) {
        ledger_.moved(PlanReason::kLevelSaturated, inputs, added.level);
        return success();
      }
      ForeignFile file{added.number, added.level, added.bytes, {}};
      file.keys = {keys_.read(added.smallest), keys_.read(added.largest)};
      BOOST_OUTCOME_TRYV(
          count_entries(*target(), fmt::format("{}/{:06}.ldb", directory_, added.number), file));
      outputs.push_back(std::move(file));
    }
    if (inputs.empty()) {
      ledger_.flushed(outputs.front());
      return success();
    }
    ledger_.merged(PlanReason::kLevelSaturated, inputs, outputs, upper + 1);
    return success();
  }

  std::string directory_;
  ForeignLedger& ledger_;
  KeyFormat keys_;
  WriteCounters counters_;
  LeveldbManifest manifest_;
  std::atomic<std::uint64_t> newest_log_{0};
  std::atomic<std::uint64_t> first_log_{0};  // the oldest log whose entries are not in files
  std::atomic<std::uint64_t> edits_{0};
};

class LeveldbStore final : public ForeignStore {
 public:
  LeveldbStore(const ForeignSetup& setup, ForeignLedger& ledger)
      : is_paced_(setup.run.options.is_stepped),
        stop_(setup.stop),
        buffer_bytes_(setup.run.policy.store.buffer.value()),
        write_batch_(setup.run.policy.store.write_batch),
        ledger_(ledger),
        env_(setup.directory, ledger, setup.run.policy.store.keys),
        cache_(leveldb::NewLRUCache(setup.run.policy.store.block_cache.value())) {
    const auto bits = setup.run.policy.store.bits_per_key;
    if (bits.numerator() == 0) return;
    filter_.reset(
        leveldb::NewBloomFilterPolicy(static_cast<int>(bits.numerator() / bits.denominator())));
  }

  [[nodiscard]] Result<void> open(const ForeignSetup& setup) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.env = &env_;
    options.write_buffer_size = buffer_bytes_;
    options.max_file_size = PolicyValues(setup.run.policy).count("file_size");
    options.block_size = setup.run.policy.store.block_size.value();
    options.max_open_files = 50'000;
    options.compression = setup.run.policy.store.compression.compresses()
                              ? leveldb::kSnappyCompression
                              : leveldb::kNoCompression;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    leveldb::DB* db = nullptr;
    BOOST_OUTCOME_TRYV(checked(leveldb::DB::Open(options, setup.directory, &db)));
    db_.reset(db);
    newest_log_ = env_.newest_log();
    return success();
  }

  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value) override {
    batch_.Put(slice_of(key), slice_of(value));
    return added(key.size() + value.size());
  }
  [[nodiscard]] Result<void> remove(std::string_view key) override {
    batch_.Delete(slice_of(key));
    return added(key.size());
  }
  [[nodiscard]] Result<bool> get(std::string_view key) override {
    BOOST_OUTCOME_TRYV(write_batch());
    ledger_.add_operation(0);
    const bool is_found =
        BOOST_OUTCOME_TRYX(found_status("LevelDB", db_->Get({}, slice_of(key), &value_)));
    BOOST_OUTCOME_TRYV(settle_after_read());
    return is_found;
  }
  [[nodiscard]] Result<void> scan(std::string_view first_key, std::string_view last_key,
                                  std::uint64_t entries_max) override {
    BOOST_OUTCOME_TRYV(write_batch());
    ledger_.add_operation(0);
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator({}));
    BOOST_OUTCOME_TRYV(
        scan_entries<leveldb::Slice>("LevelDB", iterator, first_key, &last_key, entries_max));
    return settle_after_read();
  }
  // LevelDB flushes on request only as part of a manual compaction of a range. In a range without
  // keys it flushes and compacts nothing.
  [[nodiscard]] Result<void> flush() override {
    BOOST_OUTCOME_TRYV(write_batch());
    const std::string beyond(64, '\xff');
    const leveldb::Slice begin(beyond);
    db_->CompactRange(&begin, nullptr);
    return settle();
  }

  [[nodiscard]] Result<void> compact(ManualScope /*scope*/) override {
    BOOST_OUTCOME_TRYV(flush());
    db_->CompactRange(nullptr, nullptr);
    return settle();
  }

  [[nodiscard]] MeteredStore& metered() override { return ledger_; }
  void with_state(const std::function<void()>& look) override { ledger_.with_state(look); }
  [[nodiscard]] std::uint64_t flushes() const override { return ledger_.flushes(); }

  // LevelDB does not report whether it works. It is idle once its tree needs no compaction, the
  // sealed memtable is in a file, and no edit has come for a while.
  [[nodiscard]] Result<void> settle() override {
    constexpr std::chrono::microseconds kPause{100};
    constexpr unsigned kQuietPauses = 10;
    unsigned quiet = 0;
    std::uint64_t edits = env_.edits();
    while (quiet < kQuietPauses && !(stop_ != nullptr && stop_->load())) {
      BOOST_OUTCOME_TRYV(ledger_.state());
      std::this_thread::sleep_for(kPause);
      const bool is_still = edits == env_.edits() && !is_work_wanted();
      quiet = is_still ? quiet + 1 : 0;
      edits = env_.edits();
    }
    settled_edits_ = edits;
    return ledger_.state();
  }

  [[nodiscard]] Result<std::uint64_t> live_bytes() override {
    leveldb::ReadOptions options;
    options.fill_cache = false;
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(options));
    return sum_entries("LevelDB", iterator);
  }

  [[nodiscard]] std::vector<BytesWritten> bytes_by_kind() override {
    const WriteCounters& counters = env_.counters();
    Uint128 flushed = 0;
    ledger_.with_state([&] { flushed = ledger_.ledger().totals().flush_bytes_written; });
    const Uint128 tables = counters.of(WriteKind::kMerge);
    return {{WriteKind::kWal, counters.of(WriteKind::kWal)},
            {WriteKind::kFlush, flushed},
            {WriteKind::kMerge, tables - std::min(tables, flushed)},
            {WriteKind::kManifest, counters.of(WriteKind::kManifest)},
            {WriteKind::kOther, counters.of(WriteKind::kOther)}};
  }

  [[nodiscard]] Result<void> close() override {
    db_.reset();
    return ledger_.state();
  }

 private:
  // Reads start compactions too: LevelDB compacts a file after too many useless seeks.
  [[nodiscard]] Result<void> settle_after_read() {
    if (!is_paced_ || env_.edits() == settled_edits_) return success();
    return settle();
  }
  [[nodiscard]] Result<void> added(std::uint64_t bytes) {
    ledger_.add_operation(bytes);
    return ++batch_writes_ < write_batch_ ? success() : write_batch();
  }
  [[nodiscard]] Result<void> write_batch() {
    if (batch_writes_ == 0) return success();
    BOOST_OUTCOME_TRYV(checked(db_->Write({}, &batch_)));
    batch_.Clear();
    batch_writes_ = 0;
    if (env_.newest_log() == newest_log_) return success();
    newest_log_ = env_.newest_log();
    return is_paced_ ? settle() : ledger_.state();
  }

  // A sealed memtable waits, or a level's score requires a compaction (VersionSet::Finalize).
  [[nodiscard]] bool is_work_wanted() {
    if (env_.is_flush_wanted()) return true;
    bool is_wanted = false;
    ledger_.with_state([&] {
      const auto levels = ledger_.tree().levels();
      is_wanted = !levels.empty() && levels[0].runs.size() >= kLevel0Files;
      std::uint64_t capacity = kLevel1Bytes;
      for (std::size_t level = 1; level + 1 < kLevels && level < levels.size(); ++level) {
        std::uint64_t bytes = 0;
        for (const SortedRun& run : levels[level].runs) bytes += run.bytes().value();
        is_wanted = is_wanted || bytes >= capacity;
        capacity *= kSizeRatio;
      }
    });
    return is_wanted;
  }

  bool is_paced_;
  const std::atomic<bool>* stop_;
  std::uint64_t buffer_bytes_;
  std::uint64_t write_batch_;  // writes of each batch
  ForeignLedger& ledger_;
  CountingEnv env_;
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> db_;
  leveldb::WriteBatch batch_;  // not written yet
  std::uint64_t batch_writes_ = 0;
  std::string value_;
  std::uint64_t newest_log_ = 0;
  std::uint64_t settled_edits_ = 0;
};

// LevelDB would silently clip the option to this range.
Result<void> expect_between(const char* name, std::uint64_t given, std::uint64_t min,
                            std::uint64_t max) {
  if (given >= min && given <= max) return success();
  return input_error(
      fmt::format("{}: {} bytes; LevelDB needs {}..{} bytes", name, given, min, max));
}

}  // namespace

Result<void> check_leveldb(const ConfiguredPolicy& policy) {
  const StoreOptions& store = policy.store;
  if (policy.foreign != ForeignCompaction::kLeveldb) {
    return input_error(fmt::format("LevelDB has the policy leveldb only, not {}", policy.name));
  }
  if (store.filter_split != FilterSplit::kUniform) {
    return input_error(
        "filter_split: LevelDB gives every level the same filter bits; expected uniform");
  }
  if (store.replaces_entries()) {
    return input_error("memtable: LevelDB's keeps every version of a key; expected versions");
  }
  if (store.pre_remove != PreRemove::kFiles) {
    return input_error("pre_remove: LevelDB goes by the key ranges of files; expected files");
  }
  if (store.bits_per_key.numerator() % store.bits_per_key.denominator() != 0) {
    return input_error("bits_per_key: LevelDB's filters need a whole number");
  }
  const CompressionRules& rules = store.compression;
  const Compression codec = rules.levels.front().codec;
  const bool has_one = rules.levels.size() == 1 && rules.bottommost.empty();
  if (!has_one || (codec != Compression::kNone && codec != Compression::kSnappy)) {
    return input_error("compression: LevelDB has one codec for all levels, none or snappy");
  }
  const PolicyValues values(policy);
  if (!values.flag("seek_compaction")) {
    return input_error("seek_compaction: LevelDB always has it; expected true");
  }
  const std::pair<const char*, std::uint64_t> built_in[] = {{"size_ratio", kSizeRatio},
                                                            {"level_base", kLevel1Bytes},
                                                            {"l0_trigger", kLevel0Files},
                                                            {"levels", kLevels},
                                                            {"flush_level_max", kFlushLevelMax}};
  for (const auto& [name, value] : built_in) {
    BOOST_OUTCOME_TRYV(expect_built_in("LevelDB", name, value, values.count(name)));
  }
  BOOST_OUTCOME_TRYV(expect_between("buffer", store.buffer.value(), 64 << 10, 1 << 30));
  BOOST_OUTCOME_TRYV(expect_between("block_size", store.block_size.value(), 1 << 10, 4 << 20));
  return expect_between("file_size", values.count("file_size"), 1 << 20, 1 << 30);
}

Result<std::unique_ptr<ForeignStore>> open_leveldb(const ForeignSetup& setup,
                                                   ForeignLedger& ledger) {
  BOOST_OUTCOME_TRYV(check_leveldb(setup.run.policy));
  auto store = std::make_unique<LeveldbStore>(setup, ledger);
  BOOST_OUTCOME_TRYV(store->open(setup));
  return std::unique_ptr<ForeignStore>(std::move(store));
}

std::string leveldb_version() {
  return fmt::format("{}.{}", leveldb::kMajorVersion, leveldb::kMinorVersion);
}

}  // namespace lsmlab::engine
