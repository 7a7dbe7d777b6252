#include "traces/stores/store_report.h"

#include <filesystem>

#include "testing/catch.h"
#include "testing/traces/manifest_writer.h"
#include "testing/traces/sample_logs.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_description.h"

namespace lsmlab::stores::store_report_test {
namespace {

using lsmlab::testing::Scratch;
using lsmlab::testing::write_text;

constexpr const char* kOptionsText =
    "[Version]\nrocksdb_version=7.8.3\n[DBOptions]\nmax_background_jobs=2\n"
    "[CFOptions \"default\"]\ncompaction_style=kCompactionStyleLevel\nwrite_buffer_size=1048576\n"
    "max_bytes_for_level_base=10000\nmax_bytes_for_level_multiplier=6.5\nnum_levels=4\n"
    "level0_file_num_compaction_trigger=2\ntarget_file_size_base=2097152\n"
    "compaction_pri=kRoundRobin\nlevel_compaction_dynamic_level_bytes=false\n"
    "compression=kLZ4Compression\nttl=100\n";

std::string manifest_bytes() {
  using namespace lsmlab::testing;
  std::string bytes;
  append_record(bytes, varint(1) + slice("leveldb.BytewiseComparator"));
  append_record(bytes, new_file4(0, 11, 1000, "a", "f"));
  append_record(bytes, new_file4(1, 5, 20000, "a", std::string("\xff\x01", 2)));
  return bytes;
}

void write_store(const Scratch& scratch) {
  write_text(scratch.path("CURRENT"), "MANIFEST-000004\n");
  write_text(scratch.path("MANIFEST-000004"), manifest_bytes());
  write_text(scratch.path("MANIFEST-000001"), "an older one");
  write_text(scratch.path("OPTIONS-000007"), kOptionsText);
  write_text(scratch.path("OPTIONS-000003"), "an older one");
  write_text(scratch.path("LOG"), lsmlab::testing::sample_rocksdb_log());
}

TEST_CASE("The files of a directory add up to figures of each column family") {
  const Scratch scratch;
  write_store(scratch);
  const auto read = read_store(scratch.path());
  REQUIRE(read);
  const Store& store = read.value();
  REQUIRE(store.faults.empty());
  REQUIRE(store.families() == std::vector<std::string>{"default", "b [2]"});
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.source == HistorySource::kLog);
  REQUIRE(figures.levels.size() == 3);
  REQUIRE(figures.levels[0].files == 1);
  REQUIRE(figures.levels[0].score == 0.5);
  REQUIRE(figures.levels[1].target_bytes == 10000);
  REQUIRE(figures.levels[1].score == 2);
  REQUIRE(figures.levels[1].written_bytes == 2700);
  REQUIRE(figures.levels[1].read_bytes == 2000U);
  REQUIRE(figures.levels[2].moved_bytes == 2700);
  REQUIRE(figures.flushes.bytes == 1000);
  // Raw key bytes are without the eight bytes of the sequence number.
  REQUIRE(figures.flushes.raw_key_bytes == 1600);
  REQUIRE(figures.reasons.at("LevelL0FilesNum").read_bytes == 3000);
  REQUIRE(figures.write_amplification() == 3.7);
  REQUIRE(figures.tenths[0].flushed_bytes == 1000);
  REQUIRE(figures.tenths[9].merged_bytes == 2700);
  REQUIRE(figures.stalls == std::map<std::string, std::uint64_t>{{"slowdown: level-0 files", 1}});
  const std::string text = report_text(store, all_figures(store));
  REQUIRE(text.find("write amplification: 3.70") != std::string::npos);
  REQUIRE(text.find("* compaction_pri = kRoundRobin") != std::string::npos);
}

TEST_CASE("A job that a rolled log splits is counted once, with the sizes of its inputs") {
  const Scratch scratch;
  write_store(scratch);
  const std::string log = lsmlab::testing::sample_rocksdb_log();
  const std::size_t middle = log.find("2026/11/27-01:00:20.000000");
  write_text(scratch.path("LOG.old.1"), log.substr(0, middle));
  write_text(scratch.path("LOG"), log.substr(middle));
  const Store store = read_store(scratch.path()).value();
  REQUIRE(store.logs[0].name == "LOG.old.1");
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.flushes.flushes == 1);
  REQUIRE(figures.merges == 1);
  REQUIRE(figures.levels[0].read_bytes == 1000U);
  REQUIRE(figures.unfinished == 0);
}

