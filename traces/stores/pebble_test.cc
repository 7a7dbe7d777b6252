// The readers of Pebble's files, tried on files that Pebble 1.1.5 and 2.1.7 wrote: 100,000 writes
// of values of 60 bytes to 50,000 keys, one in ten a delete, with memtables of 256 KiB.
#include <algorithm>
#include <filesystem>
#include <set>

#include "testing/catch.h"
#include "testing/traces/manifest_writer.h"
#include "testing/traces/trace_testing.h"
#include "traces/io/text_file.h"
#include "traces/stores/option_table.h"
#include "traces/stores/pebble_figures.h"
#include "traces/stores/pebble_spec.h"
#include "traces/stores/store_description.h"
#include "traces/stores/store_report.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores::pebble_test {
namespace {

using lsmlab::testing::append_record;
using lsmlab::testing::deleted_file;
using lsmlab::testing::internal_key;
using lsmlab::testing::new_file4;
using lsmlab::testing::Scratch;
using lsmlab::testing::slice;
using lsmlab::testing::varint;
using lsmlab::testing::write_text;

// What db.Metrics() and the events of the run say, in bytes.
struct Truth {
  std::string version;
  std::uint64_t flushed_bytes;
  std::uint64_t level5_written_bytes;
  std::uint64_t level5_read_bytes;
  std::uint64_t level6_written_bytes;
  std::uint64_t level6_read_bytes;
  std::uint64_t level5_bytes;
  std::uint64_t level6_bytes;
  std::uint64_t level6_files;
};
const Truth kTruths[] = {
    {"1.1.5", 6868819, 11326873, 12495200, 9531721, 11938265, 426754, 2839319, 16},
    {"2.1.7", 6570830, 11278514, 12293428, 9893859, 12486439, 374468, 2588868, 15}};
constexpr std::uint64_t kFlushes = 41;
constexpr std::uint64_t kCompactions = 61;

std::string place(const Truth& truth) {
  return LSMLAB_SOURCE_DIR "/testing/traces/pebble-" + truth.version;
}

std::string file_text(const Truth& truth, const std::string& name) {
  return read_text_file(place(truth) + "/" + name, kDataBytesMax).value();
}

TEST_CASE("A directory of Pebble gives the bytes by level that its metrics give") {
  for (const Truth& truth : kTruths) {
    CAPTURE(truth.version);
    const Store store = read_store(place(truth)).value();
    REQUIRE(store.faults.empty());
    REQUIRE(store.system == StoreSystem::kPebble);
    REQUIRE(store.families() == std::vector<std::string>{"default"});
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.source == HistorySource::kManifest);
    REQUIRE(figures.flushes.flushes == kFlushes);
    REQUIRE(figures.flushes.bytes == truth.flushed_bytes);
    REQUIRE(figures.merges == kCompactions);
    REQUIRE(figures.levels.size() == kPebbleLevels);
    REQUIRE(figures.levels[5].written_bytes == truth.level5_written_bytes);
    REQUIRE(figures.levels[6].written_bytes == truth.level6_written_bytes);
    // Pebble counts what a compaction reads at its output level, lsmlab where the file was.
    REQUIRE(figures.merge_read_bytes == truth.level5_read_bytes + truth.level6_read_bytes);
    REQUIRE(figures.levels[5].bytes == truth.level5_bytes);
    REQUIRE(figures.levels[6].bytes == truth.level6_bytes);
    REQUIRE(figures.levels[6].files == truth.level6_files);
    REQUIRE(figures.reads_are_known);
    REQUIRE(figures.tenths_are_of_time);
    REQUIRE(figures.history_seconds > 0);
  }
}

