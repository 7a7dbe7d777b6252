#include "engine/calibration/measure/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "engine/calibration/measure/client_loops.h"
#include "engine/files/process_io.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kLookupsBeside =
    10;  // lookups between two checks whether the merge is over

// Shared by the measured work and the threads that work until it is over.
struct Course {
  std::atomic<bool> is_over{false};
  std::atomic<unsigned> have_begun{0};
};

Result<void> put_until_over(Course& course, const std::string& directory, Bytes memtable) {
  constexpr int kParts = 100;
  for (bool is_first = true; !course.is_over.load(); is_first = false) {
    WorkStore store(directory, {no_merges(), memtable});
    BOOST_OUTCOME_TRYV(store.open());
    for (int part = 1; part < kParts && !course.is_over.load(); ++part) {
      const Sample ignored = BOOST_OUTCOME_TRYX(store.fill(kCalibrateFullShare * part / kParts));
      static_cast<void>(ignored);
      if (is_first && part == 1) ++course.have_begun;
    }
  }
  return success();
}

// A store in threaded mode, so that puts wait only for flushes. Returns the time per put since it
// counted itself in have_begun.
Result<Sample> put_and_flush_until_over(Course& course, const std::string& directory,
                                        const StoresBeside& stores) {
  constexpr unsigned kMemtablesBefore = 3;  // the store then has its memory, and has flushed once
  constexpr unsigned kParts = 16;           // parts of a memtable; a check comes after each
  StoreShape shape{no_merges(), stores.buffer, kCalibrateLargeValueBytes};
  shape.is_direct = stores.is_direct;
  shape.is_threaded = true;
  LatencyHistogram puts;
  double begin_ns = 0;
  for (bool has_begun = false; !course.is_over.load();) {
    WorkStore store(directory, shape);
    BOOST_OUTCOME_TRYV(store.open());
    for (unsigned part = 0; part < kParts * kMemtablesBeside && !course.is_over.load(); ++part) {
      BOOST_OUTCOME_TRYV(store.time_puts(1.0 / kParts, puts));
      if (has_begun || part < kParts * kMemtablesBefore) continue;
      has_begun = true;
      ++course.have_begun;
      puts = LatencyHistogram();
      begin_ns = thread_ns();
    }
  }
  Sample sample;
  const auto count = static_cast<double>(std::max<std::uint64_t>(1, puts.count()));
  sample.nanoseconds = (thread_ns() - begin_ns) / count;
  return sample;
}

// Runs `work` on a thread of its own when `others` other threads have begun. Tells them when it is
// over.
Result<Sample> beside(unsigned others, const std::function<Result<Sample>()>& work,
                      const std::function<Result<void>(unsigned, Course&)>& other) {
  Course course;
  Result<Sample> sample = Sample();
  const auto client = [&](unsigned i, ClientLoop&) -> Result<void> {
    if (i < others) {
      Result<void> done = other(i, course);
      if (!done) course.have_begun += others;  // so that `work` does not wait for it
      return done;
    }
    while (course.have_begun.load() < others) std::this_thread::yield();
    sample = work();
    course.is_over.store(true);
    return success();
  };
  BOOST_OUTCOME_TRYV(run_clients(others + 1, client));
  return sample;
}

}  // namespace

Result<Sample> beside_puts(const StoresBeside& stores,
                           const std::function<Result<Sample>()>& work) {
  const unsigned others = std::max(1U, std::thread::hardware_concurrency()) - 1;
  // Large memtables need fewer new stores, whose files disturb the disk.
  const Bytes memtable(stores.buffer.value() *
                       std::max<std::uint64_t>(1, kLargeFactor / std::max(1U, others)));
  return beside(others, work, [&](unsigned i, Course& course) {
    return put_until_over(course, fmt::format("{}-{}", stores.directory, i), memtable);
  });
}

Result<MergeAndLookups> merge_beside_lookups(WorkStore& merging, WorkStore& looked_up,
                                             const std::function<Result<void>()>& wait_for_disk) {
  std::vector<Sample> lookups;
  std::uint64_t on_one_core = 0;  // samples at whose end both threads were on one core
  std::atomic<bool> is_merging{false};
  std::atomic<std::int64_t> merging_thread{0};
  MergeAndLookups both;
  const auto merge = [&]() -> Result<Sample> {
    merging_thread.store(thread_number());
    BOOST_OUTCOME_TRYV(wait_for_disk());
    is_merging.store(true);
    return merging.merge();
  };
  both.merge = BOOST_OUTCOME_TRYX(beside(1, merge, [&](unsigned, Course& course) -> Result<void> {
    ++course.have_begun;
    while (lookups.empty() || !course.is_over.load()) {
      if (!is_merging.load()) {
        lookups.clear();
        on_one_core = 0;
      }
      lookups.push_back(BOOST_OUTCOME_TRYX(looked_up.look_up(true, kLookupsBeside)));
      const std::optional<unsigned> merging_core = last_core_of(merging_thread.load());
      if (merging_core && merging_core == last_core_of(thread_number())) ++on_one_core;
    }
    return success();
  }));
  both.merge.one_core = static_cast<double>(on_one_core) / static_cast<double>(lookups.size());
  // The last lookups may have continued after the merge.
  if (lookups.size() > 1) lookups.pop_back();
  both.lookup = lookups.front();
  both.lookup.nanoseconds = both.lookup.wall_ns = both.lookup.core_wait_ns = 0;
  const auto count = static_cast<double>(lookups.size());
  for (const Sample& sample : lookups) {
    both.lookup.nanoseconds += sample.nanoseconds / count;
    both.lookup.wall_ns += sample.wall_ns / count;
    both.lookup.core_wait_ns += sample.core_wait_ns / count;
  }
  return both;
}

Result<Sample> merge_beside_merge(WorkStore& merging, WorkStore& other) {
  std::array<Sample, 2> merged;
  const auto client = [&](unsigned i, ClientLoop&) -> Result<void> {
    merged[i] = BOOST_OUTCOME_TRYX((i == 0 ? merging : other).merge());
    return success();
  };
  BOOST_OUTCOME_TRYV(run_clients(2, client));
  Sample mean = merged[0];
  mean.nanoseconds = (merged[0].nanoseconds + merged[1].nanoseconds) / 2;
  mean.wall_ns = (merged[0].wall_ns + merged[1].wall_ns) / 2;
  mean.core_wait_ns = (merged[0].core_wait_ns + merged[1].core_wait_ns) / 2;
  return mean;
}

Result<MergeAndPuts> merge_beside_store(const StoresBeside& stores, WorkStore& merging) {
  const unsigned others = std::max(2U, std::thread::hardware_concurrency()) - 1;
  MergeAndPuts both;
  const auto other = [&](unsigned i, Course& course) -> Result<void> {
    const std::string directory = fmt::format("{}-{}", stores.directory, i);
    if (i > 0) return put_until_over(course, directory, stores.buffer);
    both.put = BOOST_OUTCOME_TRYX(put_and_flush_until_over(course, directory, stores));
    return success();
  };
  both.merge = BOOST_OUTCOME_TRYX(beside(
      others, [&] { return merging.merge(); }, other));
  return both;
}

}  // namespace lsmlab::engine