TEST_CASE("Nothing of a store is changed") {
  const Scratch scratch;
  write_store(scratch);
  const auto names = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
      const std::string path = entry.path().string();
      files[path] = lsmlab::testing::text_of_file(path);
    }
    return files;
  };
  const auto before = names();
  REQUIRE(read_store(scratch.path()));
  REQUIRE(names() == before);
}

TEST_CASE("A store description maps options to a policy, and marks guesses") {
  const Scratch scratch;
  write_store(scratch);
  const Store store = read_store(scratch.path()).value();
  const PolicySpec spec = policy_spec(store, figures_of(store, "default"));
  REQUIRE(spec.spec ==
          "rocksdb-leveled:size_ratio=7,file_size=2MiB,level_base=10000,l0_trigger=2,levels=4,"
          "priority=round-robin,dynamic_levels=false,dynamic_file_size=true,ttl=100s,"
          "table_format=rocksdb,"
          "buffer=1MiB,block_size=4KiB,bits_per_key=0,compression=lz4@0.273:lz4@0.250:lz4");
  REQUIRE(spec.unmodelled.empty());
  REQUIRE(spec.states_times);
  REQUIRE_FALSE(spec.guesses.empty());
  REQUIRE(spec.guesses[0].parameter == "size_ratio");
  const auto json = describe(store, all_figures(store));
  const auto& family = json["column_families"][0];
  REQUIRE(family["policy"]["spec"] == spec.spec);
  const auto& file = family["tree"]["levels"][1]["files"][0];
  REQUIRE(file["number"] == 5);
  REQUIRE(file["largest_key_hex"] == "ff01");
  REQUIRE(file["entries"].is_null());
  REQUIRE(family["tree"]["levels"][0]["files"][0]["entries"] == 100);
  REQUIRE(family["workload"]["delete_fraction"]["value"] == 0.1);
  REQUIRE(family["workload"]["mean_value_bytes"]["value"] == 10);
  REQUIRE(family["workload"]["key_distribution"].contains("guess"));
  REQUIRE(family["compression"]["levels"][1]["algorithm"] == "ZSTD");
}

constexpr const char* kRateLack = "the workload lacks a rate";
constexpr const char* kLackText = " (the workload lacks a rate)";

// What a store of RocksDB 7.8.3 with these options is described as.
PolicySpec spec_of_options(const std::vector<std::pair<std::string, std::string>>& values,
                           std::string_view rate_lack = kRateLack) {
  Store store;
  store.system = StoreSystem::kRocksdb;
  store.version = "7.8.3";
  FamilyOptions& family = store.options.emplace().add_family("default");
  for (const auto& [name, value] : values) family.values.insert_or_assign(name, value);
  FamilyFigures figures;
  figures.name = "default";
  return policy_spec(store, figures, rate_lack);
}

// The parameters of the SPEC that are times, with a rate; without one, what is unmodelled.
std::string ages_of(const std::vector<std::pair<std::string, std::string>>& values,
                    std::string_view rate_lack = {}) {
  const PolicySpec made = spec_of_options(values, rate_lack);
  REQUIRE(made.states_times == (made.spec.find("ttl=") != std::string::npos ||
                                made.spec.find("periodic_age=") != std::string::npos));
  std::string text;
  for (const std::string name : {",ttl=", ",periodic_age="}) {
    const std::size_t at = made.spec.find(name);
    if (at != std::string::npos) text += made.spec.substr(at, made.spec.find(',', at + 1) - at);
  }
  for (const std::string& option : made.unmodelled) text += "|" + option;
  return text;
}