TEST_CASE("Pebble's table of metrics is read in both layouts") {
  for (const Truth& truth : kTruths) {
    CAPTURE(truth.version);
    const std::string text = file_text(truth, "metrics.txt");
    REQUIRE(is_pebble_metrics(text));
    const auto read = read_pebble_metrics(text);
    REQUIRE_FALSE(read.fault);
    const PebbleMetrics& metrics = read.value;
    REQUIRE(metrics.tables == 1);
    REQUIRE(metrics.levels.size() == kPebbleLevels);
    REQUIRE(metrics.levels[6].files == truth.level6_files);
    REQUIRE(metrics.flushes == kFlushes);
    REQUIRE(metrics.compactions == kCompactions);
    REQUIRE(metrics.kinds == std::map<std::string, std::uint64_t>{{"default", kCompactions}});
    const auto near = [](std::uint64_t shown, std::uint64_t exact) {
      const auto a = static_cast<double>(shown);
      const auto b = static_cast<double>(exact);
      return a > 0.94 * b && a < 1.06 * b;
    };
    REQUIRE(near(metrics.levels[0].written_bytes, truth.flushed_bytes));
    REQUIRE(near(metrics.levels[5].written_bytes, truth.level5_written_bytes));
    REQUIRE(near(metrics.levels[6].written_bytes, truth.level6_written_bytes));
    REQUIRE(near(metrics.levels[6].bytes, truth.level6_bytes));
    REQUIRE(metrics.levels[5].sublevels == 1);
    REQUIRE(near(*metrics.log_in_bytes, 8074035));
  }
  const auto second = read_pebble_metrics(file_text(kTruths[1], "metrics.txt")).value;
  REQUIRE(second.compression == std::map<std::string, std::uint64_t>{{"snappy", 19}});
  REQUIRE(second.tombstones == 584U);
  REQUIRE(second.levels[5].fill_factor == 0.71);
  REQUIRE(second.total_write_amplification == 3.78);
}

TEST_CASE("A log with tables of metrics gives the last one that is whole") {
  std::string log = "I261128 10:18:11.000001 12 1@gossip.go:1 [n1] 1  started\n";
  const std::string table = file_text(kTruths[1], "metrics.txt");
  for (int round = 0; round < 2; ++round) {
    Lines lines(table);
    while (const auto line = lines.next()) {
      log += "I261128 10:18:11.000001 12 3@store.go:1 [T1,n1,s1] 2 +" + std::string(*line) + "\n";
    }
    log += "I261128 10:18:12.000001 12 1@other.go:1 [n1] 3  default: 900\n";
  }
  const auto whole = read_pebble_metrics(log);
  REQUIRE_FALSE(whole.fault);
  REQUIRE(whole.value.tables == 2);
  REQUIRE(whole.value.kinds.at("default") == kCompactions);
  const std::size_t last_row = log.rfind("total |");
  const auto cut = read_pebble_metrics(std::string_view(log).substr(0, last_row));
  REQUIRE(cut.fault);
  REQUIRE(cut.fault->message.find("is cut") != std::string::npos);
  REQUIRE(cut.value.tables == 1);
  REQUIRE(cut.value.levels.size() == kPebbleLevels);
}

TEST_CASE("A row of metrics with other columns is a fault with its line") {
  std::string text = file_text(kTruths[0], "metrics.txt");
  const std::size_t row = text.find("\n    3 |");
  text.erase(text.find('|', row), 1);
  const auto read = read_pebble_metrics(text);
  REQUIRE(read.fault);
  REQUIRE(read.fault->message.starts_with("line 7: found '3 "));
  REQUIRE(read.value.levels.size() == 3);
}

TEST_CASE("A table of metrics alone gives levels and write amplification") {
  const Store store = read_store(place(kTruths[1]) + "/metrics.txt").value();
  REQUIRE(store.system == StoreSystem::kPebble);
  const auto families = all_figures(store);
  REQUIRE(families.size() == 1);
  REQUIRE(families[0].source == HistorySource::kMetrics);
  // (6.3 + 11 + 9.4) / 6.3, of rounded sizes.
  REQUIRE(*families[0].write_amplification() > 4.1);
  REQUIRE(*families[0].write_amplification() < 4.4);
  const std::string text = report_text(store, families);
  REQUIRE(text.find("compactions by kind: 61 in total: default 61") != std::string::npos);
  REQUIRE(text.find("tenth") == std::string::npos);
  const auto json = report_json(store, families);
  REQUIRE(json["column_families"][0]["metrics"]["tombstones"] == 584);
  REQUIRE(json["column_families"][0]["history_from"] == "metrics");
  REQUIRE(json["column_families"][0]["tenths"].is_null());
}

