// Derives models from tables that a known model made, and runs short calibrations on a real disk.
#include "engine/calibration/calibrate.h"

#include <algorithm>
#include <filesystem>
#include <queue>

#include "engine/calibration/measure/client_loops.h"
#include "engine/calibration/measure/measure.h"
#include "engine/calibration/solve/derive.h"
#include "models/accounting/latency_histogram.h"
#include "models/machine/transfer_times.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"

namespace lsmlab::engine::calibrate_test {
namespace {

using testing::ScratchDirectory;

// The rate of clients in a closed loop on the device model, request by request.
double looped_requests_per_second(const DeviceModel& model, const DiskRow& row) {
  constexpr std::uint64_t kRequests = 20'000;
  const TransferTimes times(model);
  const std::uint64_t reads = reads_of_four(row.work);
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> places;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(row.depth, model.queue.parallelism); ++i) {
    places.push(0);
  }
  std::uint64_t channel_free = 0;
  std::uint64_t last_done = 0;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const auto request = i % 4 < reads ? DeviceRequest::kRead : DeviceRequest::kWrite;
    const std::uint64_t start = places.top();
    places.pop();
    channel_free =
        std::max(start, channel_free) + times.nanoseconds(request, row.request_bytes, reads * 64);
    const std::uint64_t of_kind =
        request == DeviceRequest::kRead ? model.latency.read_ns : model.latency.write_ns;
    const bool is_in_stream = is_sequential(row.work) || row.work == DiskWork::kTwoStreamRead;
    std::uint64_t latency = is_in_stream ? model.latency.sequential_ns : of_kind;
    const std::uint64_t others = std::min<std::uint64_t>(row.depth, model.queue.parallelism) - 1;
    if (last_done > start) latency += others * model.contention.busy_latency_ns;
    last_done = channel_free + latency +
                (changes_place(row.work, row.depth) ? model.contention.seek_ns : 0);
    places.push(last_done);
  }
  return 1e9 * kRequests / static_cast<double>(places.top());
}

std::vector<DiskRow> table_of(const DeviceModel& model) {
  std::vector<DiskRow> rows = planned_disk_rows();
  for (DiskRow& row : rows) {
    row.requests_per_second = row.work == DiskWork::kSync
                                  ? 1e9 / static_cast<double>(model.sync.latency_ns)
                                  : looped_requests_per_second(model, row);
    row.mean_ns = 1e9 * row.depth / row.requests_per_second;
    if (row.work == DiskWork::kMixedBeside) {
      // Three small reads take the time of two large requests.
      row.alone_per_second = row.requests_per_second;
      const double taken = row.mean_ns + static_cast<double>(model.contention.busy_latency_ns) +
                           1.5 * static_cast<double>(model.contention.request_ns) / 2;
      row.requests_per_second = 1e9 / taken;
      row.mean_ns = taken / 1.5;
    }
    row.p50_ns = static_cast<std::uint64_t>(row.mean_ns + 0.5);
  }
  return rows;
}

DeviceModel with_request(DeviceModel model, std::uint64_t nanoseconds) {
  model.contention.request_ns = nanoseconds;
  return model;
}

DeviceModel with_seek(DeviceModel model, std::uint64_t nanoseconds) {
  model.contention.seek_ns = nanoseconds;
  return model;
}

DeviceModel with_busy_latency(DeviceModel model, std::uint64_t nanoseconds) {
  model.contention.busy_latency_ns = nanoseconds;
  return model;
}

