#include "validate/stores/decisions.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/foreign/foreign_replay.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/measured_format.h"
#include "validate/catalog/run_spec.h"
#include "validate/stores/decisions_text.h"

namespace lsmlab::decisions_test {
namespace {

using stores::EditKind;
using stores::HistoryEdit;

stores::AddedFile file(std::uint32_t level, std::uint64_t number, std::string smallest,
                       std::string largest) {
  stores::AddedFile added;
  added.level = level;
  added.file.number = number;
  added.file.bytes = 1 << 20;
  added.file.smallest_key = std::move(smallest);
  added.file.largest_key = std::move(largest);
  added.file.smallest_sequence = number * 10;
  added.file.largest_sequence = number * 10 + 9;
  return added;
}

HistoryEdit edit(EditKind kind, std::vector<stores::DeletedFile> deleted,
                 std::vector<stores::AddedFile> added) {
  static std::uint64_t offset = 0;
  HistoryEdit step;
  step.kind = kind;
  step.edit.offset = ++offset;
  step.edit.has_rocksdb_fields = true;
  step.edit.deleted = std::move(deleted);
  step.edit.added = std::move(added);
  return step;
}

// Four flushes and the merge of level 0.
stores::Store small_store(HistoryEdit last) {
  stores::Store store;
  store.path = "store";
  store.manifest.emplace();
  store.manifest->families[0].name = "default";
  for (std::uint64_t number = 1; number <= 4; ++number) {
    store.manifest->history.push_back(edit(EditKind::kFlush, {}, {file(0, number, "a", "z")}));
  }
  store.manifest->history.push_back(std::move(last));
  return store;
}

ConfiguredPolicy small_policy() {
  return make_policy(parse_spec("rocksdb-leveled:l0_trigger=4,file_size=1MiB,level_base=4MiB,"
                                "buffer=1MiB")
                         .value())
      .value();
}

DecisionCheck checked(const stores::Store& store) {
  return check_decisions(store, "default", small_policy()).value();
}

TEST_CASE("A merge that the policy picks is the same, one of fewer files is not") {
  const std::vector<stores::AddedFile> output{file(1, 9, "a", "z")};
  const DecisionCheck same =
      checked(small_store(edit(EditKind::kMerge, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, output)));
  REQUIRE(same.decisions.size() == 1);
  REQUIRE(same.decisions[0].agreement == Agreement::kSame);
  REQUIRE(same.decisions[0].bytes == 4 << 20);
  REQUIRE(same.edits_checked == 5);
  const DecisionCheck fewer =
      checked(small_store(edit(EditKind::kMerge, {{0, 1}, {0, 2}}, output)));
  REQUIRE(fewer.decisions[0].agreement == Agreement::kOtherFiles);
  const DecisionCheck deeper = checked(small_store(
      edit(EditKind::kMerge, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, {file(2, 9, "a", "z")})));
  REQUIRE(deeper.decisions[0].agreement == Agreement::kOtherLevel);
}

TEST_CASE("Round robin skips a file whose first key was overwritten after its cursor") {
  const std::uint64_t first_sequence = GENERATE(5U, 7U, 9U);
  stores::Store store;
  store.path = "store";
  store.manifest.emplace();
  store.manifest->families[0].name = "default";
  auto& history = store.manifest->history;
  std::vector<stores::AddedFile> files{file(1, 1, "a", "b"), file(1, 2, "c", "d"),
                                       file(1, 3, "e", "f"), file(1, 4, "g", "h"),
                                       file(1, 5, "i", "j")};
  files[1].file.first_key_sequence = first_sequence;
  history.push_back(edit(EditKind::kIngest, {}, files));
  history.back().edit.cursors.push_back({1, "c", 7});
  const bool is_skipped = first_sequence > 7;
  std::vector<stores::AddedFile> moved(files.begin() + (is_skipped ? 2 : 1), files.end());
  std::vector<stores::DeletedFile> left;
  for (stores::AddedFile& one : moved) {
    left.push_back({1, one.file.number});
    one.level = 2;
  }
  history.push_back(edit(EditKind::kMove, left, moved));
  const ConfiguredPolicy policy =
      make_policy(parse_spec("rocksdb-leveled:file_size=1MiB,level_base=4MiB,buffer=1MiB,"
                             "priority=round-robin")
                      .value())
          .value();
  const DecisionCheck check = check_decisions(store, "default", policy).value();
  REQUIRE(check.decisions.size() == 1);
  INFO(decisions_text({}, store, check, 10));
  REQUIRE(check.decisions[0].agreement == Agreement::kSame);
}

TEST_CASE("A merge that nothing in the tree calls for is told") {
  stores::Store store =
      small_store(edit(EditKind::kMerge, {{0, 1}, {0, 2}}, {file(1, 9, "a", "z")}));
  store.manifest->history.erase(store.manifest->history.begin() + 2,
                                store.manifest->history.begin() + 4);
  const DecisionCheck check = checked(store);
  REQUIRE(check.decisions[0].agreement == Agreement::kNothing);
  const std::string text = decisions_text({}, store, check, 10);
  INFO(text);
  REQUIRE(text.find("merged 000001 000002 of level 0 to level 1; the policy would do nothing") !=
          std::string::npos);
  REQUIRE(text.find("1 decision has no LOG") != std::string::npos);
}

TEST_CASE("A move of a file that is older than ttl is counted apart") {
  const auto store_with = [](std::uint64_t ancestor_seconds) {
    stores::AddedFile old = file(1, 7, "a", "c");
    old.file.ancestor_seconds = ancestor_seconds;
    stores::AddedFile moved = old;
    moved.level = 2;
    stores::Store store = small_store(edit(EditKind::kMove, {{1, 7}}, {moved}));
    std::vector<HistoryEdit>& history = store.manifest->history;
    history.erase(history.begin() + 1, history.begin() + 4);
    history[0].edit.added[0].file.creation_seconds = 1'796'068'300;
    history.insert(history.begin(), edit(EditKind::kSnapshot, {}, {old}));
    store.options.emplace();
    store.options->add_family("default").values["ttl"] = "6";
    return store;
  };
  const DecisionCheck expired = checked(store_with(1'796'068'290));
  REQUIRE(expired.decisions.empty());
  REQUIRE(expired.asked.size() == 1);
  REQUIRE(expired.asked[0].reason == "a move of a file older than ttl");
  REQUIRE(checked(store_with(1'796'068'299)).decisions.size() == 1);
}

TEST_CASE("A LOG tells when a merge was chosen, and that a call asked for it") {
  // The fifth flush came while the merge ran.
  stores::Store store = small_store(edit(EditKind::kFlush, {}, {file(0, 5, "a", "z")}));
  store.manifest->history.push_back(
      edit(EditKind::kMerge, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, {file(1, 9, "a", "z")}));
  REQUIRE(checked(store).decisions[0].agreement == Agreement::kOtherFiles);
  stores::NamedLog named;
  for (std::uint64_t number = 1; number <= 5; ++number) {
    stores::LoggedFlush flush;
    flush.family = "default";
    flush.end_moment = number < 5 ? number : 7;
    flush.outputs.push_back({number, 1 << 20});
    named.log.flushes.push_back(flush);
  }
  stores::LoggedCompaction merge;
  merge.family = "default";
  merge.job = 12;
  merge.reason = "LevelL0FilesNum";
  merge.inputs = {{0, 4, {4, 3, 2, 1}, {}}};
  merge.outputs.push_back({9, 1 << 20});
  merge.is_finished = true;
  merge.begin_moment = 6;
  merge.end_moment = 8;
  named.log.compactions.push_back(merge);
  store.logs.push_back(named);
  const DecisionCheck check = checked(store);
  REQUIRE(check.decisions[0].agreement == Agreement::kSame);
  REQUIRE(check.decisions[0].taken.job == 12);
  REQUIRE(check.moments_known == 1);
  store.logs[0].log.compactions[0].reason = "ManualCompaction";
  const DecisionCheck asked = checked(store);
  REQUIRE(asked.decisions.empty());
  REQUIRE(asked.asked.size() == 1);
  REQUIRE(asked.asked[0].reason == "ManualCompaction");
  // Without an end, its files stay busy, and nobody compares it.
  store.manifest->history.pop_back();
  store.logs[0].log.compactions[0].is_finished = false;
  store.logs[0].log.compactions[0].outputs.clear();
  REQUIRE(checked(store).unfinished == 1);
}

TEST_CASE("What does not fit the tree ends the check with the reason") {
  const DecisionCheck check =
      checked(small_store(edit(EditKind::kMerge, {{0, 1}, {0, 7}}, {file(1, 9, "a", "z")})));
  REQUIRE(check.end);
  REQUIRE(check.end->message.find("file 7 is not in the tree") != std::string::npos);
  REQUIRE(check.edits_checked == 4);
  const DecisionCheck deep =
      checked(small_store(edit(EditKind::kIngest, {}, {file(30, 9, "a", "z")})));
  REQUIRE(deep.end->message.find("level 30, but the policy has 7 levels") != std::string::npos);
  stores::Store unordered = small_store(edit(EditKind::kIngest, {}, {file(1, 9, "a", "z")}));
  unordered.manifest->families[0].comparator = "mine";
  REQUIRE_FALSE(check_decisions(unordered, "default", small_policy()));
  unordered.manifest.reset();
  REQUIRE_FALSE(check_decisions(unordered, "default", small_policy()));
}

TEST_CASE("Keys have the order of their comparator, and a range tombstone ends before its end") {
  stores::Manifest manifest;
  manifest.families[0].comparator = "rocksdb.ReverseBytewiseComparator";
  manifest.history.push_back(edit(EditKind::kFlush, {}, {file(0, 1, "z", "a")}));
  const KeyRange reverse = StoreKeys::of(manifest, 0).value().range_of(file(0, 1, "z", "a").file);
  REQUIRE(reverse.smallest < reverse.largest);
  manifest.families[0].comparator = "leveldb.BytewiseComparator";
  const StoreKeys keys = StoreKeys::of(manifest, 0).value();
  stores::StoreFile left = file(1, 2, "a", "z").file;
  left.largest_is_exclusive = true;
  REQUIRE(keys.range_of(left).largest < keys.range_of(file(1, 3, "z", "z").file).smallest);
}

// Writes a store with another system.
stores::Store written_store(RunSource source, const std::string& policy, const std::string& place) {
  RunSpec spec;
  spec.options.source = source;
  spec.policy = with_table_format(parse_spec(policy).value(), source);
  spec.workload = parse_spec("load:entries=200k,update_fraction=40%").value();
  const ResolvedRun run = resolve(spec).value();
  RunControl control;
  const auto source_of_keys = std::get<KeyWorkload>(run.workload).open(1).value();
  REQUIRE(engine::replay_foreign(run.setup, place, *source_of_keys, control).has_value());
  return stores::read_store(place).value();
}

// The number of decisions, all of which are the same.
std::size_t same_decisions(const stores::Store& store) {
  const StoreCase asked = store_policy(store, "").value();
  const ConfiguredPolicy policy = make_policy(parse_spec(asked.policy.spec).value()).value();
  const DecisionCheck check = check_decisions(store, asked.reported.name, policy).value();
  INFO(decisions_text(asked, store, check, 5));
  REQUIRE_FALSE(check.end);
  for (const CheckedDecision& one : check.decisions) REQUIRE(one.agreement == Agreement::kSame);
  REQUIRE(decisions_json(asked, store, check)["decisions"].size() == check.decisions.size());
  return check.decisions.size();
}

#ifdef LSMLAB_WITH_ROCKSDB
TEST_CASE("RocksDB decided as the policy of its options does") {
  const std::string leveled = "rocksdb-leveled:buffer=256KiB,file_size=256KiB,level_base=1MiB";
  const std::string policies[] = {leveled + ",size_ratio=4", leveled + ",dynamic_levels=true",
                                  leveled + ",priority=round-robin",
                                  "rocksdb-universal:buffer=256KiB"};
  for (const std::string& policy : policies) {
    INFO(policy);
    const engine::testing::ScratchDirectory scratch;
    const stores::Store store = written_store(RunSource::kRocksdb, policy, scratch.path() + "/db");
    REQUIRE(same_decisions(store) > 10);
  }
}

TEST_CASE("Decisions are checked up to where a MANIFEST is cut or damaged") {
  const engine::testing::ScratchDirectory scratch;
  const stores::Store whole = written_store(
      RunSource::kRocksdb, "rocksdb-leveled:buffer=256KiB,file_size=256KiB,level_base=1MiB",
      scratch.path() + "/db");
  const StoreCase asked = store_policy(whole, "").value();
  const ConfiguredPolicy policy = make_policy(parse_spec(asked.policy.spec).value()).value();
  std::ifstream file(whole.manifest_source, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t all = check_decisions(whole, "default", policy).value().decisions.size();
  std::size_t most = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 97) {
    stores::Store cut = whole;
    cut.manifest = stores::read_manifest(bytes.substr(0, size)).value;
    const auto check = check_decisions(cut, "default", policy);
    if (check) most = std::max(most, check.value().decisions.size());
    // An edit that is missing in the middle.
    stores::Store holed = whole;
    auto& history = holed.manifest->history;
    history.erase(history.begin() +
                  static_cast<std::ptrdiff_t>(history.size() * size / bytes.size()));
    static_cast<void>(check_decisions(holed, "default", policy));
  }
  REQUIRE(most > all / 2);
  REQUIRE(most <= all);
}
#endif

#ifdef LSMLAB_WITH_LEVELDB
TEST_CASE("LevelDB decided as the policy of its options does") {
  const engine::testing::ScratchDirectory scratch;
  const stores::Store store =
      written_store(RunSource::kLeveldb, "leveldb:buffer=256KiB,file_size=1MiB,level_base=10MiB",
                    scratch.path() + "/db");
  REQUIRE(same_decisions(store) > 10);
}
#endif

}  // namespace
}  // namespace lsmlab::decisions_test
