// The mix of a trace's operations over time, and the phases in which it hardly changes.
//
// A trace is divided into a first part, which only inserts, and windows of equal numbers of
// operations. When there are too many windows, neighbours are joined, so memory is constant.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/workloads/operation_workload.h"

namespace lsmlab {

class OperationMix {
 public:
  /// How an operation on a sampled key turned out.
  enum class Outcome : std::uint8_t { kInsert, kUpdate, kDelete, kGetPresent, kGetAbsent };
  static constexpr std::size_t kOutcomes = 5;

  /// Counts an operation. If it is not a put, the first part is over.
  void add(OperationKind kind);
  /// How the operation counted last turned out, if its key is sampled.
  void add_outcome(Outcome outcome);
  /// Counts outcomes of half of the keys from now on, and half of those so far.
  void halve_outcomes();

  /// Numbers of actions by phase. The first part is a phase of its own. Neighbouring windows with
  /// similar mixes are one phase; there are at most 8. `sampled`: each outcome counts for so many.
  /// All puts that are no inserts are updates.
  [[nodiscard]] std::vector<ActionCounts> phases(std::uint64_t sampled) const;

 private:
  struct Window {
    std::uint64_t operations = 0;
    std::uint64_t puts = 0;
    std::uint64_t gets = 0;
    std::uint64_t scans = 0;
    std::array<std::uint64_t, kOutcomes> outcomes{};
  };
  static constexpr std::size_t kWindowsMax = 128;
  static constexpr std::uint64_t kWindowOperationsMin = 1024;

  void end_first_part();
  void join_windows();
  static void join(Window& window, const Window& next);
  [[nodiscard]] static ActionCounts actions_of(const Window& window, std::uint64_t sampled);

  Window first_part_;
  std::vector<Window> windows_;
  std::uint64_t window_operations_ = kWindowOperationsMin;
};

}  // namespace lsmlab
