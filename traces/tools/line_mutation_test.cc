// Mutated lines of db_bench, and files and lines of YCSB: refused or read, never a crash.
#include "models/base/random.h"
#include "testing/catch.h"
#include "traces/tools/db_bench_model.h"
#include "traces/tools/db_bench_policy.h"
#include "traces/tools/db_bench_source.h"
#include "traces/tools/ycsb_properties.h"

namespace lsmlab::tools::line_mutation_test {
namespace {

constexpr std::string_view kPieces[] = {"-1",
                                        "0",
                                        "1",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "1e308",
                                        "nan",
                                        "inf",
                                        "-inf",
                                        "\"",
                                        "'",
                                        "=",
                                        ",",
                                        ";",
                                        "[X9]",
                                        "--",
                                        "\n",
                                        "#",
                                        "mixgraph",
                                        "overwrite",
                                        "0.0001",
                                        "-5e300",
                                        "readmissing",
                                        "uniform"};

std::string mutated(std::string text, SplitMix64& random) {
  for (std::uint64_t change = random.below(4) + 1; change > 0 && !text.empty(); --change) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = random.below(8);
    const std::string_view piece = kPieces[random.below(std::size(kPieces))];
    switch (random.below(3)) {
      case 0:
        text.insert(at, piece);
        break;
      case 1:
        text.replace(at, length, piece);
        break;
      default:
        text.erase(at, length);
    }
  }
  return text;
}

// Draws the first operations, unless the plan needs memory for all its keys.
void try_line(const std::string& text, std::optional<std::uint64_t> writer_puts,
              std::uint64_t& planned) {
  const auto lines = parse_db_bench_lines(text);
  if (!lines) return;
  for (const DbBenchLine& line : lines.value()) {
    const auto policy = db_bench_policy(line, true);
    static_cast<void>(policy.has_value());
  }
  auto plan = plan_db_bench(lines.value(), {writer_puts});
  if (!plan) return;
  ++planned;
  const auto model = model_of(plan.value());
  static_cast<void>(model.has_value());
  for (const DbBenchStep& step : plan.value().steps) {
    if (step.kind == StepKind::kPutEachOnce && step.numbers > 100'000) return;
  }
  DbBenchSource source(std::make_shared<const DbBenchPlan>(std::move(plan).value()), 1);
  std::vector<Operation> operations(500);
  REQUIRE(source.fill(operations).has_value());
}

}  // namespace

TEST_CASE("Mutated lines of db_bench, and files and lines of YCSB are read or refused") {
  const std::string lines[] = {
      "--benchmarks=fillrandom,overwrite,readrandom --num=1000 --reads=10 --value_size=50 "
      "--batch_size=2 --threads=2 --write_buffer_size=100000 --compaction_style=1",
      "--benchmarks=filluniquerandom,updaterandom,seekrandom,deleteseq,readseq --num=100 "
      "--seek_nexts=5 --max_scan_distance=9 --key_size=9 --value_size_distribution_type=normal "
      "--value_size_min=10 --value_size_max=90 --read_random_exp_range=3",
      "--benchmarks=mixgraph,readwhilewriting --num=300 --key_dist_a=0.002 --key_dist_b=0.3 "
      "--keyrange_dist_a=14.18 --keyrange_dist_b=-2.9 --keyrange_dist_c=0.01 "
      "--keyrange_dist_d=-0.08 --keyrange_num=30 --mix_put_ratio=0.5 --mix_seek_ratio=0.3 "
      "--iter_k=0 --value_k=0"};
  const std::string properties =
      "recordcount=1000\noperationcount=500\nrequestdistribution=hotspot\nreadproportion=0.5\n"
      "scanproportion=0.4\ninsertproportion=0.1\nhotspotdatafraction=0.2\nmaxscanlength=5\n"
      "insertorder=ordered\nzeropadding=9\nfieldlength=7\n";
  const std::string ycsb_command =
      "bin/ycsb run rocksdb -s -P workloada -p recordcount=100 -p operationcount=\"50\" -threads 4";
  SplitMix64 random(20'261'127);
  std::uint64_t planned = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = mutated(lines[i % 3], random);
    INFO(text);
    const bool has_writer = i % 3 == 2;
    try_line(text, has_writer ? std::optional<std::uint64_t>(100) : std::nullopt, planned);
    const std::string file = mutated(properties, random);
    INFO(file);
    const auto made = read_ycsb_properties(file);
    static_cast<void>(made.has_value());
    const std::string command = mutated(ycsb_command, random);
    INFO(command);
    const auto line = parse_ycsb_line(command);
    if (line) static_cast<void>(read_ycsb_line(line.value(), {{"file", file}}).has_value());
  }
  REQUIRE(planned > 20);
}

}  // namespace lsmlab::tools::line_mutation_test
