#include "engine/calibration/solve/side_by_side_model.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "models/base/random.h"
#include "models/machine/worker_thread.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kPieces = 1'000;
constexpr std::uint64_t kGetsPerPieceMax = 100;
constexpr std::uint64_t kBlockBytes = 4 << 10;
constexpr std::uint64_t kPutsPerPiece = 32;  // parts of a client's piece; each is work of its own
constexpr std::uint64_t kMemtablePieces = 32;
constexpr std::uint64_t kFullMemtablesMax = 2;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

enum class Kind {
  kMerge,
  kLookups,
  kClient,  // fills the memtables that kFlush writes
  kFlush,
  kSpare,  // a client of a store that neither flushes nor merges
};

// A thread that alternately works and waits for the device.
struct Looper {
  Kind kind = Kind::kMerge;
  WorkerThread thread;
  std::uint64_t next_ns = 0;  // when it continues; kNever: another looper wakes it
  std::uint64_t step = 0;     // of the present round
  std::uint64_t rounds = 0;   // rounds that are over; rounds_ns: the end of the last one
  std::uint64_t rounds_ns = 0;

  /// Mean times of a round.
  [[nodiscard]] BesideTimes::Parts parts() const {
    if (rounds == 0) return {};
    const auto count = static_cast<double>(rounds);
    const std::uint64_t not_device_ns = thread.processor_ns() + thread.core_wait_ns();
    return {static_cast<double>(thread.processor_ns()) / count,
            (static_cast<double>(rounds_ns) - static_cast<double>(not_device_ns)) / count,
            static_cast<double>(thread.core_wait_ns()) / count};
  }
};

class BesideLoop {
 public:
  BesideLoop(const DeviceModel& model, const BesideWork& work, const std::vector<Kind>& kinds)
      : model_(model),
        work_(work),
        device_(model),
        cpu_(model.cpu),
        wait_share_(scaled_slowdown(model.cpu.cores.wait_share)) {
    for (const Kind kind : kinds) loopers_.emplace_back().kind = kind;
  }

  /// Runs until the first looper has made its rounds.
  [[nodiscard]] const std::vector<Looper>& run() {
    const bool is_merge = loopers_.front().kind == Kind::kMerge;
    const std::uint64_t rounds = is_merge ? kPieces : kPieces * kGetsPerPieceMax;
    while (loopers_.front().rounds < rounds) {
      std::size_t first = 0;
      for (std::size_t i = 1; i < loopers_.size(); ++i) {
        if (loopers_[i].next_ns < loopers_[first].next_ns) first = i;
      }
      CHECK(loopers_[first].next_ns != kNever);
      go_on(first);
    }
    return loopers_;
  }

 private:
  [[nodiscard]] static bool is_worker(Kind kind) {
    return kind == Kind::kMerge || kind == Kind::kFlush;
  }

  void go_on(std::size_t index) {
    Looper& looper = loopers_[index];
    const std::uint64_t share = is_worker(looper.kind) ? wait_share_ : 0;
    const std::uint64_t late = looper.thread.late_ns(looper.next_ns, cpu_, device_, share);
    looper.next_ns += late;
    if (late > 0) return;
    switch (looper.kind) {
      case Kind::kMerge:
        return merge(looper, index);
      case Kind::kLookups:
        return look_up(looper);
      case Kind::kClient:
        return put(looper);
      case Kind::kFlush:
        return flush(looper, index);
      case Kind::kSpare:
        return begin_work(looper, work_.put_piece_ns / kPutsPerPiece, CpuShare::Kind::kClient);
    }
  }

  // The work varies by up to a fifth, so that loopers do not fall into step.
  void begin_work(Looper& looper, double mean_ns, CpuShare::Kind kind) {
    const double spread = 0.8 + 0.4 * static_cast<double>(random_.below(1'000'000)) / 1'000'000;
    const auto work_ns = static_cast<std::uint64_t>(mean_ns * spread);
    looper.next_ns =
        looper.thread.begin_work(looper.next_ns, cpu_, std::max<std::uint64_t>(1, work_ns), kind);
  }

