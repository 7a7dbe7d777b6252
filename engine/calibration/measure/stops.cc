#include "engine/calibration/measure/stops.h"

#include <algorithm>
#include <thread>

#include "engine/calibration/measure/client_loops.h"
#include "engine/calibration/measure/scratch_file.h"
#include "engine/files/io_pages.h"
#include "engine/files/process_io.h"

namespace lsmlab::engine {
namespace {

using Clock = CalibrateClock;
using std::chrono::milliseconds;

constexpr std::uint64_t kQuotaRequestBytes = 256 << 10;
constexpr std::uint64_t kFileRequests = 64;

class QuotaMeter {
 public:
  QuotaMeter(const ScratchFile& file, const CalibrateOptions& options)
      : file_(file), options_(options), pages_(random_pages(1, kQuotaRequestBytes)) {}

  [[nodiscard]] Result<void> fill() {
    for (std::uint64_t i = 0; i < kFileRequests; ++i) {
      BOOST_OUTCOME_TRYV(request(2 * i));
    }
    return success();
  }

  /// Runs `spinners` threads that only read the clock, and with `has_disk` one that reads and
  /// writes. All run for two periods of usual limits before they count.
  [[nodiscard]] Result<QuotaFigures::Part> measure(unsigned spinners, bool has_disk,
                                                   Clock::duration length) {
    constexpr milliseconds kBefore{200};
    count_from_ = Clock::now() + kBefore;
    count_until_ = count_from_ + length;
    std::vector<std::vector<Gap>> gaps(spinners);
    QuotaFigures::Part part;
    BOOST_OUTCOME_TRYV(
        run_clients(spinners + (has_disk ? 1 : 0), [&](unsigned i, ClientLoop&) -> Result<void> {
          if (i == spinners) return use_disk(part);
          gaps[i] = spin();
          return success();
        }));
    const double seconds = std::chrono::duration<double>(count_until_ - count_from_).count();
    if (spinners > 0) note_stops(common_gaps(gaps), seconds, part);
    part.disk_share /= seconds;
    part.disk_cpu_share /= seconds;
    return part;
  }

 private:
  [[nodiscard]] bool goes_on(Clock::time_point now) const {
    return now < count_until_ && !should_stop(options_);
  }

  [[nodiscard]] std::vector<Gap> spin() const {
    std::vector<Gap> gaps;
    Clock::time_point before = Clock::now();
    while (goes_on(before)) {
      const Clock::time_point now = Clock::now();
      if (now - before >= kGapMin) {
        const Gap gap{std::max(before, count_from_), std::min(now, count_until_)};
        if (gap.end - gap.begin >= kGapMin) gaps.push_back(gap);
      }
      before = now;
    }
    return gaps;
  }

  // Requests with even numbers write, those with odd numbers read.
  [[nodiscard]] Result<void> request(std::uint64_t number) {
    const std::uint64_t offset = number / 2 % kFileRequests * kQuotaRequestBytes;
    if (number % 2 == 1) return file_.read(offset, pages_.data(), kQuotaRequestBytes);
    stamp_pages(pages_.data(), kQuotaRequestBytes, number);
    return file_.write(offset, pages_.data(), kQuotaRequestBytes);
  }

  // The time of a request that met a stop is limited to four times the median.
  [[nodiscard]] Result<void> use_disk(QuotaFigures::Part& part) {
    constexpr double kUsual = 4;
    RoundFigures taken;
    std::vector<double> each;
    double cpu_seconds = 0;
    std::uint64_t waited_ns = thread_times().core_wait_ns;
    for (std::uint64_t number = 0; goes_on(Clock::now()); ++number) {
      const Clock::time_point begin = Clock::now();
      const double cpu_begin = thread_ns();
      BOOST_OUTCOME_TRYV(request(number));
      if (begin < count_from_) {
        waited_ns = thread_times().core_wait_ns;
        continue;
      }
      const double cpu = (thread_ns() - cpu_begin) / kNsPerSecond;
      const std::chrono::duration<double> all = Clock::now() - begin;
      cpu_seconds += cpu;
      each.push_back(std::max(0.0, all.count() - cpu));
      taken.add(each.back());
    }
    const double most = kUsual * taken.median();
    double seconds = 0;
    for (const double one : each) seconds += std::min(one, most);
    const auto waited = static_cast<double>(thread_times().core_wait_ns - waited_ns);
    part.disk_share = std::max(0.0, seconds - waited / kNsPerSecond);
    part.disk_cpu_share = cpu_seconds;
    return success();
  }

  static void note_stops(const std::vector<Gap>& stops, double seconds, QuotaFigures::Part& part) {
    RoundFigures periods;
    double stopped = 0;
    for (std::size_t i = 0; i < stops.size(); ++i) {
      stopped += std::chrono::duration<double>(stops[i].end - stops[i].begin).count();
      if (i == 0) continue;
      periods.add(std::chrono::duration<double>(stops[i].end - stops[i - 1].end).count());
    }
    part.stops = stops.size();
    constexpr double kMost = 0.95;
    part.stopped_share = std::min(kMost, stopped / seconds);
    part.period_seconds = periods.median();
  }

  const ScratchFile& file_;
  const CalibrateOptions& options_;
  IoPages pages_;
  Clock::time_point count_from_;
  Clock::time_point count_until_;
};

}  // namespace

std::vector<Gap> common_gaps(const std::vector<std::vector<Gap>>& threads) {
  std::vector<Gap> common = threads.front();
  for (std::size_t i = 1; i < threads.size(); ++i) {
    const auto mean = [&](Clock::time_point so_far, Clock::time_point next) {
      return so_far + (next - so_far) / static_cast<Clock::rep>(i + 1);
    };
    std::vector<Gap> both;
    auto next = threads[i].begin();
    for (const Gap& gap : common) {
      while (next != threads[i].end() && next->end <= gap.begin) ++next;
      if (next == threads[i].end()) break;
      if (std::min(gap.end, next->end) - std::max(gap.begin, next->begin) < kGapMin) continue;
      both.push_back({mean(gap.begin, next->begin), mean(gap.end, next->end)});
      ++next;  // each gap counts once
    }
    common = std::move(both);
  }
  return common;
}

Result<QuotaFigures> measure_quota(const std::string& directory, const CalibrateOptions& options,
                                   CalibrateClock::duration length, bool is_direct) {
  show_progress(options, "the limit of processor time");
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  // On a single core, a stop looks like the turn of another thread.
  if (cores == 1) return QuotaFigures();
  const ScratchFile file = BOOST_OUTCOME_TRYX(ScratchFile::open(directory + "/quota", is_direct));
  file.forget_name();
  QuotaMeter meter(file, options);
  QuotaFigures figures;
  constexpr milliseconds kLeast{500};  // several periods of usual limits
  const Clock::duration each = std::max<Clock::duration>(kLeast, length / 3);
  figures.cores = BOOST_OUTCOME_TRYX(meter.measure(cores, false, each));
  if (!is_direct) return figures;  // requests would not reach the disk
  BOOST_OUTCOME_TRYV(meter.fill());
  figures.cores_and_disk = BOOST_OUTCOME_TRYX(meter.measure(cores, true, each));
  figures.idle_and_disk = BOOST_OUTCOME_TRYX(meter.measure(cores - 1, true, each));
  return figures;
}

}  // namespace lsmlab::engine
