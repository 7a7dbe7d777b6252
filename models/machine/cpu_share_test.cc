#include "models/machine/cpu_share.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::cpu_share_test {
namespace {

TEST_CASE("a thread works on the core with the fewest, and those of a core share it") {
  CpuModel model;
  model.cores.count = 2;
  CpuShare cpu(model);
  const CpuShare::Work first = cpu.begin(0, 1'000);
  const CpuShare::Work second = cpu.begin(0, 1'000);
  REQUIRE(first.duration_ns == 1'000);
  REQUIRE(second.duration_ns == 1'000);
  // The third thread has half a core until it is done. The first thread loses as much.
  const CpuShare::Work third = cpu.begin(400, 100);
  REQUIRE(third.duration_ns == 200);
  REQUIRE(cpu.left_ns(600, third) == 0);
  cpu.end(600, third);
  REQUIRE(cpu.left_ns(1'000, second) == 0);
  REQUIRE(cpu.left_ns(1'000, first) == 100);
  cpu.end(1'000, second);
  const CpuShare::Work alone = cpu.begin(1'000, 700);
  REQUIRE(alone.duration_ns == 700);
  REQUIRE(cpu.left_ns(1'100, first) == 0);
  cpu.end(1'100, first);
  REQUIRE(cpu.busy_ns() == 2'800);
  // The thread that was there before is done first. The newcomer then works alone.
  const CpuShare::Work fourth = cpu.begin(1'100, 50);
  const CpuShare::Work fifth = cpu.begin(1'120, 1'000);
  REQUIRE(cpu.left_ns(1'150, fourth) == 0);
  REQUIRE(cpu.left_ns(1'700, alone) == 580);
  REQUIRE(fifth.duration_ns == 1'580);
}

TEST_CASE("work that goes on alone is the same in one piece") {
  CpuModel model;
  model.cores.count = 3;
  model.cores.busy_slowdown = {1, 2};
  CpuShare pieces(model);
  CpuShare whole(model);
  constexpr auto kClient = CpuShare::Kind::kClient;
  std::uint64_t now_ns = 0;
  for (CpuShare* cpu : {&pieces, &whole}) {
    static_cast<void>(cpu->begin(0, 1'000'000, CpuShare::Kind::kMerge));
    const CpuShare::Work first = cpu->begin(0, 100);
    now_ns = first.duration_ns;
    REQUIRE_FALSE(cpu->goes_on_alone(now_ns));
    cpu->end(now_ns, first);
    REQUIRE(cpu->goes_on_alone(now_ns));
  }
  std::uint64_t end_ns = now_ns;
  for (const std::uint64_t work_ns : {100U, 33U, 700U}) {
    const std::uint64_t alone_ns = whole.alone_ns(work_ns, kClient);
    REQUIRE(alone_ns == work_ns + (work_ns + 3) / 4);
    const CpuShare::Work work = pieces.begin(end_ns, work_ns);
    end_ns += work.duration_ns;
    REQUIRE(work.duration_ns == alone_ns);
    pieces.end(end_ns, work);
  }
  whole.work_alone(now_ns, end_ns, 100 + 33 + 700);
  REQUIRE(whole.busy_ns() == pieces.busy_ns());
  REQUIRE(whole.cores_ns(end_ns) == pieces.cores_ns(end_ns));
  REQUIRE(whole.goes_on_alone(end_ns));
}

TEST_CASE("those who find all cores taken join them in turn, and no core is spared") {
  CpuModel model;
  model.cores.count = 2;
  CpuShare cpu(model);
  // Two threads have a core each. Each loses time to every second newcomer.
  const CpuShare::Work first = cpu.begin(0, 1'000'000);
  const CpuShare::Work second = cpu.begin(0, 1'000'000);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t now_ns = 1'000 * i;
    const CpuShare::Work newcomer = cpu.begin(now_ns, 10);
    REQUIRE(newcomer.duration_ns == 20);
    cpu.end(now_ns + 20, newcomer);
  }
  REQUIRE(cpu.left_ns(1'000'000, first) == 500);
  REQUIRE(cpu.left_ns(1'000'000, second) == 500);
}

TEST_CASE("who waited finds a core the later, the longer others have had all of them") {
  CpuModel model;
  model.cores.count = 2;
  CpuShare cpu(model);
  REQUIRE(cpu.wait_ns(0, 500) == 0);
  const CpuShare::Work first = cpu.begin(1'000, 100);
  // A core is idle.
  REQUIRE(cpu.wait_ns(1'040, 500) == 0);
  // The core continues at once, so it has had no pause.
  cpu.end(1'100, first);
  const CpuShare::Work second = cpu.begin(1'100, 1'000);
  REQUIRE(cpu.wait_ns(1'300, 500) == 0);
  // The waits are means over both cores: of 300 and 40, of 500 and 240, of 500 and 500. The first
  // core has had no pause since 1,000.
  const CpuShare::Work third = cpu.begin(1'260, 1'000);
  REQUIRE(cpu.wait_ns(1'300, 500) == 170);
  REQUIRE(cpu.wait_ns(1'500, 500) == (500 + 240) / 2);
  REQUIRE(cpu.wait_ns(1'900, 500) == 500);
  REQUIRE(cpu.wait_ns(1'900, 0) == 0);
  cpu.end(2'100, second);
  REQUIRE(cpu.wait_ns(2'100, 500) == 0);
  // Time before a pause does not count.
  const CpuShare::Work fourth = cpu.begin(2'101, 100);
  REQUIRE(cpu.wait_ns(2'111, 500) == (500 + 10) / 2);
  cpu.end(2'201, fourth);
  cpu.end(2'260, third);
  model.cores.count = 1;
  CpuShare single(model);
  static_cast<void>(single.begin(0, 1'000));
  REQUIRE(single.wait_ns(1'000, 500) == 0);
}

TEST_CASE("who waited for the device goes on where the others of them do, for its share") {
  const auto wake = [](CpuShare& cpu, std::uint64_t now_ns, std::uint64_t work_ns) {
    CpuShare::Thread thread{true, std::nullopt};
    return cpu.begin(now_ns, work_ns, CpuShare::Kind::kClient, thread);
  };
  CpuModel model;
  model.cores.count = 2;
  model.cores.gather_share = Decimal(1, 2);
  CpuShare half(model);
  // Of two threads that waited, one goes to the idle core. The other one gathers on the first core.
  const CpuShare::Work first = half.begin(0, 10'000);
  REQUIRE(wake(half, 1'000, 4'000).duration_ns == 4'000);
  REQUIRE(wake(half, 2'000, 500).duration_ns == 1'000);
  REQUIRE(half.left_ns(10'000, first) == 500);

  model.cores.gather_share = Decimal(1, 1);
  CpuShare all(model);
  const CpuShare::Work woken = wake(all, 0, 10'000);
  const CpuShare::Work gathered = wake(all, 1'000, 500);
  REQUIRE(gathered.duration_ns == 1'000);
  all.end(2'000, gathered);
  // A thread that did not wait for the device takes the idle core.
  const CpuShare::Work other = all.begin(2'000, 9'000'000);
  REQUIRE(other.duration_ns == 9'000'000);
  REQUIRE(all.left_ns(10'000, woken) == 500);
  all.end(10'500, woken);
  // The first core is idle again, and long work begins there. When both cores have been busy for a
  // tick, threads gather on neither, and join them in turn.
  const CpuShare::Work longer = all.begin(20'000, 9'000'000);
  const CpuShare::Work in_time = wake(all, 20'000 + 3'999'999, 500);
  REQUIRE(in_time.duration_ns == 1'000);
  REQUIRE(all.left_ns(9'002'000, other) == 0);
  all.end(20'000 + 4'000'999, in_time);
  for (const std::uint64_t now_ns : {5'000'000U, 6'000'000U}) {
    const CpuShare::Work too_late = wake(all, now_ns, 700);
    REQUIRE(too_late.duration_ns == 1'400);
    all.end(now_ns + 1'400, too_late);
  }
  REQUIRE(all.left_ns(9'002'000, other) == 700);
  REQUIRE(all.left_ns(9'020'000, longer) == 500 + 700);

  // A thread that has worked without a pause keeps its core to itself.
  CpuShare apart(model);
  const CpuShare::Work always = apart.begin(0, 9'000'000);
  const CpuShare::Work merge = wake(apart, 5'000'000, 10'000);
  REQUIRE(merge.duration_ns == 10'000);
  REQUIRE(wake(apart, 5'001'000, 500).duration_ns == 1'000);
  REQUIRE(apart.left_ns(9'000'000, always) == 0);
}

TEST_CASE("several on one core have it alike, and one that is done leaves its part to the others") {
  CpuModel model;
  model.cores.count = 1;
  CpuShare cpu(model);
  const CpuShare::Work first = cpu.begin(0, 100);
  const CpuShare::Work second = cpu.begin(0, 100);
  const CpuShare::Work third = cpu.begin(0, 200);
  REQUIRE(third.duration_ns == 400);
  REQUIRE(cpu.left_ns(300, first) == 0);
  REQUIRE(cpu.left_ns(300, second) == 0);
  cpu.end(300, first);
  cpu.end(300, second);
  // The third thread gives half of the core to the fourth.
  const CpuShare::Work fourth = cpu.begin(350, 25);
  REQUIRE(fourth.duration_ns == 50);
  REQUIRE(cpu.left_ns(400, third) == 25);
}

// An oracle in fractions of nanoseconds: all threads of the core work equally fast.
class SharedCore {
 public:
  void begin(double now_ns, double work_ns) {
    work_until(now_ns);
    left_.push_back(work_ns);
  }
  /// When the thread that began as the nth is done, if no other thread joins.
  [[nodiscard]] double end_of(std::size_t nth) const {
    SharedCore later = *this;
    while (later.left_[nth] > kDone) later.work_until(later.next_end());
    return later.now_;
  }

 private:
  static constexpr double kDone = 1e-6;

  [[nodiscard]] double next_end() const {
    double least = std::numeric_limits<double>::infinity();
    double sharing = 0;
    for (const double left : left_) {
      if (left <= kDone) continue;
      least = std::min(least, left);
      ++sharing;
    }
    return now_ + least * sharing;
  }
  void work_until(double until) {
    while (now_ < until) {
      const double next = std::min(until, next_end());
      const auto sharing = static_cast<double>(
          std::count_if(left_.begin(), left_.end(), [](double left) { return left > kDone; }));
      for (double& left : left_) {
        if (left > kDone) left -= (next - now_) / sharing;
      }
      now_ = next;
    }
  }

  double now_ = 0;
  std::vector<double> left_;
};

TEST_CASE("whoever comes to a core when, each ends as shares of a nanosecond have it") {
  CpuModel model;
  model.cores.count = 1;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    CpuShare cpu(model);
    SharedCore expected;
    struct Running {
      CpuShare::Work work;
      std::size_t nth;
      std::uint64_t end_ns;
    };
    std::vector<Running> running;
    std::size_t begun = 0;
    std::uint64_t next_begin_ns = random() % 100;
    constexpr std::size_t kThreads = 40;
    while (begun < kThreads || !running.empty()) {
      const auto next =
          std::min_element(running.begin(), running.end(),
                           [](const Running& a, const Running& b) { return a.end_ns < b.end_ns; });
      const bool begins =
          begun < kThreads && (next == running.end() || next_begin_ns < next->end_ns);
      if (begins) {
        const std::uint64_t work_ns = 1 + random() % 5'000;
        const CpuShare::Work work = cpu.begin(next_begin_ns, work_ns);
        expected.begin(static_cast<double>(next_begin_ns), static_cast<double>(work_ns));
        running.push_back({work, begun++, next_begin_ns + work.duration_ns});
        next_begin_ns += random() % 4'000;
        continue;
      }
      const std::uint64_t left_ns = cpu.left_ns(next->end_ns, next->work);
      if (left_ns > 0) {
        next->end_ns += left_ns;
        continue;
      }
      // At each begin and end a thread may lose or gain a nanosecond that was not divided yet.
      REQUIRE(static_cast<double>(next->end_ns) ==
              Approx(expected.end_of(next->nth)).margin(2 * kThreads));
      cpu.end(next->end_ns, next->work);
      running.erase(next);
    }
  }
}

TEST_CASE("who gathered stays until its core has had no pause for long") {
  CpuModel model;
  model.cores.count = 2;
  model.cores.gather_share = Decimal(1, 1);
  CpuShare cpu(model);
  CpuShare::Thread client{true, std::nullopt};
  const CpuShare::Work first = cpu.begin(0, 3'000'000, CpuShare::Kind::kClient, client);
  CpuShare::Thread merge{true, std::nullopt};
  const CpuShare::Work shared = cpu.begin(1'000'000, 3'000'000, CpuShare::Kind::kMerge, merge);
  REQUIRE(shared.duration_ns == 5'000'000);
  REQUIRE(cpu.left_ns(3'000'000, first) == 2'000'000);
  // A third thread gathers too. It stays there when it continues without another wait.
  CpuShare::Thread third{true, std::nullopt};
  const CpuShare::Work woken = cpu.begin(3'900'000, 10'000, CpuShare::Kind::kClient, third);
  REQUIRE(woken.duration_ns == 30'000);
  cpu.end(3'930'000, woken);
  REQUIRE(cpu.begin(3'930'000, 10'000, CpuShare::Kind::kClient, third).duration_ns == 30'000);
  // That core has now been busy for a tick, so the client takes the idle core and stays there.
  cpu.end(5'020'000, first);
  const CpuShare::Work moved = cpu.begin(5'020'000, 100'000, CpuShare::Kind::kClient, client);
  REQUIRE(moved.duration_ns == 100'000);
  cpu.end(5'120'000, moved);
  REQUIRE_FALSE(client.gathered_core.has_value());
}

TEST_CASE("threads that always work get all cores and no more") {
  struct Thread {
    std::uint64_t next_ns = 0;
    std::optional<CpuShare::Work> work;
  };
  constexpr std::uint64_t kEndNs = 1'000'000'000;
  std::uint64_t seed = 0;
  for (const auto& [cores, count] : {std::pair{2, 3}, {2, 4}, {3, 5}, {1, 2}}) {
    CAPTURE(cores, count, ++seed);
    CpuModel model;
    model.cores.count = static_cast<std::uint64_t>(cores);
    CpuShare cpu(model);
    std::mt19937_64 random(seed);
    std::vector<Thread> threads(static_cast<std::size_t>(count));
    for (;;) {
      const auto next =
          std::min_element(threads.begin(), threads.end(),
                           [](const Thread& a, const Thread& b) { return a.next_ns < b.next_ns; });
      const std::uint64_t now_ns = next->next_ns;
      if (now_ns >= kEndNs) break;
      if (next->work) {
        const std::uint64_t left_ns = cpu.left_ns(now_ns, *next->work);
        next->next_ns += left_ns;
        if (left_ns > 0) continue;
        cpu.end(now_ns, *next->work);
      }
      // The first thread works in short pieces like a client, the others like merges.
      const bool is_short = next == threads.begin();
      next->work = cpu.begin(now_ns, 1 + random() % (is_short ? 2'000 : 500'000));
      next->next_ns += next->work->duration_ns;
    }
    const double share = static_cast<double>(cpu.busy_ns()) / kEndNs;
    REQUIRE(share == Approx(cores).epsilon(0.01));
  }
}

TEST_CASE("work takes longer while other cores work, in proportion to their number") {
  CpuModel model;
  model.cores.count = 3;
  model.cores.busy_slowdown = Decimal(1, 2);
  CpuShare cpu(model);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'000);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'250);
  const CpuShare::Work third = cpu.begin(0, 1'000);
  REQUIRE(third.duration_ns == 1'500);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'500 + 1'000);
  cpu.end(0, third);
  REQUIRE(cpu.begin(0, 1'000).duration_ns == 1'500);
  model.cores.merge_busy_slowdown = Decimal(1, 1);
  CpuShare merging(model);
  REQUIRE(merging.begin(0, 1'000, CpuShare::Kind::kMerge).duration_ns == 1'000);
  REQUIRE(merging.begin(0, 1'000, CpuShare::Kind::kMerge).duration_ns == 1'500);
  REQUIRE(merging.of_busy_cores(900) == 900);
  model.cores.count = 5;
  CpuShare larger(model);
  static_cast<void>(larger.begin(0, 1'000));
  REQUIRE(larger.of_busy_cores(1'000) == 250);
  model.cores.count = 1;
  CpuShare single(model);
  REQUIRE(single.begin(0, 1'000).duration_ns == 1'000);
  REQUIRE(single.of_busy_cores(1'000) == 0);
  REQUIRE(single.begin(0, 1'000).duration_ns == 2'000);
}

TEST_CASE("while nobody works what is under way ends as much later, and no core is busy") {
  CpuModel model;
  model.cores.count = 2;
  CpuShare cpu(model);
  const CpuShare::Work first = cpu.begin(0, 1'000);
  const CpuShare::Work second = cpu.begin(200, 300);
  const CpuShare::Work third = cpu.begin(300, 500);
  REQUIRE(cpu.cores_ns(300) == 300 + 100);
  cpu.stand_still(400, 5'000);
  REQUIRE(cpu.cores_ns(5'400) == 600);
  // Both cores were busy when the third thread began. It shares the first thread's core.
  REQUIRE(cpu.left_ns(5'500, second) == 0);
  cpu.end(5'500, second);
  REQUIRE(cpu.left_ns(5'500, third) == 800);
  REQUIRE(cpu.left_ns(5'500, first) == 1'000);
  cpu.end(6'300, third);
  cpu.end(6'500, first);
  REQUIRE(cpu.cores_ns(10'000) == 1'500 + 300);
  // A stop does not count as work of a core.
  const CpuShare::Work fourth = cpu.begin(10'000, 10'000);
  const CpuShare::Work fifth = cpu.begin(10'000, 10'000);
  cpu.stand_still(10'100, 7'000);
  REQUIRE(cpu.wait_ns(17'100, 1'000'000) == 100);
  REQUIRE(cpu.left_ns(27'000, fourth) == 0);
  REQUIRE(cpu.left_ns(27'000, fifth) == 0);
}

}  // namespace
}  // namespace lsmlab::cpu_share_test
