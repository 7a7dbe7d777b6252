#include "models/theory/ldc_costs.h"

#include <fmt/format.h>

#include <cfloat>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::uint64_t kFanOutMax = 1024;

// Also false for a NaN.
bool is_rate(double bytes_per_second) {
  return bytes_per_second > 0 && bytes_per_second <= DBL_MAX;
}

double merge_bytes_of(const LdcModelInput& input, MergeDriver driver) {
  const auto sstable = static_cast<double>(input.sstable_bytes.value());
  // The slices that are linked to an SSTable have about as many bytes as the SSTable (Theorem 3.1).
  if (driver == MergeDriver::kLowerLevel) return 2 * sstable;
  return static_cast<double>(input.fan_out + 1) * static_cast<double>(input.picked_sstables) *
         sstable;
}

}  // namespace

std::vector<std::string> LdcModelInput::validate() const {
  std::vector<std::string> faults;
  if (fan_out < 2 || fan_out > kFanOutMax) {
    faults.push_back(fmt::format("fan_out={} is not between 2 and {}", fan_out, kFanOutMax));
  }
  if (sstable_bytes.value() == 0) faults.push_back("sstable_bytes=0: must be above 0");
  if (Uint128{data_bytes.value()} < Uint128{fan_out} * sstable_bytes.value()) {
    faults.push_back(fmt::format(
        "data_bytes={} is below fan_out * sstable_bytes: the model needs at least one full level",
        data_bytes.value()));
  }
  if (picked_sstables == 0) faults.push_back("picked_sstables=0: must be at least 1");
  if (!is_rate(device_write_bytes_per_second)) {
    faults.push_back(fmt::format("device_write_bytes_per_second={} is not above 0",
                                 device_write_bytes_per_second));
  }
  if (!is_rate(device_read_bytes_per_second)) {
    faults.push_back(fmt::format("device_read_bytes_per_second={} is not above 0",
                                 device_read_bytes_per_second));
  }
  if (!(lookup_bytes_per_second >= 0 && lookup_bytes_per_second < device_write_bytes_per_second)) {
    faults.push_back(fmt::format(
        "lookup_bytes_per_second={} must be at least 0 and below device_write_bytes_per_second={}",
        lookup_bytes_per_second, device_write_bytes_per_second));
  }
  if (!(write_share >= 0 && write_share <= 1)) {
    faults.push_back(fmt::format("write_share={} is not between 0 and 1", write_share));
  }
  return faults;
}

double mixed_throughput(double write_share, double write_rate, double read_rate) {
  CHECK(write_share >= 0 && write_share <= 1 && write_rate > 0 && read_rate > 0);
  return 1 / (write_share / write_rate + (1 - write_share) / read_rate);
}

double tail_latency_ns(double merge_bytes, double device_write_bytes_per_second,
                       double lookup_bytes_per_second) {
  CHECK(merge_bytes >= 0 && device_write_bytes_per_second > lookup_bytes_per_second);
  return merge_bytes * kNanosecondsPerSecond /
         (device_write_bytes_per_second - lookup_bytes_per_second);
}

Uint128 key_ranges_bytes(Bytes data_bytes, Bytes sstable_bytes, Bytes key_bytes) {
  CHECK(sstable_bytes.value() > 0);
  const std::uint64_t sstables = data_bytes.value() / sstable_bytes.value() +
                                 (data_bytes.value() % sstable_bytes.value() == 0 ? 0 : 1);
  return Uint128{sstables} * 2 * key_bytes.value();
}

LdcModelCost ldc_model_cost(const LdcModelInput& input, MergeDriver driver) {
  CHECK(input.validate().empty());
  const bool is_lower = driver == MergeDriver::kLowerLevel;
  const auto fan_out = static_cast<double>(input.fan_out);
  LdcModelCost cost;
  cost.levels = log_to_base(static_cast<double>(input.data_bytes.value()) /
                                static_cast<double>(input.sstable_bytes.value()),
                            fan_out);
  cost.write_amplification = (is_lower ? 1 : fan_out) * cost.levels;
  const bool visits_slices = is_lower && !input.filters_spare_slices;
  cost.read_amplification =
      (visits_slices ? fan_out : 1) * cost.levels + static_cast<double>(input.level0_sstables);
  cost.write_bytes_per_second = input.device_write_bytes_per_second / cost.write_amplification;
  cost.read_bytes_per_second = input.device_read_bytes_per_second / cost.read_amplification;
  cost.bytes_per_second =
      mixed_throughput(input.write_share, cost.write_bytes_per_second, cost.read_bytes_per_second);
  cost.merge_bytes = merge_bytes_of(input, driver);
  cost.tail_latency_ns = tail_latency_ns(cost.merge_bytes, input.device_write_bytes_per_second,
                                         input.lookup_bytes_per_second);
  return cost;
}

