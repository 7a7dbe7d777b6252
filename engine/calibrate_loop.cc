#include "engine/calibrate_loop.h"

#include <algorithm>

#include "models/device_server.h"
#include "traces/random.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kPieces = 1'000;
constexpr std::uint64_t kBlockBytes = 4 << 10;

// A thread that works and waits for the disk by turns.
struct Looper {
  enum class State { kWorking, kWaiting };
  State state = State::kWorking;
  std::uint64_t next_ns = 0;  // when it goes on
  std::uint64_t rounds = 0;
};

class BesideLoop {
 public:
  BesideLoop(const DeviceModel& model, const BesideWork& work, bool has_merge, bool has_lookups)
      : model_(model),
        work_(work),
        device_(model),
        has_merge_(has_merge),
        has_lookups_(has_lookups),
        other_cores_(std::max<std::uint64_t>(1, model.cpu.cores - 1)) {}

  [[nodiscard]] BesideTimes run() {
    while (merge_.rounds < kPieces && get_.rounds < kPieces * kGetsPerPieceMax) {
      const bool is_merge = has_merge_ && (!has_lookups_ || merge_.next_ns <= get_.next_ns);
      is_merge ? step_merge() : step_get();
    }
    return {mean(merge_), mean(get_)};
  }

 private:
  static constexpr std::uint64_t kGetsPerPieceMax = 100;

  static double mean(const Looper& looper) {
    if (looper.rounds == 0) return 0;
    return static_cast<double>(looper.next_ns) / static_cast<double>(looper.rounds);
  }

  // The other's core is busy: the whole of it, or what one core is of the others.
  [[nodiscard]] std::uint64_t slowdown(const Decimal& whole, const Looper& other,
                                       bool has_other) const {
    if (!has_other || other.state != Looper::State::kWorking) return 0;
    return scaled_slowdown(whole) / other_cores_;
  }

  // Pieces of work differ by a fifth, so that the two do not fall into step.
  [[nodiscard]] std::uint64_t work_ns(double mean_ns, std::uint64_t slowdown) {
    const double spread = 0.8 + 0.4 * static_cast<double>(random_.below(1'000'000)) / 1'000'000;
    const double slower =
        1 + static_cast<double>(slowdown) / static_cast<double>(1U << kSlowdownBits);
    return static_cast<std::uint64_t>(mean_ns * spread * slower);
  }

  void step_merge() {
    const std::uint64_t now = merge_.next_ns;
    merge_.state = Looper::State::kWaiting;
    const bool is_read = merge_step_ == 0;
    if (merge_step_++ == 1) {
      merge_.state = Looper::State::kWorking;
      merge_.next_ns +=
          work_ns(work_.piece_ns, slowdown(model_.cpu.merge_busy_slowdown, get_, has_lookups_));
      return;
    }
    const std::uint64_t slower = slowdown(model_.busy_cores_slowdown, get_, has_lookups_);
    merge_.next_ns =
        device_.serve(now, {is_read ? DeviceRequest::kRead : DeviceRequest::kWrite,
                            model_.request_bytes.value(), is_read ? 1U : 2U, true, slower});
    if (is_read) return;
    merge_step_ = 0;
    ++merge_.rounds;
  }

  void step_get() {
    if (get_.state == Looper::State::kWaiting) {
      get_.state = Looper::State::kWorking;
      get_.next_ns += work_ns(work_.get_ns, slowdown(model_.cpu.busy_slowdown, merge_, has_merge_));
      return;
    }
    get_.state = Looper::State::kWaiting;
    const std::uint64_t slower = slowdown(model_.busy_cores_slowdown, merge_, has_merge_);
    get_.next_ns =
        device_.serve(get_.next_ns, {DeviceRequest::kRead, kBlockBytes, 0, false, slower});
    ++get_.rounds;
  }

  const DeviceModel& model_;
  const BesideWork& work_;
  DeviceServer device_;
  bool has_merge_;
  bool has_lookups_;
  std::uint64_t other_cores_;
  Looper merge_;
  Looper get_;
  unsigned merge_step_ = 0;  // read, work, write
  SplitMix64 random_{1};
};

}  // namespace

BesideTimes times_alone(const DeviceModel& model, const BesideWork& work) {
  return {BesideLoop(model, work, true, false).run().piece_ns,
          BesideLoop(model, work, false, true).run().get_ns};
}

BesideTimes times_beside(const DeviceModel& model, const BesideWork& work) {
  return BesideLoop(model, work, true, true).run();
}

}  // namespace lsmlab::engine
