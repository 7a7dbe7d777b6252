#include "traces/files/operation_mix.h"

#include <algorithm>

#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

constexpr std::size_t kPhasesOfMixMax = 7;  // after the first part
// Two windows with different mixes stay apart if joining them would lose so much information, in
// nats: of all operations together, and what chance explains in any case.
constexpr double kLossAnOperation = 0.0005;
constexpr double kLossByChance = 20;

std::uint64_t sum_of_actions(const ActionCounts& actions) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : actions.values) sum += count;
  return sum;
}

ActionCounts sum_of(const ActionCounts& a, const ActionCounts& b) {
  ActionCounts sum;
  for (std::size_t i = 0; i < kActions; ++i) sum.values[i] = a.values[i] + b.values[i];
  return sum;
}

// The logarithm of how probable an order of the actions is.
double information_of(const ActionCounts& actions) {
  const auto all = static_cast<double>(sum_of_actions(actions));
  double sum = 0;
  for (const std::uint64_t count : actions.values) {
    if (count == 0) continue;
    const auto own = static_cast<double>(count);
    sum += own * portable_log(own / all);
  }
  return sum;
}

double loss_of(const ActionCounts& a, const ActionCounts& b) {
  return information_of(a) + information_of(b) - information_of(sum_of(a, b));
}

}  // namespace

void OperationMix::add(OperationKind kind) {
  if (kind != OperationKind::kPut) end_first_part();
  if (!windows_.empty() && windows_.back().operations == window_operations_) {
    if (windows_.size() == kWindowsMax) join_windows();
    if (windows_.back().operations == window_operations_) windows_.emplace_back();
  }
  Window& window = windows_.empty() ? first_part_ : windows_.back();
  ++window.operations;
  window.puts += kind == OperationKind::kPut ? 1 : 0;
  window.gets += kind == OperationKind::kGet ? 1 : 0;
  window.scans += kind == OperationKind::kScan ? 1 : 0;
}

void OperationMix::end_first_part() {
  if (windows_.empty()) windows_.emplace_back();
}

void OperationMix::add_outcome(Outcome outcome) {
  if (windows_.empty() && outcome == Outcome::kUpdate) {
    end_first_part();
    --first_part_.operations;
    --first_part_.puts;
    ++windows_.back().operations;
    ++windows_.back().puts;
  }
  Window& window = windows_.empty() ? first_part_ : windows_.back();
  ++window.outcomes[static_cast<std::size_t>(outcome)];
}

void OperationMix::halve_outcomes() {
  for (std::uint64_t& count : first_part_.outcomes) count /= 2;
  for (Window& window : windows_) {
    for (std::uint64_t& count : window.outcomes) count /= 2;
  }
}

void OperationMix::join(Window& window, const Window& next) {
  window.operations += next.operations;
  window.puts += next.puts;
  window.gets += next.gets;
  window.scans += next.scans;
  for (std::size_t i = 0; i < kOutcomes; ++i) window.outcomes[i] += next.outcomes[i];
}

void OperationMix::join_windows() {
  std::vector<Window> joined;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (i % 2 == 0) {
      joined.push_back(windows_[i]);
    } else {
      join(joined.back(), windows_[i]);
    }
  }
  windows_ = std::move(joined);
  window_operations_ *= 2;
}

ActionCounts OperationMix::actions_of(const Window& window, std::uint64_t sampled) {
  const auto of = [&](Outcome outcome) {
    return window.outcomes[static_cast<std::size_t>(outcome)];
  };
  ActionCounts actions;
  // A sample may lack the most popular keys, so it knows inserts better than updates.
  actions[Action::kInsert] = std::min(window.puts, of(Outcome::kInsert) * sampled);
  actions[Action::kUpdate] = window.puts - actions[Action::kInsert];
  actions[Action::kDelete] = of(Outcome::kDelete) * sampled;
  actions[Action::kGetAbsent] = std::min(window.gets, of(Outcome::kGetAbsent) * sampled);
  actions[Action::kGetPresent] = window.gets - actions[Action::kGetAbsent];
  actions[Action::kScan] = window.scans;
  return actions;
}

std::vector<ActionCounts> OperationMix::phases(std::uint64_t sampled) const {
  std::vector<ActionCounts> phases;
  double operations = 0;
  for (const Window& window : windows_) {
    phases.push_back(actions_of(window, sampled));
    operations += static_cast<double>(window.operations);
  }
  const double loss_max = kLossByChance + kLossAnOperation * operations;
  while (phases.size() > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < phases.size(); ++i) {
      if (loss_of(phases[i], phases[i + 1]) < loss_of(phases[best], phases[best + 1])) best = i;
    }
    const bool are_similar = loss_of(phases[best], phases[best + 1]) <= loss_max;
    if (!are_similar && phases.size() <= kPhasesOfMixMax) break;
    phases[best] = sum_of(phases[best], phases[best + 1]);
    phases.erase(phases.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  ActionCounts first;
  first[Action::kInsert] = first_part_.puts;
  phases.insert(phases.begin(), first);
  std::erase_if(phases, [](const ActionCounts& phase) { return sum_of_actions(phase) == 0; });
  return phases;
}

}  // namespace lsmlab