TEST_CASE("Ages of RocksDB are times of the SPEC where the rate of operations is known") {
  const std::string unset = "18446744073709551614";
  const std::pair<std::string, std::string> universal{"compaction_style",
                                                      "kCompactionStyleUniversal"};
  const std::pair<std::string, std::string> fifo{"compaction_style", "kCompactionStyleFIFO"};
  const std::pair<std::string, std::string> plain{"table_factory", "PlainTable"};
  REQUIRE(ages_of({}).empty());
  REQUIRE(ages_of({{"ttl", "2592000"}}) == ",ttl=30d");
  REQUIRE(ages_of({{"ttl", unset}}) == ",ttl=30d");
  REQUIRE(ages_of({{"ttl", unset}, plain}) == "|table_factory=PlainTable");
  REQUIRE(ages_of({{"ttl", "0"}, {"periodic_compaction_seconds", unset}}).empty());
  REQUIRE(ages_of({{"ttl", "90"}, {"periodic_compaction_seconds", "7200"}}) ==
          ",ttl=90s,periodic_age=2h");
  REQUIRE(
      ages_of({{"compaction_filter_factory", "Mine"}, {"periodic_compaction_seconds", unset}}) ==
      ",periodic_age=30d|compaction_filter_factory=Mine");
  // SanitizeOptions: universal compaction and FIFO take the younger of both as one.
  REQUIRE(ages_of({universal, {"ttl", unset}}) == ",periodic_age=30d");
  REQUIRE(ages_of({universal, {"ttl", "3600"}, {"periodic_compaction_seconds", "60"}}) ==
          ",periodic_age=1min");
  REQUIRE(ages_of({universal, {"ttl", "0"}, {"periodic_compaction_seconds", "60"}}) ==
          ",periodic_age=1min");
}

TEST_CASE("Ages of FIFO are those of SanitizeOptions") {
  const std::string unset = "18446744073709551614";
  const std::pair<std::string, std::string> fifo{"compaction_style", "kCompactionStyleFIFO"};
  const auto ttl_of = [&](const std::string& ttl, const std::string& periodic) {
    return ages_of({fifo, {"ttl", ttl}, {"periodic_compaction_seconds", periodic}});
  };
  REQUIRE(ttl_of("3600", "7200") == ",ttl=1h");
  REQUIRE(ttl_of("3600", "60") == ",ttl=1min");
  REQUIRE(ttl_of("3600", unset) == ",ttl=1h");
  REQUIRE(ttl_of("3600", "0") == ",ttl=1h");
  // Blocks and no ttl: the other age, or 30 days.
  for (const std::string& none : {std::string("0"), unset}) {
    REQUIRE(ttl_of(none, unset) == ",ttl=30d");
    REQUIRE(ttl_of(none, "7200") == ",ttl=2h");
    REQUIRE(ttl_of(none, "0").empty());
  }
  // What no file states: versions differ.
  REQUIRE(ages_of({fifo, {"ttl", "0"}}).empty());
  // Without blocks a ttl of 0 stays.
  const std::string plain = "|table_factory=PlainTable";
  REQUIRE(ages_of({fifo,
                   {"table_factory", "PlainTable"},
                   {"ttl", "0"},
                   {"periodic_compaction_seconds", "7200"}}) == plain);
  REQUIRE(ages_of({fifo,
                   {"table_factory", "PlainTable"},
                   {"ttl", "3600"},
                   {"periodic_compaction_seconds", "60"}}) == ",ttl=1min" + plain);
}

TEST_CASE("An age of RocksDB that never comes is none") {
  for (const std::string never :
       {"1099511627777", "9223372036854775807", "18446744073709551613", "18446744073709551615"}) {
    INFO(never);
    REQUIRE(ages_of({{"ttl", never}, {"periodic_compaction_seconds", never}}).empty());
    REQUIRE(ages_of({{"ttl", never}, {"periodic_compaction_seconds", "60"}}) ==
            ",periodic_age=1min");
    REQUIRE(ages_of({{"ttl", never}}, kRateLack).empty());
    // It is not 0, so that FIFO takes no default.
    REQUIRE(ages_of({{"compaction_style", "kCompactionStyleFIFO"},
                     {"ttl", never},
                     {"periodic_compaction_seconds", "18446744073709551614"}})
                .empty());
  }
  REQUIRE(ages_of({{"ttl", "1099511627776"}}) == ",ttl=1099511627776s");
}

TEST_CASE("Ages of RocksDB are unmodelled without a rate, but for its defaults") {
  const std::string why = kLackText;
  REQUIRE(ages_of({{"ttl", "2592000"}}, kRateLack).empty());
  REQUIRE(ages_of({{"ttl", "18446744073709551614"}}, kRateLack).empty());
  REQUIRE(ages_of({{"ttl", "90"}, {"periodic_compaction_seconds", "7200"}}, kRateLack) ==
          "|ttl=90" + why + "|periodic_compaction_seconds=7200" + why);
}

