// Compares the reads of a simulated store with a std::map that keeps the same writes, and their
// costs with a simple walk over the tree's files.
#include "sim/keys/key_reader.h"

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "models/tree/tree_query.h"
#include "sim/keys/key_store.h"
#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::key_reader_test {
namespace {

constexpr std::uint32_t kKeyBytes = 16;

// A leveled store of two levels in the manner of LDC: it links the oldest run of level 0 to the
// files below, and merges a file that has three slices.
class LinkingPolicy : public Policy {
 public:
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return Plan{PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}};
    const SortedRun* const below = newest_run(tree, 1);
    if (below != nullptr) {
      for (std::size_t i = 0; i < below->files.size(); ++i) {
        if (below->files[i].slices.size() < 3) continue;
        return merge(input_of(1, *below, {below->files, i, i + 1}), {1, below->id});
      }
    }
    const SortedRun* const newest = newest_run(tree, 0);
    if (newest == nullptr) return std::nullopt;
    if (below == nullptr) return merge(input_of(0, *newest, newest->files), {1, {}});
    if (tree.levels()[0].runs.size() < 2) return std::nullopt;
    const SortedRun& oldest = tree.levels()[0].runs.back();
    LinkPlan link{input_of(0, oldest, oldest.files), {}};
    for (std::size_t i = 0; i < below->files.size(); ++i) {
      if (responsible_range(*below, i).overlaps(oldest.files[0].keys)) {
        link.lower_files.push_back(below->files[i].id);
      }
    }
    return Plan{PlanReason::kLevelSaturated, link, {}};
  }

 private:
  [[nodiscard]] static Plan merge(PlanInput input, OutputTarget target) {
    MergePlan merge;
    merge.inputs = {std::move(input)};
    merge.target = target;
    merge.cut.file_bytes = Bytes(1500);
    return {PlanReason::kSliceCount, merge, {}};
  }
};

// Flushes to level 0, and merges all of level 0 when a file was charged with so many seeks.
class SeekingPolicy : public Policy {
 public:
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return Plan{PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}};
    MergePlan merge;
    bool is_wanted = false;
    for (const Level& level : tree.levels()) {
      for (const SortedRun& run : level.runs) {
        merge.inputs.push_back(input_of(0, run, run.files));
        for (const File& file : run.files) is_wanted = is_wanted || file.seeks >= 3;
      }
    }
    if (!is_wanted) return std::nullopt;
    return Plan{PlanReason::kSeeks, merge, {}};
  }
  [[nodiscard]] std::optional<std::uint64_t> seeks_max(const File&) const override { return 3; }
};

template <class PolicyType>
ConfiguredPolicy made_policy(const std::string& store_parameters) {
  ConfiguredPolicy policy = testing::policy_of("none:" + store_parameters);
  policy.policy = std::make_shared<const PolicyType>();
  return policy;
}

// A store, and the map that it must agree with.
class Pair {
 public:
  explicit Pair(const ConfiguredPolicy& policy)
      : policy_(policy), store(policy_, no_log_, nullptr) {}

  void put(std::uint64_t key, std::uint32_t value_bytes = 30) {
    store.advance_now(Instant(++now));
    REQUIRE(store.write(key, kKeyBytes, value_bytes, false).has_value());
    versions[key] = ++writes_;
  }
  void remove(std::uint64_t key) {
    store.advance_now(Instant(++now));
    REQUIRE(store.write(key, kKeyBytes, 0, true).has_value());
    ++writes_;
    versions.erase(key);
  }
  void get(std::uint64_t key) {
    store.advance_now(Instant(++now));
    const std::optional<Entry> found = store.get(key);
    const auto expected = versions.find(key);
    INFO("key " << key);
    REQUIRE(found.has_value() == (expected != versions.end()));
    if (found) REQUIRE(found->sequence() == expected->second);
  }
  void scan(const ScanRange& range) {
    store.advance_now(Instant(++now));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
    store.scan(range, [&](const Entry& entry) { seen.push_back({entry.key, entry.sequence()}); });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (auto at = versions.lower_bound(range.first_key); at != versions.end(); ++at) {
      if (at->first > range.last_key) break;
      if (range.entries_max > 0 && expected.size() == range.entries_max) break;
      expected.push_back(*at);
    }
    INFO("from " << range.first_key << " to " << range.last_key << ", at most "
                 << range.entries_max);
    for (std::size_t i = 0; i < std::min(seen.size(), expected.size()); ++i) {
      INFO("key " << seen[i].first << " version " << seen[i].second << " and not "
                  << expected[i].first << ", " << expected[i].second);
      REQUIRE(seen[i] == expected[i]);
    }
    REQUIRE(seen.size() == expected.size());
  }

