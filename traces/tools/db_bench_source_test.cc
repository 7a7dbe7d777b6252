#include "traces/tools/db_bench_source.h"

#include <algorithm>

#include "testing/catch.h"

namespace lsmlab::tools::db_bench_source_test {
namespace {

Result<DbBenchPlan> planned(std::string_view text, const MachineFigures& machine = {}) {
  const auto lines = BOOST_OUTCOME_TRYX(parse_db_bench_lines(text));
  return plan_db_bench(lines, machine);
}

DbBenchPlan plan_of(std::string_view text, const MachineFigures& machine = {}) {
  auto plan = planned(text, machine);
  INFO((plan ? "" : plan.error().message));
  REQUIRE(plan.has_value());
  return std::move(plan).value();
}

std::string plan_fault(std::string_view text) {
  const auto plan = planned(text);
  return plan ? "" : plan.error().message;
}

std::vector<Operation> drawn(const DbBenchPlan& plan, std::uint64_t seed = 1) {
  DbBenchSource source(std::make_shared<const DbBenchPlan>(plan), seed);
  std::vector<Operation> operations;
  std::vector<Operation> batch(7);
  for (;;) {
    const std::size_t count = source.fill(batch).value();
    operations.insert(operations.end(), batch.begin(), batch.begin() + static_cast<long>(count));
    if (count == 0) return operations;
  }
}

std::vector<Operation> drawn(std::string_view text) { return drawn(plan_of(text)); }

std::vector<std::uint64_t> first_keys(const std::vector<Operation>& operations, std::size_t count) {
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back(operations.at(i).key);
  return keys;
}

std::uint64_t count_of(const std::vector<Operation>& operations, OperationKind kind) {
  return static_cast<std::uint64_t>(
      std::count_if(operations.begin(), operations.end(),
                    [kind](const Operation& operation) { return operation.kind == kind; }));
}

// Read from its write-ahead log with `ldb dump_wal`. `begin`: puts and deletes before them.
struct Written {
  const char* line;
  std::size_t begin;
  std::vector<std::uint64_t> keys;
  std::size_t count;
  std::uint16_t key_bytes;
};

const std::vector<Written>& runs_of_db_bench() {
  static const std::vector<Written> kRuns{
      {"--benchmarks=fillrandom --num=1000 --seed=42",
       0,
       {0x3D3, 0x2C9, 0xE2, 0xD6, 0x0E, 0x1FE, 0x1B6},
       1000,
       16},
      {"--benchmarks=filluniquerandom --num=1000 --seed=42",
       0,
       {0x1F6, 0x120, 0x92, 0x200, 0x340, 0x1D3, 0xC6},
       1000,
       16},
      {"--benchmarks=fillrandom --num=1000 --batch_size=3 --seed=42",
       0,
       {0x3D3, 0x26, 0x2C9, 0xE2, 0x2C8, 0xD6, 0x0E},
       999,
       16},
      {"--benchmarks=fillseq,overwrite,deleterandom --num=50 --deletes=20 --seed=42",
       50,
       {0x2E, 0x27, 0x0B, 0x13, 0x14, 0x0B, 0x00, 0x0E},
       120,
       16},
      {"--benchmarks=fillseq,overwrite,deleterandom --num=50 --deletes=20 --seed=42",
       100,
       {0x26, 0x17, 0x19, 0x1B, 0x06, 0x1C, 0x1A, 0x1F, 0x1B, 0x1F},
       120,
       16},
      {"--benchmarks=updaterandom,readrandomwriterandom --num=40 --readwritepercent=20 --seed=7 "
       "--key_size=20",
       0,
       {0x1A, 0x1E, 0x1A, 0x22, 0x09},
       60,
       20},
      {"--benchmarks=updaterandom,readrandomwriterandom --num=40 --readwritepercent=20 --seed=7 "
       "--key_size=20",
       40,
       {0x05, 0x04, 0x01, 0x17, 0x11},
       60,
       20},
      {"--benchmarks=fillsync --num=3000 --writes=9 --seed=7 --key_size=8",
       0,
       {2, 1, 0, 0, 1, 2, 0, 0, 1},
       9,
       8},
      {"--benchmarks=fillseq,readwhilewriting --num=100 --reads=30 --finish_after_writes "
       "--writes=6 --seed=7",
       6,
       {0x1A, 0x63, 0x00, 0x63, 0x44, 0x0B},
       12,
       16},
      {"--benchmarks=crc32c,fillrandom[X2] --num=6 --seed=7",
       0,
       {0, 3, 4, 5, 0, 3, 0, 2, 2, 4, 3, 2},
       12,
       16}};
  return kRuns;
}

}  // namespace

TEST_CASE("The keys are those that db_bench 7.8.3 writes with the same seed") {
  for (const Written& run : runs_of_db_bench()) {
    INFO(run.line);
    std::vector<Operation> operations = drawn(run.line);
    std::erase_if(operations, [](const Operation& operation) {
      return operation.kind != OperationKind::kPut && operation.kind != OperationKind::kDelete;
    });
    REQUIRE(operations.size() == run.count);
    operations.erase(operations.begin(), operations.begin() + static_cast<long>(run.begin));
    REQUIRE(first_keys(operations, run.keys.size()) == run.keys);
    REQUIRE(operations[0].key_bytes == run.key_bytes);
  }
}

TEST_CASE("Numbers are shuffled as db_bench shuffles them, in pairs if there are few") {
  // Hashes of the orders that filluniquerandom wrote with --seed=42, and of libstdc++'s for the
  // smallest ones.
  const std::pair<std::uint64_t, std::uint64_t> hashes[] = {{1, 0},
                                                            {2, 0xf4243},
                                                            {3, 0xe8d5009d8b},
                                                            {4, 0xde0c19da1ede9fc},
                                                            {999, 0xbb57a2703ff39701},
                                                            {1000, 0xf03698b2ae2a3cd4},
                                                            {65'535, 0x64e2bb133c99e951},
                                                            {65'536, 0x33b598ace5ee4770},
                                                            {200'001, 0xfc60a7eae9e7f0fa}};
  for (const auto& [count, expected] : hashes) {
    std::uint64_t hash = 0;
    for (const std::uint32_t number : shuffled_numbers(count, 42)) hash = hash * 1'000'003 + number;
    INFO(count);
    REQUIRE(hash == expected);
  }
  REQUIRE(shuffled_numbers(0, 42).empty());
}

TEST_CASE(
    "Counts are those of db_bench: whole batches, and all writes of a thousandth of the keys") {
  REQUIRE(plan_of("--benchmarks=fillrandom --num=1005 --batch_size=10").operation_count() == 1000);
  REQUIRE(plan_of("--benchmarks=fillbatch --num=2500").operation_count() == 2000);
  const auto batch_of = [](const std::string& line) {
    return plan_of("--num=5000 --batch_size=10 --benchmarks=" + line).write_batch;
  };
  REQUIRE(batch_of("fillbatch,readrandom,flush") == 1000);
  REQUIRE(batch_of("fillrandom,deleteseq,multireadrandom") == 10);
  REQUIRE(batch_of("filluniquerandom,compactall") == 10);
  REQUIRE(batch_of("mixgraph") == 1);
  REQUIRE(batch_of("fillbatch,overwrite") == std::nullopt);
  REQUIRE(batch_of("fillrandom,updaterandom") == std::nullopt);
  const DbBenchPlan sync = plan_of("--benchmarks=fillsync --num=5000");
  REQUIRE(sync.operation_count() == 5000);
  REQUIRE(sync.keys_max() == 5);
  const DbBenchPlan large = plan_of("--benchmarks=fill100K --num=5000 --writes=20");
  REQUIRE(large.operation_count() == 20);
  REQUIRE(large.steps[0].values.fixed == 100'000);
  REQUIRE(plan_of("--benchmarks=overwrite --num=50 --writes=0").operation_count() == 50);
  REQUIRE(plan_of("--benchmarks=readrandomsmall --num=5000").operation_count() == 5);
  REQUIRE(plan_of("--benchmarks=updaterandom --num=50 --reads=9").operation_count() == 18);
  REQUIRE(plan_of("--benchmarks=deleteseq,readseq --num=50 --deletes=9 --threads=3")
              .operation_count() == 30);
  REQUIRE(plan_of("--benchmarks=fillseq,overwrite[X3-W1],stats --num=10").operation_count() == 50);
}

TEST_CASE("Benchmarks follow each other, and each thread has the seed that db_bench gives it") {
  const auto operations =
      drawn("--benchmarks=fillseq,overwrite,readrandom --num=100 --reads=30 --seed=42");
  REQUIRE(operations.size() == 230);
  for (std::uint64_t i = 0; i < 100; ++i) REQUIRE(operations[i].key == i);
  // fillseq has thread 1, so overwrite has thread 2: seed 44.
  std::mt19937_64 random(44);
  for (std::size_t i = 100; i < 200; ++i) {
    random();
    REQUIRE(operations[i].kind == OperationKind::kPut);
    REQUIRE(operations[i].key == random() % 100);
  }
  std::mt19937_64 reads(45);
  for (std::size_t i = 200; i < 230; ++i) {
    reads();
    REQUIRE(operations[i].kind == OperationKind::kGet);
    REQUIRE(operations[i].key == reads() % 100);
  }
}

TEST_CASE("The operations of lines stay the same in later versions") {
  const auto hash_of = [](std::string_view line, std::optional<std::uint64_t> writer_puts) {
    std::uint64_t hash = 0;
    const auto add = [&](std::uint64_t value) { hash = mix_bits(hash ^ value); };
    for (const Operation& o : drawn(plan_of(line, {writer_puts}), 9)) {
      add(o.key);
      add(o.scan_last_key);
      add(std::uint64_t{o.scan_entries_max} << 32 | o.value_bytes);
      add(std::uint64_t{o.key_bytes} << 8 | static_cast<std::uint64_t>(o.kind));
    }
    return hash;
  };
  REQUIRE(hash_of("--benchmarks=fillrandom,deleteseq,overwrite,deleterandom,readseq,seekrandom,"
                  "readmissing,multireadrandom,readwhilewriting --num=500 --threads=3 "
                  "--batch_size=4 --value_size_distribution_type=normal --max_scan_distance=30 "
                  "--read_random_exp_range=5",
                  77) == 0xe59d4b6723f2fd37);
  REQUIRE(hash_of("--benchmarks=filluniquerandom,updaterandom,readrandomwriterandom,mixgraph "
                  "--num=500 --value_size_distribution_type=uniform --mix_put_ratio=0.3 "
                  "--mix_seek_ratio=0.2 --key_dist_a=0.01 --key_dist_b=0.4 --seed=5",
                  std::nullopt) == 0x6bfa8260c88d066c);
}

TEST_CASE("Threads take turns, and idle benchmarks count their threads") {
  const auto operations =
      drawn("--benchmarks=crc32c,stats,fillrandom --num=50 --threads=2 --seed=5");
  REQUIRE(operations.size() == 100);
  std::mt19937_64 first(5 + 3);
  std::mt19937_64 second(5 + 4);
  for (std::size_t i = 0; i < 100; ++i) {
    std::mt19937_64& random = i % 2 == 0 ? first : second;
    random();
    REQUIRE(operations[i].key == random() % 50);
  }
}

TEST_CASE("What is asked of the store between benchmarks has no operations") {
  const DbBenchPlan plan = plan_of(
      "--benchmarks=fillrandom,flush,waitforcompaction,compact,compactall,compact0,compact1,"
      "readrandom --num=50 --threads=2 --seed=5");
  std::vector<PartEnd> asked;
  for (const DbBenchStep& step : plan.steps) asked.push_back(step.asks);
  REQUIRE(asked == std::vector<PartEnd>{PartEnd::kNothing, PartEnd::kFlush, PartEnd::kSettle,
                                        PartEnd::kCompact, PartEnd::kCompactUpper,
                                        PartEnd::kCompactLevel0, PartEnd::kCompactLevel1,
                                        PartEnd::kNothing});
  REQUIRE(plan.operation_count() == 200);
  // Each of the threads that db_bench counts asks for the compaction; the others are asked once.
  REQUIRE(plan.steps.back().first_thread == 1 + 2 + 2);
}

TEST_CASE("fillseekseq puts keys in order, then seeks them in order") {
  const auto operations = drawn("--benchmarks=fillseekseq --num=5 --seek_nexts=1 --seed=5");
  std::vector<std::pair<std::uint64_t, std::uint32_t>> scans;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (i < 5) REQUIRE(operations[i].kind == OperationKind::kPut);
    if (i < 5) REQUIRE(operations[i].key == i);
    if (i >= 5) scans.emplace_back(operations[i].key, operations[i].scan_entries_max);
  }
  REQUIRE(scans == std::vector<std::pair<std::uint64_t, std::uint32_t>>{
                       {0, 2}, {1, 1}, {2, 2}, {3, 1}, {4, 1}, {4, 1}});
}

TEST_CASE("Reads ask for absent keys, scan and alternate as db_bench does") {
  const auto missing = drawn("--benchmarks=fillseq,readmissing --num=20 --reads=40 --seed=3");
  for (std::size_t i = 0; i < 20; ++i) REQUIRE(missing[i].key == 2 * i);
  for (std::size_t i = 20; i < 60; ++i) {
    REQUIRE(missing[i].key % 2 == 1);
    REQUIRE(missing[i].key_bytes == 17);
  }
  const auto seeks = drawn("--benchmarks=seekrandom --num=100 --reads=50 --seek_nexts=9 --seed=3");
  REQUIRE(seeks[0].scan_entries_max == 10);
  REQUIRE(seeks[0].scan_last_key == ~std::uint64_t{0});
  const auto bounded = drawn("--benchmarks=seekrandom --num=100 --max_scan_distance=5 --seed=3");
  for (const Operation& o : bounded) {
    REQUIRE(o.scan_last_key == std::min<std::uint64_t>(99, o.key + 4));
  }
  const auto all = drawn("--benchmarks=readseq --num=100 --reads=30");
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].scan_entries_max == 31);
  const auto mixed =
      drawn("--benchmarks=readrandomwriterandom --num=100 --reads=20 --readwritepercent=75");
  REQUIRE(count_of(mixed, OperationKind::kGet) == 20);
  const auto long_mixed =
      drawn("--benchmarks=readrandomwriterandom --num=200 --readwritepercent=75 --seed=3");
  REQUIRE(count_of(long_mixed, OperationKind::kGet) == 150);
  REQUIRE(long_mixed[75].kind == OperationKind::kPut);
  const auto updates = drawn("--benchmarks=updaterandom --num=9 --seed=3");
  REQUIRE(updates.size() == 18);
  REQUIRE(updates[0].kind == OperationKind::kGet);
  REQUIRE(updates[1].kind == OperationKind::kPut);
  REQUIRE(updates[0].key == updates[1].key);
}

TEST_CASE("mixgraph draws the keys, kinds and sizes that db_bench 7.8.3 draws") {
  // Puts of runs with --num=1000 --reads=400 --seed=42, read from the write-ahead log.
  struct Written {
    const char* flags;
    std::size_t puts;
    std::uint64_t hash;  // of keys and sizes of values
  };
  const Written runs[] = {
      {"--mix_get_ratio=0 --mix_put_ratio=1", 400, 0x709318079bb717a8},
      {"--mix_get_ratio=0 --mix_put_ratio=1 --key_dist_a=0.002312 --key_dist_b=0.3467", 400,
       0xe3458753222e5441},
      {"--mix_get_ratio=0 --mix_put_ratio=1 --key_dist_a=0.002312 --key_dist_b=0.3467 "
       "--keyrange_dist_a=14.18 --keyrange_dist_b=-2.917 --keyrange_dist_c=0.0164 "
       "--keyrange_dist_d=-0.08082 --keyrange_num=30",
       400, 0x2488b311f96eb443},
      {"--mix_get_ratio=0.83 --mix_put_ratio=0.14 --mix_seek_ratio=0.03 --key_dist_a=0.002312 "
       "--key_dist_b=0.3467",
       60, 0x55ac275f0587991a}};
  for (const Written& run : runs) {
    INFO(run.flags);
    const auto operations =
        drawn(std::string("--benchmarks=mixgraph --num=1000 --reads=400 --seed=42 ") + run.flags);
    REQUIRE(operations.size() == 400);
    REQUIRE(count_of(operations, OperationKind::kPut) == run.puts);
    std::uint64_t hash = 0;
    for (const Operation& o : operations) {
      if (o.kind == OperationKind::kPut)
        hash = (hash * 1'000'003 + o.key) * 1'000'003 + o.value_bytes;
    }
    REQUIRE(hash == run.hash);
  }
  const DbBenchPlan plan =
      plan_of("--benchmarks=mixgraph --num=9 --mix_put_ratio=1 --key_dist_a=1 --key_dist_b=1");
  REQUIRE(plan.keys_max() == 9);
  REQUIRE(plan_fault("--benchmarks=mixgraph --mix_get_ratio=0")
              .find("--mix_get_ratio=0: expected "
                    "a ratio above 0") == 0);
  REQUIRE(plan_fault("--benchmarks=mixgraph --num=9 --key_dist_a=1 --key_dist_b=1 "
                     "--keyrange_dist_a=1 --keyrange_num=10")
              .find("--keyrange_num, --keyrange_dist_a") == 0);
}

TEST_CASE("A writer beside readers has a given number of puts, spread among the reads") {
  const std::string line =
      "--benchmarks=readwhilewriting --num=100 --reads=50 --threads=2 --seed=3";
  const auto operations = drawn(plan_of(line, {25}));
  REQUIRE(operations.size() == 125);
  REQUIRE(count_of(operations, OperationKind::kPut) == 25);
  const std::vector<Operation> half(operations.begin(), operations.begin() + 62);
  REQUIRE(count_of(half, OperationKind::kPut) == 13);  // a quarter of 49 reads, rounded up
  REQUIRE(plan_of(line + " --finish_after_writes --writes=70").operation_count() == 170);
  REQUIRE(plan_fault(line).find("depends on the machine; give writer_puts=N") != std::string::npos);
  const auto unused = planned("--benchmarks=fillseq", {5});
  REQUIRE(unused.error().message.find("writer_puts is given, and no benchmark") == 0);
}

TEST_CASE("Sizes of values follow the flags") {
  const auto uniform = drawn(
      "--benchmarks=fillseq --num=4000 --value_size_distribution_type=uniform --value_size_min=10 "
      "--value_size_max=19 --key_size=24");
  std::uint64_t sum = 0;
  for (const Operation& o : uniform) {
    REQUIRE((o.value_bytes >= 10 && o.value_bytes <= 19));
    REQUIRE(o.key_bytes == 24);
    sum += o.value_bytes;
  }
  REQUIRE(static_cast<double>(sum) / 4000 == Approx(14.5).epsilon(0.01));
  const auto normal = drawn(
      "--benchmarks=fillseq --num=4000 --value_size_distribution_type=normal --value_size_min=100 "
      "--value_size_max=700");
  double mean = 0;
  double squares = 0;
  for (const Operation& o : normal) {
    mean += o.value_bytes / 4000.0;
    squares += o.value_bytes / 4000.0 * o.value_bytes;
  }
  REQUIRE(mean == Approx(400).epsilon(0.01));
  REQUIRE(squares - mean * mean == Approx(100 * 100).epsilon(0.06));
}

TEST_CASE("Several runs share one store if the later ones keep it") {
  const auto operations = drawn(
      "db_bench --benchmarks=fillseq --num=10 --seed=1; "
      "db_bench --benchmarks=overwrite --num=10 --use_existing_db=1 --seed=1");
  REQUIRE(operations.size() == 20);
  std::mt19937_64 random(2);  // threads are counted anew
  random();
  REQUIRE(operations[10].key == random() % 10);
  REQUIRE(plan_fault("--benchmarks=fillseq; --benchmarks=overwrite") ==
          "run 2 of db_bench: run 2 of db_bench deletes the store that 'fillseq' filled; give it "
          "--use_existing_db=1, or leave out the runs before it");
}

TEST_CASE("A run that opens the store again finds the memtable of the one before flushed") {
  const auto steps_of = [](const std::string& second) {
    std::vector<std::string> steps;
    for (const DbBenchStep& step : plan_of("--benchmarks=fillseq --num=10; " + second).steps) {
      steps.push_back(step.benchmark);
      REQUIRE((step.benchmark == "reopen") == (step.asks == PartEnd::kFlush));
    }
    return steps;
  };
  using Names = std::vector<std::string>;
  const std::string again = "--benchmarks=overwrite --num=10 --use_existing_db=1";
  REQUIRE(steps_of(again) == Names{"fillseq", "reopen", "overwrite"});
  // RocksDB flushes when it closes a store without a log.
  REQUIRE(steps_of(again + " --avoid_flush_during_recovery --disable_wal") ==
          Names{"fillseq", "reopen", "overwrite"});
  REQUIRE(steps_of(again + " --avoid_flush_during_recovery") == Names{"fillseq", "overwrite"});
  // A store that is opened to read writes nothing. The next one finds the log.
  const std::string reads = "--benchmarks=readrandom --num=10 --readonly";
  REQUIRE(steps_of(reads) == Names{"fillseq", "readrandom"});
  REQUIRE(steps_of(reads + "; " + again) == Names{"fillseq", "readrandom", "reopen", "overwrite"});
}

TEST_CASE("What lsmlab cannot do is refused by name") {
  REQUIRE(plan_fault("--benchmarks=fillrandm") ==
          "--benchmarks: db_bench has no benchmark 'fillrandm'; did you mean 'fillrandom'?");
  REQUIRE(plan_fault("--benchmarks=fillseq,openandcompact") ==
          "--benchmarks: lsmlab cannot run 'openandcompact': nearest is compact");
  REQUIRE(plan_fault("--benchmarks=fillseq,fillrandom") ==
          "--benchmarks: fillrandom deletes the store that 'fillseq' filled; a run here has one "
          "store, so leave out what comes before fillrandom");
  REQUIRE(plan_fault("--num=5").find("--benchmarks is missing") == 0);
  for (const std::string idle : {"stats", "flush,compact"}) {
    REQUIRE(plan_fault("--benchmarks=" + idle).find("nothing is left to do") != std::string::npos);
  }
  REQUIRE(plan_fault("--benchmarks=fillseq --num=0") == "--num=0: expected 1 to 72057594037927936");
  REQUIRE(plan_fault("--benchmarks=fillrandom --duration=60").find("--duration=60: how many") == 0);
  REQUIRE(plan_fault("--benchmarks=overwrite --use_existing_db").find("--use_existing_db") == 0);
  REQUIRE(plan_fault("--benchmarks=fillseq --value_size_distribution_type=zipf") ==
          "--value_size_distribution_type=zipf: expected fixed, uniform or normal");
  REQUIRE(plan_fault("--benchmarks=filluniquerandom --num=5 --writes=6")
              .find("--writes=6: filluniquerandom has only the 5 keys") == 0);
  REQUIRE(plan_fault("--benchmarks=fillseq[Y3]").find("expected [X3]") != std::string::npos);
}

TEST_CASE("Of several column families the plan is that of one") {
  const std::string line = "--benchmarks=fillseq,readrandom --num=1000 --reads=400 ";
  const DbBenchPlan plan = plan_of(line + "--num_column_families=8");
  REQUIRE(plan.column_families == 8);
  REQUIRE(plan.steps[0].numbers == 125);
  REQUIRE(plan.operation_count() == 125 + 50);
  REQUIRE(plan_of(line).column_families == 1);
  MachineFigures machine;
  machine.operations_per_second = OperationRate(800);
  REQUIRE(plan_of("--benchmarks=fillrandom --num=64 --duration=3 --num_column_families=8", machine)
              .operation_count() == 300);
  REQUIRE(
      plan_fault(line + "--num_column_families=4; --benchmarks=readrandom --use_existing_db=1")
          .find("--num_column_families=1: expected at most 10000, and one number for all runs") ==
      0);
}

TEST_CASE("A benchmark that ends by time has the operations of a given rate") {
  // Puts of 116 bytes at 1,160,000 bytes a second, of all threads.
  const std::string puts = "--benchmarks=fillrandom --num=100 --duration=3 --threads=2";
  REQUIRE(plan_of(puts + " --benchmark_write_rate_limit=1160000").operation_count() == 30'000);
  MachineFigures machine;
  machine.operations_per_second = OperationRate(500);
  REQUIRE(plan_of(puts, machine).operation_count() == 1'500);
  machine.operations_per_second = OperationRate::parse("2.5").value();
  REQUIRE(plan_of("--benchmarks=fillrandom --num=100 --duration=8", machine).operation_count() ==
          20);
  machine.operations_per_second = OperationRate(500);
  // What db_bench does in order, and scans of everything, end by number; so does a duration of 0.
  REQUIRE(plan_of("--benchmarks=fillseq,readseq --num=100 --duration=9").operation_count() == 101);
  REQUIRE(plan_of("--benchmarks=fillrandom --num=7 --duration=0").operation_count() == 7);
  // A writer beside readers goes on for as long as they do.
  const std::string beside =
      "--benchmarks=readwhilewriting --num=100 --duration=3 --benchmark_write_rate_limit=1160";
  REQUIRE(plan_of(beside, machine).operation_count() == 1'500 + 30);
  REQUIRE(plan_fault(beside).find("give operations_per_second=N") != std::string::npos);
  // The rate also counts times of the policy, so that any line may have one.
  REQUIRE(plan_of("--benchmarks=fillseq --num=100 --duration=3", machine).operation_count() == 100);
}

TEST_CASE("Every given flag that decides no operation is listed by what becomes of it") {
  const DbBenchPlan plan = plan_of(
      "--benchmarks=fillseq,levelstats --num=5 --write_buffer_size=1000 --block_size=4096 "
      "--level0_slowdown_writes_trigger=8 --sync=1 --bloom_bits=10 --statistics --disable_wal=1 "
      "--wal_compression=zstd");
  REQUIRE(plan.other_flags.at(FlagUse::kPolicy) ==
          std::vector<std::string>{"bloom_bits=10", "write_buffer_size=1000"});
  REQUIRE(plan.other_flags.at(FlagUse::kStalls) ==
          std::vector<std::string>{"level0_slowdown_writes_trigger=8"});
  REQUIRE(plan.other_flags.at(FlagUse::kRun) ==
          std::vector<std::string>{"disable_wal=true", "sync=true"});
  REQUIRE(plan.other_flags.at(FlagUse::kUnmodelled) ==
          std::vector<std::string>{"wal_compression=zstd"});
  REQUIRE(plan.other_flags.at(FlagUse::kNoBytes) == std::vector<std::string>{"statistics=true"});
  REQUIRE(
      plan_of("--benchmarks=fillrandom,readtocache --num=5 --seek_nexts=3 --deletes=4 --reads=9 "
              "--value_size=7 --key_dist_a=3 --threads=2")
          .unused_flags ==
      std::vector<std::string>{"deletes=4", "key_dist_a=3", "reads=9", "seek_nexts=3"});
  REQUIRE(plan.unused_flags.empty());
  REQUIRE(plan.notes.size() == 2);
  REQUIRE(plan.notes[1].find("levelstats has no operations") == 0);
}

}  // namespace lsmlab::tools::db_bench_source_test
