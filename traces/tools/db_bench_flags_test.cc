#include "traces/tools/db_bench_flags.h"

#include "testing/catch.h"

namespace lsmlab::tools::db_bench_flags_test {
namespace {

std::vector<DbBenchLine> lines_of(std::string_view text) {
  auto lines = parse_db_bench_lines(text);
  INFO((lines ? "" : lines.error().message));
  REQUIRE(lines.has_value());
  return std::move(lines).value();
}

std::string db_bench_fault(std::string_view text) {
  const auto lines = parse_db_bench_lines(text);
  return lines ? "" : lines.error().message;
}

}  // namespace

TEST_CASE("Every flag of db_bench 2.8 to 11.9 is known once and has a default of its type") {
  std::size_t count = db_bench_flags_with_effect().size();
  for (const FlagType type : {FlagType::kBool, FlagType::kDouble, FlagType::kText}) {
    for (const std::string_view name : db_bench_names_without_effect(type)) {
      REQUIRE(db_bench_flag(name)->use == FlagUse::kNoBytes);
      ++count;
    }
  }
  REQUIRE(count == 463);
  for (const DbBenchFlag& flag : db_bench_flags_with_effect()) {
    INFO(flag.name);
    REQUIRE(db_bench_flag(flag.name)->use == flag.use);
    DbBenchLine line;
    REQUIRE(line.set(flag, flag.standard).has_value());
    REQUIRE_FALSE(line.differs(flag));
  }
}

TEST_CASE("Flags are read in every spelling that db_bench accepts, and the last one counts") {
  const auto lines = lines_of(
      "time ./db_bench --benchmarks=\"fillrandom,stats\" -num 5 --num=7 --sync --nostatistics "
      "--compression_ratio=0.5 2>&1 | tee log");
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].text("benchmarks") == "fillrandom,stats");
  REQUIRE(lines[0].integer("num") == 7);
  REQUIRE(lines[0].flag("sync"));
  REQUIRE(lines[0].given().at("statistics") == "false");
  REQUIRE(lines[0].integer("value_size") == 100);
  REQUIRE(lines[0].natural("max_bytes_for_level_base") == 268435456);
  REQUIRE(lines[0].real("value_k") == 0.2615);
  REQUIRE_FALSE(lines[0].differs(*db_bench_flag("compression_ratio")));
  REQUIRE(lines[0].differs(*db_bench_flag("num")));
}

TEST_CASE("True and false are read in every spelling and case that gflags accepts") {
  for (const std::string yes : {"TRUE", "True", "t", "T", "yes", "YES", "y", "1"}) {
    REQUIRE(lines_of("--use_existing_db=" + yes)[0].flag("use_existing_db"));
  }
  for (const std::string no : {"FALSE", "False", "f", "F", "no", "NO", "n", "0"}) {
    REQUIRE_FALSE(lines_of("--use_existing_db=" + no)[0].flag("use_existing_db"));
  }
  REQUIRE(db_bench_fault("--sync=on") == "--sync=on: expected true or false");
}

TEST_CASE("Commands of other programs beside db_bench are left out, and quotes of a page") {
  const auto lines = lines_of(
      "```\nmake release db_bench\nexport TEST_TMPDIR=/x\nrm -rf /x/db_bench; mkdir -p /x && "
      "./db_bench --num=3\n`./db_bench --num=4`\n```");
  REQUIRE(lines.size() == 2);
  REQUIRE(lines[0].integer("num") == 3);
  REQUIRE(lines[1].integer("num") == 4);
  const auto fault_of = [](const std::string& text) {
    const auto read = parse_db_bench_lines(text);
    return read ? std::string() : read.error().message;
  };
  // What may be a run is not left out.
  REQUIRE(
      fault_of("./db_bench --num=3\n$BENCH --benchmarks=overwrite").find("'$BENCH' is no flag") !=
      std::string::npos);
  REQUIRE(fault_of("for i in 1 2; do ./db_bench --num=4; done").find("a loop of the shell") !=
          std::string::npos);
  REQUIRE(fault_of("./db_bench --seed=`date +%s` --num=4").find("--seed=`date") !=
          std::string::npos);
}

TEST_CASE(
    "Arithmetic and unknown variables of a shell are no numbers, and count where the flag does") {
  REQUIRE(db_bench_fault("M1=$(( 1024 * 1024 )); ./db_bench --benchmarks=fillseq,stats \\\n"
                         "--write_buffer_size=$(( $M1 * 8 )) --num=3") ==
          "--write_buffer_size=$(( $M1 * 8 )): arithmetic and commands of a shell are not "
          "evaluated; write the number");
  REQUIRE(db_bench_fault("M1=$(( 1024 * 1024 )); ./db_bench --num=$M1") ==
          "--num=$M1: no command above is sure to set the variable; write the number");
  REQUIRE(db_bench_fault("--benchmarks=$BENCH").find("write the value") != std::string::npos);
  REQUIRE(db_bench_fault("./db_bench --num=3 $FLAGS").find("is sure to set the variable") !=
          std::string::npos);
  REQUIRE(lines_of("FLAGS=--sync r=3\n./db_bench --num=$r $FLAGS")[0].flag("sync"));
  REQUIRE(db_bench_fault("--db=$(mktemp -d --num=3") == "a '$(' does not end");
  const auto lines = lines_of("./db_bench --db=$(mktemp -d) --stats_interval=$S --num=3");
  REQUIRE(lines[0].given().size() == 1);
}