 private:
  ConfiguredPolicy policy_;
  PlanLogSink no_log_;
  std::uint64_t writes_ = 0;

 public:
  KeyStore store;
  std::map<std::uint64_t, std::uint64_t> versions;  // sequence numbers by key
  std::uint64_t now = 0;
};

void run_random(Pair& pair, std::mt19937_64& random, int operations) {
  for (int i = 0; i < operations; ++i) {
    // Some keys are written several times into each memtable.
    const std::uint64_t key = 10 + random() % (random() % 4 == 0 ? 6 : 600);
    switch (random() % 8) {
      case 0:
        pair.remove(key);
        break;
      case 1:
      case 2:
        pair.get(key);
        break;
      case 3:
        if (random() % 4 == 0) {
          pair.scan({key, random() % 2 == 0 ? key + random() % 200 : ~std::uint64_t{0},
                     random() % 2 == 0 ? random() % 20 : 0});
        }
        break;
      default:
        pair.put(key, static_cast<std::uint32_t>(random() % 60));
    }
  }
}

constexpr const char* kSmall = "buffer=2000,block_size=128";

std::vector<ConfiguredPolicy> policies(const std::string& store) {
  std::vector<ConfiguredPolicy> all;
  for (const std::string text :
       {"leveled:size_ratio=3,", "tiered:size_ratio=3,", "tiered:memtable=in-place,",
        "binomial:k=4,", "none:", "rocksdb-leveled:file_size=2000,size_ratio=3,",
        "rocksdb-universal:", "leveldb:file_size=2000,seek_compaction=false,",
        "ldc:file_size=2000,"}) {
    all.push_back(testing::policy_of(text + store));
  }
  all.push_back(made_policy<LinkingPolicy>(store));
  all.back().name = "linking";
  return all;
}

TEST_CASE("gets and scans find what a map holds, whatever the policy, cache and filters") {
  for (const std::string options : {"", ",bits_per_key=0", ",bits_per_key=2,block_cache=0",
                                    ",block_cache=700", ",filter_split=monkey,bits_per_key=4"}) {
    for (const ConfiguredPolicy& policy : policies(kSmall + options)) {
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        INFO(policy.name << options << ", seed " << seed);
        std::mt19937_64 random(seed);
        Pair pair(policy);
        run_random(pair, random, 4000);
        REQUIRE(pair.store.totals().flushes > 20);
        if (policy.name == "linking") {
          REQUIRE(pair.store.totals().links > 10);
          REQUIRE(pair.store.totals().merges > 10);
        }
        pair.store.flush();
        for (std::uint64_t key = 0; key < 620; ++key) pair.get(key);
        pair.scan({0, ~std::uint64_t{0}, 0});
      }
    }
  }
}

// What a store of files without a cache must read.
class NaiveReader {
 public:
  explicit NaiveReader(const KeyStore& store, std::uint64_t block_bytes)
      : store_(store), block_bytes_(block_bytes) {}

  struct Part {
    FileId table;
    KeyRange keys;
  };
  // Parts that may hold the key, in the order of reading.
  [[nodiscard]] std::vector<Part> parts_of(std::uint64_t key) const {
    std::vector<Part> parts;
    for (const Level& level : store_.tree().levels()) {
      for (const SortedRun& run : level.runs) {
        for (std::size_t i = 0; i < run.files.size(); ++i) {
          if (!holds(responsible_range(run, i), key)) continue;
          const File& file = run.files[i];
          for (std::size_t n = file.slices.size(); n-- > 0;) {
            const Slice& slice = file.slices[n];
            if (holds(slice.keys, key)) parts.push_back({slice.frozen_file, slice.keys});
          }
          if (holds(file.keys, key)) parts.push_back({file.id, file.keys});
        }
      }
    }
    return parts;
  }
  [[nodiscard]] std::vector<Part> parts() const {
    std::vector<Part> parts;
    for (const Level& level : store_.tree().levels()) {
      for (const SortedRun& run : level.runs) {
        for (const File& file : run.files) {
          parts.push_back({file.id, file.keys});
          for (const Slice& slice : file.slices) parts.push_back({slice.frozen_file, slice.keys});
        }
      }
    }
    return parts;
  }
  [[nodiscard]] bool has(FileId table, std::uint64_t key) const {
    for (const StoredEntry& entry : store_.contents(table)) {
      if (entry.key == key) return true;
    }
    return false;
  }
  // The blocks of a part that a scan needs: the block where it would begin, and each block whose
  // predecessor ends before the scan ends.
  [[nodiscard]] std::uint64_t scanned_blocks(const Part& part, const KeyRange& range) const {
    const std::uint64_t first = std::max(part.keys.smallest, range.smallest);
    const std::uint64_t last = std::min(part.keys.largest, range.largest);
    if (first > last) return 0;
    std::vector<std::uint64_t> last_keys;
    std::uint64_t bytes = 0;
    const std::vector<StoredEntry> entries = store_.contents(part.table);
    for (const StoredEntry& entry : entries) {
      if (bytes == 0) last_keys.push_back(0);
      last_keys.back() = entry.key;
      bytes += sstable_entry_bytes(entry.key_bytes, entry.value_bytes) + 2;
      if (bytes >= block_bytes_) bytes = 0;
    }
    std::uint64_t blocks = 0;
    for (std::size_t i = 0; i < last_keys.size(); ++i) {
      blocks += last_keys[i] >= first && (i == 0 || last_keys[i - 1] < last);
    }
    return blocks;
  }

