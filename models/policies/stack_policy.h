// Stack-based policies (merge-policies paper, Section 3): the tree is a stack of SSTables ordered
// by age, and the rule looks at sizes, tiers and the flush number only. The rule is written once,
// in decide(), over a compact StackView; pick() shows it any tree. The flush-resolution simulator
// calls decide() directly, the engine calls pick().
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
  // Newest flush that it holds; the oldest is one after its older neighbour's newest.
  std::uint64_t last_flush = 0;
  std::uint32_t level = 0;  // tier, or 0 where the policy has none
};

/// The stack after a flush was pushed on it, before anything is merged.
struct StackView {
  // Oldest first; the last one is the flush, or a merge's output.
  std::span<const StackTable> tables;
  std::uint64_t total_bytes = 0;  // sum over tables
  std::uint64_t flushes = 0;      // so far, this one included: the paper's t
  // The policy wanted nothing more of the tables below the newest one. It changes no decision, only
  // what it takes to come to one.
  bool is_settled_below = false;
};

enum class StackAction { kNone, kMerge, kMove };

/// Merge (or move) the `count` tables from position `first` (0: oldest) into one table of `level`.
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
  /// Leaves the `keep` oldest tables and merges the rest; nothing to do where the rest is one
  /// table.
  [[nodiscard]] static StackDecision keep_oldest(std::size_t keep, std::size_t depth) {
    return depth - keep < 2 ? none() : merge(keep, depth - keep);
  }
  /// Merges the newest tables so that `left` are left; nothing to do where there are no more.
  [[nodiscard]] static StackDecision leave(std::size_t left, std::size_t depth) {
    return left >= depth ? none() : merge(left - 1, depth - left + 1);
  }
};

struct FlushModeOption {
  FlushMode flush = FlushMode::kEager;
  void declare(OptionTable& table);
};

/// Options of a policy of bounded depth.
struct DepthBoundOptions : FlushModeOption {
  std::uint64_t k = 6;
  /// `trade_off`: what a larger k costs and gains.
  void declare_depth(OptionTable& table, const std::string& trade_off);
};

/// A policy over whole sorted runs, taken as a list ordered by age.
class RunSetPolicy : public Policy {
 public:
  RunSetPolicy(FlushMode flush_mode, PlanReason reason)
      : flush_mode_(flush_mode), reason_(reason) {}

  struct Choice {
    StackAction action = StackAction::kNone;
    std::vector<std::size_t> positions;  // rising, in StackView::tables
    std::uint32_t level = 0;
  };
  /// The rule. Pure. REQUIRES: at least one table.
  [[nodiscard]] virtual Choice choose(const StackView& stack) const = 0;
  /// True where the rule is asked again after each merge, until it wants nothing; otherwise once a
  /// flush.
  [[nodiscard]] virtual bool cascades() const { return false; }

  [[nodiscard]] FlushMode flush_mode() const { return flush_mode_; }
  /// The reason of every merge and move.
  [[nodiscard]] PlanReason reason() const { return reason_; }
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const final;

 private:
  FlushMode flush_mode_;
  PlanReason reason_;
};

/// A run-set policy that is stable: it merges neighbours in age only.
class StackPolicy : public RunSetPolicy {
 public:
  using RunSetPolicy::RunSetPolicy;
  /// The rule. Pure. REQUIRES: at least one table.
  [[nodiscard]] virtual StackDecision decide(const StackView& stack) const = 0;
  /// For a static policy, whose stack depends on the flush number alone: writes how many SSTables
  /// are left after flushes `first_flush`, `first_flush` + 1, ..., so that an executor need not ask
  /// one by one. False for other policies.
  [[nodiscard]] virtual bool static_depths(std::uint64_t first_flush,
                                           std::span<std::uint16_t> depths) const {
    static_cast<void>(first_flush);
    static_cast<void>(depths);
    return false;
  }
  [[nodiscard]] Choice choose(const StackView& stack) const final;
  [[nodiscard]] const StackPolicy* as_stack_policy() const final { return this; }
};

/// A static policy: its schedule is static_depths(), for one flush as for many.
class StaticPolicy : public StackPolicy {
 public:
  explicit StaticPolicy(FlushMode flush_mode)
      : StackPolicy(flush_mode, PlanReason::kStaticSchedule) {}
  [[nodiscard]] StackDecision decide(const StackView& stack) const final;
};

}  // namespace lsmlab