const std::string kOldTable =
    "__level_____count____size___score______in__ingest(sz_cnt)____move(sz_cnt)___write(sz_cnt)____"
    "read___r-amp___w-amp\n"
    "    WAL         2   124 M       -    76 G       -       -       -       -    76 G       -     "
    "  "
    "-       -     1.0\n"
    "      0      1438   839 M    8.50    76 G     0 B       0     0 B       0    74 G    87 K   "
    "131 M"
    "      22     1.0\n"
    "      1         0     0 B    0.00     0 B     0 B       0     0 B       0     0 B       0     "
    "0 B"
    "       0     0.0\n"
    "      2         0     0 B    0.00     0 B     0 B       0     0 B       0     0 B       0     "
    "0 B"
    "       0     0.0\n"
    "      3       120   466 M   12.74    50 G     0 B       0     0 B       0    57 G    15 K    "
    "72 G"
    "       1     1.1\n"
    "      4       579   3.8 G   10.09    53 G     0 B       0   3.3 G     868   155 G    26 K   "
    "164 G"
    "       1     2.9\n"
    "      5      1458    19 G    8.31    44 G     0 B       0   601 M     141   175 G    19 K   "
    "184 G"
    "       1     4.0\n"
    "      6       548    14 G       -    15 G     0 B       0    46 M      12    31 G   2.1 K    "
    "32 G"
    "       1     2.1\n"
    "  total      4143    38 G       -    76 G     0 B       0   4.0 G   1.0 K   567 G   149 K   "
    "453 G"
    "      26     7.4\n"
    "  flush      1173\n"
    "compact     40721     0 B           (size == estimated-debt)\n";

TEST_CASE("The older table of Pebble is read, alone and in a log of CockroachDB") {
  std::string log;
  Lines lines(kOldTable);
  while (const auto line = lines.next()) {
    log += "I210514 11:09:46.079775 20815 kv/kvserver/store.go:2662 [n1,s1] 5586217 +" +
           std::string(*line) + "\n";
  }
  for (const std::string& text : {kOldTable, log}) {
    REQUIRE(is_pebble_metrics(text));
    const auto read = read_pebble_metrics(text);
    REQUIRE_FALSE(read.fault);
    const PebbleMetrics& metrics = read.value;
    constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
    REQUIRE(metrics.levels.size() == kPebbleLevels);
    REQUIRE(metrics.levels[0].files == 1438);
    REQUIRE(metrics.levels[0].bytes == std::uint64_t{839} << 20);
    REQUIRE(metrics.levels[0].written_bytes == 74 * kGibibyte);
    REQUIRE(metrics.levels[0].sublevels == 22);
    REQUIRE(metrics.levels[4].score == 10.09);
    REQUIRE(metrics.levels[4].written_files == 26'000);
    REQUIRE(metrics.levels[5].moved_bytes == std::uint64_t{601} << 20);
    REQUIRE(metrics.levels[6].read_bytes == 32 * kGibibyte);
    REQUIRE_FALSE(metrics.levels[6].score);
    REQUIRE(metrics.log_in_bytes == 76 * kGibibyte);
    REQUIRE(metrics.total_write_amplification == 7.4);
    REQUIRE(metrics.flushes == 1173U);
    REQUIRE(metrics.compactions == 40721U);
  }
  const auto cut = read_pebble_metrics(kOldTable.substr(0, kOldTable.find("      5 ")));
  REQUIRE(cut.fault->message.find("is cut: 5 of 7 levels") != std::string::npos);
  REQUIRE(cut.value.tables == 0);
  REQUIRE(cut.value.levels.size() == 5);
  // All rows of levels are there, so that their sums are.
  for (const std::string after : {"", "The store was busy.\n"}) {
    const std::string rows = kOldTable.substr(0, kOldTable.find("  total ")) + after;
    const auto last = read_pebble_metrics(rows);
    REQUIRE(last.fault->message.find("its row of totals is missing") != std::string::npos);
    REQUIRE(last.value.tables == 0);
    Store store;
    REQUIRE(add_store_file(store, "metrics.txt", rows).has_value());
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.source == HistorySource::kMetrics);
    REQUIRE(figures.flushes.bytes == std::uint64_t{74} << 30);
    REQUIRE(figures.write_amplification());
  }
  std::string shuffled = kOldTable;
  shuffled.erase(shuffled.find("      3 "), 8);
  REQUIRE(read_pebble_metrics(shuffled).fault->message.starts_with("line 6: found '120 "));
}

TEST_CASE("An OPTIONS file of Pebble gives its sections, compared with Pebble's defaults") {
  const std::string text = file_text(kTruths[0], "OPTIONS-000003");
  REQUIRE(is_options_file(text));
  const auto read = read_options_file(text);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.system == StoreSystem::kPebble);
  REQUIRE(read.value.version.empty());
  const FamilyOptions& family = read.value.families.at(0);
  REQUIRE(family.values.at("mem_table_size") == "262144");
  REQUIRE(family.values.at("level1.target_file_size") == "131072");
  std::set<std::string> differing;
  for (const ShownOption& option : merge_options(read.value, family)) {
    if (option.differs) differing.insert(option.name);
  }
  REQUIRE(differing == std::set<std::string>{"mem_table_size", "lbase_max_bytes",
                                             "flush_split_bytes", "level0.target_file_size",
                                             "level1.target_file_size", "level0.compression"});
}

TEST_CASE("Options of Pebble become its policy, with what is not modelled") {
  const Store store = read_store(place(kTruths[0])).value();
  const FamilyFigures figures = figures_of(store, "default");
  const PolicySpec spec = policy_spec(store, figures);
  REQUIRE(spec.spec ==
          "pebble:size_ratio=10,file_size=64KiB,file_size_multiplier=2,level_base=512KiB,"
          "l0_compaction_threshold=4,l0_compaction_file_threshold=500,flush_split_bytes=128KiB,"
          "multilevel=write-amp,version=1.1,table_format=rocksdb,buffer=256KiB,block_size=4KiB,"
          "bits_per_key=0,compression=zstd:snappy");
  REQUIRE(std::any_of(spec.guesses.begin(), spec.guesses.end(),
                      [](const auto& guess) { return guess.parameter == "version"; }));
  const auto lists = [&](const std::string& option) {
    return std::find(spec.unmodelled.begin(), spec.unmodelled.end(), option) !=
           spec.unmodelled.end();
  };
  REQUIRE(lists("read_compaction_rate=16000"));
  REQUIRE_FALSE(lists("merger=pebble.concatenate"));
  const auto json = describe(store, all_figures(store));
  REQUIRE(json["system"] == "Pebble");
  REQUIRE(json["column_families"][0]["workload"]["flushed_bytes_per_second"]["value"] > 1000);
  REQUIRE(json["column_families"][0]["tree"]["levels"][6]["files"].size() == 16);
}

TEST_CASE("Level 0 of Pebble has the sublevels that overlaps make") {
  const auto file = [](std::uint64_t number, const char* first, const char* last) {
    StoreFile made;
    made.number = number;
    made.smallest_key = first;
    made.largest_key = last;
    made.largest_sequence = number;
    return made;
  };
  std::map<std::uint64_t, StoreFile> files = {{1, file(1, "a", "c")}, {2, file(2, "d", "f")}};
  REQUIRE(sublevels_of(files) == 1);
  files[3] = file(3, "c", "d");
  REQUIRE(sublevels_of(files) == 2);
  files[4] = file(4, "g", "h");
  REQUIRE(sublevels_of(files) == 2);
  files[5] = file(5, "a", "z");
  REQUIRE(sublevels_of(files) == 3);
  files[5].smallest_key = "h";
  files[4].largest_is_exclusive = true;
  REQUIRE(sublevels_of(files) == 2);
  REQUIRE(sublevels_of({}) == 0);
}

TEST_CASE("Levels of Pebble grow by equal factors from the base to the last one") {
  std::vector<LevelFigures> levels(7);
  const OptionValues options = {{"lbase_max_bytes", "100"}};
  REQUIRE(pebble_targets(options, levels).empty());
  levels[6].bytes = 1000;
  // Of 1000 bytes 900 belong to the last level, which is nine times the base.
  const std::vector<double> two = pebble_targets(options, levels);
  REQUIRE(two[4] == 0);
  REQUIRE(two[5] == 100);
  REQUIRE(two[6] == Approx(900));
  levels[6].bytes = 2000;
  const std::vector<double> three = pebble_targets(options, levels);
  REQUIRE(three[4] == 100);
  REQUIRE(three[5] == Approx(424.26).epsilon(0.001));
}