TEST_CASE("A parenthesis in quotes does not end a command of a shell") {
  for (const char* const db :
       {"$(echo \")\")", "$(echo ')')", "\"$(echo \")\")\"", "'$('", "\"$(date +\"%F %T\")\""}) {
    INFO(db);
    const auto lines = lines_of(std::string("./db_bench --db=") + db + " --num=3");
    REQUIRE(lines.size() == 1);
    REQUIRE(lines[0].given().size() == 1);
    REQUIRE(lines[0].integer("num") == 3);
  }
  REQUIRE(db_bench_fault("--num=$(echo \")\")") ==
          "--num=$(echo \")\"): arithmetic and commands of a shell are not evaluated; write the "
          "number");
  REQUIRE(db_bench_fault("--db=$(echo \")\"") == "a '$(' does not end");
}

TEST_CASE("A path that ends in db_bench is no program where it is a value") {
  for (const char* const text :
       {"--benchmarks=fillseq --num=3 --db=/tmp/db_bench", "--num=3 --db /tmp/db_bench --threads=2",
        "DB=/tmp/db_bench LD_LIBRARY_PATH=/x ./db_bench --num=3"}) {
    INFO(text);
    const auto lines = lines_of(text);
    REQUIRE(lines.size() == 1);
    REQUIRE(lines[0].integer("num") == 3);
  }
}

// Of a run of RocksDB 4.1, and of one that filters deletes.
TEST_CASE("Flags that db_bench had before 7.8 are known by what they changed") {
  const auto lines = lines_of(
      "./db_bench --disable_data_sync=0 --hard_rate_limit=3 --filter_deletes=1 "
      "--rate_limit_delay_max_milliseconds=1000000 --max_grandparent_overlap_factor=8 "
      "--new_table_reader_for_compaction_inputs=1 --source_compaction_factor=1");
  // They delayed writes, which bytes do not depend on without a clock.
  for (const char* const name :
       {"soft_rate_limit", "hard_rate_limit", "base_background_compactions",
        "rate_limit_delay_max_milliseconds"}) {
    REQUIRE(db_bench_flag(name)->use == FlagUse::kUnmodelledTime);
  }
  REQUIRE(lines[0].differs(*db_bench_flag("hard_rate_limit")));
  REQUIRE(lines[0].differs(*db_bench_flag("max_grandparent_overlap_factor")));
  REQUIRE(db_bench_flag("max_grandparent_overlap_factor")->use == FlagUse::kUnmodelled);
  REQUIRE_FALSE(lines[0].differs(*db_bench_flag("source_compaction_factor")));
  REQUIRE(lines[0].differs(*db_bench_flag("filter_deletes")));
}

TEST_CASE("A text may hold several lines, continued lines and comments") {
  const auto lines = lines_of(
      "# a load\ndb_bench --benchmarks=fillrandom \\\n  --num=3\n\n"
      "db_bench --benchmarks=overwrite --use_existing_db=1 && db_bench --num=9");
  REQUIRE(lines.size() == 3);
  REQUIRE(lines[0].integer("num") == 3);
  REQUIRE(lines[1].flag("use_existing_db"));
  REQUIRE(lines[2].integer("num") == 9);
}

TEST_CASE("Flags that --undefok names may be unknown") {
  const auto lines = lines_of("--undefok=new_flag,other --num=3 --new_flag=7 --other --sync");
  REQUIRE(lines[0].given().size() == 2);
  REQUIRE(lines[0].integer("num") == 3);
  REQUIRE(db_bench_fault("--undefok=new_flag --new_flags=7").find("db_bench has no flag") == 0);
}

TEST_CASE("Wrong flags of db_bench are refused by name") {
  REQUIRE(db_bench_fault("--value_sise=5") ==
          "db_bench has no flag --value_sise; did you mean --value_size?");
  REQUIRE(
      db_bench_fault("--tuning_point=80 --num=3 --zc=25") ==
      "db_bench has no flag --tuning_point; --undefok=tuning_point,zc leaves out flags of other "
      "programs");
  REQUIRE(db_bench_fault("--tuning_point=80 --value_sise=5") ==
          "db_bench has no flag --value_sise; did you mean --value_size?");
  REQUIRE(db_bench_fault("--num=1e6") == "--num=1e6: expected a whole number, in digits only");
  REQUIRE(db_bench_fault("--threads=3000000000") ==
          "--threads=3000000000: expected a whole number of 32 bits, in digits only");
  REQUIRE(db_bench_fault("--sync=maybe") == "--sync=maybe: expected true or false");
  REQUIRE(db_bench_fault("--num") == "--num has no value");
  REQUIRE(db_bench_fault("fillrandom") ==
          "'fillrandom' is no flag of db_bench; a flag begins with --");
  REQUIRE(db_bench_fault("--db='a") == "a quote ' does not end");
  REQUIRE(db_bench_fault(" # nothing") ==
          "has no flag of db_bench, such as --benchmarks=fillrandom");
}

}  // namespace lsmlab::tools::db_bench_flags_test