std::vector<CostFigure> ldc_cost_figures(const LdcModelInput& input, MergeDriver driver) {
  const LdcModelCost cost = ldc_model_cost(input, driver);
  const bool is_lower = driver == MergeDriver::kLowerLevel;
  const std::string paper = "LDC paper, ";
  const std::string order = " (order of growth, constant 1)";
  const std::string read =
      !is_lower ? "log_k(n/b) + u: " + paper + "Theorem 2.2" + order
      : input.filters_spare_slices
          ? "log_k(n/b) + u: " + paper + "Theorem 3.2 with Bloom filters" + order
          : "k log_k(n/b) + u: " + paper + "Theorem 3.2" + order;
  std::vector<CostFigure> figures{
      {CostKind::kLevels, cost.levels, "log_k(n/b): " + paper + "Section II-B"},
      {CostKind::kWriteAmplification, cost.write_amplification,
       is_lower ? "log_k(n/b): " + paper + "Theorem 3.1" + order
                : "k log_k(n/b): " + paper + "Theorem 2.1" + order},
      {CostKind::kReadAmplification, cost.read_amplification, read},
      {CostKind::kWriteBytesPerSecond, cost.write_bytes_per_second,
       "device write bandwidth / write_amplification: " + paper + "equation 1"},
      {CostKind::kReadBytesPerSecond, cost.read_bytes_per_second,
       "device read bandwidth / read_amplification: " + paper + "equation 1"},
      {CostKind::kBytesPerSecond, cost.bytes_per_second,
       "1 / (r_w / th_w + (1 - r_w) / th_r): " + paper + "equation 2"},
      {CostKind::kMergeBytes, cost.merge_bytes,
       is_lower ? "2 b, an SSTable and as many bytes of slices: " + paper + "Theorem 3.1's proof"
                : "(k + 1) c b: " + paper + "equation 3"},
      {CostKind::kTailLatencyNs, cost.tail_latency_ns,
       "merge_bytes / (device write bandwidth - bandwidth of lookups): " + paper + "equation 3" +
           (is_lower ? ", Section III-C" : "")}};
  if (is_lower) {
    figures.push_back(
        {CostKind::kSpaceOverheadMax, kLdcSpaceOverheadMax,
         "half of the store is frozen, half of that is obsolete: " + paper + "Section III-D"});
  }
  return figures;
}

namespace {

std::vector<CostFigure> model_of(const ModelledRun& run, MergeDriver driver) {
  const auto fan_out = run.count("size_ratio");
  const auto file_bytes = run.count("file_size");
  if (!fan_out || !file_bytes || !run.data_bytes) return {};
  LdcModelInput input;
  input.fan_out = *fan_out;
  input.sstable_bytes = Bytes(*file_bytes);
  input.data_bytes = Bytes(*run.data_bytes);
  input.level0_sstables = run.count("l0_trigger").value_or(0);
  const bool has_device = run.device_write_bytes_per_second && run.device_read_bytes_per_second;
  input.device_write_bytes_per_second =
      static_cast<double>(run.device_write_bytes_per_second.value_or(1));
  input.device_read_bytes_per_second =
      static_cast<double>(run.device_read_bytes_per_second.value_or(1));
  if (has_device) input.lookup_bytes_per_second = run.lookup_bytes_per_second;
  if (run.write_share) input.write_share = *run.write_share;
  if (!input.validate().empty()) return {};
  std::vector<CostFigure> figures = ldc_cost_figures(input, driver);
  if (!has_device) {
    std::erase_if(figures, [](const CostFigure& figure) {
      return figure.unit() == "bytes/s" || figure.unit() == "ns";
    });
  }
  return figures;
}

}  // namespace

std::vector<CostFigure> ldc_model(const ModelledRun& run) {
  return model_of(run, MergeDriver::kLowerLevel);
}
std::vector<CostFigure> udc_model(const ModelledRun& run) {
  return model_of(run, MergeDriver::kUpperLevel);
}

}  // namespace lsmlab
