// Pebble's rules on hand-made trees. Cases with a name in quotation marks have the files of Pebble
// 2.1.7's testdata of that name; a number is the place of its letter in the alphabet.
#include <string>
#include <vector>

#include "models/policies/pebble/levels.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::pebble_test {
namespace {

void check(const std::vector<PickCase>& cases) { check_picks("pebble", cases); }

DrawnFile at(std::uint32_t level, std::uint64_t id, const char* keys, std::uint64_t bytes = 256) {
  return {level, id, static_cast<std::uint64_t>(keys[0] - 'a'),
          static_cast<std::uint64_t>(keys[2] - 'a'), bytes};
}

TEST_CASE("pebble merges level 0 by its depth or its files") {
  const std::vector<DrawnFile> one{at(0, 100, "i-j")};
  const std::vector<DrawnFile> over{at(0, 100, "i-j"), at(6, 200, "f-l")};
  const std::vector<DrawnFile> two{at(0, 110, "k-l"), at(0, 100, "i-j"), at(6, 200, "f-l")};
  const std::vector<DrawnFile> three{at(0, 120, "r-s"), at(0, 110, "j-q"), at(0, 100, "i-p"),
                                     at(6, 200, "f-s")};
  const std::string threshold = "l0_compaction_threshold=";
  check({
      {"'compaction_picker_L0': twice one sublevel", threshold + "1", one, {}, "move L0 100 to L6"},
      {"by the number of files", "l0_compaction_file_threshold=1", one, {}, "move L0 100 to L6"},
      {"neither", threshold + "4,l0_compaction_file_threshold=2", one, {}, "nothing"},
      {"a file below", threshold + "2", over, {}, "merge L0 100 + L6 200 to L6"},
      {"2 of 3", threshold + "3", over, {}, "nothing"},
      {"a neighbour joins", threshold + "2", two, {}, "merge L0 110,100 + L6 200 to L6"},
      {"two files are one sublevel", threshold + "3", two, {}, "nothing"},
      {"but two files",
       threshold + "3,l0_compaction_file_threshold=2",
       two,
       {},
       "merge L0 110,100 + L6 200 to L6"},
      {"one overlap", threshold + "4", three, {}, "merge L0 120,110,100 + L6 200 to L6"},
      {"4 of 6", threshold + "6,l0_compaction_file_threshold=512", three, {}, "nothing"},
      {"a file merges within level 0",
       threshold + "2",
       three,
       {120},
       "merge L0 110,100 + L6 200 to L6"},
      {"a later file does not touch the one below",
       threshold + "1",
       {at(0, 3, "c-c"), at(0, 2, "b-b"), at(6, 603, "c-c")},
       {},
       "move L0 2 to L6"},
      {"only what keeps clear of the file below",
       threshold + "1",
       {at(0, 55, "x-x"), at(0, 53, "e-e"), at(0, 51, "e-e"), at(0, 49, "t-t"), at(0, 46, "x-x"),
        at(6, 45, "f-x")},
       {},
       "merge L0 53,51 to L6"},
  });
}

TEST_CASE("pebble takes the deepest interval of level 0") {
  const std::vector<DrawnFile> fan{at(0, 10, "f-g"), at(0, 9, "f-i"), at(0, 5, "f-h"),
                                   at(0, 3, "e-f"),  at(0, 6, "f-g"), at(0, 2, "c-d"),
                                   at(0, 1, "a-b"),  at(6, 7, "a-f"), at(6, 8, "g-s")};
  const std::vector<DrawnFile> under{at(0, 10, "f-g"), at(0, 9, "f-p"), at(0, 11, "n-p"),
                                     at(0, 5, "f-h"),  at(0, 6, "f-g"), at(6, 7, "a-f"),
                                     at(6, 8, "g-s")};
  const std::vector<DrawnFile> example{at(0, 12, "g-j"), at(0, 11, "a-d"), at(0, 10, "r-t"),
                                       at(0, 9, "f-j"),  at(0, 8, "e-j"),  at(0, 7, "b-d"),
                                       at(0, 6, "p-x"),  at(0, 5, "l-o"),  at(0, 4, "f-j"),
                                       at(0, 3, "a-d"),  at(6, 1, "a-i"),  at(6, 2, "m-w")};
  std::vector<DrawnFile> third = example;
  third.push_back(at(6, 13, "j-l"));
  const std::vector<std::uint64_t> left{3, 4, 7, 8, 9, 11, 12, 1};
  std::vector<std::uint64_t> left_third = left;
  left_third.push_back(13);
  check({
      {"'l0_sublevels': five files, and those beside them over the same file below",
       "",
       fan,
       {},
       "merge L0 10,9,5,3,6,2,1 + L6 7,8 to L6"},
      {"a busy file ends the growth to that side",
       "",
       fan,
       {2},
       "merge L0 10,9,5,3,6 + L6 7,8 to L6"},
      {"an older file that one of them overlaps comes along",
       "",
       under,
       {},
       "merge L0 10,9,11,5,6 + L6 7,8 to L6"},
      {"example 1", "", example, {}, "merge L0 12,11,9,8,7,4,3 + L6 1 to L6"},
      {"example 2: the left half is busy", "", example, left, "merge L0 10,6,5 + L6 2 to L6"},
      {"example 3: one more file below", "", third, left_third, "merge L0 10,6 + L6 2 to L6"},
  });
}

TEST_CASE("pebble merges within level 0 where the base level is busy") {
  const std::vector<DrawnFile> stack{at(0, 140, "i-p"), at(0, 120, "r-s"), at(0, 110, "j-q"),
                                     at(0, 130, "i-p"), at(0, 100, "i-p"), at(6, 200, "f-s")};
  const std::vector<DrawnFile> wide{at(0, 10, "f-g"), at(0, 9, "f-p"), at(0, 11, "n-p"),
                                    at(0, 5, "f-h"),  at(0, 6, "f-g"), at(6, 7, "a-f"),
                                    at(6, 8, "g-s")};
  check({
      {"'compaction_picker_L0': four of an interval",
       "",
       stack,
       {200},
       "merge L0 140,110,130,100 to L0"},
      {"a single file is of no use",
       "l0_compaction_threshold=1",
       {at(0, 100, "i-p"), at(6, 200, "f-s")},
       {200},
       "nothing"},
      {"no gap of a running merge is filled",
       "l0_compaction_threshold=2",
       {at(0, 11, "x-z"), at(0, 13, "k-n"), at(0, 10, "a-b"), at(1, 101, "a-f"), at(1, 102, "w-z")},
       {10, 11, 101, 102},
       "nothing"},
      {"'l0_sublevels': the older file below an end may be busy",
       "",
       wide,
       {11, 8},
       "merge L0 10,9,5,6 to L0"},
  });
}

TEST_CASE("pebble takes the file with the least overlap, and grows") {
  const std::string plain = "multilevel=none,level_base=";
  check({
      {"'compaction_picker_pick_file': a tiny file that overlaps nothing",
       plain + "1000",
       {at(5, 4, "b-c", 131072), at(5, 5, "e-e", 700), at(6, 6, "a-d", 780)},
       {},
       "move L5 5 to L6"},
      {"a key in common is overlap",
       plain + "1000",
       {at(5, 4, "c-d", 131072), at(5, 5, "e-e", 700), at(6, 6, "a-c", 780), at(6, 7, "e-e", 700)},
       {},
       "merge L5 4 + L6 6 to L6"},
      {"'compaction_picker_scores': 000004 goes down",
       plain + "65536",
       {at(5, 4, "a-d", 525413), at(5, 5, "e-e", 131868), at(6, 6, "a-d", 263265),
        at(6, 7, "e-e", 131868)},
       {},
       "merge L5 4 + L6 6 to L6"},
      {"a busy file is passed over",
       plain + "65536",
       {at(5, 4, "a-d", 525413), at(5, 5, "e-e", 231868), at(6, 6, "a-d", 263265),
        at(6, 7, "e-e", 131868)},
       {6},
       "merge L5 5 + L6 7 to L6"},
      {"'compaction_setup_inputs': what lies within the files below joins",
       plain + "100",
       {at(1, 1, "a-b", 100), at(1, 2, "c-e", 100), at(2, 3, "a-d", 100)},
       {},
       "merge L1 1,2 + L2 3 to L2"},
      {"not if it brings in one more below",
       plain + "100",
       {at(1, 1, "a-b", 100), at(1, 2, "c-e", 100), at(2, 3, "a-d", 50), at(2, 4, "e-f", 40)},
       {},
       "merge L1 1 + L2 3 to L2"},
      {"not with 25 files of 12 bytes",
       plain + "100,file_size=3",
       {at(1, 1, "a-b", 100), at(1, 2, "c-e", 100), at(2, 3, "a-d", 100)},
       {},
       "merge L1 1 + L2 3 to L2"},
      {"one byte below that",
       plain + "100,file_size=3",
       {at(1, 1, "a-b", 100), at(1, 2, "c-e", 99), at(2, 3, "a-d", 100)},
       {},
       "merge L1 1,2 + L2 3 to L2"},
      {"ten files of 4 bytes below a move",
       plain + "100,file_size=2,file_size_multiplier=1",
       {at(4, 1, "a-b", 100), at(6, 2, "a-c", 20)},
       {},
       "move L4 1 to L5"},
      {"and one byte more",
       plain + "100,file_size=2,file_size_multiplier=1",
       {at(4, 1, "a-b", 100), at(6, 2, "a-c", 21)},
       {},
       "merge L4 1 to L5"},
  });
}

TEST_CASE("pebble takes a third level if that writes less for each byte from above") {
  check({
      {"'compaction_setup_inputs_multilevel_write_amp': 1.5 instead of 2",
       "level_base=100",
       {at(1, 1, "a-b", 100), at(2, 2, "a-c", 100), at(3, 3, "c-d", 100)},
       {},
       "merge L1 1 + L2 2 + L3 3 to L3"},
      {"2.5 instead of 2",
       "level_base=100",
       {at(1, 1, "a-b", 100), at(2, 2, "a-c", 100), at(3, 3, "c-d", 300), at(6, 9, "x-z", 5000)},
       {},
       "merge L1 1 + L2 2 to L2"},
      {"2.5 instead of 2, and 0.5",
       "level_base=100,multilevel_propensity=0.5",
       {at(1, 1, "a-b", 100), at(2, 2, "a-c", 100), at(3, 3, "c-d", 300), at(6, 9, "x-z", 5000)},
       {},
       "merge L1 1 + L2 2 + L3 3 to L3"},
      {"never, if it is switched off",
       "level_base=100,multilevel=none",
       {at(1, 1, "a-b", 100), at(2, 2, "a-c", 100), at(3, 3, "c-d", 100)},
       {},
       "merge L1 1 + L2 2 to L2"},
      {"nothing below is overlapped",
       "level_base=600",
       {at(1, 1, "a-b", 600), at(2, 2, "a-c", 500), at(3, 3, "e-f", 400)},
       {},
       "merge L1 1 + L2 2 to L3"},
      {"a move writes nothing",
       "level_base=600",
       {at(1, 1, "a-b", 600), at(2, 2, "e-f", 100), at(3, 3, "a-c", 500)},
       {},
       "move L1 1 to L2"},
      {"but a move by two levels wins a tie",
       "level_base=600",
       {at(1, 1, "a-b", 600), at(2, 2, "e-f", 100), at(3, 3, "e-f", 500)},
       {},
       "move L1 1 to L3"},
      {"the second level grows to the third one's keys",
       "level_base=300",
       {at(1, 1, "a-b", 300), at(2, 2, "a-b", 300), at(2, 4, "c-d", 150), at(3, 3, "a-c", 300),
        at(6, 9, "x-z", 20000)},
       {},
       "merge L1 1 + L2 2,4 + L3 3 to L3"},
      {"level 0 only where it is said",
       "l0_compaction_threshold=1,level_base=4000",
       {at(0, 1, "a-b", 100), at(4, 2, "a-c", 100), at(5, 3, "c-d", 100)},
       {},
       "merge L0 1 + L4 2 to L4"},
      {"as here",
       "l0_compaction_threshold=1,level_base=4000,multilevel=write-amp-from-level0",
       {at(0, 1, "a-b", 100), at(4, 2, "a-c", 100), at(5, 3, "c-d", 100)},
       {},
       "merge L0 1 + L4 2 + L5 3 to L5"},
      {"a wide merge in its limit of 25 files",
       "level_base=100,file_size=1,version=2.1",
       {at(1, 1, "a-b", 100), at(2, 2, "a-c", 100), at(3, 3, "c-d", 100)},
       {},
       "merge L1 1 + L2 2 to L2"},
  });
}

// A file whose entries are all tombstones, as `a.DEL` to `e.DEL` of the testdata.
DrawnFile deletes(std::uint32_t level, std::uint64_t id) {
  DrawnFile file = at(level, id, "a-e", 816);
  file.entries = file.tombstones = 5;
  return file;
}

TEST_CASE("pebble merges for tombstones") {
  DrawnFile values = at(6, 5, "a-e", 328905);
  values.entries = 5;
  values.value_bytes = 327680;
  DrawnFile tenth = at(6, 1, "a-c");
  tenth.entries = 10;
  tenth.tombstones = 1;
  tenth.sequences = {3, 3};
  DrawnFile more = at(6, 2, "d-f");
  more.entries = 10;
  more.tombstones = 2;
  more.sequences = {5, 6};
  DrawnFile older = at(6, 3, "g-h");
  older.entries = 10;
  older.tombstones = 3;
  older.sequences = {1, 5};
  check({
      {"'compaction_picker_scores': five deletes of large values",
       "level_base=65536",
       {deletes(5, 4), values},
       {},
       "merge L5 4 + L6 5 to L6"},
      {"they are worth less than a larger level",
       "level_base=200000",
       {deletes(5, 4), values},
       {},
       "nothing"},
      {"the last level's files with more than a tenth, the oldest first",
       "",
       {tenth, more, older},
       {},
       "merge L6 3 to L6"},
      {"an idle one", "", {tenth, more, older}, {3}, "merge L6 2 to L6"},
      {"a tenth is not enough", "", {tenth}, {}, "nothing"},
  });
}

TEST_CASE("pebble's targets of levels are those of 'compaction_picker_level_max_bytes'") {
  struct Targets {
    std::uint64_t level_base = 1;
    std::vector<std::uint64_t> bytes;     // by level
    std::vector<std::uint64_t> expected;  // from the base level on
  };
  for (const Targets& c : std::vector<Targets>{
           {1, {0, 0, 0, 0, 0, 0, 1}, {1}},
           {1, {0, 0, 0, 0, 0, 0, 2}, {1, 2}},
           {1, {0, 0, 0, 1, 1, 1, 1}, {1, 2, 3, 4}},
           {1, {0, 1, 1, 1, 1, 1, 1}, {1, 1, 2, 3, 4, 6}},
           {1, {0, 1, 10, 100, 1000, 10000, 100000}, {1, 10, 100, 1000, 10000, 100000}},
           {1, {0, 0, 0, 0, 0, 0, 100}, {1, 9, 90}},
           {1, {0, 0, 0, 0, 0, 0, 1000}, {1, 10, 93, 900}},
           {1, {0, 0, 0, 0, 0, 0, 10000}, {1, 10, 95, 924, 9000}},
           {1, {0, 0, 0, 0, 0, 0, 1000000}, {1, 16, 241, 3737, 57995, 900000}},
           {64, {0, 0, 0, 0, 0, 0, 64000000}, {64, 993, 15413, 239180, 3711710, 57600000}},
           {1, {4, 0, 0, 0, 0, 0, 10}, {1, 13}},
       }) {
    std::vector<DrawnFile> files;
    for (std::uint32_t level = 0; level < kPebbleLevels; ++level) {
      if (c.bytes[level] > 0) files.push_back({level, level + 1, 0, 9, c.bytes[level]});
    }
    const DrawnTree tree(files);
    PebbleShape shape;
    shape.level_base = c.level_base;
    const PebbleLevels levels(tree.view(), shape);
    std::vector<std::uint64_t> targets;
    for (std::uint32_t level = levels.base_level(); level < kPebbleLevels; ++level) {
      targets.push_back(levels.target(level));
    }
    CAPTURE(c.bytes);
    REQUIRE(targets == c.expected);
  }
  const DrawnTree none({});
  REQUIRE(PebbleLevels(none.view(), {}).base_level() == 6);
}

TEST_CASE(
    "pebble divides a level's factor by the next level's, from version 2.1 on a small one too") {
  // By its deletes level 5 is due, its bytes are far below the target; level 4 is due by its bytes.
  DrawnFile values = at(6, 5, "a-e", 400000);
  values.entries = 5;
  values.value_bytes = 399000;
  const std::vector<DrawnFile> files{at(4, 1, "x-z", 66000), deletes(5, 4), values};
  const std::string options = "multilevel=none,level_base=65536,version=";
  check({{"both rank level 4 first", options + "1.1", files, {}, "move L4 1 to L5"},
         {"", options + "2.1", files, {}, "move L4 1 to L5"}});
}

TEST_CASE("pebble cuts flushes where files of the base level begin, and at split keys") {
  const auto named = make_policy(parse_spec("pebble:buffer=100,file_size=10").value()).value();
  DrawnTree tree({{0, 3, 0, 50, 60}, {0, 2, 0, 99, 60}, {0, 1, 70, 99, 60}, {6, 4, 0, 99, 500}});
  TreeState state = tree.view();
  state.begin_flush({Bytes(90), Entries(9), {0, 99}});
  const std::optional<Plan> plan = testing::pick_on(*named.policy, state);
  REQUIRE(plan);
  const OutputCut& cut = std::get<FlushPlan>(plan->action).cut;
  REQUIRE(cut.file_bytes == Bytes(10));
  REQUIRE(cut.grandparent_level == 6);
  // A fifth of the memtable makes two files, so that 500 bytes below may cut it into eight.
  REQUIRE(cut.grandparent_bytes_max == Bytes(100));
  // Level 0 has three sublevels, so that more than 60 bytes lie before each key. Its three
  // intervals have 80, 20 and 80: file 2 gives a third of its bytes to each.
  REQUIRE(cut.limits == std::vector<std::uint64_t>{50, 99});
  const auto whole = make_policy(parse_spec("pebble:flush_split_bytes=0").value()).value();
  const std::optional<Plan> one = testing::pick_on(*whole.policy, state);
  REQUIRE(std::get<FlushPlan>(one->action).cut.makes_one_file());
}

TEST_CASE("pebble's writers stop by sublevels, not by flushes") {
  const auto named = make_policy(parse_spec("pebble").value()).value();
  const DrawnTree tree({{0, 3, 60, 99}, {0, 2, 0, 50}, {0, 1, 40, 55}, {6, 4, 0, 99}});
  REQUIRE(named.policy->stalling_runs(tree.view()) == 2);
  REQUIRE(named.policy->merge_trigger_runs() == 2);
}

TEST_CASE("pebble refuses options that have no effect") {
  const auto refused =
      make_policy(parse_spec("pebble:multilevel=none,multilevel_propensity=0.5").value());
  REQUIRE(!refused);
  REQUIRE(refused.error().message.find("multilevel_propensity") != std::string::npos);
  // Versions before 1.1 merge no three levels by default.
  REQUIRE(make_policy(parse_spec("pebble:multilevel_propensity=0.5").value()));
  const auto old =
      make_policy(parse_spec("pebble:version=2023-01,multilevel_propensity=0.5").value());
  REQUIRE(!old);
  REQUIRE(old.error().message.find("before version 1.1") != std::string::npos);
  REQUIRE(!make_policy(parse_spec("pebble:l0_compaction_threshold=0").value()));
  REQUIRE(!make_policy(parse_spec("pebble:version=3").value()));
}

}  // namespace
}  // namespace lsmlab::pebble_test
