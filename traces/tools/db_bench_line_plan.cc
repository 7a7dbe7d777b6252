#include "traces/tools/db_bench_line_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/shortened.h"
#include "traces/tools/db_bench_policy.h"

namespace lsmlab::tools {
namespace {

constexpr std::uint64_t kCountsMax = std::uint64_t{1} << 48;
constexpr std::int64_t kKeyBytesMax = 65'534;  // readmissing asks for keys of one byte more
constexpr std::int64_t kNumbersMax = std::int64_t{1} << 56;

Error flag_error(const DbBenchLine& line, std::string_view name, std::string_view expected) {
  const std::string value = line.text(name);
  return option_error({{std::string(name), value, std::string(expected), false, "",
                        fmt::format("{}: expected {}", flag_text(line, name), expected)}});
}

Result<std::uint64_t> number_within(const DbBenchLine& line, std::string_view name,
                                    std::int64_t min, std::int64_t max) {
  const std::int64_t number = line.integer(name);
  if (number < min || number > max) {
    return flag_error(line, name, fmt::format("{} to {}", min, max));
  }
  return static_cast<std::uint64_t>(number);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::vector<std::string> elements_of(const std::string& list) {
  std::vector<std::string> elements;
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) elements.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return elements;
}

Result<MixGraph> mix_of(const DbBenchLine& line) {
  constexpr std::int64_t kValueBytesMax = 1'048'576;
  MixGraph mix;
  const std::pair<std::string_view, double*> reals[] = {
      {"key_dist_a", &mix.key_a},        {"key_dist_b", &mix.key_b},
      {"keyrange_dist_a", &mix.range_a}, {"keyrange_dist_b", &mix.range_b},
      {"keyrange_dist_c", &mix.range_c}, {"keyrange_dist_d", &mix.range_d},
      {"value_theta", &mix.value_theta}, {"value_k", &mix.value_k},
      {"value_sigma", &mix.value_sigma}, {"iter_theta", &mix.scan_theta},
      {"iter_k", &mix.scan_k},           {"iter_sigma", &mix.scan_sigma},
      {"mix_get_ratio", &mix.gets},      {"mix_put_ratio", &mix.puts},
      {"mix_seek_ratio", &mix.seeks}};
  for (const auto& [name, number] : reals) {
    *number = line.real(name);
    if (name.ends_with("_ratio") && (*number < 0 || *number > 1e6)) {
      return flag_error(line, name, "0 to 1000000");
    }
  }
  if (mix.gets + mix.puts + mix.seeks <= 0) {
    return flag_error(line, "mix_get_ratio", "a ratio above 0, here or of puts or seeks");
  }
  const std::uint64_t ranges =
      BOOST_OUTCOME_TRYX(number_within(line, "keyrange_num", 1, 1'000'000));
  const std::uint64_t scan_max =
      BOOST_OUTCOME_TRYX(number_within(line, "mix_max_scan_len", 1, kNumbersMax));
  const std::uint64_t value_max =
      BOOST_OUTCOME_TRYX(number_within(line, "mix_max_value_size", 1, kNumbersMax));
  mix.ranges = static_cast<std::int64_t>(ranges);
  mix.scan_max = static_cast<std::int64_t>(scan_max);
  mix.value_max = std::min(static_cast<std::int64_t>(value_max), kValueBytesMax);
  return mix;
}

Result<DbBenchValues> values_of(const DbBenchLine& line) {
  constexpr std::int64_t kValueBytesMax = 2'147'483'647;
  DbBenchValues values;
  const std::string kind = lower(line.text("value_size_distribution_type"));
  if (kind == "fixed") {
    const std::uint64_t size =
        BOOST_OUTCOME_TRYX(number_within(line, "value_size", 0, kValueBytesMax));
    values.fixed = static_cast<std::uint32_t>(size);
    return values;
  }
  if (kind != "uniform" && kind != "normal") {
    return flag_error(line, "value_size_distribution_type", "fixed, uniform or normal");
  }
  values.kind = kind == "uniform" ? ValueSizeKind::kUniform : ValueSizeKind::kNormal;
  const std::uint64_t min =
      BOOST_OUTCOME_TRYX(number_within(line, "value_size_min", 0, kValueBytesMax));
  const std::uint64_t max = BOOST_OUTCOME_TRYX(
      number_within(line, "value_size_max", static_cast<std::int64_t>(min), kValueBytesMax));
  values.min = static_cast<std::uint32_t>(min);
  values.max = static_cast<std::uint32_t>(max);
  return values;
}

// A negative number stands for that of --num.
Result<std::uint64_t> count_of(const DbBenchLine& line, std::string_view name,
                               std::uint64_t numbers) {
  if (line.integer(name) < 0) return numbers;
  return number_within(line, name, 0, static_cast<std::int64_t>(kCountsMax));
}

Result<void> take_counts(const DbBenchLine& line, LinePlan& plan) {
  plan.numbers = BOOST_OUTCOME_TRYX(number_within(line, "num", 1, kNumbersMax));
  plan.writes = BOOST_OUTCOME_TRYX(count_of(line, "writes", plan.numbers));
  plan.reads = BOOST_OUTCOME_TRYX(count_of(line, "reads", plan.numbers));
  plan.deletes = BOOST_OUTCOME_TRYX(count_of(line, "deletes", plan.numbers));
  const std::int64_t larger = std::max(line.integer("writes"), line.integer("reads"));
  plan.reads_or_writes = larger < 0 ? plan.numbers : static_cast<std::uint64_t>(larger);
  plan.batch = BOOST_OUTCOME_TRYX(number_within(line, "batch_size", 1, 1'000'000));
  plan.threads = BOOST_OUTCOME_TRYX(number_within(line, "threads", 1, 10'000));
  // A negative one ends nothing either.
  plan.duration_seconds =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, line.integer("duration")));
  plan.puts_per_second = db_bench_run(line).puts_per_second;
  return success();
}

Result<void> scale_counts(const DbBenchLine& line, const LineScale& scale, LinePlan& plan) {
  for (std::uint64_t* count :
       {&plan.numbers, &plan.writes, &plan.reads, &plan.deletes, &plan.reads_or_writes}) {
    *count = scale.of(*count);
  }
  if (plan.numbers <= static_cast<std::uint64_t>(kNumbersMax)) return success();
  return input_error(
      fmt::format("{} is more than 2^56 keys once it is scaled", flag_text(line, "num")));
}

Result<void> take_settings(const DbBenchLine& line, std::size_t index, LinePlan& plan) {
  DbBenchSettings settings;
  settings.line = index;
  settings.seed = static_cast<std::uint64_t>(line.integer("seed"));
  settings.numbers = plan.numbers;
  settings.seek_nexts =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, line.integer("seek_nexts")));
  settings.scan_distance =
      BOOST_OUTCOME_TRYX(number_within(line, "max_scan_distance", 0, kNumbersMax));
  settings.read_exponent = line.real("read_random_exp_range");
  if (settings.read_exponent < 0 || settings.read_exponent > 700) {
    return flag_error(line, "read_random_exp_range", "0 to 700");
  }
  const std::uint64_t percent = BOOST_OUTCOME_TRYX(number_within(line, "readwritepercent", 0, 100));
  settings.read_percent = static_cast<std::uint32_t>(percent);
  settings.mix = BOOST_OUTCOME_TRYX(mix_of(line));
  plan.settings = std::make_shared<const DbBenchSettings>(settings);
  return success();
}

