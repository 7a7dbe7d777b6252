#include "traces/tools/db_bench_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab::tools {
namespace {

using Use = BenchmarkUse;
using Kind = StepKind;
using Length = StepLength;

constexpr std::string_view kPrints = "prints figures";
constexpr std::string_view kNoStore = "does not use the store";
constexpr std::string_view kMergeOperator = "there is no merge operator here";
constexpr std::string_view kDeterministic = "it builds a tree by hand, without the policy";
constexpr std::string_view kNoEntities = "values have no columns here";
constexpr std::string_view kNoCounterpart = "lsmlab has no such operation";

constexpr Benchmark runs(std::string_view name, Kind kind, Length length) {
  return {.name = name, .kind = kind, .length = length};
}
constexpr Benchmark fills(std::string_view name, Kind kind) {
  return {.name = name, .kind = kind, .length = Length::kWrites, .is_fresh = true};
}
constexpr Benchmark idle(std::string_view name, std::string_view why, bool has_threads = false) {
  return {.name = name, .use = Use::kIdle, .why = why, .has_threads = has_threads};
}
constexpr Benchmark refused(std::string_view name, std::string_view why) {
  return {.name = name, .use = Use::kRefused, .why = why};
}
constexpr Benchmark asks(std::string_view name, PartEnd asked, bool has_threads = false) {
  return {.name = name, .kind = Kind::kAsk, .asks = asked, .has_threads = has_threads};
}
constexpr Benchmark small(Benchmark benchmark) {
  benchmark.is_small = true;
  return benchmark;
}
constexpr Benchmark with_one_thread(Benchmark benchmark) {
  benchmark.has_one_thread = true;
  return benchmark;
}
constexpr Benchmark while_writing(Benchmark benchmark) {
  benchmark.has_writer = true;
  return benchmark;
}

constexpr Benchmark kBenchmarks[] = {
    fills("fillseq", Kind::kPutInOrder),
    fills("fillbatch", Kind::kPutInOrder),
    fills("fillrandom", Kind::kPutAtRandom),
    with_one_thread(fills("filluniquerandom", Kind::kPutEachOnce)),
    small(fills("fillsync", Kind::kPutAtRandom)),
    small(fills("fill100K", Kind::kPutAtRandom)),
    runs("overwrite", Kind::kPutAtRandom, Length::kWrites),
    runs("updaterandom", Kind::kUpdate, Length::kReadsOrWrites),
    runs("readrandomwriterandom", Kind::kReadWrite, Length::kReadsOrWrites),
    runs("deleteseq", Kind::kDeleteInOrder, Length::kDeletes),
    runs("deleterandom", Kind::kDeleteAtRandom, Length::kDeletes),
    runs("readseq", Kind::kScanAll, Length::kReads),
    with_one_thread(runs("readtocache", Kind::kScanAll, Length::kNumbers)),
    runs("readrandom", Kind::kGet, Length::kReads),
    runs("readrandomsmall", Kind::kGet, Length::kReadsPerMille),
    runs("readmissing", Kind::kGet, Length::kReads),
    runs("multireadrandom", Kind::kGetBatch, Length::kReads),
    runs("seekrandom", Kind::kSeek, Length::kReads),
    runs("mixgraph", Kind::kMixGraph, Length::kReads),
    while_writing(runs("readwhilewriting", Kind::kGet, Length::kReads)),
    while_writing(runs("seekrandomwhilewriting", Kind::kSeek, Length::kReads)),

    runs("fillseekseq", Kind::kPutInOrder, Length::kNumbers),

    asks("flush", PartEnd::kFlush),
    asks("waitforcompaction", PartEnd::kSettle),
    asks("compact", PartEnd::kCompact, true),
    asks("compactall", PartEnd::kCompactUpper),
    asks("compact0", PartEnd::kCompactLevel0),
    asks("compact1", PartEnd::kCompactLevel1),

    idle("stats", kPrints),
    idle("resetstats", "resets figures that db_bench prints"),
    idle("levelstats", kPrints),
    idle("memstats", kPrints),
    idle("sstables", kPrints),
    idle("stats_history", kPrints),
    idle("block_cache_entry_stats", kPrints),
    idle("cache_report_problems", kPrints),
    idle("approximatememtablestats", kPrints),
    idle("compressreject", kNoStore, true),
    idle("newiterator", "creates iterators, which read nothing", true),
    idle("crc32c", kNoStore, true),
    idle("xxhash", kNoStore, true),
    idle("xxhash64", kNoStore, true),
    idle("xxh3", kNoStore, true),
    idle("acquireload", kNoStore, true),
    idle("compress", kNoStore, true),
    idle("uncompress", kNoStore, true),

    refused("openandcompact", "nearest is compact"),
    refused("fillseqdeterministic", kDeterministic),
    refused("filluniquerandomdeterministic", kDeterministic),
    refused("fillanddeleteuniquerandom", "it deletes after a delay in microseconds"),
    refused("newiteratorwhilewriting", "nearest is overwrite: its readers read nothing"),
    refused("seekrandomwhilemerging", kMergeOperator),
    refused("readwhilemerging", kMergeOperator),
    refused("readwhilescanning", "how often it scans depends on the speed of the machine"),
    refused("readreverse", "scans run forwards here; nearest is readseq"),
    refused("readrandomfast", "nearest is readrandom"),
    refused("readtorowcache", "there is no row cache here"),
    refused("readrandomoperands", kMergeOperator),
    refused("readrandommergerandom", kMergeOperator),
    refused("mergerandom", kMergeOperator),
    refused("getmergeoperands", kMergeOperator),
    refused("xorupdaterandom", "nearest is updaterandom"),
    refused("appendrandom", "values that grow with every write are unknown here"),
    refused("randomwithverify", "nearest is readrandomwriterandom"),
    refused("randomtransaction", "there are no transactions here"),
    refused("randomreplacekeys", "there are no single deletes here"),
    refused("timeseries", "its keys, a random id before the time, are unknown here"),
    refused("multireadwhilewriting", "nearest is readwhilewriting"),
    refused("readrandomcoroutine", "nearest is readrandom"),
    refused("multireadrandomcoroutine", "nearest is multireadrandom"),
    refused("readrandomentity", kNoEntities),
    refused("multireadentity", kNoEntities),
    refused("fillembeddedentity", kNoEntities),
    refused("fillembeddedblob", "values always lie in the SSTables here"),
    refused("multiscan", kNoCounterpart),
    refused("multiscanrandom", kNoCounterpart),
    refused("ingestexternalfile", kNoCounterpart),
    refused("approximatesizerandom", kNoCounterpart),
    refused("verify", kNoCounterpart),
    refused("verifychecksum", kNoCounterpart),
    refused("verifyfilechecksums", kNoCounterpart),
    refused("backup", kNoCounterpart),
    refused("restore", kNoCounterpart),
    refused("replay", "'lsmlab trace import' reads RocksDB's traces"),
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
  return input_error(fmt::format("--benchmarks: db_bench has no benchmark '{}'{}",
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

bool puts_values(const Benchmark& benchmark) {
  return benchmark.length == StepLength::kWrites || benchmark.has_writer ||
         benchmark.kind == Kind::kPutInOrder || benchmark.kind == Kind::kUpdate ||
         benchmark.kind == Kind::kReadWrite;
}

bool puts_in_batches(const Benchmark& benchmark) {
  return benchmark.length == StepLength::kWrites || benchmark.kind == Kind::kPutInOrder;
}

bool has_length(const Benchmark& benchmark, std::string_view flag) {
  switch (benchmark.length) {
    case Length::kWrites:
      return flag == "writes";
    case Length::kReads:
    case Length::kReadsPerMille:
      return flag == "reads" || (flag == "writes" && benchmark.has_writer);
    case Length::kDeletes:
      return flag == "deletes";
    case Length::kReadsOrWrites:
      return flag == "reads" || flag == "writes";
    case Length::kNumbers:
      break;
  }
  return false;
}

}  // namespace

bool ends_by_time(const Benchmark& benchmark) {
  switch (benchmark.kind) {
    case Kind::kPutInOrder:
    case Kind::kPutEachOnce:
    case Kind::kDeleteInOrder:
    case Kind::kScanAll:
    case Kind::kSeekInOrder:
    case Kind::kAsk:
      return false;
    case Kind::kPutAtRandom:
    case Kind::kDeleteAtRandom:
    case Kind::kGet:
    case Kind::kGetBatch:
    case Kind::kSeek:
    case Kind::kUpdate:
    case Kind::kReadWrite:
    case Kind::kMixGraph:
      break;
  }
  return true;
}

bool uses_flag(const Benchmark& benchmark, std::string_view flag) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), flag) != names.end();
  };
  if (is_one_of({"benchmarks", "num", "seed", "key_size", "num_column_families", "use_existing_db",
                 "readonly", "avoid_flush_during_recovery"})) {
    return true;
  }
  if (benchmark.use != Use::kRuns || benchmark.kind == Kind::kAsk) return false;
  if (flag == "duration") return ends_by_time(benchmark);
  if (flag == "threads") return !benchmark.has_one_thread;
  if (is_one_of({"reads", "writes", "deletes"})) return has_length(benchmark, flag);
  if (flag == "value_size") return puts_values(benchmark) && benchmark.name != "fill100K";
  if (flag.starts_with("value_size_")) return puts_values(benchmark);
  const Kind kind = benchmark.kind;
  if (flag == "batch_size") {
    return (puts_in_batches(benchmark) && benchmark.name != "fillbatch") ||
           benchmark.length == Length::kDeletes || kind == Kind::kGetBatch;
  }
  if (is_one_of({"seek_nexts", "max_scan_distance"})) {
    const bool seeks = kind == Kind::kSeek || benchmark.name == "fillseekseq";
    return seeks && (kind == Kind::kSeek || flag == "seek_nexts");
  }
  if (is_one_of({"finish_after_writes", "writes_per_second"})) return benchmark.has_writer;
  if (flag == "readwritepercent") return kind == Kind::kReadWrite;
  if (flag == "read_random_exp_range") {
    return kind == Kind::kGet || kind == Kind::kGetBatch || kind == Kind::kMixGraph;
  }
  return kind == Kind::kMixGraph;  // all others are its own
}

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
        "--benchmarks: '{}': expected [X3] for three runs, [W1] for one more before them, or both "
        "as [X3-W1]",
        excerpt(std::string(text))));
  }
  named.runs = *runs;
  return named;
}

}  // namespace lsmlab::tools