TEST_CASE("A store without automatic compactions is described with that option") {
  const std::pair<std::string, std::string> off{"disable_auto_compactions", "true"};
  const PolicySpec leveled = spec_of_options({off});
  REQUIRE(leveled.spec.find(",disable_auto_compactions=true,") != std::string::npos);
  REQUIRE(leveled.unmodelled.empty());
  const PolicySpec universal =
      spec_of_options({off, {"compaction_style", "kCompactionStyleUniversal"}});
  REQUIRE(universal.spec.find(",disable_auto_compactions=true,") != std::string::npos);
  const PolicySpec fifo = spec_of_options({off, {"compaction_style", "kCompactionStyleFIFO"}});
  REQUIRE(fifo.spec.find(",disable_auto_compactions=true,") != std::string::npos);
  REQUIRE(fifo.unmodelled.empty());
  REQUIRE(spec_of_options({{"disable_auto_compactions", "false"}}).spec.find("disable") ==
          std::string::npos);
}

TEST_CASE("The size of the log limits nothing where one column family writes it") {
  Store store;
  store.system = StoreSystem::kRocksdb;
  store.version = "7.8.3";
  store.options.emplace().database.insert_or_assign("max_total_wal_size", "1048576");
  static_cast<void>(store.options->add_family("default"));
  FamilyFigures figures;
  figures.name = "default";
  REQUIRE(policy_spec(store, figures, "").unmodelled.empty());
  static_cast<void>(store.options->add_family("index"));
  REQUIRE(policy_spec(store, figures, "").unmodelled ==
          std::vector<std::string>{"max_total_wal_size=1048576"});
}

TEST_CASE("A store with FIFO compaction is described as rocksdb-fifo") {
  const PolicySpec spec =
      spec_of_options({{"compaction_style", "kCompactionStyleFIFO"},
                       {"compaction_options_fifo.max_table_files_size", "3000000"},
                       {"compaction_options_fifo.allow_compaction", "true"},
                       {"level0_file_num_compaction_trigger", "6"},
                       {"max_compaction_bytes", "1000000"},
                       {"compaction_options_fifo.age_for_warm", "60"},
                       {"preclude_last_level_data_seconds", "86400"},
                       {"optimize_filters_for_hits", "false"},
                       {"ttl", "3600"},
                       {"write_buffer_size", "1048576"},
                       {"block_size", "4096"},
                       {"compression", "kNoCompression"}});
  REQUIRE(
      spec.spec.starts_with("rocksdb-fifo:max_table_files_size=3000000,l0_trigger=6,"
                            "allow_compaction=true,max_compaction_bytes=1000000,"
                            "table_format=rocksdb,buffer=1MiB"));
  REQUIRE(spec.unmodelled == std::vector<std::string>{std::string("ttl=3600") + kLackText,
                                                      "compaction_options_fifo.age_for_warm=60",
                                                      "preclude_last_level_data_seconds=86400"});
}

TEST_CASE("A store with incremental universal compaction is described with its part size") {
  const PolicySpec spec = spec_of_options({{"compaction_style", "kCompactionStyleUniversal"},
                                           {"compaction_options_universal.incremental", "true"},
                                           {"max_compaction_bytes", "5000000"}});
  REQUIRE(spec.spec.find(",incremental=true,max_compaction_bytes=5000000,") != std::string::npos);
  REQUIRE(spec.unmodelled.empty());
}

TEST_CASE("A store whose merges may have several threads is described with them") {
  using Values = std::vector<std::pair<std::string, std::string>>;
  const auto spec_with = [](const std::string& subcompactions, Values more) {
    more.emplace_back("max_subcompactions", subcompactions);
    const PolicySpec spec = spec_of_options(more);
    REQUIRE(spec.unmodelled.empty());
    return spec.spec;
  };
  const Values leveled{{"compaction_style", "kCompactionStyleLevel"}};
  const Values universal{{"compaction_style", "kCompactionStyleUniversal"}};
  REQUIRE(spec_with("4", leveled).find(",max_subcompactions=4,") != std::string::npos);
  REQUIRE(spec_with("4", universal).find(",max_subcompactions=4,") != std::string::npos);
  // Beyond lsmlab's range.
  REQUIRE(spec_with("4000000000", leveled).find(",max_subcompactions=1024,") != std::string::npos);
  // RocksDB takes 0 as 1.
  for (const char* const one : {"0", "1", "none"}) {
    REQUIRE(spec_with(one, leveled).find("max_subcompactions") == std::string::npos);
  }
  // Without levels below 0 no merge is divided, and FIFO divides none.
  REQUIRE(spec_with("4", {{"compaction_style", "kCompactionStyleUniversal"}, {"num_levels", "1"}})
              .find("max_subcompactions") == std::string::npos);
  REQUIRE(
      spec_with("4", {{"compaction_style", "kCompactionStyleFIFO"}}).find("max_subcompactions") ==
      std::string::npos);
}

