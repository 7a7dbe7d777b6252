// Picks of cassandra-ucs on hand-made trees, and against a rewriting of its rule that shares no
// code with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/base/random.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::cassandra_ucs_test {
namespace {

constexpr std::uint64_t kLast = ~std::uint64_t{0};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
const std::string kSmall =
    "flush_size_override=100,target_sstable_size=1000,min_sstable_size=100,base_shard_count=4";

std::string small(const std::string& more) { return kSmall + "," + more; }

// SSTables over all of token space; the first has the newest writes.
std::vector<DrawnFile> wide(const std::vector<std::uint64_t>& bytes) {
  std::vector<DrawnFile> files;
  for (const std::uint64_t one : bytes) {
    const std::uint64_t id = files.size() + 1;
    files.push_back({0, id, 0, kLast, one, {0, bytes.size() - id}});
  }
  return files;
}

TEST_CASE("cassandra-ucs merges a level of density when its overlap reaches the threshold") {
  check_picks(
      "cassandra-ucs",
      {
          {"three of T4", kSmall, wide({100, 100, 100}), {}, "nothing"},
          {"four of T4; together they are of level 1",
           kSmall,
           wide({100, 100, 100, 100}),
           {},
           "merge L0 1,2,3,4 to L0"},
          {"busy SSTables do not count", kSmall, wide({100, 100, 100, 100}), {2}, "nothing"},
          {"level 0 ends below 100 * (4 - 0.9)", kSmall, wide({309, 309, 309, 310}), {}, "nothing"},
          {"N merges two",
           small("scaling_parameters=N"),
           wide({100, 100}),
           {},
           "merge L0 1,2 to L0"},
          {"L4 merges two, and both stay in level 0",
           small("scaling_parameters=L4"),
           wide({100, 100}),
           {},
           "merge L0 1,2 to L0"},
          {"w = -2 is L4",
           small("scaling_parameters=-2"),
           wide({100, 100}),
           {},
           "merge L0 1,2 to L0"},
          {"w = 2 is T4", small("scaling_parameters=2"), wide({100, 100, 100}), {}, "nothing"},
      });
}

TEST_CASE("cassandra-ucs looks at the level of the highest overlap only") {
  const std::string mixed = small("scaling_parameters=T4:L4");
  check_picks("cassandra-ucs", {
                                   {"level 1 has reached its threshold of 2",
                                    mixed,
                                    wide({100, 400, 400}),
                                    {},
                                    "merge L0 2,3 to L0"},
                                   {"level 0 has as many, but not its threshold of 4",
                                    mixed,
                                    wide({100, 100, 400, 400}),
                                    {},
                                    "nothing"},
                                   {"of two levels with the same overlap, the lower",
                                    kSmall,
                                    wide({100, 100, 100, 100, 400, 400, 400, 400}),
                                    {},
                                    "merge L0 1,2,3,4 to L0"},
                                   {"the higher overlap",
                                    kSmall,
                                    wide({100, 100, 100, 100, 400, 400, 400, 400, 400}),
                                    {},
                                    "merge L0 5,6,7,8,9 to L0"},
                               });
}

TEST_CASE("cassandra-ucs takes along what overlaps, by overlap_inclusion_method") {
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 60;
  const std::vector<DrawnFile> chain{{0, 1, 0, 5 * kUnit, 30},
                                     {0, 2, 2 * kUnit, 9 * kUnit, 30},
                                     {0, 3, 6 * kUnit, 12 * kUnit, 30},
                                     {0, 4, 10 * kUnit, 12 * kUnit, 10},
                                     {0, 5, 14 * kUnit, 15 * kUnit, 6}};
  const std::string two = small("scaling_parameters=N,overlap_inclusion_method=");
  const auto text = [&](const std::string& method) {
    return plan_text(pick_of("cassandra-ucs", two + method, DrawnTree(chain).view()));
  };
  REQUIRE(text("transitive").starts_with("merge L0 1,2,3,4 "));
  const std::string single = text("single");
  REQUIRE((single.starts_with("merge L0 1,2,3 ") || single.starts_with("merge L0 3,4 ")));
  const std::string none = text("none");
  REQUIRE((none.starts_with("merge L0 1,2 ") || none.starts_with("merge L0 2,3 ") ||
           none.starts_with("merge L0 3,4 ")));
}

// The two examples are in a comment of Cassandra's Bucket.constructPick.
TEST_CASE("cassandra-ucs takes the oldest of a late level, as many as reach a further one") {
  const std::vector<DrawnFile> late = wide(std::vector<std::uint64_t>(55, 100));
  const auto taken = [&](const std::string& more) {
    const auto plan = pick_of("cassandra-ucs", small(more), DrawnTree(late).view());
    REQUIRE(plan.has_value());
    std::vector<std::uint64_t> ids;
    for (const PlanInput& input : plan_inputs(*plan)) {
      for (const FileId id : input.files) ids.push_back(id.value());
    }
    REQUIRE(ids.back() == 55);  // the oldest
    REQUIRE(ids.front() == 56 - ids.size());
    return ids.size();
  };
  REQUIRE(taken("scaling_parameters=T4") == 16);
  REQUIRE(taken("scaling_parameters=L4") == 48);
  REQUIRE(taken("scaling_parameters=T4,max_sstables_to_compact=15") == 4);
  REQUIRE(taken("scaling_parameters=T8,max_sstables_to_compact=20") == 20);
  REQUIRE(taken("scaling_parameters=T8,max_sstables_to_compact=3") == 8);
  REQUIRE(taken("scaling_parameters=T8,max_sstables_to_compact=0") ==
          taken("scaling_parameters=T8"));
}

std::vector<std::uint64_t> begins(const std::string& options, const std::vector<DrawnFile>& files) {
  const auto plan = pick_of("cassandra-ucs", options, DrawnTree(files).view());
  REQUIRE(plan.has_value());
  return std::get<MergePlan>(plan->action).cut.file_begins.value();
}

TEST_CASE("cassandra-ucs cuts outputs at shards, more of them the denser the data") {
  constexpr std::uint64_t kQuarter = std::uint64_t{1} << 62;
  const std::vector<std::uint64_t> four{kQuarter, 2 * kQuarter, 3 * kQuarter};
  const std::string fixed = small("sstable_growth=0");
  REQUIRE(begins(fixed, wide({49, 49, 49, 49})).empty());  // 1.96 SSTables of 100: one shard
  REQUIRE(begins(fixed, wide({50, 50, 50, 50})) == std::vector{kHalf});
  REQUIRE(begins(fixed, wide({100, 100, 100, 100})) == four);
  REQUIRE(begins(fixed, wide({1400, 1400, 1400, 1400})) == four);  // 5,600 = 1.4 * 4 * 1000
  REQUIRE(begins(fixed, wide({1420, 1420, 1420, 1420})).size() == 7);
  // half the growth makes SSTables larger: 64 shards for 256 times the density of 4 shards
  REQUIRE(begins(small("sstable_growth=0.5"), wide({256'000, 256'000, 256'000, 256'000})).size() ==
          63);
  REQUIRE(begins(small("sstable_growth=1"), wide({256'000, 256'000, 256'000, 256'000})) == four);
  // Of 6 shards, only 2 are split into powers of two.
  REQUIRE(begins("flush_size_override=100,target_sstable_size=1000,min_sstable_size=100,"
                 "base_shard_count=6",
                 wide({125, 125, 125, 125})) == std::vector{kHalf});
  // Shards within the inputs' keys only.
  const std::vector<DrawnFile> upper{{0, 1, kHalf, kLast, 50},
                                     {0, 2, kHalf, kLast, 50},
                                     {0, 3, kHalf, kLast, 50},
                                     {0, 4, kHalf, kLast, 50}};
  REQUIRE(begins(fixed, upper) == std::vector{3 * kQuarter});
}

// The rule again, on plain vectors and without sections: files meet most at some file's first key;
// a transitive bucket is a component of the overlap graph.
std::set<std::set<std::uint64_t>> allowed(const std::vector<DrawnFile>& files, double threshold) {
  const auto meets = [](const DrawnFile& a, const DrawnFile& b) {
    return a.smallest <= b.largest && b.smallest <= a.largest;
  };
  const auto level = [&](const DrawnFile& file) {
    const double share =
        std::ldexp(static_cast<double>(file.largest - file.smallest), -64) + std::ldexp(1, -64);
    double limit = std::floor(100 * (threshold - 0.9));
    std::size_t index = 0;
    for (; static_cast<double>(file.bytes) / share >= limit; ++index) limit *= threshold;
    return index;
  };
  std::size_t most = 0;
  std::set<std::set<std::uint64_t>> buckets;
  for (std::size_t index = 0; index < 32; ++index) {
    std::vector<DrawnFile> in;
    for (const DrawnFile& file : files) {
      if (level(file) == index) in.push_back(file);
    }
    std::vector<std::size_t> component(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) component[i] = i;
    for (std::size_t round = 0; round < in.size(); ++round) {
      for (std::size_t a = 0; a < in.size(); ++a) {
        for (std::size_t b = 0; b < in.size(); ++b) {
          if (meets(in[a], in[b])) component[a] = std::min(component[a], component[b]);
        }
      }
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      std::size_t overlap = 0;
      for (const DrawnFile& other : in) {
        overlap += other.smallest <= in[i].smallest && in[i].smallest <= other.largest ? 1U : 0U;
      }
      if (overlap < most) continue;
      if (overlap > most) buckets.clear();
      // A lower level of the same overlap comes first.
      if (overlap == most && !buckets.empty() && level(in[i]) != index) continue;
      const bool is_lower_taken = overlap == most && !buckets.empty() &&
                                  std::none_of(in.begin(), in.end(), [&](const DrawnFile& file) {
                                    return buckets.begin()->count(file.id) > 0;
                                  });
      if (is_lower_taken) continue;
      most = overlap;
      std::set<std::uint64_t> bucket;
      for (std::size_t j = 0; j < in.size(); ++j) {
        if (component[j] == component[i]) bucket.insert(in[j].id);
      }
      buckets.insert(bucket);
    }
  }
  if (static_cast<double>(most) < threshold) buckets.clear();
  return buckets;
}

TEST_CASE("cassandra-ucs picks a bucket that a plain rewriting of its rule allows") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    INFO("seed " << seed);
    SplitMix64 random(seed);
    const std::uint64_t fanout = 2 + random.below(3);
    std::vector<DrawnFile> files;
    const std::uint64_t count = 1 + random.below(14);
    for (std::uint64_t id = 1; id <= count; ++id) {
      const std::uint64_t width = 1 + random.below(16);
      const std::uint64_t begin = random.below(17 - width) << 60;
      const std::uint64_t end = begin + (width << 60) - 1;  // wraps to the last key
      const std::uint64_t density = 50 + random.below(random.below(4) == 0 ? 3000 : 300);
      files.push_back({0, id, begin, end, std::max<std::uint64_t>(density * width / 16, 1)});
    }
    const auto plan = pick_of(
        "cassandra-ucs",
        small(fmt::format("scaling_parameters=T{},max_sstables_to_compact=1000000", fanout)),
        DrawnTree(files).view());
    const auto expected = allowed(files, static_cast<double>(fanout));
    if (expected.empty()) {
      REQUIRE_FALSE(plan.has_value());
      continue;
    }
    REQUIRE(plan.has_value());
    std::set<std::uint64_t> ids;
    for (const PlanInput& input : plan_inputs(*plan)) {
      for (const FileId id : input.files) ids.insert(id.value());
    }
    // A late bucket gives its oldest only; they are of an allowed one all the same.
    const bool is_allowed =
        std::any_of(expected.begin(), expected.end(), [&](const std::set<std::uint64_t>& bucket) {
          return std::includes(bucket.begin(), bucket.end(), ids.begin(), ids.end()) &&
                 (bucket.size() == ids.size() || bucket.size() > fanout * fanout);
        });
    INFO(plan_text(plan));
    REQUIRE(is_allowed);
  }
}