 private:
  static bool holds(const KeyRange& keys, std::uint64_t key) {
    return keys.smallest <= key && key <= keys.largest;
  }
  const KeyStore& store_;
  std::uint64_t block_bytes_;
};

TEST_CASE("blocks, runs and filter checks are those of a naive walk over the files") {
  // Filters this large have no false positives in a few thousand checks.
  for (const ConfiguredPolicy& policy : policies(kSmall + std::string(",bits_per_key=100,"
                                                                      "block_cache=0"))) {
    INFO(policy.name);
    std::mt19937_64 random(5);
    Pair pair(policy);
    run_random(pair, random, 3000);
    const NaiveReader naive(pair.store, 128);
    const ReadFigures before = pair.store.reads();
    REQUIRE(before.gets_found.false_positives + before.gets_absent.false_positives == 0);
    LookupFigures found = before.gets_found;
    LookupFigures absent = before.gets_absent;
    pair.store.flush();
    for (std::uint64_t key = 0; key < 620; ++key) {
      LookupFigures& figures = pair.versions.contains(key) ? found : absent;
      ++figures.count;
      for (const NaiveReader::Part& part : naive.parts_of(key)) {
        ++figures.runs_touched;
        ++figures.filter_checks;
        if (!naive.has(part.table, key)) continue;
        ++figures.blocks.blocks_fetched;
        ++figures.blocks.blocks_read;
        break;
      }
      pair.get(key);
    }
    found.blocks.bytes_read = pair.store.reads().gets_found.blocks.bytes_read;
    absent.blocks.bytes_read = pair.store.reads().gets_absent.blocks.bytes_read;
    REQUIRE(pair.store.reads().gets_found == found);
    REQUIRE(pair.store.reads().gets_absent == absent);
    REQUIRE(found.blocks.bytes_read > 64 * found.blocks.blocks_read);
    // Exactly one block for each key found, unless the memtable has it.
    REQUIRE(found.blocks.blocks_read == found.count - found.memtable_hits);

    for (int i = 0; i < 200; ++i) {
      const std::uint64_t first = random() % 620;
      const KeyRange range{first, first + random() % 300};
      std::uint64_t expected = pair.store.reads().scans.blocks.blocks_read;
      for (const NaiveReader::Part& part : naive.parts()) {
        expected += naive.scanned_blocks(part, range);
      }
      pair.scan({range.smallest, range.largest, 0});
      INFO("from " << range.smallest << " to " << range.largest);
      REQUIRE(pair.store.reads().scans.blocks.blocks_read == expected);
    }
  }
}

TEST_CASE("a scan of few entries reads one block of each run that may hold the first") {
  Pair pair(testing::policy_of("none:buffer=2000,block_size=128,block_cache=0"));
  for (std::uint64_t key = 0; key < 300; ++key) pair.put(key * 7 % 300);
  pair.store.flush();
  const std::size_t runs = pair.store.tree().run_count();
  REQUIRE(runs > 5);
  pair.scan({150, ~std::uint64_t{0}, 1});
  REQUIRE(pair.store.reads().scans.blocks.blocks_fetched == runs);
  REQUIRE(pair.store.reads().scans.runs_touched == runs);
  REQUIRE(pair.store.reads().scans.entries == 1);
}