  void request(Looper& looper, DeviceRequest kind, std::uint64_t bytes, std::uint64_t stream) {
    const bool is_large = looper.kind != Kind::kLookups;
    const std::uint64_t slowdown =
        cpu_.of_busy_cores(scaled_slowdown(model_.contention.busy_cores_slowdown));
    looper.next_ns = looper.thread.begin_request(
        looper.next_ns, device_, {kind, bytes, stream, is_large, slowdown, is_large});
  }
  [[nodiscard]] std::uint64_t piece_bytes() const { return model_.queue.request_bytes.value(); }

  static void end_round(Looper& looper) {
    looper.step = 0;
    ++looper.rounds;
    looper.rounds_ns = looper.next_ns;
  }

  void merge(Looper& merge, std::size_t index) {
    if (merge.step == 3) end_round(merge);
    switch (merge.step++) {
      case 0:
        return request(merge, DeviceRequest::kRead, piece_bytes(), 1 + 2 * index);
      case 1:
        return begin_work(merge, work_.piece_ns, CpuShare::Kind::kMerge);
      default:
        return request(merge, DeviceRequest::kWrite, piece_bytes(), 2 + 2 * index);
    }
  }

  void look_up(Looper& get) {
    if (get.step == 2) end_round(get);
    if (get.step++ == 0) return request(get, DeviceRequest::kRead, kBlockBytes, 0);
    begin_work(get, work_.get_ns, CpuShare::Kind::kClient);
  }

  [[nodiscard]] std::uint64_t full_memtables() const {
    return filled_ / (kMemtablePieces * kPutsPerPiece) - flushed_ / kMemtablePieces;
  }
  void wake(Kind kind, std::uint64_t now_ns) {
    for (Looper& looper : loopers_) {
      if (looper.kind == kind && looper.next_ns == kNever) looper.next_ns = now_ns;
    }
  }

  void put(Looper& client) {
    if (client.step == 1) {
      client.step = 0;
      ++filled_;
      wake(Kind::kFlush, client.next_ns);
    }
    if (full_memtables() >= kFullMemtablesMax) {
      client.next_ns = kNever;
      return;
    }
    client.step = 1;
    begin_work(client, work_.put_piece_ns / kPutsPerPiece, CpuShare::Kind::kClient);
  }

  void flush(Looper& flush, std::size_t index) {
    if (flush.step == 2) {
      end_round(flush);
      ++flushed_;
      wake(Kind::kClient, flush.next_ns);
    }
    if (flush.step == 0 && full_memtables() == 0) {
      flush.next_ns = kNever;
      return;
    }
    if (flush.step++ == 0) return begin_work(flush, work_.flush_piece_ns, CpuShare::Kind::kMerge);
    request(flush, DeviceRequest::kWrite, piece_bytes(), 2 + 2 * index);
  }

  const DeviceModel& model_;
  const BesideWork& work_;
  DeviceServer device_;
  CpuShare cpu_;
  const std::uint64_t wait_share_;
  std::vector<Looper> loopers_;
  std::uint64_t filled_ = 0;   // parts that the client put; kPutsPerPiece parts are a piece
  std::uint64_t flushed_ = 0;  // pieces that the flush wrote
  SplitMix64 random_{1};
};

}  // namespace

BesideTimes times_alone(const DeviceModel& model, const BesideWork& work) {
  return {BesideLoop(model, work, {Kind::kMerge}).run().front().parts(),
          BesideLoop(model, work, {Kind::kLookups}).run().front().parts()};
}

BesideTimes times_beside(const DeviceModel& model, const BesideWork& work) {
  BesideLoop loop(model, work, {Kind::kMerge, Kind::kLookups});
  const std::vector<Looper>& both = loop.run();
  return {both[0].parts(), both[1].parts()};
}

double device_wait_beside_merge_ns(const DeviceModel& model, const BesideWork& work) {
  BesideLoop loop(model, work, {Kind::kMerge, Kind::kMerge});
  return loop.run().front().parts().device_wait_ns;
}

double core_waits_beside_store(const DeviceModel& model, const BesideWork& work) {
  std::vector<Kind> kinds{Kind::kMerge, Kind::kClient, Kind::kFlush};
  for (std::uint64_t core = 2; core < model.cpu.cores.count; ++core) kinds.push_back(Kind::kSpare);
  BesideLoop loop(model, work, kinds);
  const std::vector<Looper>& loopers = loop.run();
  const Looper& merge = loopers.front();
  return static_cast<double>(merge.thread.core_wait_ns()) / static_cast<double>(merge.rounds_ns);
}

}  // namespace lsmlab::engine
