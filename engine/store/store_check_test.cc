#include "engine/store/store_check.h"

#include <algorithm>
#include <string>

#include "engine/logs/manifest.h"
#include "engine/store/store.h"
#include "engine/store/store_dump.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "traces/workloads/made_data.h"

namespace lsmlab::engine::store_check_test {
namespace {

ConfiguredPolicy policy_of(const std::string& text) {
  auto policy = make_policy(parse_spec(text).value());
  REQUIRE(policy.has_value());
  return std::move(policy).value();
}

// Makes a small store and closes it with its last writes in the log.
void make_store(FaultFileSystem& files, const std::string& policy) {
  StoreSetup setup;
  setup.files = &files;
  setup.policy = policy_of(policy);
  auto store = Store::open("db", setup);
  REQUIRE(store.has_value());
  std::string key;
  std::string value;
  for (std::uint64_t i = 0; i < 2003; ++i) {
    KeyFormat().write(i * 7919 % 500, 16, key);
    make_value(i, i, 20, value);
    const bool is_done =
        (i % 5 == 0 ? store.value()->remove(key) : store.value()->put(key, value)).has_value();
    REQUIRE(is_done);
  }
  REQUIRE(store.value()->close().has_value());
}

std::vector<std::string> tables_of(FaultFileSystem& files) {
  std::vector<std::string> tables;
  const std::vector<std::string> names = files.list("db").value();
  for (const std::string& name : names) {
    if (name.ends_with(".sst")) tables.push_back("db/" + name);
  }
  return tables;
}

constexpr const char* kSmallLdc = "ldc:buffer=700,block_size=128,file_size=700,size_ratio=3";

TEST_CASE("a sound store has no faults, and its check changes nothing") {
  FaultFileSystem files;
  make_store(files, kSmallLdc);
  const std::vector<std::string> before = files.list("db").value();
  const CheckReport report = check_store(files, "db").value();
  REQUIRE(report.faults == std::vector<std::string>());
  REQUIRE(report.leftovers == std::vector<std::string>());
  REQUIRE(report.tables == tables_of(files).size());
  REQUIRE(report.frozen.files > 0);
  REQUIRE(report.log_batches > 0);
  REQUIRE(report.entries > 0);
  REQUIRE(files.list("db").value() == before);
}

TEST_CASE("a damaged block of any SSTable is a fault that names the file") {
  FaultFileSystem files;
  make_store(files, kSmallLdc);
  for (const std::string& path : tables_of(files)) {
    const std::uint64_t bit = files.file_size(path) * 4;
    files.flip_bit(path, bit);
    const CheckReport report = check_store(files, "db").value();
    files.flip_bit(path, bit);
    INFO(path);
    REQUIRE(report.faults.size() == 1);
    REQUIRE(report.faults.front().find(path) != std::string::npos);
  }
}

// gc_grace of 400 writes lets many tombstones stay.
constexpr const char* kSmallGrace = "tiered:size_ratio=3,gc_grace=400,buffer=700,block_size=128";

TEST_CASE(
    "a manifest knows when the tombstones of each SSTable were written, and a check sees it") {
  FaultFileSystem files;
  make_store(files, kSmallGrace);
  REQUIRE(check_store(files, "db").value().faults == std::vector<std::string>());
  const RecoveredManifest known = std::move(*read_manifest(files, "db").value());
  TreeImage tree = known.tree.image();
  std::size_t timed = 0;
  for (Level& level : tree.levels) {
    for (SortedRun& run : level.runs) {
      for (std::size_t i = 0; i < run.files.size(); ++i) {
        const File& file = run.files[i];
        REQUIRE((file.deletion_times != nullptr) == (file.tombstones > Entries(0)));
        if (file.deletion_times == nullptr) continue;
        REQUIRE(file.deletion_times->tombstones() == file.tombstones.value());
        if (++timed > 1) continue;
        DeletionTimes wrong = *file.deletion_times;
        wrong.add(9'999);
        run.files.annotate(i, [&](File& changed) {
          changed.deletion_times = std::make_shared<const DeletionTimes>(wrong);
        });
      }
    }
  }
  REQUIRE(timed > 1);
  const ManifestSnapshot snapshot{known.identity,        tree,
                                  known.last_sequence,   known.first_wal,
                                  known.logs_are_synced, known.logs_have_marks};
  REQUIRE(ManifestWriter::create(files, "db", known.number + 1, snapshot, true));
  const std::vector<std::string> faults = check_store(files, "db").value().faults;
  REQUIRE(faults.size() == 1);
  REQUIRE(faults.front().find("tombstones were written at other times") != std::string::npos);
}

TEST_CASE("missing SSTables, torn logs and files that belong to nobody are told apart") {
  FaultFileSystem files;
  make_store(files, "leveldb:buffer=700,block_size=128,file_size=700");
  files.put_file("db/999999.sst", "nobody's");
  files.put_file("db/notes.txt", "mine");
  std::string log;
  const std::vector<std::string> names = files.list("db").value();
  for (const std::string& name : names) {
    if (name.ends_with(".wal")) log = "db/" + name;
  }
  files.put_file(log, files.read_file(log).value() + "torn");
  const std::string gone = tables_of(files).front();
  REQUIRE(files.remove(gone).has_value());
  const CheckReport report = check_store(files, "db").value();
  REQUIRE(report.faults.size() == 1);
  REQUIRE(report.faults.front().find(gone) != std::string::npos);
  REQUIRE(report.leftovers == std::vector<std::string>{"999999.sst", "notes.txt (not a store's)"});
  REQUIRE(report.log_dropped_bytes == 4);
}

TEST_CASE("a directory without a store, and one in use, are errors") {
  FaultFileSystem files;
  REQUIRE(check_store(files, "none").error().message.find("no such directory") !=
          std::string::npos);
  REQUIRE(files.create_directory("empty").has_value());
  REQUIRE(check_store(files, "empty").error().message.find("no store") != std::string::npos);
  StoreSetup setup;
  setup.files = &files;
  setup.policy = policy_of("leveldb");
  const auto store = Store::open("db", setup);
  REQUIRE(store.has_value());
  REQUIRE_FALSE(check_store(files, "db").has_value());
}

TEST_CASE("every family's policy can be made again from what the manifest keeps") {
  for (const PolicyFamily& family : make_policy_families()) {
    FaultFileSystem files;
    StoreSetup setup;
    setup.files = &files;
    setup.policy = policy_of(family.name);
    INFO(family.name);
    auto store = Store::open("db", setup);
    REQUIRE(store.has_value());
    REQUIRE(store.value()->close().has_value());
    const StoreIdentity identity = check_store(files, "db").value().identity;
    const auto again = policy_of_identity(identity);
    INFO((again ? "" : again.error().message));
    REQUIRE(again.has_value());
    setup.policy = again.value();
    REQUIRE(Store::open("db", setup).has_value());
  }
}

// The manifests of stores that were made before have it as if it were an option.
TEST_CASE("what codecs leave of blocks is no option of a store") {
  FaultFileSystem files;
  StoreSetup setup;
  setup.files = &files;
  setup.policy = policy_of("tiered:compression=lz4");
  setup.policy.store_options.emplace_back("compression_shares", std::string("lz4 0.5"));
  auto store = Store::open("db", setup);
  REQUIRE(store.has_value());
  REQUIRE(store.value()->close().has_value());
  StoreIdentity identity = check_store(files, "db").value().identity;
  for (const auto& [name, value] : identity) REQUIRE(name != "compression_shares");
  identity.emplace_back("compression_shares", "lz4 0.5");
  const auto again = policy_of_identity(identity);
  REQUIRE(again.has_value());
  setup.policy = again.value();
  REQUIRE(Store::open("db", setup).has_value());
}

TEST_CASE("a store opens only with the policy and options that made it") {
  FaultFileSystem files;
  make_store(files, "leveldb:buffer=700");
  StoreSetup setup;
  setup.files = &files;
  for (const char* other : {"leveldb:buffer=800", "ldc:buffer=700", "tiered:buffer=700"}) {
    setup.policy = policy_of(other);
    const auto store = Store::open("db", setup);
    INFO(other);
    REQUIRE_FALSE(store.has_value());
    REQUIRE(store.error().message.find("made with") != std::string::npos);
  }
  setup.policy = policy_of("leveldb:buffer=700,block_cache=0");
  REQUIRE(Store::open("db", setup).has_value());
}

TEST_CASE("a dump shows manifest, logs and SSTables") {
  FaultFileSystem files;
  make_store(files, kSmallLdc);
  std::string text;
  DumpOptions options;
  options.shows_entries = true;
  const auto line = [&](std::string_view piece) { text += std::string(piece) + "\n"; };
  REQUIRE(dump_directory(files, "db", options, line).has_value());
  for (const char* part : {"CURRENT:", "MANIFEST-", "\"snapshot\"", "\"edit\"",
                           ".wal:", "batch of 1 at operation 2003", ".sst:", " put 0x",
                           " delete 0x", "data blocks", "a filter"}) {
    INFO(part);
    REQUIRE(text.find(part) != std::string::npos);
  }
  const std::string table = tables_of(files).front();
  files.flip_bit(table, 80);
  const Result<void> damaged = dump_directory(files, "db", options, line);
  REQUIRE_FALSE(damaged.has_value());
  REQUIRE(damaged.error().message.find(table) != std::string::npos);
  REQUIRE(dump_file(files, "db/LOCK", options, line).error().message.find("by its name") !=
          std::string::npos);
}

TEST_CASE("keys are shown as text where they are text") {
  REQUIRE(readable("user42") == "user42");
  REQUIRE(readable(std::string_view("\0\1", 2)) == "0x0001");
  REQUIRE(readable("a key") == "0x61206b6579");
  REQUIRE(readable(std::string("\x12", 1) + std::string(15, '\0')) == "0x12+15 zeros");
  REQUIRE(readable("") == "0x");
}

}  // namespace
}  // namespace lsmlab::engine::store_check_test
