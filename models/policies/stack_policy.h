// Stack-based policies (merge-policies paper, Section 3). The tree is a stack of SSTables ordered
// by age, and the rule depends only on sizes, tiers and the flush number. The rule is written once,
// in decide(), over a compact StackView. pick() applies it to any tree. The flush-resolution
// simulator calls decide() directly, the engine calls pick().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/policies/flush_mode.h"
#include "models/policies/policy.h"

namespace lsmlab {

/// One SSTable of the stack.
struct StackTable {
  std::uint64_t bytes = 0;
  // The newest flush that it holds. The oldest one is the next after the newest flush of its older
  // neighbour.
  std::uint64_t last_flush = 0;
  std::uint32_t level = 0;  // tier; 0 if the policy has no tiers
};

/// The stack after a flush was pushed on it, before any merge.
struct StackView {
  // Oldest first; the last table is the flush or the output of a merge.
  std::span<const StackTable> tables;
  std::uint64_t total_bytes = 0;  // sum over tables
  std::uint64_t flushes = 0;      // number of flushes so far, including this one: the paper's t
  // True if the policy wanted no change of the tables below the newest one. It does not change the
  // decision, only the cost of finding it.
  bool is_settled_below = false;
};

enum class StackAction { kNone, kMerge, kMove };

/// Merge or move the `count` tables from position `first` (0: oldest) into one table of `level`.
struct StackDecision {
  StackAction action = StackAction::kNone;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t level = 0;

  [[nodiscard]] static StackDecision none() { return {}; }
  [[nodiscard]] static StackDecision merge(std::size_t first, std::size_t count,
                                           std::uint32_t level = 0) {
    return {StackAction::kMerge, static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(count), level};
  }
  /// Keeps the `keep` oldest tables and merges the rest; does nothing if the rest is a single
  /// table.
  [[nodiscard]] static StackDecision keep_oldest(std::size_t keep, std::size_t depth) {
    return depth - keep < 2 ? none() : merge(keep, depth - keep);
  }
  /// Merges the newest tables so that `left` tables remain; does nothing if there are no more than
  /// that.
  [[nodiscard]] static StackDecision leave(std::size_t left, std::size_t depth) {
    return left >= depth ? none() : merge(left - 1, depth - left + 1);
  }
};

struct FlushModeOption {
  FlushMode flush = FlushMode::kEager;
  void declare(OptionTable& table);
};

/// Options of a policy with a bound on the number of SSTables.
struct DepthBoundOptions : FlushModeOption {
  std::uint64_t k = 6;
  /// `trade_off`: what a larger k costs and gains.
  void declare_depth(OptionTable& table, const std::string& trade_off);
};

/// A policy over whole sorted runs as a list ordered by age.
class RunSetPolicy : public Policy {
 public:
  RunSetPolicy(FlushMode flush_mode, PlanReason reason)
      : flush_mode_(flush_mode), reason_(reason) {}

  struct Choice {
    StackAction action = StackAction::kNone;
    std::vector<std::size_t> positions;  // rising positions in StackView::tables
    std::uint32_t level = 0;
  };
  /// The rule. Pure. REQUIRES: at least one table.
  [[nodiscard]] virtual Choice choose(const StackView& stack) const = 0;
  /// True if the rule is asked again after each merge, until it wants nothing. False if it is asked
  /// once per flush.
  [[nodiscard]] virtual bool cascades() const { return false; }

  /// True if only a merge of all runs drops tombstones, and not every one that takes the oldest.
  [[nodiscard]] virtual bool keeps_tombstones_beside_newer() const { return false; }

  [[nodiscard]] FlushMode flush_mode() const { return flush_mode_; }
  /// The reason of every merge and move.
  [[nodiscard]] PlanReason reason() const { return reason_; }
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const final;
  [[nodiscard]] bool compacts(ManualScope scope) const final { return flushes_first(scope); }
  /// Merges all sorted runs into one, at the level of the oldest.
  [[nodiscard]] std::optional<Plan> pick_manual(const TreeView& tree,
                                                const ManualCompaction& manual) const final;

 private:
  FlushMode flush_mode_;
  PlanReason reason_;
};

/// A run-set policy that merges only runs that are adjacent in age.
class StackPolicy : public RunSetPolicy {
 public:
  using RunSetPolicy::RunSetPolicy;
  /// The rule. Pure. REQUIRES: at least one table.
  [[nodiscard]] virtual StackDecision decide(const StackView& stack) const = 0;
  /// For a static policy, whose stack depends only on the flush number. Writes how many SSTables
  /// remain after flushes `first_flush`, `first_flush` + 1, ..., so that an executor need not ask
  /// for each flush. Returns false for other policies.
  [[nodiscard]] virtual bool static_depths(std::uint64_t first_flush,
                                           std::span<std::uint16_t> depths) const {
    static_cast<void>(first_flush);
    static_cast<void>(depths);
    return false;
  }
  [[nodiscard]] Choice choose(const StackView& stack) const final;
  [[nodiscard]] const StackPolicy* as_stack_policy() const final { return this; }
};

/// A static policy: static_depths() is its schedule, for one flush as for many.
class StaticPolicy : public StackPolicy {
 public:
  explicit StaticPolicy(FlushMode flush_mode)
      : StackPolicy(flush_mode, PlanReason::kStaticSchedule) {}
  [[nodiscard]] StackDecision decide(const StackView& stack) const final;
};

}  // namespace lsmlab
