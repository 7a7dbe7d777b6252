// Merges that several threads divide among them (RocksDB's subcompactions): how long they take, and
// that nothing else changes.
#include <string>
#include <vector>

#include "sim/timed/work_part.h"
#include "testing/catch.h"
#include "testing/timed_runs.h"

namespace lsmlab::merge_parts_test {
namespace {

using testing::plain_device;
using testing::policy_of;
using testing::PutsThenGets;

// Merges of level 0 read at least 256 KiB, and divide into parts of 16 KiB or more.
const std::string kTree =
    "buffer=64KiB,file_size=16KiB,level_base=256KiB,size_ratio=4,l0_trigger=4,version=8.4";

struct Given {
  std::string policy = "rocksdb-leveled:" + kTree;
  std::string max_subcompactions = "1";
  Parameters device = {};
  unsigned merge_threads = 1;
  std::string clients = "constant:rate=1k";
  Parameters stalls = {};
  bool sync_files = false;
};

struct Run {
  RunResult result;
  std::vector<PlanRecord> log;
  std::vector<std::string> lines;

  // The durations of merges with files of level 0, or of the others.
  [[nodiscard]] std::vector<std::uint64_t> merge_ns(bool of_level0) const {
    std::vector<std::uint64_t> durations;
    std::size_t merge = 0;
    for (const PlanRecord& record : log) {
      if (record.plan != PlanKind::kMerge) continue;
      const std::uint64_t ns = result.merge_times.at(merge++).nanoseconds;
      if ((record.inputs.front().level == 0) == of_level0) durations.push_back(ns);
    }
    return durations;
  }
};

Run run_of(const Given& given) {
  Run run;
  DeviceAndClients machine;
  machine.device = make_device("plain", plain_device(given.device)).value();
  machine.clients = make_clients(parse_spec(given.clients).value()).value();
  RunSetup setup{policy_of(given.policy + ",max_subcompactions=" + given.max_subcompactions)};
  setup.options.is_stepped = false;
  setup.options.merge_threads = given.merge_threads;
  setup.options.sync_files = given.sync_files;
  setup.stalls = stall_rules_of(setup.policy, given.stalls).value();
  setup.log = [&](const PlanRecord& record) {
    run.log.push_back(record);
    run.lines.push_back(plan_record_line(record));
  };
  PutsThenGets source(20'000, 0, false, false, 0);
  RunControl control;
  auto result = simulate_timed(setup, machine, source, control);
  REQUIRE(result.has_value());
  run.result = std::move(result).value();
  return run;
}

// Merges take the processor for 10 us an entry, and the device for next to nothing.
const Parameters kOnProcessor{{"read_bandwidth", "1TB"},
                              {"write_bandwidth", "1TB"},
                              {"read_latency_ns", "0"},
                              {"cpu_merge_entry_ns", "10000"}};

Parameters with(Parameters device, const Parameters& more) {
  device.insert(device.end(), more.begin(), more.end());
  return device;
}

void require_ratio(const std::vector<std::uint64_t>& whole,
                   const std::vector<std::uint64_t>& divided, double ratio) {
  REQUIRE(whole.size() == divided.size());
  REQUIRE(whole.size() > 5);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(whole[i], divided[i], ratio);
    REQUIRE(static_cast<double>(whole[i]) ==
            Approx(ratio * static_cast<double>(divided[i])).epsilon(0.01));
  }
}

TEST_CASE("parts of a merge on cores of their own take its time divided by their number") {
  const Run one = run_of({.device = kOnProcessor});
  for (const unsigned parts : {2U, 4U, 7U}) {
    const Run divided =
        run_of({.max_subcompactions = std::to_string(parts), .device = kOnProcessor});
    require_ratio(one.merge_ns(true), divided.merge_ns(true), parts);
    // Merges of deeper levels have one thread.
    REQUIRE(one.merge_ns(false) == divided.merge_ns(false));
    REQUIRE((one.lines == divided.lines));
    REQUIRE(one.result.totals == divided.result.totals);
    REQUIRE(one.result.machine->cpu_busy_ns == divided.result.machine->cpu_busy_ns);
  }
}

TEST_CASE("a merge has no more parts than files of full size") {
  const Run one = run_of({.device = kOnProcessor});
  const Run many = run_of({.max_subcompactions = "1000", .device = kOnProcessor});
  const std::vector<std::uint64_t> whole = one.merge_ns(true);
  const std::vector<std::uint64_t> divided = many.merge_ns(true);
  REQUIRE(whole.size() == divided.size());
  std::size_t merge = 0;
  for (const PlanRecord& record : one.log) {
    if (record.plan != PlanKind::kMerge || record.inputs.front().level != 0) continue;
    std::uint64_t bytes = 0;
    for (const PlanRecord::Input& input : record.inputs) bytes += input.bytes.value();
    const double parts = static_cast<double>(bytes) / (16 << 10);
    REQUIRE(static_cast<double>(whole[merge]) ==
            Approx(parts * static_cast<double>(divided[merge])).epsilon(0.01));
    ++merge;
  }
  REQUIRE(merge == whole.size());
}

TEST_CASE("RocksDB 7.8 never divides a merge into two parts") {
  const Given given{.device = kOnProcessor};
  const auto at_version = [&](const std::string& version, const std::string& parts) {
    Given changed = given;
    changed.policy.replace(changed.policy.find("version=8.4"), 11, "version=" + version);
    changed.max_subcompactions = parts;
    return run_of(changed).merge_ns(true);
  };
  REQUIRE(at_version("7.8", "2") == at_version("7.8", "1"));
  require_ratio(at_version("7.8", "1"), at_version("7.8", "3"), 3);
  require_ratio(at_version("7.4", "1"), at_version("7.4", "2"), 2);
}

TEST_CASE("more parts than cores take as long as parts on all cores") {
  Given given{.device = with(kOnProcessor, {{"cpu_cores", "2"}})};
  const Run one = run_of(given);
  given.max_subcompactions = "4";
  require_ratio(one.merge_ns(true), run_of(given).merge_ns(true), 2);
}

TEST_CASE("where threads slow each other down, N of them gain less than N times the time") {
  Given given{.device = with(kOnProcessor, {{"cpu_merge_part_slowdown", "0.2"}})};
  const Run one = run_of(given);
  REQUIRE(one.merge_ns(true) == run_of({.device = kOnProcessor}).merge_ns(true));
  given.max_subcompactions = "4";
  require_ratio(one.merge_ns(true), run_of(given).merge_ns(true), 4 / 1.6);
  given.device = with(kOnProcessor, {{"cpu_merge_part_slowdown", "1"}});
  require_ratio(one.merge_ns(true), run_of(given).merge_ns(true), 1);
}

TEST_CASE("parts do not make a device faster that merges keep busy") {
  // Requests of a few KiB, so that parts of some 64 KiB have many.
  Given given{.device = {{"read_latency_ns", "0"}, {"request_bytes", "4KiB"}}};
  const Run one = run_of(given);
  given.max_subcompactions = "4";
  const Run divided = run_of(given);
  require_ratio(one.merge_ns(true), divided.merge_ns(true), 1);
  REQUIRE(one.result.machine->device_figures.bytes_read ==
          divided.result.machine->device_figures.bytes_read);
  REQUIRE(one.result.machine->device_figures.bytes_written ==
          divided.result.machine->device_figures.bytes_written);
}

TEST_CASE("parts overlap their waits for a device that serves them side by side") {
  Given given{.device = {{"read_bandwidth", "1TB"},
                         {"write_bandwidth", "1TB"},
                         {"sequential_latency_ns", "100000"},
                         {"read_latency_ns", "100000"},
                         {"write_latency_ns", "100000"},
                         {"request_bytes", "1KiB"}}};
  const Run one = run_of(given);
  given.max_subcompactions = "4";
  const Run divided = run_of(given);
  for (std::size_t i = 0; i < one.merge_ns(true).size(); ++i) {
    const double faster =
        static_cast<double>(one.merge_ns(true)[i]) / static_cast<double>(divided.merge_ns(true)[i]);
    // The files are no multiple of the parts, and each takes some requests at its end.
    REQUIRE(faster > 3.2);
    REQUIRE(faster <= 4.0);
  }
}

TEST_CASE("a merge's threads are counted by their mean, and the time of all of them as work") {
  const Run one = run_of({.device = kOnProcessor});
  const Run four = run_of({.max_subcompactions = "4", .device = kOnProcessor});
  std::uint64_t work_of_one = 0;
  std::uint64_t work_of_four = 0;
  for (const JobTimes& times : one.result.time->job_times) work_of_one += times.merge_processor_ns;
  for (const JobTimes& times : four.result.time->job_times) {
    work_of_four += times.merge_processor_ns;
  }
  REQUIRE(work_of_one == work_of_four);
  for (const MergeTime& merge : four.result.merge_times) {
    REQUIRE(merge.processor_ns + merge.core_wait_ns <= merge.nanoseconds);
    REQUIRE(merge.processor_ns > merge.nanoseconds * 9 / 10);
  }
}

TEST_CASE("round robin merges with idle merge threads, which other merges then lack") {
  Given given{.device = kOnProcessor};
  given.policy += ",priority=round-robin";
  given.stalls = {{"one_merge_until_behind", "false"}};
  const Run one = run_of(given);
  given.merge_threads = 4;
  const Run four = run_of(given);
  require_ratio(one.merge_ns(true), four.merge_ns(true), 4);
  // Until the store is behind, RocksDB has one merge thread.
  given.stalls = {{"one_merge_until_behind", "true"}};
  REQUIRE(run_of(given).merge_ns(true) == one.merge_ns(true));
}

TEST_CASE("busy clients beside divided merges write the same data, twice in the same way") {
  for (const char* const family : {"rocksdb-leveled:",
                                   "silk:bandwidth=8MB,bandwidth_min=1MB,"
                                   "bandwidth_step=1MB,pause_above=1MB,",
                                   "rocksdb-leveled:priority=round-robin,"}) {
    Given given{.policy = family + kTree,
                .max_subcompactions = "4",
                .device = {{"read_bandwidth", "20MB"},
                           {"write_bandwidth", "20MB"},
                           {"cpu_merge_entry_ns", "2000"},
                           {"cpu_cores", "3"}},
                .merge_threads = 3,
                .clients = "closed:clients=2",
                .sync_files = true};
    const Run first = run_of(given);
    const Run second = run_of(given);
    REQUIRE(first.result.complete);
    REQUIRE((first.lines == second.lines));
    REQUIRE(first.result.totals == second.result.totals);
    REQUIRE(first.result.machine->simulated_ns == second.result.machine->simulated_ns);
    std::uint64_t entries = 0;
    for (const auto& level : first.result.final_levels) entries += level.entries;
    REQUIRE(entries == 20'000);
  }
}

TEST_CASE("the parts of a job share its bytes, processor time and files") {
  PlanJob job;
  job.sums.read_bytes = 1'000'003;
  const std::vector<std::uint64_t> sizes{100'000, 7'000, 300'000, 200'000, 50'000};
  for (const std::uint64_t bytes : sizes) {
    File file;
    file.bytes = Bytes(bytes);
    job.files.push_back(file);
  }
  const auto parts_of = [&](std::vector<std::uint64_t> shares) {
    return work_parts(job, {std::move(shares), 0}, 777'777);
  };
  for (const auto& shares : std::vector<std::vector<std::uint64_t>>{
           {}, {5}, {1, 1}, {1, 99}, {99, 1}, {3, 3, 3, 1}, std::vector<std::uint64_t>(100, 1)}) {
    const std::vector<WorkPart> parts = parts_of(shares);
    REQUIRE(parts.size() == std::max<std::size_t>(1, shares.size()));
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    std::uint64_t cpu_ns = 0;
    std::size_t files = 0;
    for (const WorkPart& part : parts) {
      read += part.read_bytes;
      written += part.write_bytes;
      cpu_ns += part.cpu_ns;
      files += part.file_ends.size();
      for (const std::uint64_t end : part.file_ends) written += end;
    }
    REQUIRE(read == job.sums.read_bytes);
    REQUIRE(written == output_bytes(job));
    REQUIRE(cpu_ns == 777'777);
    REQUIRE(files == sizes.size());
  }
  // Two halves of about 314 KB of data: the second file ends in the first, the third does not.
  const std::vector<WorkPart> halves = parts_of({1, 1});
  REQUIRE(halves[0].file_ends.size() == 2);
  REQUIRE(halves[1].file_ends.size() == 3);
}

}  // namespace
}  // namespace lsmlab::merge_parts_test
