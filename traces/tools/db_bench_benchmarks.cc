#include "traces/tools/db_bench_benchmarks.h"

#include <fmt/format.h>

#include <charconv>

#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab::tools {
namespace {

using Use = BenchmarkUse;
using Kind = StepKind;
using Length = StepLength;

constexpr std::string_view kPrints = "prints figures";
constexpr std::string_view kNoStore = "does not use the store";
constexpr std::string_view kNoReads = "creates iterators, which read nothing";
constexpr std::string_view kManual = "it merges on command, and merges follow the policy here";
constexpr std::string_view kMergeOperator = "there is no merge operator here";
constexpr std::string_view kDeterministic = "it builds a tree by hand, without the policy";
constexpr std::string_view kUntilReadersEnd =
    "it scans until the readers end, so often as the machine is fast";
constexpr std::string_view kNoCounterpart = "lsmlab has no such operation";

constexpr Benchmark kBenchmarks[] = {
    {"fillseq", Use::kRuns, {}, Kind::kPutInOrder, Length::kWrites, true},
    {"fillbatch", Use::kRuns, {}, Kind::kPutInOrder, Length::kWrites, true},
    {"fillrandom", Use::kRuns, {}, Kind::kPutAtRandom, Length::kWrites, true},
    {"filluniquerandom",
     Use::kRuns,
     {},
     Kind::kPutEachOnce,
     Length::kWrites,
     true,
     false,
     false,
     true},
    {"fillsync", Use::kRuns, {}, Kind::kPutAtRandom, Length::kWrites, true, true},
    {"fill100K", Use::kRuns, {}, Kind::kPutAtRandom, Length::kWrites, true, true},
    {"overwrite", Use::kRuns, {}, Kind::kPutAtRandom, Length::kWrites},
    {"updaterandom", Use::kRuns, {}, Kind::kUpdate, Length::kReadsOrWrites},
    {"readrandomwriterandom", Use::kRuns, {}, Kind::kReadWrite, Length::kReadsOrWrites},
    {"deleteseq", Use::kRuns, {}, Kind::kDeleteInOrder, Length::kDeletes},
    {"deleterandom", Use::kRuns, {}, Kind::kDeleteAtRandom, Length::kDeletes},
    {"readseq", Use::kRuns, {}, Kind::kScanAll, Length::kReads},
    {"readtocache", Use::kRuns, {}, Kind::kScanAll, Length::kNumbers, false, false, false, true},
    {"readrandom", Use::kRuns, {}, Kind::kGet, Length::kReads},
    {"readrandomsmall", Use::kRuns, {}, Kind::kGet, Length::kReadsPerMille},
    {"readmissing", Use::kRuns, {}, Kind::kGet, Length::kReads},
    {"multireadrandom", Use::kRuns, {}, Kind::kGetBatch, Length::kReads},
    {"seekrandom", Use::kRuns, {}, Kind::kSeek, Length::kReads},
    {"readwhilewriting", Use::kRuns, {}, Kind::kGet, Length::kReads, false, false, true},
    {"seekrandomwhilewriting", Use::kRuns, {}, Kind::kSeek, Length::kReads, false, false, true},
    {"mixgraph", Use::kRuns, {}, Kind::kMixGraph, Length::kReads},

    {"waitforcompaction", Use::kIdle,
     "a run without a clock always waits for all merges; with --device it does not wait here"},
    {"flush", Use::kIdle, "nothing is flushed before the memtable is full, or before the run ends"},
    {"stats", Use::kIdle, kPrints},
    {"resetstats", Use::kIdle, "resets figures that db_bench prints"},
    {"levelstats", Use::kIdle, kPrints},
    {"memstats", Use::kIdle, kPrints},
    {"sstables", Use::kIdle, kPrints},
    {"stats_history", Use::kIdle, kPrints},
    {"block_cache_entry_stats", Use::kIdle, kPrints},
    {"newiterator", Use::kIdle, kNoReads},
    {"crc32c", Use::kIdle, kNoStore},
    {"xxhash", Use::kIdle, kNoStore},
    {"xxhash64", Use::kIdle, kNoStore},
    {"xxh3", Use::kIdle, kNoStore},
    {"acquireload", Use::kIdle, kNoStore},
    {"compress", Use::kIdle, kNoStore},
    {"uncompress", Use::kIdle, kNoStore},

    {"compact", Use::kRefused, kManual},
    {"compactall", Use::kRefused, kManual},
    {"compact0", Use::kRefused, kManual},
    {"compact1", Use::kRefused, kManual},
    {"fillseqdeterministic", Use::kRefused, kDeterministic},
    {"filluniquerandomdeterministic", Use::kRefused, kDeterministic},
    {"fillanddeleteuniquerandom", Use::kRefused, "it deletes after a delay in microseconds"},
    {"fillseekseq", Use::kRefused, "nearest is fillseq,seekrandom"},
    {"newiteratorwhilewriting", Use::kRefused, "nearest is overwrite: its readers read nothing"},
    {"seekrandomwhilemerging", Use::kRefused, kMergeOperator},
    {"readwhilemerging", Use::kRefused, kMergeOperator},
    {"readwhilescanning", Use::kRefused, kUntilReadersEnd},
    {"readreverse", Use::kRefused, "scans run forwards here; nearest is readseq"},
    {"readrandomfast", Use::kRefused, "nearest is readrandom"},
    {"readtorowcache", Use::kRefused, "there is no row cache here"},
    {"readrandomoperands", Use::kRefused, kMergeOperator},
    {"readrandommergerandom", Use::kRefused, kMergeOperator},
    {"mergerandom", Use::kRefused, kMergeOperator},
    {"getmergeoperands", Use::kRefused, kMergeOperator},
    {"xorupdaterandom", Use::kRefused, "nearest is updaterandom"},
    {"appendrandom", Use::kRefused, "values that grow with every write are unknown here"},
    {"randomwithverify", Use::kRefused, "nearest is readrandomwriterandom"},
    {"randomtransaction", Use::kRefused, "there are no transactions here"},
    {"randomreplacekeys", Use::kRefused, "there are no single deletes here"},
    {"timeseries", Use::kRefused, "its readers run until the writer ends"},
    {"approximatesizerandom", Use::kRefused, kNoCounterpart},
    {"verify", Use::kRefused, kNoCounterpart},
    {"verifychecksum", Use::kRefused, kNoCounterpart},
    {"verifyfilechecksums", Use::kRefused, kNoCounterpart},
    {"backup", Use::kRefused, kNoCounterpart},
    {"restore", Use::kRefused, kNoCounterpart},
    {"replay", Use::kRefused, "'lsmlab trace import' reads RocksDB's traces"},
};

const Benchmark* benchmark_of(std::string_view name) {
  for (const Benchmark& benchmark : kBenchmarks) {
    if (benchmark.name == name) return &benchmark;
  }
  return nullptr;
}

Error unknown_benchmark(std::string_view name) {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : kBenchmarks) names.emplace_back(benchmark.name);
  const std::string spelling(name);
  const std::optional<std::string> nearest = nearest_name(spelling, names);
  return input_error(fmt::format("--benchmarks: db_bench 7.8.3 has no benchmark '{}'{}",
                                 excerpt(spelling),
                                 nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
}

// The sum of the runs that "X3-W1" asks for: three that count after one that warms up.
std::optional<std::uint64_t> runs_of(std::string_view arguments) {
  std::uint64_t repeats = 1;
  std::uint64_t warm_ups = 0;
  while (!arguments.empty()) {
    const std::string_view one = arguments.substr(0, arguments.find('-'));
    arguments.remove_prefix(std::min(arguments.size(), one.size() + 1));
    if (one.empty()) continue;
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(one.data() + 1, one.data() + one.size(), number);
    const bool is_number = fault == std::errc() && end == one.data() + one.size();
    if (!is_number || number == 0 || number > 1000 || (one[0] != 'X' && one[0] != 'W')) {
      return std::nullopt;
    }
    (one[0] == 'X' ? repeats : warm_ups) = number;
  }
  return repeats + warm_ups;
}

}  // namespace

Result<NamedBenchmark> named_benchmark(std::string_view text) {
  const std::size_t bracket = text.ends_with(']') ? text.find('[') : std::string_view::npos;
  const std::string_view name = text.substr(0, bracket);
  const Benchmark* const benchmark = benchmark_of(name);
  if (benchmark == nullptr) return unknown_benchmark(name);
  NamedBenchmark named{*benchmark};
  if (bracket == std::string_view::npos) return named;
  const std::string_view arguments = text.substr(bracket + 1, text.size() - bracket - 2);
  const std::optional<std::uint64_t> runs = runs_of(arguments);
  if (!runs) {
    return input_error(fmt::format(
        "--benchmarks: '{}': expected [X3] for three runs, [W1] for a warm-up, or [X3-W1]",
        excerpt(std::string(text))));
  }
  named.runs = *runs;
  return named;
}

}  // namespace lsmlab::tools
