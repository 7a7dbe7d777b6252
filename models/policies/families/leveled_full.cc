// Leveling by whole levels: each level is one sorted run. A flush is merged with level 0. When
// level i holds size_ratio^(i+1) flushes (or size_ratio^i times level_base bytes, if level_base is
// given), it is merged with level i+1, or moved there if that level is empty. Each merge of a
// cascade writes its output.
#include "models/policies/stack_policy.h"

#include "models/base/check.h"

namespace lsmlab {
namespace {

struct LeveledFullOptions : FlushModeOption {
  std::uint64_t size_ratio = 10;
  std::optional<Bytes> level_base;
  void declare(OptionTable& table) {
    table.count("size_ratio", size_ratio, {2, 1024}, "",
                "capacity of a level divided by that of the level above; more: fewer levels for a "
                "read to visit, but more rewrites in each");
    table.optional_bytes("level_base", level_base, {1, kFlushedBytesMax},
                         "capacity of level 0; default: size_ratio flushes of any size");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class LeveledFull final : public StackPolicy {
 public:
  explicit LeveledFull(const LeveledFullOptions& options)
      : StackPolicy(options.flush, PlanReason::kLevelSaturated), options_(options) {}

  [[nodiscard]] StackDecision decide(const StackView& stack) const override {
    // Only two adjacent tables can require a merge: a flush on top of level 0, or the level that
    // has just grown. Each is the newest table of the stack.
    const std::size_t depth = stack.tables.size();
    const StackTable& newest = stack.tables[depth - 1];
    const StackTable* older = depth > 1 ? &stack.tables[depth - 2] : nullptr;
    if (older != nullptr && older->level == newest.level) {
      return StackDecision::merge(depth - 2, 2, newest.level);
    }
    if (!is_saturated(newest, older != nullptr ? older->last_flush : 0))
      return StackDecision::none();
    if (older != nullptr && older->level == newest.level + 1) {
      return StackDecision::merge(depth - 2, 2, newest.level + 1);
    }
    StackDecision move = StackDecision::merge(depth - 1, 1, newest.level + 1);
    move.action = StackAction::kMove;
    return move;
  }
  [[nodiscard]] bool cascades() const override { return true; }

 private:
  [[nodiscard]] bool is_saturated(const StackTable& table, std::uint64_t older_last_flush) const {
    Uint128 capacity = options_.level_base ? options_.level_base->value() : options_.size_ratio;
    for (std::uint32_t level = 0; level < table.level && capacity < kFlushedBytesMax; ++level) {
      capacity *= options_.size_ratio;
    }
    return (options_.level_base ? table.bytes : table.last_flush - older_last_flush) >= capacity;
  }

  LeveledFullOptions options_;
};

std::vector<RuleFidelity> leveled_full_fidelity() {
  const char* const kPaper = "Sarkar et al., VLDB 2021 (design-space paper), Section 3";
  return {
      {"each level is one sorted run, which merges into the next level when it is full",
       Fidelity::kExact, kPaper},
      {"a flush merges with the first level at once", Fidelity::kSimplified, kPaper,
       "the paper's engine gathers flushes in level 0; primitives does so too"},
  };
}

}  // namespace

PolicyFamily leveled_full_family() {
  PolicyFamily family = make_family<LeveledFullOptions, LeveledFull>(
      "leveled-full", "leveling: merges a whole level into the next when it is full",
      "Sarkar et al., VLDB 2021 (design-space paper), Section 3 (leveling, level granularity)");
  family.fidelity = leveled_full_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab
