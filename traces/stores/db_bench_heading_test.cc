#include "traces/stores/db_bench_heading.h"

#include "testing/catch.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_report.h"
#include "traces/stores/store_workload.h"
#include "traces/stores/table_guesses.h"

namespace lsmlab::stores::db_bench_heading_test {
namespace {

// Of a db_bench 7.8.3 that ran fillrandom, shortened.
const std::string kHeading =
    "RocksDB:    version 7.8.3\n"
    "Keys:       16 bytes each (+ 0 bytes user-defined timestamp)\n"
    "Values:     256 bytes each (128 bytes after compression)\n"
    "Entries:    1000000\n"
    "RawSize:    259.4 MB (estimated)\n"
    "Compression: Snappy\n"
    "Compression sampling rate: 0\n"
    "fillrandom   :       8.716 micros/op 114681 ops/sec 8.720 seconds 1000000 operations;\n";
const std::string kColumns =
    "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) "
    "Wblob(GB)\n";
const std::string kRows =
    "  L0      0/0    0.00 KB   0.0      0.0     0.0      0.0       0.1      0.1       0.0   1.0   "
    "   0.0     82.5      1.66              0.81         4    0.414       0      0       0.0       "
    "0.0\n"
    "  L1      2/0   99.13 MB   0.4      0.1     0.1      0.0       0.1      0.1       0.0   0.7   "
    " 129.3     93.8      1.06              0.61         1    1.057    786K   203K       0.0       "
    "0.0\n"
    "Flush(GB): cumulative 0.134, interval 0.100\n";

Store store_of_output(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "out.txt", text).has_value());
  return store;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("The heading of db_bench states version, keys, values and compression") {
  const Store store = store_of_output(kHeading + kColumns + kRows);
  REQUIRE(store.version == "7.8.3");
  const FamilyFigures figures = figures_of(store, "default");
  const StoreWorkload workload = store_workload(figures).value();
  REQUIRE(holds(workload.spec, "key_bytes=16,value_bytes=256"));
  for (const PolicyGuess& guess : workload.guesses) REQUIRE(guess.parameter != "key_bytes");
  // 16 and 128 bytes of 16 and 256.
  REQUIRE(holds(policy_spec(store, figures).spec, ",compression=snappy@0.529"));
  REQUIRE(holds(report_text(store, {figures}),
                "of db_bench, whose heading states keys of 16 B, values of 256 B, 1,000,000 "
                "entries, compression Snappy\n"));
  // Without the heading all of them are guesses.
  const Store bare = store_of_output(kColumns + kRows);
  const FamilyFigures guessed = figures_of(bare, "default");
  REQUIRE(bare.version.empty());
  REQUIRE_FALSE(holds(policy_spec(bare, guessed).spec, "compression="));
  REQUIRE_FALSE(holds(store_workload(guessed).value().spec, "value_bytes=256"));
  REQUIRE(holds(
      policy_spec(store_of_output("Compression: ZSTD\n" + kColumns + kRows),
                  figures_of(store_of_output("Compression: ZSTD\n" + kColumns + kRows), "default"))
          .spec,
      ",compression=zstd"));
}

TEST_CASE("A column of bytes before compression is of RocksDB 10.3 and newer") {
  REQUIRE(oldest_version_of({"Write(GB)", "Wnew(GB)"}) == 0);
  std::string columns = kColumns;
  columns.replace(columns.find("Wnew(GB)"), 8, "WPreComp(GB) Wnew(GB)");
  std::string rows = kRows;
  for (const char* const written :
       {"0.1      0.1       0.0   1.0", "0.1      0.1       0.0   0.7"}) {
    rows.insert(rows.find(written), "0.1 ");
  }
  const Store store = store_of_output(columns + rows);
  FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.oldest_version == 10'003);
  const std::string spec = policy_spec(store, figures).spec;
  REQUIRE(holds(spec, ",version=9.8,"));
  // Dynamic levels would have filled the last level first.
  REQUIRE(holds(spec, ",dynamic_levels=false,"));
  figures.levels.resize(7);
  REQUIRE(holds(policy_spec(store, figures).spec, ",dynamic_levels=true,"));
}

}  // namespace
}  // namespace lsmlab::stores::db_bench_heading_test