DeviceModel model_of(std::uint64_t megabytes, std::uint64_t latency_us, std::uint64_t parallelism) {
  DeviceModel model;
  model.channel.read_bandwidth = Bytes(megabytes * 1'000'000);
  model.channel.write_bandwidth = Bytes(megabytes * 600'000);
  model.mixed.bandwidth_25 = Bytes(megabytes * 500'000);
  model.mixed.bandwidth_50 = Bytes(megabytes * 550'000);
  model.mixed.bandwidth_75 = Bytes(megabytes * 700'000);
  model.latency.read_ns = latency_us * 1'000;
  model.latency.write_ns = latency_us * 300;
  model.latency.sequential_ns = latency_us * 200;
  model.sync.latency_ns = latency_us * 5'000;
  model.queue.parallelism = parallelism;
  return model;
}

auto near_to(Bytes bytes) { return Approx(static_cast<double>(bytes.value())).epsilon(0.003); }
auto near_to(std::uint64_t ns) { return Approx(static_cast<double>(ns)).epsilon(0.01); }
double number(Bytes bytes) { return static_cast<double>(bytes.value()); }
double number(std::uint64_t ns) { return static_cast<double>(ns); }

TEST_CASE("a calibration's scratch file goes by its seconds, up to a gibibyte") {
  REQUIRE(usual_file_bytes(1) == Bytes(64 << 20));
  REQUIRE(usual_file_bytes(15) == Bytes(15ULL * (64 << 20)));
  for (const std::uint64_t seconds : {std::uint64_t{16}, std::uint64_t{60}, ~std::uint64_t{0}}) {
    REQUIRE(usual_file_bytes(seconds) == Bytes(1 << 30));
  }
}

TEST_CASE("a table that a device model makes gives the model back") {
  // Among others: a local flash disk, one with few places, a network volume, and a disk with heads.
  for (const DeviceModel& model :
       {model_of(2'000, 80, 32), model_of(1'300, 50, 6), model_of(125, 900, 4),
        with_busy_latency(model_of(1'000, 70, 5), 35'000),
        with_request(with_busy_latency(model_of(1'100, 40, 8), 15'000), 50'000),
        with_seek(model_of(200, 2'000, 3), 8'000'000)}) {
    const DeviceModel found = derive_disk(table_of(model), DeviceModel());
    CAPTURE(model.channel.read_bandwidth.value());
    REQUIRE(number(found.channel.read_bandwidth) == near_to(model.channel.read_bandwidth));
    REQUIRE(number(found.channel.write_bandwidth) == near_to(model.channel.write_bandwidth));
    REQUIRE(number(found.mixed.bandwidth_25) == near_to(model.mixed.bandwidth_25));
    REQUIRE(number(found.mixed.bandwidth_50) == near_to(model.mixed.bandwidth_50));
    REQUIRE(number(found.mixed.bandwidth_75) == near_to(model.mixed.bandwidth_75));
    REQUIRE(number(found.latency.read_ns) == near_to(model.latency.read_ns));
    REQUIRE(number(found.latency.write_ns) == near_to(model.latency.write_ns));
    REQUIRE(number(found.latency.sequential_ns) == near_to(model.latency.sequential_ns));
    REQUIRE(found.sync.latency_ns == model.sync.latency_ns);
    REQUIRE(number(found.contention.seek_ns) == near_to(model.contention.seek_ns));
    REQUIRE(found.queue.parallelism == model.queue.parallelism);
    REQUIRE(number(found.contention.request_ns) ==
            Approx(number(model.contention.request_ns)).margin(3'000));
    // Transfers of two clients meet now and then.
    REQUIRE(number(found.contention.busy_latency_ns) ==
            Approx(number(model.contention.busy_latency_ns))
                .margin(0.02 * number(model.latency.read_ns)));
  }
}

TEST_CASE("rates of the model by formula are those of its loops") {
  const DeviceModel model = with_seek(model_of(1'300, 50, 6), 2'000'000);
  for (const DiskRow& row : table_of(model)) {
    CAPTURE(disk_work_name(row.work), row.request_bytes, row.depth);
    // Alternating reads and writes meet at the channel, which the formula neglects.
    const double tolerance = reads_of_four(row.work) % 4 == 0 ? 0.01 : 0.1;
    REQUIRE(model_requests_per_second(model, row) ==
            Approx(row.requests_per_second).epsilon(tolerance));
  }
}

TEST_CASE("where the channel and not the places limit small reads, the rates come back") {
  const std::vector<DiskRow> rows = table_of(model_of(400, 10, 32));
  const DeviceModel found = derive_disk(rows, DeviceModel());
  for (const DiskRow& row : rows) {
    if (row.work != DiskWork::kRandomRead) continue;
    CAPTURE(row.request_bytes, row.depth);
    REQUIRE(model_requests_per_second(found, row) == Approx(row.requests_per_second).epsilon(0.02));
  }
}

TEST_CASE("where reads and writes are done ahead, the mean and not the usual request counts") {
  const DeviceModel model = model_of(1'000, 80, 8);
  std::vector<DiskRow> rows = table_of(model);
  for (DiskRow& row : rows) {
    if (is_sequential(row.work) && row.depth == 1) row.p50_ns = 500;
  }
  REQUIRE(number(derive_disk(rows, DeviceModel()).latency.sequential_ns) ==
          near_to(model.latency.sequential_ns));
}

TEST_CASE("a disturbed table still gives a model that is valid") {
  std::vector<DiskRow> rows = table_of(model_of(1'000, 80, 8));
  for (DiskRow& row : rows) {
    // A mix that was stopped, and single requests that are faster than their transfer.
    if (row.work == DiskWork::kMixed50) row.requests_per_second = 0.001;
    if (row.depth != 1) continue;
    row.mean_ns = 1;
    row.p50_ns = 1;
  }
  const DeviceModel found = derive_disk(rows, DeviceModel());
  REQUIRE(found.validate().empty());
  REQUIRE(found.latency.read_ns == 1);
  REQUIRE(found.latency.sequential_ns == 1);
  REQUIRE(found.queue.parallelism == 1);
}

TEST_CASE("rounds give their middle, their mean and how far they lie apart") {
  RoundFigures rounds;
  REQUIRE(rounds.median() == 0);
  REQUIRE(rounds.mean() == 0);
  REQUIRE(rounds.usual_mean() == 0);
  REQUIRE(rounds.spread() == 0);
  for (const double figure : {9.0, 1.0, 4.0}) rounds.add(figure);
  REQUIRE(rounds.median() == 4);
  REQUIRE(rounds.spread() == 2);
  rounds.add(6);
  REQUIRE(rounds.mean() == 5);
  REQUIRE(rounds.median() == 5);
  REQUIRE(rounds.usual_mean() == 5);
  rounds.add(10.5);
  REQUIRE(rounds.mean() == 6.1);
  REQUIRE(rounds.usual_mean() == 6.1);
  rounds.add(16);
  REQUIRE(rounds.usual_mean() == 6.1);  // 16 is more than twice the median, 7.5
}

TEST_CASE("where requests take ten times as long as usual, and 5 ms, the disk stood still") {
  LatencyHistogram latencies;
  for (int i = 0; i < 100; ++i) latencies.add(1'000'000);
  latencies.add(9'000'000);
  REQUIRE(stood_still(latencies, 1'000'000, 2).pauses == 0);
  for (int i = 0; i < 4; ++i) latencies.add(101'000'000);
  const StoodStill still = stood_still(latencies, 1'000'000, 2);
  REQUIRE(still.pauses == 2);
  REQUIRE(still.seconds == Approx(0.2).epsilon(0.02));
  // A request of less than 5 ms is no pause, however much longer than usual it takes.
  REQUIRE(stood_still(latencies, 1'000, 1).pauses == 5);
}

CalibrateOptions short_run(const std::string& directory) {
  CalibrateOptions options;
  options.directory = directory;
  options.seconds = 1;
  options.file_bytes = kCalibrateFileBytesMin;
  return options;
}

TEST_CASE("a short calibration measures every row, makes a valid device, and leaves nothing") {
  for (const bool is_buffered : {false, true}) {
    const ScratchDirectory directory;
    CalibrateOptions options = short_run(directory.path());
    options.is_buffered = is_buffered;
    std::uint64_t shown = 0;
    options.on_progress = [&](std::string_view what) { shown += !what.empty(); };
    const Result<Calibration> calibration = calibrate(options);
    INFO((calibration ? std::string() : calibration.error().message));
    REQUIRE(calibration.has_value());
    REQUIRE(calibration.value().is_complete);
    REQUIRE((calibration.value().access == DiskAccess::kBuffered) == is_buffered);
    REQUIRE(calibration.value().model.latency.reads_ahead ==
            (calibration.value().access != DiskAccess::kDirect));
    REQUIRE(shown > calibration.value().disk.size());
    for (const DiskRow& row : calibration.value().disk) {
      CAPTURE(disk_work_name(row.work), row.request_bytes, row.depth);
      REQUIRE(row.requests_per_second > 0);
      REQUIRE(row.p50_ns > 0);
      REQUIRE(row.p99_ns >= row.p50_ns);
    }
    REQUIRE(calibration.value().cpu.size() == kCpuWorks.size());
    for (const CpuRow& row : calibration.value().cpu) {
      CAPTURE(cpu_work_name(row.work));
      REQUIRE(row.nanoseconds > 0);
    }
    DeviceModel model = calibration.value().model;
    OptionTable table;
    model.declare(table);
    Parameters parameters;
    for (const auto& [name, value] : table.values()) {
      if (std::holds_alternative<std::monostate>(value)) continue;
      parameters.emplace_back(name, option_value_text(value));
    }
    REQUIRE(make_device("calibrated", parameters).has_value());
    REQUIRE(std::filesystem::is_empty(directory.path()));
  }
}

TEST_CASE("a calibration that is stopped says so and leaves nothing") {
  const ScratchDirectory directory;
  CalibrateOptions options = short_run(directory.path());
  options.seconds = 30;
  std::atomic<bool> stop{false};
  options.stop = &stop;
  std::uint64_t shown = 0;
  options.on_progress = [&](std::string_view) { stop = ++shown > 20; };
  const Result<Calibration> calibration = calibrate(options);
  REQUIRE(calibration.has_value());
  REQUIRE_FALSE(calibration.value().is_complete);
  REQUIRE(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("a calibration is refused where it cannot be made") {
  const ScratchDirectory directory;
  const auto error_of = [&](const CalibrateOptions& options) {
    const Result<Calibration> calibration = calibrate(options);
    REQUIRE_FALSE(calibration.has_value());
    return calibration.error();
  };
  const Error missing = error_of(short_run(directory.path() + "/none"));
  REQUIRE(missing.kind == ErrorKind::kInput);
  REQUIRE(missing.message.ends_with("/none: no such directory"));
  CalibrateOptions large = short_run(directory.path());
  large.file_bytes = Bytes(std::uint64_t{1} << 60);
  const Error full = error_of(large);
  REQUIRE(full.kind == ErrorKind::kMachine);
  REQUIRE(full.message.find("needed") != std::string::npos);
  REQUIRE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace lsmlab::engine::calibrate_test