TEST_CASE("false positives come as often as the filter model expects") {
  for (const std::uint32_t bits : {2u, 5u, 10u}) {
    const std::string text = "none:buffer=1MiB,bits_per_key=" + std::to_string(bits);
    Pair pair(testing::policy_of(text));
    for (std::uint64_t key = 0; key < 20'000; ++key) pair.put(2 * key);
    pair.store.flush();
    FilterModel model;
    double expected = 0;
    for (std::uint64_t key = 0; key < 20'000; ++key) {
      for (const Level& level : pair.store.tree().levels()) {
        for (const SortedRun& run : level.runs) {
          const File& file = run.files.front();
          if (file.keys.smallest > 2 * key + 1 || file.keys.largest < 2 * key + 1) continue;
          expected += model.false_positive_rate({4096, bits * 1000}, file.entries.value());
        }
      }
      pair.get(2 * key + 1);
    }
    const LookupFigures& absent = pair.store.reads().gets_absent;
    const auto actual = static_cast<double>(absent.false_positives);
    INFO(bits << " bits: " << actual << " and not " << expected);
    REQUIRE(std::abs(actual - expected) < 5 * std::sqrt(expected));
    REQUIRE(absent.blocks.blocks_fetched == absent.false_positives);
    // The filter passes the same key again.
    const std::uint64_t once = absent.false_positives;
    for (std::uint64_t key = 0; key < 20'000; ++key) pair.get(2 * key + 1);
    REQUIRE(pair.store.reads().gets_absent.false_positives == 2 * once);
  }
}

TEST_CASE("a cache that holds everything reads each block once") {
  Pair pair(testing::policy_of("leveled:buffer=2000,block_size=128,block_cache=1MiB"));
  for (std::uint64_t key = 0; key < 2000; ++key) pair.put(key * 1237 % 2000);
  pair.store.flush();
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t key = 0; key < 2000; ++key) pair.get(key);
  }
  pair.scan({0, ~std::uint64_t{0}, 0});
  const BlockReads blocks = pair.store.reads().blocks();
  const NaiveReader naive(pair.store, 128);
  std::uint64_t all = 0;
  for (const NaiveReader::Part& part : naive.parts()) all += naive.scanned_blocks(part, {});
  REQUIRE(blocks.blocks_read == all);
  REQUIRE(blocks.blocks_fetched >= 6000 + all);
}

TEST_CASE("lookups touch files before their filters are asked, and nothing else") {
  Pair pair(testing::policy_of("none:buffer=1MiB,bits_per_key=100"));
  for (const std::uint64_t first : {0u, 100u, 50u}) {
    for (std::uint64_t key = 0; key < 10; ++key) pair.put(first + 10 * key);
    pair.store.flush();
  }
  const std::uint64_t written = pair.now;
  pair.get(95);  // in the range of the newest run alone, but absent
  const std::vector<SortedRun>& runs = pair.store.tree().levels()[0].runs;
  REQUIRE(runs[0].files[0].last_access == Instant(written + 1));
  REQUIRE(runs[1].files[0].last_access < Instant(written + 1));
  REQUIRE(runs[2].files[0].last_access < Instant(written + 1));
  pair.get(55);
  REQUIRE(runs[2].files[0].last_access == Instant(written + 2));
  // The newest run has the key, so the lookup does not reach older runs.
  pair.get(60);
  REQUIRE(runs[0].files[0].last_access == Instant(written + 3));
  REQUIRE(runs[2].files[0].last_access == Instant(written + 2));
}

TEST_CASE("the first file searched in vain is charged, and merged when it had its number") {
  Pair pair(made_policy<SeekingPolicy>("buffer=1MiB"));
  for (std::uint64_t run = 0; run < 3; ++run) {
    for (std::uint64_t key = 0; key < 10; ++key) pair.put(10 * key + run);
    pair.store.flush();
  }
  const auto seeks = [&](std::size_t run) {
    return pair.store.tree().levels()[0].runs[run].files[0].seeks;
  };
  pair.get(12);  // the first searched file has it
  REQUIRE(seeks(0) == 0);
  pair.get(11);
  pair.get(14);  // absent
  REQUIRE(seeks(0) == 2);
  REQUIRE(seeks(1) == 0);
  REQUIRE(seeks(2) == 0);
  pair.get(0);  // only the oldest run's range holds it
  pair.get(1);  // not in the newest run's range; the second run has it
  REQUIRE(seeks(0) == 2);
  REQUIRE(seeks(1) == 0);
  REQUIRE(pair.store.tree().run_count() == 3);
  pair.get(10);
  REQUIRE(pair.store.tree().run_count() == 1);
  REQUIRE(seeks(0) == 0);
  for (std::uint64_t key = 0; key < 120; ++key) pair.get(key);
}

TEST_CASE("equal runs give equal figures of reads") {
  const auto run = [] {
    Pair pair(testing::policy_of("leveled:bits_per_key=3,block_cache=900," + std::string(kSmall)));
    std::mt19937_64 random(9);
    run_random(pair, random, 5000);
    return pair.store.reads();
  };
  const ReadFigures figures = run();
  REQUIRE(figures.gets_absent.false_positives > 0);
  REQUIRE(figures == run());
}

}  // namespace
}  // namespace lsmlab::key_reader_test
