// Which merges of RocksDB's policies are divided among threads, and where.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/base/random.h"
#include "testing/drawn_tree.h"

namespace lsmlab::subcompactions_test {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

std::shared_ptr<const Policy> policy_of(std::string spec) {
  if (spec.back() == ',') spec.pop_back();
  const auto named = make_policy(parse_spec(spec).value());
  INFO(spec << ": " << (named ? "" : named.error().message));
  REQUIRE(named.has_value());
  return named.value().policy;
}

// "2 3 +1": parts of 2 and 3 MB, and one merge thread more is taken.
std::string parts_text(const std::string& spec, const std::vector<DrawnFile>& files,
                       std::uint64_t idle_threads) {
  const auto policy = policy_of(spec);
  DrawnTree drawn(files);
  TreeState tree = drawn.view();
  tree.keep(policy->orderings());
  const std::optional<Plan> plan = policy->pick(tree);
  REQUIRE(plan);
  const auto* merge = std::get_if<MergePlan>(&plan->action);
  REQUIRE(merge != nullptr);
  const MergeParts parts = policy->merge_parts(tree, *merge, idle_threads);
  std::vector<std::string> texts;
  for (const std::uint64_t bytes : parts.input_bytes) {
    texts.push_back(fmt::format("{}", static_cast<double>(bytes) / 1e6));
  }
  if (parts.merge_threads > 0) texts.push_back(fmt::format("+{}", parts.merge_threads));
  return fmt::format("{}", fmt::join(texts, " "));
}

struct PartsCase {
  const char* reason;
  std::string spec;
  std::vector<DrawnFile> files;
  std::uint64_t idle_threads;
  const char* expected;
};

TEST_CASE("RocksDB divides merges of level 0 by their bytes and the size of files") {
  const std::vector<DrawnFile> level0{{0, 1, 10, 90, 3 * kMillion},
                                      {0, 2, 10, 90, 3 * kMillion},
                                      {0, 3, 10, 90, 3 * kMillion},
                                      {0, 4, 10, 90, 3 * kMillion}};
  std::vector<DrawnFile> with_base = level0;
  with_base.push_back({1, 5, 20, 40, 8 * kMillion});
  const std::vector<DrawnFile> level1{{1, 5, 20, 40, 40 * kMillion}, {2, 6, 20, 40, 10 * kMillion}};
  const std::string leveled = "rocksdb-leveled:level_base=10MB,";
  const std::string large = leveled + "file_size=5MB,";
  const std::string small = leveled + "file_size=1MB,";
  const std::vector<PartsCase> cases{
      {"one thread is the default", small, level0, 9, ""},
      {"as many parts as allowed, of equal sizes", small + "max_subcompactions=4", level0, 0,
       "3 3 3 3"},
      {"files of the base level count", small + "max_subcompactions=4", with_base, 0, "5 5 5 5"},
      {"a part is no smaller than a file, and the last one has the rest",
       large + "max_subcompactions=4", level0, 0, "5 5 2"},
      {"7.8 forgets the boundary of two parts", small + "max_subcompactions=2", level0, 0, ""},
      {"also where the size of files leaves two", leveled + "file_size=8MB,max_subcompactions=4",
       level0, 0, ""},
      {"8.4 does not", small + "max_subcompactions=2,version=8.4", level0, 0, "6 6"},
      {"9.0 does not", leveled + "file_size=8MB,max_subcompactions=4,version=9.0", level0, 0,
       "8 4"},
      {"a file holds the merge", leveled + "file_size=12MB,max_subcompactions=4,version=8.4",
       level0, 0, ""},
      {"7.4 counts files that are four fifths full", large + "max_subcompactions=4,version=7.4",
       level0, 0, "4 4 4"},
      {"so does 6.12, and it has two parts", large + "max_subcompactions=2,version=6.12", level0, 0,
       "6 6"},
      {"7.4 cuts only at first and last keys: 10, 20, 50, 70 and 90",
       "rocksdb-leveled:level_base=10MB,file_size=1MB,max_subcompactions=9,version=7.4,l0_trigger="
       "1",
       {{0, 1, 10, 90, 9 * kMillion}, {1, 5, 20, 40, kMillion}, {1, 6, 50, 70, kMillion}},
       0,
       "2.75 2.75 2.75 2.75"},
      {"deeper levels have one thread", small + "max_subcompactions=4", level1, 9, ""},
      {"silk has the option, with the rules of 6.12",
       "silk:level_base=10MB,file_size=1MB,max_subcompactions=4", level0, 0, "3 3 3 3"},
      {"so has delete-aware", "delete-aware:level_base=10MB,file_size=1MB,max_subcompactions=3",
       level0, 0, "4 4 4"},
      {"universal, into the last level", "rocksdb-universal:file_size=1MB,max_subcompactions=3",
       level0, 0, "4 4 4"},
      {"universal, never two with 7.8", "rocksdb-universal:file_size=1MB,max_subcompactions=2",
       level0, 0, ""},
      {"universal, two with 9.0",
       "rocksdb-universal:file_size=1MB,max_subcompactions=2,version=9.0", level0, 0, "6 6"},
  };
  for (const PartsCase& c : cases) {
    INFO(c.reason);
    REQUIRE(parts_text(c.spec, c.files, c.idle_threads) == c.expected);
  }
}

TEST_CASE("round robin gives each input file a part while merge threads are idle") {
  const std::string robin = "rocksdb-leveled:level_base=10MB,file_size=1MB,priority=round-robin,";
  const std::vector<DrawnFile> level0{{0, 1, 10, 90, 3 * kMillion},
                                      {0, 2, 10, 90, 3 * kMillion},
                                      {0, 3, 10, 90, 3 * kMillion},
                                      {0, 4, 10, 90, 3 * kMillion}};
  const std::vector<DrawnFile> level1{{1, 5, 20, 40, 40 * kMillion}, {2, 6, 20, 40, 10 * kMillion}};
  const std::vector<PartsCase> cases{
      {"no thread is idle", robin, level0, 0, ""},
      {"two are: three parts, which take both", robin, level0, 2, "4 4 4 +2"},
      {"more are idle than there are files", robin, level0, 9, "3 3 3 3 +3"},
      {"threads of the option are no merge threads", robin + "max_subcompactions=3", level0, 9,
       "3 3 3 3 +1"},
      {"enough of these", robin + "max_subcompactions=6", level0, 9, "2 2 2 2 2 2"},
      {"one input file of a deeper level", robin, level1, 9, ""},
      {"but the option counts for deeper levels as well", robin + "max_subcompactions=5", level1, 9,
       "10 10 10 10 10"},
      {"before 7.5 there was no round robin", robin + "version=7.4", level0, 9, ""},
  };
  for (const PartsCase& c : cases) {
    INFO(c.reason);
    REQUIRE(parts_text(c.spec, c.files, c.idle_threads) == c.expected);
  }
}

// RocksDB's loop over the keys at which a file's index may be cut: `anchors` for each file.
std::vector<std::uint64_t> parts_by_anchors(const std::vector<std::uint64_t>& file_bytes,
                                            std::uint64_t anchors, std::uint64_t parts_max,
                                            std::uint64_t least) {
  struct Anchor {
    double key;
    std::uint64_t bytes;
  };
  std::vector<Anchor> all;
  std::uint64_t total = 0;
  for (std::size_t file = 0; file < file_bytes.size(); ++file) {
    for (std::uint64_t i = 0; i < anchors; ++i) {
      // All files spread over all keys; no two anchors have the same key.
      const double key = static_cast<double>(i * file_bytes.size() + file);
      all.push_back({key, file_bytes[file] / anchors});
      total += file_bytes[file] / anchors;
    }
  }
  std::sort(all.begin(), all.end(), [](const Anchor& a, const Anchor& b) { return a.key < b.key; });
  std::vector<std::uint64_t> parts;
  const std::uint64_t target = std::max(total / parts_max, least);
  std::uint64_t seen = 0;
  std::uint64_t cut = 0;
  std::uint64_t next = target;
  for (const Anchor& anchor : all) {
    seen += anchor.bytes;
    if (target < total && seen > next && parts.size() + 1 < parts_max) {
      parts.push_back(seen - cut);
      cut = seen;
      next += target;
    }
  }
  parts.push_back(total - cut);
  return parts;
}

TEST_CASE("parts are those of RocksDB's loop over key anchors, but for the grain of anchors") {
  SplitMix64 random(7);
  for (int round = 0; round < 400; ++round) {
    constexpr std::uint64_t kAnchors = 128;
    const std::uint64_t parts_max = 2 + random.below(7);
    const std::uint64_t least = (1 + random.below(20)) * kMillion;
    std::vector<DrawnFile> files;
    std::vector<std::uint64_t> file_bytes;
    std::uint64_t grain = 0;
    for (std::uint64_t id = 1; id <= 4; ++id) {
      const std::uint64_t bytes = kAnchors * (10'000 + random.below(100'000));
      files.push_back({0, id, 10, 90, bytes});
      file_bytes.push_back(bytes);
      grain += bytes / kAnchors;
    }
    const auto policy = policy_of(fmt::format(
        "rocksdb-leveled:version=8.4,file_size={},max_subcompactions={}", least, parts_max));
    DrawnTree drawn(files);
    TreeState tree = drawn.view();
    tree.keep(policy->orderings());
    const auto plan = policy->pick(tree);
    REQUIRE(plan);
    MergeParts parts = policy->merge_parts(tree, std::get<MergePlan>(plan->action), 0);
    std::uint64_t whole = 0;
    for (const std::uint64_t bytes : file_bytes) whole += bytes;
    if (parts.input_bytes.empty()) parts.input_bytes = {whole};
    const auto expected = parts_by_anchors(file_bytes, kAnchors, parts_max, least);
    CAPTURE(parts.input_bytes, expected, grain);
    // A last part smaller than the grain may vanish in the last anchor.
    if (parts.input_bytes.size() != expected.size()) {
      REQUIRE(parts.input_bytes.size() == expected.size() + 1);
      REQUIRE(parts.input_bytes.back() <= grain);
      continue;
    }
    std::uint64_t ours = 0;
    std::uint64_t theirs = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ours += parts.input_bytes[i];
      theirs += expected[i];
      REQUIRE(theirs + 1 >= ours);
      REQUIRE(theirs - ours <= grain);
    }
  }
}

TEST_CASE("max_subcompactions is a count from 1 to 1024, and needs levels below 0") {
  const auto error_of = [](const std::string& spec) {
    const auto named = make_policy(parse_spec(spec).value());
    REQUIRE_FALSE(named.has_value());
    return named.error().message;
  };
  for (const char* const value : {"0", "-1", "1025", "99999999999999999999", "many", "1.5"}) {
    for (const char* const family : {"rocksdb-leveled", "rocksdb-universal", "silk"}) {
      const std::string message = error_of(fmt::format("{}:max_subcompactions={}", family, value));
      REQUIRE(message.find("max_subcompactions") != std::string::npos);
    }
  }
  REQUIRE(error_of("rocksdb-universal:levels=1,max_subcompactions=2").find("levels=1") !=
          std::string::npos);
  REQUIRE(error_of("rocksdb-fifo:max_subcompactions=2").find("max_subcompactions") !=
          std::string::npos);
  REQUIRE(policy_of("rocksdb-leveled:max_subcompactions=1024")->merge_parts_max() == 1024);
  REQUIRE(policy_of("rocksdb-universal")->merge_parts_max() == 1);
}

}  // namespace
}  // namespace lsmlab::subcompactions_test
