#include "engine/benchmark/contender_workload.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "models/base/decimal.h"
#include "models/base/random.h"
#include "traces/workloads/key_distribution.h"
#include "traces/workloads/made_data.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kScanEntries = 100;
constexpr std::uint64_t kOperationsPerScan = 50;
constexpr std::uint32_t kPoolBytes = 1 << 20;
constexpr std::uint64_t kPoolStepBytes = 97;

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class WorkloadRun {
 public:
  WorkloadRun(Contender& contender, const WorkloadSize& size)
      : contender_(contender), size_(size), entries_(size.entries) {
    make_value(0, 0, kPoolBytes + size.value_bytes, values_);
  }

  [[nodiscard]] Result<std::vector<PhaseFigures>> run() {
    BOOST_OUTCOME_TRYV(load());
    BOOST_OUTCOME_TRYV(lookups("get present", true));
    BOOST_OUTCOME_TRYV(lookups("get absent", false));
    BOOST_OUTCOME_TRYV(scans());
    BOOST_OUTCOME_TRYV(overwrites());
    BOOST_OUTCOME_TRYV(mix());
    return std::move(phases_);
  }

 private:
  /// Measures what `work` does; random numbers are drawn before.
  template <class Work>
  [[nodiscard]] Result<void> phase(const std::string& name, std::uint64_t operations,
                                   const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_before = cpu_seconds();
    BOOST_OUTCOME_TRYV(work());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    phases_.push_back({name, operations, taken.count(), cpu_seconds() - cpu_before});
    return success();
  }
  /// Measures a phase of writes, then the whole of that phase and the flushes and merges that it
  /// left.
  template <class Work>
  [[nodiscard]] Result<void> phase_and_settle(const std::string& name, std::uint64_t operations,
                                              const Work& work) {
    BOOST_OUTCOME_TRYV(phase(name, operations, work));
    BOOST_OUTCOME_TRYV(phase(name + ", settled", operations, [&] { return contender_.settle(); }));
    PhaseFigures& settled = phases_.back();
    const PhaseFigures& written = phases_[phases_.size() - 2];
    settled.seconds += written.seconds;
    settled.cpu_seconds += written.cpu_seconds;
    return success();
  }

  // mix_bits() has an inverse: keys are all different, and no odd number's key is ever written.
  void set_key(std::uint64_t number) {
    KeyFormat().write(mix_bits(2 * number), kWorkloadKeyBytes, key_);
  }
  void set_absent_key(std::uint64_t number) {
    KeyFormat().write(mix_bits(2 * number + 1), kWorkloadKeyBytes, key_);
  }
  [[nodiscard]] Result<void> put(std::uint64_t number) {
    set_key(number);
    // Values are slices of one random text, so that making them takes no time.
    const std::uint64_t at = ++writes_ * kPoolStepBytes % kPoolBytes;
    return contender_.put(key_, std::string_view(values_).substr(at, size_.value_bytes));
  }
  [[nodiscard]] Result<void> get(bool is_there) {
    const bool found = BOOST_OUTCOME_TRYX(contender_.get(key_, value_));
    if (found == is_there && (!found || value_.size() == size_.value_bytes)) return success();
    return machine_error(fmt::format("wrong lookup of a key that is {}: {}, {} bytes",
                                     is_there ? "there" : "absent", found ? "found" : "not found",
                                     value_.size()));
  }
  [[nodiscard]] std::vector<std::uint64_t> uniform_numbers(std::uint64_t count) {
    std::vector<std::uint64_t> numbers(count);
    for (std::uint64_t& number : numbers) number = generator_.below(entries_);
    return numbers;
  }

  [[nodiscard]] Result<void> load() {
    return phase_and_settle("load", entries_, [&]() -> Result<void> {
      for (std::uint64_t number = 0; number < entries_; ++number) {
        BOOST_OUTCOME_TRYV(put(number));
      }
      return success();
    });
  }
  [[nodiscard]] Result<void> lookups(const std::string& name, bool is_there) {
    const std::vector<std::uint64_t> numbers = uniform_numbers(size_.operations);
    return phase(name, size_.operations, [&]() -> Result<void> {
      for (const std::uint64_t number : numbers) {
        is_there ? set_key(number) : set_absent_key(number);
        BOOST_OUTCOME_TRYV(get(is_there));
      }
      return success();
    });
  }
  [[nodiscard]] Result<void> scans() {
    const std::uint64_t count = std::max<std::uint64_t>(size_.operations / kOperationsPerScan, 1);
    const std::vector<std::uint64_t> numbers = uniform_numbers(count);
    return phase("scan 100", count, [&]() -> Result<void> {
      for (const std::uint64_t number : numbers) {
        set_key(number);
        const std::uint64_t shown = BOOST_OUTCOME_TRYX(contender_.scan(key_, kScanEntries));
        if (shown == 0) return machine_error("a scan showed no entry");
      }
      return success();
    });
  }
  [[nodiscard]] Result<void> overwrites() {
    std::vector<std::uint64_t> numbers(size_.operations);
    for (std::uint64_t& number : numbers) number = zipf_.draw(entries_, generator_) - 1;
    return phase_and_settle("overwrite zipfian", size_.operations, [&]() -> Result<void> {
      for (const std::uint64_t number : numbers) {
        BOOST_OUTCOME_TRYV(put(number));
      }
      return success();
    });
  }
  [[nodiscard]] Result<void> mix() {
    const std::vector<std::uint64_t> numbers = uniform_numbers(size_.operations);
    return phase_and_settle("mix 50/50", size_.operations, [&]() -> Result<void> {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i % 2 == 0) {
          BOOST_OUTCOME_TRYV(put(numbers[i]));
        } else {
          set_key(numbers[i]);
          BOOST_OUTCOME_TRYV(get(true));
        }
      }
      return success();
    });
  }

  Contender& contender_;
  const WorkloadSize& size_;
  std::uint64_t entries_;
  SplitMix64 generator_{1};
  ZipfSampler zipf_{Decimal(99, 100)};
  std::uint64_t writes_ = 0;
  std::string values_;
  std::string key_;
  std::string value_;
  std::vector<PhaseFigures> phases_;
};

}  // namespace

Result<std::vector<PhaseFigures>> run_workload(Contender& contender, const WorkloadSize& size) {
  return WorkloadRun(contender, size).run();
}

}  // namespace lsmlab::engine
