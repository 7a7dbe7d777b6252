#include "engine/calibrate_loop.h"

#include <algorithm>
#include <vector>

#include "models/device_server.h"
#include "traces/random.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kPieces = 1'000;
constexpr std::uint64_t kBlockBytes = 4 << 10;

enum class Kind { kMerge, kLookups };

// A thread that works and waits for the disk by turns.
struct Looper {
  enum class State { kWorking, kWaiting };
  Kind kind = Kind::kMerge;
  State state = State::kWorking;
  std::uint64_t next_ns = 0;  // when it goes on
  std::uint64_t rounds = 0;
  unsigned step = 0;         // of a merge's piece: read, work, write
  std::uint64_t stream = 0;  // of its last request

  [[nodiscard]] double mean_ns() const {
    if (rounds == 0) return 0;
    return static_cast<double>(next_ns) / static_cast<double>(rounds);
  }
};

class BesideLoop {
 public:
  BesideLoop(const DeviceModel& model, const BesideWork& work, std::vector<Kind> kinds)
      : model_(model),
        work_(work),
        device_(model),
        other_cores_(std::max<std::uint64_t>(1, model.cpu.cores - 1)) {
    for (const Kind kind : kinds) loopers_.emplace_back().kind = kind;
  }

  /// What each takes for a round.
  [[nodiscard]] std::vector<Looper> run() {
    for (;;) {
      std::size_t first = 0;
      for (std::size_t i = 1; i < loopers_.size(); ++i) {
        if (loopers_[i].next_ns < loopers_[first].next_ns) first = i;
      }
      const Looper& looper = loopers_[first];
      const bool is_merge = looper.kind == Kind::kMerge;
      if (looper.rounds >= (is_merge ? kPieces : kPieces * kGetsPerPieceMax)) return loopers_;
      is_merge ? step_merge(first) : step_get(first);
    }
  }

 private:
  static constexpr std::uint64_t kGetsPerPieceMax = 100;

  // The others' cores are busy: the whole of it, or what one core is of the others.
  [[nodiscard]] std::uint64_t slowdown(const Decimal& whole, std::size_t index) const {
    std::uint64_t busy = 0;
    for (std::size_t i = 0; i < loopers_.size(); ++i) {
      if (i != index && loopers_[i].state == Looper::State::kWorking) ++busy;
    }
    return scaled_slowdown(whole) * busy / other_cores_;
  }

  // Pieces of work differ by a fifth, so that the two do not fall into step.
  [[nodiscard]] std::uint64_t work_ns(double mean_ns, std::uint64_t slowdown) {
    const double spread = 0.8 + 0.4 * static_cast<double>(random_.below(1'000'000)) / 1'000'000;
    const double slower =
        1 + static_cast<double>(slowdown) / static_cast<double>(1U << kSlowdownBits);
    return static_cast<std::uint64_t>(mean_ns * spread * slower);
  }

  void step_merge(std::size_t index) {
    Looper& merge = loopers_[index];
    if (merge.state == Looper::State::kWaiting) {
      const std::uint64_t late = device_.late_ns(merge.stream);
      merge.next_ns += late;
      if (late > 0) return;
    }
    merge.state = Looper::State::kWaiting;
    const bool is_read = merge.step == 0;
    if (merge.step++ == 1) {
      merge.state = Looper::State::kWorking;
      merge.next_ns += work_ns(work_.piece_ns, slowdown(model_.cpu.merge_busy_slowdown, index));
      return;
    }
    merge.stream = 1 + 2 * index + (is_read ? 0 : 1);
    merge.next_ns =
        device_.serve(merge.next_ns, {is_read ? DeviceRequest::kRead : DeviceRequest::kWrite,
                                      model_.request_bytes.value(), merge.stream, true,
                                      slowdown(model_.busy_cores_slowdown, index), true});
    if (is_read) return;
    merge.step = 0;
    ++merge.rounds;
  }

  void step_get(std::size_t index) {
    Looper& get = loopers_[index];
    if (get.state == Looper::State::kWaiting) {
      get.state = Looper::State::kWorking;
      get.next_ns += work_ns(work_.get_ns, slowdown(model_.cpu.busy_slowdown, index));
      return;
    }
    get.state = Looper::State::kWaiting;
    get.next_ns = device_.serve(get.next_ns, {DeviceRequest::kRead, kBlockBytes, 0, false,
                                              slowdown(model_.busy_cores_slowdown, index)});
    ++get.rounds;
  }

  const DeviceModel& model_;
  const BesideWork& work_;
  DeviceServer device_;
  std::uint64_t other_cores_;
  std::vector<Looper> loopers_;
  SplitMix64 random_{1};
};

}  // namespace

BesideTimes times_alone(const DeviceModel& model, const BesideWork& work) {
  return {BesideLoop(model, work, {Kind::kMerge}).run().front().mean_ns(),
          BesideLoop(model, work, {Kind::kLookups}).run().front().mean_ns()};
}

BesideTimes times_beside(const DeviceModel& model, const BesideWork& work) {
  const std::vector<Looper> both = BesideLoop(model, work, {Kind::kMerge, Kind::kLookups}).run();
  return {both[0].mean_ns(), both[1].mean_ns()};
}

double piece_beside_merge_ns(const DeviceModel& model, const BesideWork& work) {
  return BesideLoop(model, work, {Kind::kMerge, Kind::kMerge}).run().front().mean_ns();
}

}  // namespace lsmlab::engine