TEST_CASE("Memtables that a flush merges are one memtable of the policy") {
  const auto buffer_of = [](const std::string& merged, const std::string& memtables,
                            const std::string& atomic = "false") {
    const PolicySpec spec = spec_of_options({{"compaction_style", "kCompactionStyleLevel"},
                                             {"write_buffer_size", "1048576"},
                                             {"min_write_buffer_number_to_merge", merged},
                                             {"max_write_buffer_number", memtables},
                                             {"atomic_flush", atomic}});
    REQUIRE(spec.unmodelled.empty());
    const std::size_t at = spec.spec.find("buffer=") + 7;
    return spec.spec.substr(at, spec.spec.find(',', at) - at);
  };
  REQUIRE(buffer_of("2", "6") == "2MiB");
  REQUIRE(buffer_of("3", "4") == "3MiB");
  REQUIRE(buffer_of("1", "6") == "1MiB");
  // RocksDB takes one less than max_write_buffer_number at most, of which there are at least two.
  REQUIRE(buffer_of("6", "4") == "3MiB");
  REQUIRE(buffer_of("2", "2") == "1MiB");
  REQUIRE(buffer_of("2", "0") == "1MiB");
  REQUIRE(buffer_of("2", "6", "true") == "1MiB");
  REQUIRE(buffer_of("18446744073709551615", "18446744073709551615") == "999MiB");
}

TEST_CASE("The speed of merges that threads divided is told apart") {
  const std::string whole = lsmlab::testing::sample_rocksdb_log();
  const auto speed_with = [&](const std::string& subcompactions) {
    const Scratch scratch;
    write_store(scratch);
    std::string log = whole;
    const std::string mark = "\"compaction_time_micros\": 9179,";
    const std::size_t at = log.find(mark);
    REQUIRE(at != std::string::npos);
    log.insert(at + mark.size(), subcompactions);
    write_text(scratch.path("LOG"), log);
    return figures_of(read_store(scratch.path()).value(), "default");
  };
  for (const char* const one : {"", " \"num_subcompactions\": 1,", " \"num_subcompactions\": 0,"}) {
    const FamilyFigures figures = speed_with(one);
    REQUIRE(figures.merge_speed.micros == 9179);
    REQUIRE(figures.merge_speed.entries == 300);
    REQUIRE(figures.divided_speed.merges == 0);
    REQUIRE_FALSE(figures.divided_speed.durations.entry_ns());
  }
  const FamilyFigures four = speed_with(" \"num_subcompactions\": 4,");
  REQUIRE_FALSE(four.merge_speed.entry_ns());
  REQUIRE(four.divided_speed.merges == 1);
  REQUIRE(four.divided_speed.durations.micros == 9179);
  REQUIRE(four.divided_speed.durations.entries == 300);
  REQUIRE(four.divided_speed.threads() == 4);
  REQUIRE(speed_with(" \"num_subcompactions\": 99999999999,").divided_speed.threads() == 1024);
}

TEST_CASE("Without a LOG, the MANIFEST gives the history") {
  const Scratch scratch;
  using namespace lsmlab::testing;
  std::string bytes;
  for (std::uint64_t i = 1; i <= 4; ++i) append_record(bytes, new_file(0, i, 100, "a", "b"));
  append_record(bytes, deleted_file(0, 1) + deleted_file(0, 2) + new_file(1, 9, 150, "a", "b"));
  write_text(scratch.path("MANIFEST-000002"), bytes);
  const Store store = read_store(scratch.path("MANIFEST-000002")).value();
  REQUIRE(store.system == StoreSystem::kLeveldb);
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.source == HistorySource::kManifest);
  REQUIRE(figures.flushes.flushes == 4);
  REQUIRE(figures.merge_read_bytes == 200);
  REQUIRE(figures.write_amplification() == 1.375);
  REQUIRE(figures.reasons.at("level 0 -> level 1").merges == 1);
}