// The plan for a memtable over all of token space.
Plan flush_plan(const std::string& options, std::uint64_t bytes,
                DrawnTree drawn = DrawnTree(std::vector<DrawnFile>())) {
  PendingFlush flush{Bytes(bytes), Entries(1'000), {0, kLast}};
  flush.traffic = {50, 1'000};
  drawn.state().begin_flush(flush);
  const auto plan = pick_of("cassandra-ucs", options, drawn.view());
  REQUIRE(plan.has_value());
  return *plan;
}

std::size_t shards_of_flush(const std::string& options, std::uint64_t bytes) {
  const auto flush = std::get<FlushPlan>(flush_plan(options, bytes).action);
  return flush.cut.file_begins ? flush.cut.file_begins->size() + 1 : 1;
}

TEST_CASE("cassandra-ucs cuts a flush into as many shards as a merge's output of its size") {
  REQUIRE(shards_of_flush(kSmall, 199) == 1);
  REQUIRE(shards_of_flush(kSmall, 200) == 2);  // two SSTables of 100
  REQUIRE(shards_of_flush(kSmall, 399) == 2);
  REQUIRE(shards_of_flush(kSmall, 400) == 4);
  REQUIRE(shards_of_flush(small("sstable_growth=0"), 5'700) == 8);  // 1.425 * 4 * 1000
  const auto flush = std::get<FlushPlan>(flush_plan(kSmall, 200).action);
  REQUIRE(flush.cut.file_begins == std::vector{kHalf});
  REQUIRE(!flush.target.run.has_value());
}

TEST_CASE("cassandra-ucs counts SSTables of few partitions as wider than they are") {
  // A key alone: 100 bytes over 2^-64 of token space would be of the deepest level.
  const auto lone = [](std::uint64_t entries) {
    std::vector<DrawnFile> files;
    for (std::uint64_t id = 1; id <= 4; ++id) {
      files.push_back({0, id, kHalf, kHalf + (std::uint64_t{1} << 30), 100, {}, entries});
    }
    return files;
  };
  const auto text = [&](std::uint64_t entries, const std::string& scalings) {
    return plan_text(pick_of("cassandra-ucs", small("scaling_parameters=" + scalings),
                             DrawnTree(lone(entries)).view()));
  };
  REQUIRE(text(1, "T4") == "merge L0 1,2,3,4 to L0");
  // 100 bytes on 2^-16 are 6,553,600 bytes for all of token space, and on 99 times that 66,198.
  // With N in the levels above, level i ends at 110 * 2^i: the first is of level 16, the other
  // of 10.
  const auto from = [](std::size_t level) {
    std::string scalings;
    for (std::size_t i = 0; i < level; ++i) scalings += "N:";
    return scalings + "T4";
  };
  // Where T4 begins at or above the SSTables' level they are too few as three.
  std::vector<DrawnFile> three = lone(1);
  three.pop_back();
  const auto of_three = [&](std::size_t level, std::uint64_t entries) {
    for (DrawnFile& file : three) file.entries = entries;
    return plan_text(pick_of("cassandra-ucs", small("scaling_parameters=" + from(level)),
                             DrawnTree(three).view()));
  };
  REQUIRE(of_three(16, 1) == "nothing");
  REQUIRE(of_three(17, 1) == "merge L0 1,2,3 to L0");
  REQUIRE(of_three(10, 99) == "nothing");
  REQUIRE(of_three(11, 99) == "merge L0 1,2,3 to L0");
  // 100 partitions count as they are: 100 bytes on 2^-34, of a deeper level than 17.
  REQUIRE(of_three(17, 100) == "nothing");
}

TEST_CASE("cassandra-ucs drops SSTables of nothing but old writes") {
  const auto aged = [](const std::vector<SequenceSpan>& spans) {
    std::vector<DrawnFile> files;
    for (const SequenceSpan& span : spans) {
      files.push_back({0, files.size() + 1, 0, kLast, 100, span});
    }
    return files;
  };
  check_picks(
      "cassandra-ucs",
      {
          {"without ttl they stay", kSmall, aged({{900, 1000}, {1, 10}}), {}, "nothing"},
          {"newest write 10, now 1000",
           small("ttl=900"),
           aged({{900, 1000}, {1, 10}}),
           {},
           "drop L0 2"},
          {"exactly ttl writes old stays",
           small("ttl=990"),
           aged({{900, 1000}, {1, 10}}),
           {},
           "nothing"},
          {"one that stays has an older write",
           small("ttl=900"),
           aged({{900, 1000}, {5, 500}, {1, 10}}),
           {},
           "nothing"},
          {"a busy one stays", small("ttl=900"), aged({{900, 1000}, {1, 10}}), {2}, "nothing"},
          {"before a merge that is due",
           small("ttl=900"),
           aged({{990, 1000}, {980, 989}, {970, 979}, {960, 969}, {3, 10}, {1, 2}}),
           {},
           "drop L0 5,6"},
      });
}

// A tree whose newest flush set scaling parameters.
DrawnTree tuned(const std::string& text, const std::vector<DrawnFile>& files) {
  DrawnTree drawn(files);
  drawn.state().begin_flush({Bytes(1), Entries(1), {0, 1}});
  TreeEdit edit;
  edit.takes_memtable = true;
  edit.tuning = Tuning{1, 0, 10'000, Bytes(0), text};
  REQUIRE(drawn.state().apply(edit).has_value());
  return drawn;
}

TEST_CASE("cassandra-ucs follows the scaling parameters that a flush set") {
  const auto text = [](const std::string& set) {
    return plan_text(pick_of("cassandra-ucs", small("adapt_flushes=5,scaling_parameters=T8"),
                             tuned(set, wide({100, 100, 100})).view()));
  };
  REQUIRE(text("N") == "merge L0 1,2,3 to L0");
  REQUIRE(text("T3") == "merge L0 1,2,3 to L0");
  REQUIRE(text("T4") == "nothing");
  REQUIRE(text("T8:N") == "nothing");
  REQUIRE(text("") == "nothing");  // the option holds
  REQUIRE(text("no text of ours") == "nothing");
}

TEST_CASE("cassandra-ucs adapts with every adapt_flushes-th flush, and begins with N") {
  std::vector<DrawnFile> files = wide({1'600});
  files[0].entries = 100;
  files[0].value_bytes = 1'500;
  const std::string options = small("adapt_flushes=1,block_size=128,buffer=1000");
  const Plan plan = flush_plan(options, 100, DrawnTree(files));
  REQUIRE(plan.adaptation.has_value());
  // 1,000 writes of 15 bytes are 117 blocks, and 50 lookups. N costs 50 * 4 + 117 * 6 blocks: 16
  // flushes of data are four doublings. T17 costs 50 * 15 + 117 * 2; T4 50 * 6 + 117 * 4, T3 50 * 5
  // + 117 * 4, L3 50 * 3 + 117 * 7, T5 50 * 7 + 117 * 3.
  REQUIRE(plan.adaptation->tuning.scaling_parameters == "T5:N");
  REQUIRE(plan.adaptation->measured == Traffic{50, 1'000});
  REQUIRE(plan.adaptation->costs.mean < plan.adaptation->costs.mean_before);
  REQUIRE(!flush_plan(small("adapt_flushes=2,block_size=128,buffer=1000"), 100, DrawnTree(files))
               .adaptation.has_value());
  REQUIRE(!flush_plan(kSmall, 100, DrawnTree(files)).adaptation.has_value());
  // An empty store knows no sizes.
  REQUIRE(!flush_plan(options, 100).adaptation.has_value());
}

TEST_CASE("cassandra-ucs builds its levels on the size of a compressed flush") {
  const auto flush_size = [](const std::string& options) {
    const ConfiguredPolicy made =
        make_policy(parse_spec("cassandra-ucs:" + options).value()).value();
    return value_in_force(made, "flush_size_override").value();
  };
  REQUIRE(flush_size("buffer=8MiB") == "8388608");
  REQUIRE(flush_size("buffer=8MiB,compression=lz4@0.5") == "4194304");
  REQUIRE(flush_size("buffer=8MiB,compression=none:lz4@0.5") == "8388608");
  REQUIRE(flush_size("buffer=8MiB,compression=lz4@0.6") == "5242880");  // 4.8 MiB
  REQUIRE(flush_size("buffer=8MiB,compression=lz4@0.5,flush_size_override=3MiB") == "3145728");
}

TEST_CASE("cassandra-ucs refuses parameters that Cassandra refuses") {
  const auto fault_of = [](const std::string& options) {
    const auto made = make_policy(parse_spec("cassandra-ucs:" + options).value());
    REQUIRE_FALSE(made.has_value());
    return made.error().message;
  };
  for (const std::string bad : {"T1", "L0", "X4", "T", "T4:", "4.5", "T99999"}) {
    INFO(bad);
    REQUIRE(fault_of("scaling_parameters=" + bad).find("scaling_parameters") != std::string::npos);
  }
  REQUIRE(fault_of("adaptive_min_scaling_parameter=T1").find("adaptive_min_scaling_parameter") !=
          std::string::npos);
  REQUIRE(fault_of("adaptive_threshold=0").find("adaptive_threshold") != std::string::npos);
  REQUIRE(fault_of("target_sstable_size=100MiB,min_sstable_size=80MiB")
              .find("sqrt(1/2) times target_sstable_size") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::cassandra_ucs_test
