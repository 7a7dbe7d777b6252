// A tree as a value: reading it back gives the same tree, and values that are no valid tree are
// errors.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/oracles/mini_store.h"

namespace lsmlab::tree_image_test {
namespace {

using testing::MiniStore;

std::string text_of(const File& f) {
  std::string text = fmt::format(
      "{} {}-{} {} {} {} {} {} {} {}-{} {} {} {} {} {}-{} {} {}", f.id.value(), f.keys.smallest,
      f.keys.largest, f.bytes.value(), f.entries.value(), f.tombstones.value(), f.key_bytes.value(),
      f.value_bytes.value(), f.oldest_tombstone ? f.oldest_tombstone->value() : 0,
      f.sequences.first, f.sequences.last, f.created.value(), f.level_since.value(),
      f.last_access.value(), f.seeks, f.flushes.first, f.flushes.last, f.busy, f.marked);
  for (const Slice& slice : f.slices) {
    text += fmt::format(" [{} {}-{} {}]", slice.frozen_file.value(), slice.keys.smallest,
                        slice.keys.largest, slice.bytes.value());
  }
  return text + "\n";
}

std::string text_of(const TreeImage& image) {
  std::string text = fmt::format("{} {} {} {}/{} {} {}\n", image.flush_count,
                                 image.last_merge_flush, image.now.value(), image.traffic.lookups,
                                 image.traffic.writes, image.next_file_id, image.next_run_id);
  for (const Level& level : image.levels) {
    text += fmt::format("level, cursor {}\n", level.cursor ? fmt::format("{}", *level.cursor) : "");
    for (const SortedRun& run : level.runs) {
      text += fmt::format("run {} {}-{}\n", run.id.value(), run.flushes.first, run.flushes.last);
      for (const File& file : run.files) text += text_of(file);
    }
  }
  text += "frozen\n";
  for (const File& file : image.frozen_files) text += text_of(file);
  return text;
}

ConfiguredPolicy policy_of(const std::string& text) {
  const auto policy = make_policy(parse_spec(text).value());
  INFO((policy ? "" : policy.error().message));
  REQUIRE(policy.has_value());
  return policy.value();
}

void restore_in_place(TreeState& tree) {
  auto restored = TreeState::restore(tree.image());
  INFO((restored ? "" : restored.error().message));
  REQUIRE(restored.has_value());
  REQUIRE(text_of(restored.value().image()) == text_of(tree.image()));
  tree = std::move(restored).value();
}

// Random writes. If `restores`, the tree is made again from its image whenever it has settled.
MiniStore& fill(MiniStore& store, const Policy& policy, std::uint64_t seed, bool restores) {
  std::mt19937_64 random(seed);
  store.tree.keep(policy.orderings());
  for (int flush = 0; flush < 150; ++flush) {
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t key = random() % 500;
      if (random() % 6 == 0) {
        store.remove(key);
      } else {
        store.put(key);
      }
    }
    store.begin_flush();
    while (const std::optional<Plan> plan = policy.pick(store.tree)) store.run(*plan);
    if (!restores) continue;
    restore_in_place(store.tree);
    store.tree.keep(policy.orderings());
  }
  return store;
}

const char* const kLdc = "ldc:file_size=300,level_base=900,size_ratio=3";

TEST_CASE("a tree restored after every flush has the history of one that never was") {
  for (const char* const spec : {kLdc, "leveldb:file_size=300,level_base=900,size_ratio=3",
                                 "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3",
                                 "tiered:size_ratio=3", "binomial:k=4"}) {
    CAPTURE(spec);
    const ConfiguredPolicy policy = policy_of(spec);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      MiniStore kept;
      MiniStore restored;
      const std::string expected = text_of(fill(kept, *policy.policy, seed, false).tree.image());
      REQUIRE(text_of(fill(restored, *policy.policy, seed, true).tree.image()) == expected);
      REQUIRE(restored.oracle.fault().empty());
      REQUIRE(restored.tree.frozen_files().size() == kept.tree.frozen_files().size());
      for (const FrozenFile& frozen : kept.tree.frozen_files()) {
        const FrozenFile& other = restored.tree.frozen_files().at(frozen.file.id);
        REQUIRE(other.references == frozen.references);
      }
    }
  }
}

TEST_CASE("an image forgets which files are busy") {
  MiniStore store;
  store.put(1);
  store.flush();
  const Plan plan{PlanReason::kLevelSaturated, MovePlan{{store.whole_run(0)}, {1, {}}}, {}};
  REQUIRE(store.tree.reserve(plan).has_value());
  restore_in_place(store.tree);
  REQUIRE(store.tree.reserve(plan).has_value());
}

TEST_CASE("an image that is no tree is refused with the file at fault") {
  const ConfiguredPolicy policy = policy_of(kLdc);
  MiniStore store;
  const TreeImage good = fill(store, *policy.policy, 1, false).tree.image();
  REQUIRE(TreeState::restore(good).has_value());
  // A run of at least two files, one of which has a slice.
  const auto is_sliced = [](const File& file) { return !file.slices.empty(); };
  std::size_t level = good.levels.size();
  while (level-- > 0) {
    if (good.levels[level].runs.empty()) continue;
    const RunFiles& files = good.levels[level].runs[0].files;
    if (files.size() > 1 && std::any_of(files.begin(), files.end(), is_sliced)) break;
  }
  REQUIRE(level < good.levels.size());
  const auto require_refused = [&](const std::string& words,
                                   const std::function<void(TreeImage&, SortedRun&)>& spoil) {
    TreeImage image = good;
    spoil(image, image.levels[level].runs[0]);
    const auto restored = TreeState::restore(std::move(image));
    REQUIRE(!restored.has_value());
    CAPTURE(words, restored.error().message);
    REQUIRE(restored.error().message.find(words) != std::string::npos);
  };
  const auto sliced = [&](const SortedRun& run) -> const File& {
    return *std::find_if(run.files.begin(), run.files.end(), is_sliced);
  };
  using Image = TreeImage;
  require_refused("is empty", [](Image&, SortedRun& run) { run.files = {}; });
  require_refused("out of order",
                  [](Image&, SortedRun& run) { run.files.push_back(run.files.erase(0)); });
  require_refused("occurs twice", [](Image&, SortedRun& run) {
    const FileId id = run.files[1].id;
    run.files.change(0, [id](File& file) { file.id = id; });
  });
  require_refused("occurs twice", [](Image& image, SortedRun&) { image.next_file_id = 1; });
  require_refused("occurs twice", [](Image& image, SortedRun&) { image.next_run_id = 1; });
  require_refused("exceeds the key range", [&](Image&, SortedRun& run) {
    std::vector<Slice> slices = sliced(run).slices;
    slices.front().keys = {0, ~std::uint64_t{0}};
    run.files.change(0, [&](File& file) { file.slices = slices; });
  });
  require_refused("no such frozen file",
                  [&](Image& image, SortedRun&) { image.frozen_files.clear(); });
  require_refused("is frozen twice", [](Image& image, SortedRun&) {
    image.frozen_files.push_back(image.frozen_files.front());
  });
  require_refused("no slice refers to it", [](Image& image, SortedRun&) {
    image.frozen_files.push_back(image.frozen_files.front());
    image.frozen_files.back().id = FileId(image.next_file_id++);
  });
}

}  // namespace
}  // namespace lsmlab::tree_image_test