TEST_CASE("Every kind of file is known by its content") {
  const Scratch scratch;
  const auto kind = [&](const std::string& text) {
    write_text(scratch.path("x"), text);
    const auto store = read_store(scratch.path("x"));
    if (!store) return std::string("unknown");
    if (store.value().manifest) return std::string("manifest");
    if (!store.value().logs.empty()) return std::string("log");
    return std::string("options");
  };
  REQUIRE(kind(kOptionsText) == "options");
  REQUIRE(kind(manifest_bytes()) == "manifest");
  REQUIRE(kind(lsmlab::testing::sample_rocksdb_log()) == "log");
  REQUIRE(kind(lsmlab::testing::sample_leveldb_log()) == "log");
  const std::string log = lsmlab::testing::sample_rocksdb_log();
  const std::size_t table = log.find("** Compaction Stats");
  REQUIRE(kind(log.substr(table, 800)) == "log");
  REQUIRE(kind(log.substr(log.find("Level    Files"), 400)) == "log");
  REQUIRE(kind("{\"EditNumber\": 1, \"ColumnFamily\": 0}\n") == "manifest");
  REQUIRE(kind("") == "unknown");
  REQUIRE(kind("hello") == "unknown");
  REQUIRE_FALSE(read_store(scratch.path("missing")));
  REQUIRE_FALSE(read_store(scratch.path()));
}

TEST_CASE("A damaged file is a fault, and the others are read") {
  const Scratch scratch;
  write_store(scratch);
  write_text(scratch.path("MANIFEST-000004"), manifest_bytes().substr(0, 60));
  const Store store = read_store(scratch.path()).value();
  REQUIRE(store.faults.size() == 1);
  REQUIRE(store.faults[0].message.find("MANIFEST-000004") != std::string::npos);
  REQUIRE(store.families().size() == 2);
  write_text(scratch.path("CURRENT"), "../secret\n");
  const Store lost = read_store(scratch.path()).value();
  REQUIRE(lost.faults.size() == 1);
  REQUIRE_FALSE(lost.manifest);
  REQUIRE(report_json(lost, all_figures(lost))["faults"].size() == 1);
}

TEST_CASE("A store of lsmlab's own engine is named as one") {
  const Scratch scratch;
  write_text(scratch.path("CURRENT"), "MANIFEST-000001\n");
  write_text(scratch.path("MANIFEST-000001"), std::string(100, 'm'));
  write_text(scratch.path("000003.wal"), "");
  const auto read = read_store(scratch.path());
  REQUIRE_FALSE(read);
  REQUIRE(read.error().message.find("lsmlab dump") != std::string::npos);
}

TEST_CASE("Targets of levels follow RocksDB's rules") {
  Store store;
  StoreOptions options;
  options.add_family("default").values = {{"compaction_style", "kCompactionStyleLevel"},
                                          {"max_bytes_for_level_base", "100"},
                                          {"max_bytes_for_level_multiplier", "10"},
                                          {"num_levels", "5"}};
  store.options = options;
  REQUIRE(level_targets(store, "default", {}) == std::vector<double>{0, 100, 1000, 10000, 100000});
  options.add_family("default").values["level_compaction_dynamic_level_bytes"] = "true";
  store.options = options;
  std::vector<LevelFigures> levels(5);
  levels[4].bytes = 5000;
  REQUIRE(level_targets(store, "default", levels) == std::vector<double>{0, 0, 100, 500, 5000});
  levels[4].bytes = 3;
  REQUIRE(level_targets(store, "default", levels) == std::vector<double>{0, 0, 0, 0, 100});
}

TEST_CASE("Levels of universal compaction count as sorted runs in the score of level 0") {
  Store store;
  StoreOptions options;
  options.add_family("default").values = {{"compaction_style", "kCompactionStyleUniversal"},
                                          {"level0_file_num_compaction_trigger", "4"}};
  store.options = options;
  FamilyFigures figures;
  figures.name = "default";
  figures.tree_source = "LOG";
  figures.levels.resize(7);
  figures.levels[0].files = 3;
  figures.levels[3].files = 1;
  figures.levels[6].files = 2;
  fill_scores(figures, store);
  REQUIRE(figures.levels[0].score == 1.25);  // five runs; with leveled compaction 0.75
  store.options->add_family("default").values["compaction_style"] = "kCompactionStyleFIFO";
  figures.levels[0].score.reset();
  fill_scores(figures, store);
  REQUIRE_FALSE(figures.levels[0].score);
}

}  // namespace
}  // namespace lsmlab::stores::store_report_test
