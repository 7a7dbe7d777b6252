// Compares the store with a map, and tests what it refuses.
#include "engine/store/store.h"

#include "engine/files/file_names.h"
#include "engine/files/posix_file_system.h"
#include "engine/logs/manifest.h"
#include "testing/engine/store_fixture.h"
#include "traces/io/byte_file.h"

namespace lsmlab::engine::store_test {
namespace {

using testing::kDirectory;
using testing::RandomBatches;
using testing::StoreState;

// A snapshot and the state that it must show.
struct Kept {
  std::shared_ptr<const Snapshot> snapshot;
  StoreState state;
};

// Runs random operations on a store and on a map.
class Comparison {
 public:
  Comparison(StoreSetup setup, std::uint64_t seed) : setup_(std::move(setup)), random_(seed) {}

  // Returns an empty text if all answers are right.
  std::string run(std::uint64_t operations) {
    const Result<void> outcome = run_all(operations);
    return outcome ? std::string() : outcome.error().message;
  }
  [[nodiscard]] std::uint64_t merges() const { return merges_; }

 private:
  Result<void> open() {
    store_ = BOOST_OUTCOME_TRYX(Store::open(kDirectory, setup_));
    return success();
  }

  Result<void> run_all(std::uint64_t operations) {
    BOOST_OUTCOME_TRYV(open());
    for (std::uint64_t i = 0; i < operations; ++i) {
      BOOST_OUTCOME_TRYV(one_operation());
    }
    BOOST_OUTCOME_TRYV(store_->flush());
    BOOST_OUTCOME_TRYV(check_whole());
    kept_.clear();
    merges_ += store_->totals().merges;
    return store_->close();
  }

