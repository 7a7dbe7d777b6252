#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "engine/calibration/calibrate.h"
#include "engine/calibration/solve/derive.h"
#include "interrupt.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "output.h"
#include "progress.h"
#include "traces/stores/store_reading.h"
#include "validate/catalog/device_file.h"
#include "validate/stores/store_device.h"
#include "verbs.h"

namespace lsmlab {
namespace {

std::string microseconds_text(double nanoseconds) {
  return fmt::format("{:.1f}", nanoseconds / 1000);
}

// One line for each kind of work and request size, one column for each depth. REQUIRES: rows in
// that order.
std::string disk_table(std::span<const engine::DiskRow> rows) {
  std::string text = fmt::format("{:<28}{:>9} at depth {:>34}\n{:<28}", "disk", "MB/s",
                                 "latency at depth 1, us", "");
  for (const engine::DiskRow& row : rows) {
    const bool is_first = row.work == rows[0].work && row.request_bytes == rows[0].request_bytes;
    if (is_first) text += fmt::format("{:>8}", row.depth);
  }
  text += fmt::format("{:>10}{:>9}{:>9}\n", "mean", "p50", "p99");
  for (std::size_t begin = 0; begin < rows.size();) {
    const engine::DiskRow& first = rows[begin];
    const bool is_sync = first.work == engine::DiskWork::kSync;
    text += fmt::format("{:<19}{:>8} ", engine::disk_work_name(first.work),
                        bytes_text(first.request_bytes));
    std::size_t end = begin;
    std::string rates;
    for (; end < rows.size() && rows[end].work == first.work &&
           rows[end].request_bytes == first.request_bytes;
         ++end) {
      if (!is_sync) rates += fmt::format("{:>8.1f}", rows[end].bytes_per_second() / 1e6);
    }
    text += fmt::format("{:<48}{:>10}{:>9}{:>9}\n", rates, microseconds_text(first.mean_ns),
                        microseconds_text(static_cast<double>(first.p50_ns)),
                        microseconds_text(static_cast<double>(first.p99_ns)));
    begin = end;
  }
  return text;
}

std::string cpu_table(std::span<const engine::CpuRow> rows) {
  std::string text =
      fmt::format("{:<52}{:>9}{:>9}\n", "processor time of one thread", "ns", "spread");
  for (const engine::CpuRow& row : rows) {
    text += fmt::format("{:<52}{:>9.1f}{:>7.0f} %\n", engine::cpu_work_name(row.work),
                        row.nanoseconds, 100 * row.spread);
  }
  return text;
}

std::string parameters_text(DeviceModel model) {
  OptionTable table;
  model.declare(table);
  std::string text = "parameters of the device ('lsmlab devices show nvme' describes them)\n";
  for (const OptionInfo& option : table.describe()) {
    text += fmt::format("  {:<28}{:>14} {}\n", option.name, option.default_text, option.unit);
  }
  return text;
}

// How much the model differs from the measured rows, and how much the rounds of a row differ.
std::string trust_text(const engine::Calibration& calibration) {
  std::vector<double> spreads;
  std::vector<std::pair<double, const engine::DiskRow*>> misses;
  for (const engine::DiskRow& row : calibration.disk) {
    spreads.push_back(row.spread);
    const double model = engine::model_requests_per_second(calibration.model, row);
    misses.emplace_back(std::abs(model / row.requests_per_second - 1), &row);
  }
  std::sort(spreads.begin(), spreads.end());
  std::sort(misses.begin(), misses.end());
  const auto& [worst, row] = misses.back();
  return fmt::format(
      "spread of the rounds of a row: median {:.0f} %, 90th percentile {:.0f} %\n"
      "difference of model and measured rate: median {:.0f} %, 90th percentile {:.0f} %, largest "
      "{:.0f} % ({}, {}, depth {})\n",
      100 * spreads[spreads.size() / 2], 100 * spreads[spreads.size() * 9 / 10],
      100 * misses[misses.size() / 2].first, 100 * misses[misses.size() * 9 / 10].first,
      100 * worst, engine::disk_work_name(row->work), bytes_text(row->request_bytes), row->depth);
}

std::string pauses_text(const engine::DiskPauses& pauses) {
  if (pauses.seconds == 0) return "";  // not measured through the page cache
  if (pauses.pauses == 0) {
    return fmt::format("the disk never paused in {:.1f} s of writing\n", pauses.seconds);
  }
  return fmt::format(
      "the disk paused {:.0f} times in {:.1f} s of writing, {:.0f} ms on average: {:.1f} % of the "
      "time\n",
      pauses.pauses, pauses.seconds, 1e3 * pauses.paused_seconds / pauses.pauses,
      100 * pauses.paused_seconds / pauses.seconds);
}

std::string quota_text(const engine::QuotaFigures& quota) {
  return fmt::format(
      "the whole machine paused for {:.1f} % of the time while all cores worked, and for {:.1f} % "
      "while the disk worked too\n",
      100 * quota.cores.stopped_share, 100 * quota.cores_and_disk.stopped_share);
}

std::string table_text(const engine::Calibration& calibration, const std::string& directory) {
  return fmt::format("{}\n\n{}\n{}\n{}{}{}\n{}", calibration_words(calibration, directory),
                     disk_table(calibration.disk), cpu_table(calibration.cpu),
                     trust_text(calibration), pauses_text(calibration.pauses),
                     quota_text(calibration.quota), parameters_text(calibration.model));
}

Result<Bytes> read_size(const std::string& text) {
  const Result<std::uint64_t> bytes = parse_bytes(text);
  if (!bytes) return in_context("--size", bytes.error());
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  const std::uint64_t least = engine::kCalibrateFileBytesMin.value();
  if (bytes.value() < least || bytes.value() > kMost) {
    return input_error(fmt::format("--size: {} is out of range; expected {} to {}", excerpt(text),
                                   bytes_text(least), bytes_text(kMost)));
  }
  return Bytes(bytes.value());
}

Result<int> calibrate_from_store(const CalibrateArguments& arguments) {
  if (!arguments.out.empty()) {
    BOOST_OUTCOME_TRYV(check_not_overwritten("--out", arguments.out, {arguments.from}));
  }
  const stores::Store store = BOOST_OUTCOME_TRYX(stores::read_store(arguments.from));
  const auto told = store_device(store, arguments.family);
  if (!told) return stores::with_faults_of(store, told.error());
  const StoreDevice& device = told.value();
  if (!arguments.out.empty()) {
    BOOST_OUTCOME_TRYV(write_output(arguments.out, device.json));
  }
  if (arguments.out != "-") {
    BOOST_OUTCOME_TRYV(print_text(store_device_text(device)));
  }
  return kExitDone;
}

Result<int> calibrate(const CalibrateArguments& arguments) {
  if (arguments.from.empty() == arguments.directory.empty()) {
    return input_error(
        "give either --dir DIR, to measure this machine, or --from PATH, to take the speed of a "
        "store");
  }
  if (!arguments.from.empty()) return calibrate_from_store(arguments);
  engine::CalibrateOptions options;
  options.directory = arguments.directory;
  options.seconds = arguments.seconds;
  options.file_bytes = engine::usual_file_bytes(arguments.seconds);
  if (arguments.size) options.file_bytes = BOOST_OUTCOME_TRYX(read_size(*arguments.size));
  options.is_buffered = arguments.buffered;
  options.stop = &interrupt_flag();
  std::optional<OutputFile> out;
  if (!arguments.out.empty()) {
    out.emplace(BOOST_OUTCOME_TRYX(OutputFile::open(arguments.out)));
  }
  std::optional<ProgressLine> line(std::in_place);
  if (!arguments.quiet) {
    options.on_progress = [&](std::string_view present) {
      line->show_time(static_cast<double>(arguments.seconds), present);
    };
  }
  catch_interrupts();
  const auto calibration = BOOST_OUTCOME_TRYX(engine::calibrate(options));
  line.reset();
  if (!calibration.is_complete) {
    std::fputs("lsmlab: stopped; an incomplete calibration is not written\n", stderr);
    return interrupt_exit_code();
  }
  if (out) {
    out->write(device_json_text(calibration, arguments.directory));
    BOOST_OUTCOME_TRYV(out->commit());
  }
  if (!out || !out->is_standard_output()) {
    BOOST_OUTCOME_TRYV(print_text(table_text(calibration, arguments.directory)));
  }
  return kExitDone;
}

}  // namespace

int run_calibrate(const CalibrateArguments& arguments) {
  const Result<int> code = calibrate(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
