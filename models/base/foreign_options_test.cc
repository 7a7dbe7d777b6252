#include "models/base/foreign_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/policies/registry.h"
#include "testing/catch.h"

namespace lsmlab::foreign_options_test {
namespace {

std::set<std::string> names_of(const std::vector<OptionInfo>& options) {
  std::set<std::string> names;
  for (const OptionInfo& option : options) names.insert(option.name);
  return names;
}

template <class Options>
std::set<std::string> declared() {
  Options options;
  OptionTable table;
  options.declare(table);
  return names_of(table.describe());
}

// The families that a place means.
std::vector<std::string> families_of(const ForeignPlace& place) {
  if (place.owner == kEveryPolicy) return {"none"};
  std::vector<std::string> families;
  for (const OptionOwner& family : option_owners()) {
    const bool has_option = std::find(family.options.begin(), family.options.end(), place.option) !=
                            family.options.end();
    if (has_option && place.is_of_family(family.name)) families.push_back(family.name);
  }
  return families;
}

// The options of workloads have a test of their own (traces/workloads).
std::set<std::string> options_of(std::string_view owner) {
  if (owner == kEveryPolicy) return declared<StoreOptions>();
  if (owner == kStalls) return declared<StallRules>();
  const std::optional<PolicyFamily> family = policy_family(owner);
  REQUIRE(family.has_value());
  return names_of(family->options);
}

std::string fault_of(const std::string& spec) {
  const auto made = make_policy(parse_spec(spec).value());
  REQUIRE(!made);
  return made.error().message;
}

TEST_CASE("every foreign option names options that exist, or says why there is none") {
  std::set<std::string_view> seen;
  for (const ForeignOption& option : foreign_options()) {
    INFO(option.name);
    REQUIRE(seen.insert(option.name).second);
    REQUIRE(!option.systems.empty());
    const bool has_place = option.place_count() > 0;
    REQUIRE(has_place + !option.elsewhere.empty() + !option.note.empty() == 1);
    for (std::size_t i = 0; i < option.place_count(); ++i) {
      const ForeignPlace& place = option.places[i];
      INFO(place.owner << ":" << place.option);
      if (place.owner == kWorkload) continue;
      if (place.owner == kAnyFamily) {
        REQUIRE(!families_of(place).empty());
        // An exception is needed only where the family has that name.
        const bool is_exception = !place.except.empty();
        REQUIRE((!is_exception || options_of(place.except).contains(std::string(place.option))));
      } else {
        REQUIRE(options_of(place.owner).contains(std::string(place.option)));
      }
    }
  }
}

TEST_CASE("a foreign option given to a family that has it is answered with ours") {
  for (const ForeignOption& option : foreign_options()) {
    for (std::size_t i = 0; i < option.place_count(); ++i) {
      const ForeignPlace& place = option.places[i];
      if (place.owner == kWorkload || place.owner == kStalls) continue;
      for (const std::string& family : families_of(place)) {
        // the name may be valid here, too
        const bool is_everywhere = place.owner == kEveryPolicy;
        if (options_of(is_everywhere ? place.owner : family).contains(std::string(option.name))) {
          continue;
        }
        const std::string fault = fault_of(fmt::format("{}:{}=3", family, option.name));
        INFO(fault);
        REQUIRE(fault.find(fmt::format("unknown parameter '{}'; {}'s", option.name,
                                       option.systems.substr(0, option.systems.find(',')))) !=
                std::string::npos);
        REQUIRE(fault.find(fmt::format("'s {}", option.name)) != std::string::npos);
        REQUIRE(fault.find(fmt::format(" is {}", place.option)) != std::string::npos);
        REQUIRE(fault.ends_with(" here"));
      }
    }
  }
}

TEST_CASE("values of other systems are converted") {
  const auto help = [](std::string_view name, const std::string& text) {
    for (const ForeignOption& option : foreign_options()) {
      if (option.name != name) continue;
      const std::vector<std::string> names{std::string(option.places[0].option)};
      return foreign_option_help(name, text, names, "", {});
    }
    return std::string();
  };
  REQUIRE(help("write_buffer_size", "67108864") ==
          "RocksDB's and LevelDB's write_buffer_size=67108864 is buffer=64MiB here");
  REQUIRE(help("write_buffer_size", "1000").ends_with("is buffer=1000 here"));
  REQUIRE(help("write_buffer_size", "many").ends_with("write_buffer_size is buffer here"));
  REQUIRE(help("max_bytes_for_level_multiplier", "10.000000").ends_with("size_ratio=10 here"));
  REQUIRE(help("max_bytes_for_level_multiplier", "2.5").ends_with("is size_ratio here"));
  REQUIRE(help("sstable_size_in_mb", "160").ends_with("is sstable_size=160MiB here"));
  REQUIRE(help("compaction_pri", "kMinOverlappingRatio")
              .ends_with("is priority=min-overlapping-ratio here"));
  REQUIRE(help("compaction_pri", "4").ends_with("is priority=round-robin here"));
  REQUIRE(help("compaction_pri", "5").ends_with("is priority here"));
  REQUIRE(help("level_compaction_dynamic_level_bytes", "1").ends_with("dynamic_levels=true here"));
  REQUIRE(help("max_write_buffer_number", "2").ends_with("is full_memtables_max=1 here"));
  REQUIRE(help("bloom_filter_fp_chance", "0.01").ends_with("is bits_per_key=9.6 here"));
  REQUIRE(help("target_sstable_size", "1GiB").ends_with("is file_size=1GiB here"));
  REQUIRE(help("target_file_size_multiplier", "2").ends_with("is file_size_multiplier=2 here"));
  REQUIRE(help("universal_allow_trivial_move", "1").ends_with("is allow_trivial_move=true here"));
  REQUIRE(help("universal_size_ratio", "1").ends_with("is size_ratio_percent=1 here"));
  REQUIRE(help("filter_policy", "bloomfilter:10:false").ends_with("is bits_per_key here"));
}

TEST_CASE(
    "a foreign option without a counterpart is answered so, and one of a verb with the verb's") {
  REQUIRE(
      fault_of("rocksdb-leveled:max_bytes_for_level_multiplier_additional=2")
          .ends_with("RocksDB's max_bytes_for_level_multiplier_additional has no counterpart here: "
                     "every level here has the same factor"));
  REQUIRE(fault_of("tiered:compaction_window_unit=DAYS")
              .find("compaction_window_unit has no counterpart here: ") != std::string::npos);
  REQUIRE(
      fault_of("rocksdb-leveled:max_background_jobs=4")
          .ends_with("RocksDB's max_background_jobs is the option --merge-threads N of simulate "
                     "and replay"));
  REQUIRE(
      fault_of("rocksdb-leveled:compression_per_level=kZSTD")
          .find("RocksDB's compression_per_level is compression, with a codec for each level") !=
      std::string::npos);
}

TEST_CASE("a foreign option is known in other spellings, unless they are of our own names") {
  REQUIRE(fault_of("leveldb:MemTableSize=4194304")
              .ends_with("; Pebble's MemTableSize=4194304 is buffer=4MiB here"));
  REQUIRE(fault_of("leveldb:LBaseMaxBytes=67108864").ends_with("is level_base=64MiB here"));
  REQUIRE(
      fault_of("leveldb:L0StopWritesThreshold=12").ends_with("level0_stop_runs=12 of --stalls"));
  REQUIRE(fault_of("leveldb:blocksize=4096").ends_with("did you mean 'block_size'?"));
}

TEST_CASE("a family without the option is told which ones have it") {
  REQUIRE(fault_of("binomial:fanout_size=10") ==
          "policy 'binomial': unknown parameter 'fanout_size'; Cassandra's fanout_size=10 is "
          "fanout_size=10 of cassandra-lcs; size_ratio=10 of dcompaction, delete-aware, "
          "dostoevsky, ldc, "
          "leveldb, leveled, "
          "leveled-full, lsbm, pebble, primitives, "
          "rocksdb-leveled, silk; "
          "binomial has no such option");
  const std::string threshold = fault_of("leveled:min_threshold=4");
  REQUIRE(threshold.find("size_ratio=4 of tiered; min_threshold=4 of cassandra-lcs, ") !=
          std::string::npos);
  REQUIRE(threshold.find("; tier_runs=4 of primitives") != std::string::npos);
  REQUIRE(fault_of("tiered:bucket_low=0.5").find("bucket_low=0.5 of cassandra-lcs") !=
          std::string::npos);
  REQUIRE(
      fault_of("cassandra-lcs:sstable_size_in_mb=160").ends_with("is sstable_size=160MiB here"));
  REQUIRE(fault_of("scylla-ics:sstable_size_in_mb=100").ends_with("is sstable_size=100MiB here"));
  REQUIRE(fault_of("leveldb:level0_stop_writes_trigger=12")
              .ends_with("level0_stop_runs=12 of --stalls"));
  // A name that only universal compaction has in this meaning is no hint elsewhere.
  REQUIRE(fault_of("binomial:size_ratio=10").find("universal") == std::string::npos);
  REQUIRE(fault_of("rocksdb-universal:size_ratio=1").ends_with("is size_ratio_percent=1 here"));
}

TEST_CASE("a family that declares an option is answered and named without a row of its own") {
  const std::vector<OptionOwner> families{{"new", {"l0_trigger"}}, {"other", {"k"}}};
  const auto help = [&](const OptionOwner& owner) {
    return foreign_option_help("level0_file_num_compaction_trigger", "4", owner.options, owner.name,
                               families);
  };
  REQUIRE(help(families[0]) ==
          "RocksDB's level0_file_num_compaction_trigger=4 is l0_trigger=4 here");
  REQUIRE(help(families[1]) ==
          "RocksDB's level0_file_num_compaction_trigger=4 is l0_trigger=4 of new; other has no "
          "such option");
}

TEST_CASE("an unknown parameter's fault has parts, and names what the store takes too") {
  const auto made = make_policy(parse_spec("binomial:foo=1,k=x").value());
  REQUIRE(!made);
  REQUIRE(made.error().faults.size() == 2);
  const OptionFault& unknown = made.error().faults[0];
  REQUIRE(unknown.option == "foo");
  REQUIRE(unknown.found == "1");
  REQUIRE(unknown.is_unknown);
  REQUIRE(unknown.nearest.empty());
  REQUIRE(unknown.expected.starts_with("k, flush, table_format, buffer, "));
  REQUIRE(made.error().message.find(unknown.message) != std::string::npos);
  const OptionFault& wrong = made.error().faults[1];
  REQUIRE(wrong.option == "k");
  REQUIRE(!wrong.is_unknown);
  REQUIRE(wrong.expected == "1..1024");
  const auto near = make_policy(parse_spec("binomial:bufer=1").value());
  REQUIRE(near.error().faults.at(0).nearest == "buffer");
}

}  // namespace
}  // namespace lsmlab::foreign_options_test