// Files with range keys, virtual and blob files, of an ingest and of an excise.
TEST_CASE("A MANIFEST of Pebble is known by its own fields") {
  const std::string time = varint(6) + slice(varint(1700000000));
  std::string bytes;
  append_record(bytes, varint(1) + slice("leveldb.BytewiseComparator") + varint(3) + varint(2));
  append_record(bytes, varint(2) + varint(4) + new_file4(0, 5, 100, "a", "f", time) +
                           new_file4(0, 6, 100, "g", "k", time));
  append_record(bytes, new_file4(6, 7, 300, "l", "z", time));
  const std::string blobs =
      varint(69) + varint(1) + varint(2) + varint(8) + varint(40) + varint(9) + varint(50);
  append_record(bytes, varint(105) + varint(7) + varint(300) + deleted_file(6, 7) +
                           new_file4(6, 10, 90, "l", "m", time + varint(66) + varint(7)) +
                           varint(107) + varint(8) + varint(8) + varint(400) + varint(390) +
                           varint(1700000000));
  append_record(bytes, varint(104) + varint(5) + varint(11) + varint(70) + varint(5) +
                           internal_key("b") + internal_key("e") + internal_key("a") +
                           internal_key("d") + varint(1) + varint(9) + time + blobs + varint(1) +
                           varint(106) + varint(7) + varint(108) + varint(8) + varint(8));
  REQUIRE(is_manifest(bytes));
  const auto read = read_manifest(bytes);
  REQUIRE_FALSE(read.fault);
  const Manifest& manifest = read.value;
  REQUIRE(manifest.system == StoreSystem::kPebble);
  std::vector<EditKind> kinds;
  for (const HistoryEdit& step : manifest.history) kinds.push_back(step.kind);
  REQUIRE(kinds == std::vector<EditKind>{EditKind::kSettings, EditKind::kFlush, EditKind::kIngest,
                                         EditKind::kIngest, EditKind::kIngest});
  const StoreFile& ranged = manifest.families.at(0).levels.at(5).at(11);
  // The mark 5: it has point keys, and the largest is one of them.
  REQUIRE(ranged.smallest_key == "a");
  REQUIRE(ranged.largest_key == "e");
  Store store;
  store.manifest = manifest;
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.flushes.flushes == 1);
  // A virtual file is a part of another one, which nothing wrote anew.
  REQUIRE(figures.merges == 0);
  REQUIRE(figures.merge_written_bytes == 0);
}

TEST_CASE("The newest marker of Pebble names the MANIFEST") {
  const Scratch scratch;
  const std::string manifest = file_text(kTruths[0], "MANIFEST-000001");
  write_text(scratch.path("MANIFEST-000001"), manifest.substr(0, 8000));
  write_text(scratch.path("MANIFEST-000009"), manifest);
  write_text(scratch.path("CURRENT"), "MANIFEST-000001\n");
  write_text(scratch.path("marker.manifest.000002.MANIFEST-000009"), "");
  write_text(scratch.path("marker.manifest.000001.MANIFEST-000001"), "");
  const Store store = read_store(scratch.path()).value();
  REQUIRE(store.faults.empty());
  REQUIRE(std::filesystem::path(store.manifest_source).filename() == "MANIFEST-000009");
  std::filesystem::remove(scratch.path("MANIFEST-000009"));
  const Store lost = read_store(scratch.path()).value();
  REQUIRE(lost.faults.size() == 1);
  REQUIRE(lost.system == StoreSystem::kPebble);
}

TEST_CASE("Files of Pebble that are cut or damaged anywhere are read without a crash") {
  const std::string metrics = file_text(kTruths[1], "metrics.txt");
  for (std::size_t size = 0; size < metrics.size(); ++size) {
    static_cast<void>(read_pebble_metrics(std::string_view(metrics).substr(0, size)));
    std::string damaged = metrics;
    damaged[size] = static_cast<char>(damaged[size] ^ 0x15);
    static_cast<void>(read_pebble_metrics(damaged));
  }
  const std::string manifest = file_text(kTruths[1], "MANIFEST-000001");
  const auto whole = read_manifest(manifest);
  for (std::size_t size = 0; size < manifest.size(); size += 7) {
    const auto cut = read_manifest(std::string_view(manifest).substr(0, size));
    REQUIRE(cut.value.history.size() <= whole.value.history.size());
  }
}

}  // namespace
}  // namespace lsmlab::stores::pebble_test