Result<void> take_benchmarks(const DbBenchLine& line, LinePlan& plan) {
  if (!line.is_given("benchmarks")) {
    return input_error(
        "--benchmarks is missing; without it db_bench runs more than forty, and lsmlab cannot run "
        "all of them");
  }
  for (const std::string& element : elements_of(line.text("benchmarks"))) {
    const NamedBenchmark named = BOOST_OUTCOME_TRYX(named_benchmark(element));
    if (named.benchmark.use == BenchmarkUse::kRefused) {
      return input_error(fmt::format("--benchmarks: lsmlab cannot run '{}': {}",
                                     named.benchmark.name, named.benchmark.why));
    }
    plan.benchmarks.push_back(named);
  }
  return success();
}

Result<void> refuse_flags(const DbBenchLine& line) {
  for (const auto& [name, value] : line.given()) {
    const DbBenchFlag& flag = *db_bench_flag(name);
    if (flag.use != FlagUse::kRefused || !line.differs(flag)) continue;
    return option_error(
        {{name, value, "its default", false, "",
          fmt::format("{}: lsmlab cannot follow it: {}", flag_text(line, name), flag.what)}});
  }
  return success();
}

// Before 4.4 it was the rate of the thread that writes beside readers (BGWriter), and of no other.
Result<void> check_writer_rate(const DbBenchLine& line, const LinePlan& plan) {
  constexpr std::string_view kFlag = "writes_per_second";
  if (line.integer(kFlag) <= 0) return success();
  for (const NamedBenchmark& named : plan.benchmarks) {
    if (!uses_flag(named.benchmark, kFlag)) continue;
    return option_error(
        {{std::string(kFlag), line.text(kFlag), "its default", false, "",
          fmt::format(
              "{}: lsmlab cannot follow it: it limits the writer of {} by operations, and "
              "lsmlab by bytes; --benchmark_write_rate_limit is the limit in bytes a second",
              flag_text(line, kFlag), named.benchmark.name)}});
  }
  return success();
}

}  // namespace

std::string flag_text(const DbBenchLine& line, std::string_view name) {
  return fmt::format("--{}={}", name, excerpt(line.text(name)));
}

Result<LinePlan> check_line(const DbBenchLine& line, std::size_t index, const LineScale& scale) {
  LinePlan plan;
  BOOST_OUTCOME_TRYV(refuse_flags(line));
  BOOST_OUTCOME_TRYV(take_counts(line, plan));
  BOOST_OUTCOME_TRYV(scale_counts(line, scale, plan));
  BOOST_OUTCOME_TRYV(take_settings(line, index, plan));
  const std::uint64_t key_bytes =
      BOOST_OUTCOME_TRYX(number_within(line, "key_size", 1, kKeyBytesMax));
  plan.keys.key_bytes = static_cast<std::uint16_t>(key_bytes);
  plan.values = BOOST_OUTCOME_TRYX(values_of(line));
  plan.is_read_only = line.flag("readonly");
  plan.keeps_store = line.flag("use_existing_db") || plan.is_read_only;
  plan.recovers_memtable = line.flag("avoid_flush_during_recovery") && !line.flag("disable_wal");
  plan.finishes_writes = line.flag("finish_after_writes");
  BOOST_OUTCOME_TRYV(take_benchmarks(line, plan));
  BOOST_OUTCOME_TRYV(check_writer_rate(line, plan));
  return plan;
}

}  // namespace lsmlab::tools