  Result<void> one_operation() {
    const std::uint64_t kind = random_.draw(1'000);
    if (kind < 600) return write();
    if (kind < 800) return get();
    if (kind < 950) return scan();
    if (kind < 970) return keep_snapshot();
    if (kind < 985) return check_snapshot();
    if (kind < 990) return store_->flush();
    if (kind < 995) return reopen();
    return kind < 997 ? checkpoint() : check_whole();
  }

  Result<void> write() {
    testing::ModelBatch batch = random_.batch();
    // 100 KiB is far more than a block, a memtable and a file.
    if (random_.draw(200) == 0) batch.front().second = std::string(1 + random_.draw(100'000), 'L');
    for (auto& [key, value] : batch) {
      key = prefixed(std::move(key));
      if (value) state_[key] = *value;
      if (!value) state_.erase(key);
    }
    return testing::write_batch(*store_, batch);
  }

  // Most keys share the prefix that the store expects; some sort before or after it.
  std::string prefixed(std::string key) {
    return random_.draw(8) == 0 ? key : setup_.key_prefix + key;
  }

  Result<void> get() {
    const std::string key = prefixed(random_.key());
    const auto found = BOOST_OUTCOME_TRYX(store_->get(key));
    const auto expected = state_.find(key);
    if (found.has_value() != (expected != state_.end()) || (found && *found != expected->second)) {
      return input_error("get is wrong: " + key);
    }
    return success();
  }

  Result<void> scan() {
    ScanBounds bounds;
    if (random_.draw(4) != 0) bounds.first_key = prefixed(random_.key());
    if (random_.draw(4) != 0) bounds.last_key = prefixed(random_.key());
    auto expected = state_.lower_bound(bounds.first_key);
    const auto is_shown = [&] {
      return expected != state_.end() && (!bounds.last_key || expected->first <= *bounds.last_key);
    };
    std::uint64_t left = random_.draw(3) == 0 ? ~std::uint64_t{0} : random_.draw(20);
    const auto cursor = store_->scan(bounds);
    for (; left > 0; --left, ++expected) {
      const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
      if (has_entry != is_shown()) return input_error("a scan ends in the wrong place");
      if (!has_entry) return success();
      if (cursor->key() != expected->first || cursor->value() != expected->second) {
        return input_error("a scan shows what is not there");
      }
    }
    return success();
  }

  Result<void> keep_snapshot() {
    if (kept_.size() == 4) kept_.erase(kept_.begin());
    kept_.push_back({store_->snapshot().value(), state_});
    return success();
  }

  Result<void> check_snapshot() {
    if (kept_.empty()) return success();
    const Kept& kept = kept_[random_.draw(kept_.size())];
    ReadOptions options;
    options.snapshot = kept.snapshot.get();
    const auto found = BOOST_OUTCOME_TRYX(testing::scan_all(*store_, options));
    if (found != kept.state) return input_error("a scan of a snapshot is wrong");
    for (int i = 0; i < 20; ++i) {
      const std::string key = prefixed(random_.key());
      const auto value = BOOST_OUTCOME_TRYX(store_->get(key, options));
      const auto expected = kept.state.find(key);
      const bool is_there = expected != kept.state.end();
      if (value.has_value() != is_there || (value && *value != expected->second)) {
        return input_error("get of a snapshot is wrong: " + key);
      }
    }
    return success();
  }

  Result<void> reopen() {
    kept_.clear();
    merges_ += store_->totals().merges;
    BOOST_OUTCOME_TRYV(store_->close());
    store_.reset();
    return open();
  }

  // A checkpoint opens as a separate store, and later writes to either do not affect the other.
  Result<void> checkpoint() {
    const std::string directory = fmt::format("/disk/copy{}", ++checkpoints_);
    BOOST_OUTCOME_TRYV(store_->checkpoint(directory));
    const auto copy = BOOST_OUTCOME_TRYX(Store::open(directory, setup_));
    const auto found = BOOST_OUTCOME_TRYX(testing::scan_all(*copy));
    if (found != state_) return input_error("a checkpoint is wrong");
    for (int i = 0; i < 50; ++i) {
      BOOST_OUTCOME_TRYV(copy->put(random_.key(), "in the copy"));
    }
    return copy->close();
  }

  Result<void> check_whole() {
    const auto found = BOOST_OUTCOME_TRYX(testing::scan_all(*store_));
    if (found != state_) return input_error("the whole scan is wrong");
    const std::string fault = testing::gets_differ(*store_, state_);
    if (!fault.empty()) return input_error(fault);
    const std::string tree = testing::tree_fault(*store_);
    return tree.empty() ? Result<void>(success()) : Result<void>(input_error(tree));
  }

  StoreSetup setup_;
  RandomBatches random_;
  std::unique_ptr<Store> store_;
  StoreState state_;
  std::vector<Kept> kept_;
  std::uint64_t checkpoints_ = 0;
  std::uint64_t merges_ = 0;
};

TEST_CASE("store: answers are a map's, whatever the policy, compression and mode") {
  const std::uint64_t seeds = testing::number_from("LSMLAB_STORE_SEEDS", 2);
  const Compression compressions[] = {Compression::kNone, Compression::kZstd, Compression::kLz4};
  for (const std::string& policy : testing::policy_specs()) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      for (const StoreMode mode : {StoreMode::kStepped, StoreMode::kThreaded}) {
        FaultFileSystem disk;
        StoreSetup setup = testing::small_setup(policy, disk);
        setup.mode = mode;
        setup.sync = seed % 2 == 0 ? SyncRule::kNever : SyncRule::kEveryBatch;
        setup.wal_buffer = Bytes(seed % 3 * 200);
        setup.policy.store.compression.levels = {{compressions[seed % 3]}};
        setup.key_prefix = seed % 2 == 0 ? "some/prefix/" : "";
        setup.manifest_bytes_max = Bytes(10'000);
        setup.merge_threads = 2;
        setup.open_tables_max = 16;
        setup.read_ahead = Bytes(1'000);
        Comparison comparison(setup, seed);
        const std::string fault = comparison.run(1'000);
        INFO(policy << ", seed " << seed << ", mode " << static_cast<int>(mode) << ": " << fault);
        REQUIRE(fault.empty());
        REQUIRE(comparison.merges() > 0);
      }
    }
  }
}

std::string error_of(const Result<std::unique_ptr<Store>>& opened) {
  return opened ? std::string() : opened.error().message;
}
std::string error_of(const Result<void>& outcome) {
  return outcome ? std::string() : outcome.error().message;
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("store: keys that no store takes are refused, and change nothing") {
  FaultFileSystem disk;
  const auto store = Store::open(kDirectory, testing::small_setup("leveled", disk)).value();
  REQUIRE(error_of(store->put("", "value")) == "a key must have at least 1 byte");
  REQUIRE(error_of(store->remove("")) == "a key must have at least 1 byte");
  REQUIRE(contains(error_of(store->put(std::string(65'536, 'k'), "v")), "at most 65535 bytes"));
  WriteBatch batch;
  batch.put("good", "value");
  batch.put("", "value");
  batch.put("good too", "value");
  REQUIRE(error_of(store->write(batch)) == "a key must have at least 1 byte");
  REQUIRE(testing::scan_all(*store).value().empty());
  batch.clear();
  REQUIRE(store->write(batch));  // an empty batch
  batch.put("good", "value");
  REQUIRE(store->write(batch));
  const std::string longest(65'535, 'k');
  REQUIRE(store->put(longest, "v"));
  REQUIRE(store->flush());
  REQUIRE(testing::scan_all(*store).value() == StoreState{{"good", "value"}, {longest, "v"}});
  REQUIRE(store->background_error());
}

TEST_CASE("store: a directory opens only with the policy and options that made it") {
  FaultFileSystem disk;
  const StoreSetup setup = testing::small_setup("leveled", disk);
  REQUIRE(Store::open(kDirectory, setup).value()->put("key", "value"));
  const auto names = disk.list(kDirectory).value();
  const std::string policy =
      error_of(Store::open(kDirectory, testing::small_setup("tiered", disk)));
  REQUIRE(contains(policy, "'leveled'"));
  REQUIRE(contains(policy, "'tiered'"));
  StoreSetup prefixed = setup;
  prefixed.key_prefix = "user";
  REQUIRE(contains(error_of(Store::open(kDirectory, prefixed)), "key_prefix"));
  StoreSetup larger = setup;
  larger.policy = make_policy(parse_spec("leveled:buffer=1400,block_size=128").value()).value();
  REQUIRE(contains(error_of(Store::open(kDirectory, larger)), "made with"));
  REQUIRE(disk.list(kDirectory).value() == names);
  REQUIRE(Store::open(kDirectory, setup).value()->get("key").value() == "value");
}

TEST_CASE("store: an option that a directory's manifest does not know has its default there") {
  FaultFileSystem disk;
  StoreSetup setup = testing::small_setup("leveled", disk);
  setup.policy = make_policy(parse_spec("leveled:buffer=700").value()).value();
  REQUIRE(Store::open(kDirectory, setup).value()->put("key", "value"));
  auto known = read_manifest(disk, kDirectory).value().value();
  REQUIRE(std::erase_if(known.identity,
                        [](const auto& option) { return option.first == "block_size"; }) == 1);
  const ManifestSnapshot older{known.identity, known.tree.image(), known.last_sequence,
                               known.first_wal, known.logs_are_synced};
  REQUIRE(ManifestWriter::create(disk, kDirectory, known.number + 1, older, true));
  StoreSetup other = setup;
  other.policy = make_policy(parse_spec("leveled:buffer=700,block_size=128").value()).value();
  REQUIRE(contains(error_of(Store::open(kDirectory, other)), "made with block_size '4096'"));
  REQUIRE(Store::open(kDirectory, setup).value()->get("key").value() == "value");
}

TEST_CASE("store: no more files are open at a time than the system allows") {
  constexpr std::uint64_t kFiles = 24;
  FaultFileSystem disk;
  disk.set_open_files_max(kFiles);
  StoreSetup setup = testing::small_setup(
      "primitives:layout=leveling,trigger=level-saturation,granularity=level", disk);
  const auto store = Store::open(kDirectory, setup).value();
  RandomBatches random(1);
  for (int i = 0; i < 4'000; ++i) {
    REQUIRE(store->put(fmt::format("{:05}", random.draw(100'000)), "value"));
  }
  REQUIRE(store->settle());
  std::size_t tables = 0;
  for (const Level& level : store->tree_image().levels) {
    for (const SortedRun& run : level.runs) tables += run.files.size();
  }
  REQUIRE(tables > 4 * kFiles);
  const auto found = testing::scan_all(*store);
  INFO((found ? std::string() : found.error().message));
  REQUIRE(found.has_value());
  REQUIRE(found.value().size() > 3'000);
  REQUIRE(store->background_error());
}

TEST_CASE("store: a directory that is not there is made or refused") {
  FaultFileSystem disk;
  StoreSetup setup = testing::small_setup("leveled", disk);
  setup.create_if_missing = false;
  REQUIRE(contains(error_of(Store::open(kDirectory, setup)), kDirectory));
  disk.put_file("/disk/empty/unrelated.txt", "text");
  REQUIRE(contains(error_of(Store::open("/disk/empty", setup)), "no store in this directory"));
  setup.create_if_missing = true;
  REQUIRE(Store::open(kDirectory, setup).value()->recovery().is_new);
  REQUIRE(!Store::open(kDirectory, setup).value()->recovery().is_new);
  REQUIRE(Store::open("/disk/empty", setup));
  REQUIRE(disk.read_file("/disk/empty/unrelated.txt").value() == "text");
}

TEST_CASE("store: one opening at a time, in this process") {
  FaultFileSystem disk;
  const StoreSetup setup = testing::small_setup("leveled", disk);
  auto first = Store::open(kDirectory, setup).value();
  REQUIRE(contains(error_of(Store::open(kDirectory, setup)), "already uses this directory"));
  REQUIRE(first->put("key", "value"));
  first.reset();
  REQUIRE(Store::open(kDirectory, setup).value()->get("key").value() == "value");
}

TEST_CASE("store: one opening at a time, on the machine's files") {
  PosixFileSystem files;
  const auto directory = TemporaryDirectory::create("").value();
  const StoreSetup setup = testing::small_setup("leveled", files);
  auto first = Store::open(directory->path() + "/a/store", setup).value();
  const auto second = Store::open(directory->path() + "/a/store", setup);
  REQUIRE(contains(error_of(second), "/a/store"));
  REQUIRE(first->put("key", "value"));
}

TEST_CASE("store: files that are missing are named, and nothing is touched") {
  FaultFileSystem disk;
  const StoreSetup setup = testing::small_setup("tiered", disk);
  {
    const auto store = Store::open(kDirectory, setup).value();
    for (int i = 0; i < 100; ++i) REQUIRE(store->put(fmt::format("key{}", i), "some value"));
    REQUIRE(store->close());
  }
  const auto names = disk.list(kDirectory).value();
  for (const std::string& name : names) {
    const std::string path = join_path(kDirectory, name);
    const FileKind kind = parse_name(name)->kind;
    if (kind == FileKind::kWal || kind == FileKind::kLock) continue;
    const std::string bytes = disk.read_file(path).value();
    REQUIRE(disk.remove(path));
    const auto left = disk.list(kDirectory).value();
    const std::string error = error_of(Store::open(kDirectory, setup));
    INFO(error);
    REQUIRE(contains(error, name));
    REQUIRE(disk.list(kDirectory).value() == left);
    disk.put_file(path, bytes);
  }
  const auto store = Store::open(kDirectory, setup).value();
  for (int i = 0; i < 100; ++i) {
    REQUIRE(store->get(fmt::format("key{}", i)).value() == "some value");
  }
}

// A log of many more bytes than the buffer holds one memtable that replaces entries.
TEST_CASE("store: a recovered memtable replaces entries as the one that was lost did") {
  FaultFileSystem disk;
  const StoreSetup setup = testing::small_setup("tiered:memtable=in-place", disk);
  const std::uint64_t each = buffered_entry_bytes(6, 8);
  const std::uint64_t fill = (700 + each - 1) / each;
  const auto put = [](Store& store, std::uint64_t key, int version) {
    REQUIRE(store.put(fmt::format("key{:03}", key), fmt::format("value {:02}", version)));
  };
  {
    const auto store = Store::open(kDirectory, setup).value();
    for (int version = 0; version < 100; ++version) {
      for (std::uint64_t key = 1; key < fill; ++key) put(*store, key, version);
    }
    REQUIRE(store->totals().flushes == 0);
    put(*store, fill, 0);
    REQUIRE(store->totals().flushes == 1);
    for (int version = 0; version < 100; ++version) {
      for (std::uint64_t key = 1; key < fill; ++key) put(*store, 500 + key, version);
    }
    REQUIRE(store->totals().flushes == 1);
    disk.crash();
  }
  disk.restart(1, LossMode::kNothing);
  const auto store = Store::open(kDirectory, setup).value();
  REQUIRE(store->recovery().entries == 100 * (fill - 1));
  REQUIRE(store->totals().flushes == 1);
  const TreeImage tree = store->tree_image();
  REQUIRE(tree.levels.front().runs.front().files.front().entries == Entries(fill - 1));
  REQUIRE(store->get("key501").value() == "value 99");
  for (std::uint64_t key = 1; key < fill; ++key) put(*store, key, 1);
  REQUIRE(store->totals().flushes == 1);
  put(*store, fill, 1);
  REQUIRE(store->totals().flushes == 2);
}

TEST_CASE("store: a checkpoint wants a new or empty directory") {
  FaultFileSystem disk;
  const StoreSetup setup = testing::small_setup("leveled", disk);
  const auto store = Store::open(kDirectory, setup).value();
  REQUIRE(store->put("key", "value"));
  disk.put_file("/disk/taken/file", "");
  REQUIRE(error_of(store->checkpoint("/disk/taken")) == "/disk/taken: not an empty directory");
  REQUIRE(contains(error_of(store->checkpoint(kDirectory)), "not an empty directory"));
  REQUIRE(disk.create_directory("/disk/empty"));
  REQUIRE(store->checkpoint("/disk/empty"));
  REQUIRE(store->put("key", "later"));
  REQUIRE(Store::open("/disk/empty", setup).value()->get("key").value() == "value");
}

TEST_CASE("store: a checkpoint survives a power cut right after it") {
  for (const std::string& policy : testing::policy_specs()) {
    FaultFileSystem disk;
    const StoreSetup setup = testing::small_setup(policy, disk);
    RandomBatches random(1);
    {
      const auto store = Store::open(kDirectory, setup).value();
      for (int i = 0; i < 200; ++i) REQUIRE(store->put(random.key(), random.value()));
      REQUIRE(store->checkpoint("/disk/copy"));
      const StoreState state = testing::scan_all(*store).value();
      disk.crash();
      disk.restart(1, LossMode::kEverything);
      const auto copy = Store::open("/disk/copy", setup).value();
      const bool is_same = testing::scan_all(*copy).value() == state;
      INFO(policy);
      REQUIRE(is_same);
    }
  }
}

}  // namespace
}  // namespace lsmlab::engine::store_test
