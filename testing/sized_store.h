// An executor of plans that knows sizes only: an output has the bytes of its inputs. For tests that
// hold a policy against an oracle over many flushes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/policies/policy.h"
#include "models/tree/tree.h"
#include "testing/catch.h"

namespace lsmlab::testing {

class SizedStore {
 public:
  explicit SizedStore(const Policy& policy) : policy_(policy) {}

  void begin_flush(std::uint64_t bytes) {
    flush_bytes_ = bytes;
    tree_.begin_flush({Bytes(bytes), Entries(1), {1, 9}});
  }
  [[nodiscard]] std::optional<Plan> pick() const { return policy_.pick(tree_); }

  /// Flushes and runs what the policy wants until it wants nothing more.
  void flush(std::uint64_t bytes) {
    begin_flush(bytes);
    for (int plans = 0;; ++plans) {
      REQUIRE(plans < 1000);
      const std::optional<Plan> plan = pick();
      if (!plan) break;
      run(*plan);
    }
    REQUIRE(!tree_.pending_flush());
  }

  void run(const Plan& plan) {
    TreeEdit edit;
    if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
      for (const PlanInput& input : move->inputs) edit.moved.push_back({input.files, move->target});
      REQUIRE(tree_.apply(edit).has_value());
      return;
    }
    const std::uint64_t now = tree_.flush_count() + 1;
    const bool takes = takes_memtable(plan);
    std::uint64_t bytes = takes ? flush_bytes_ : 0;
    FlushSpan span = takes ? FlushSpan{now, now} : FlushSpan{~std::uint64_t{0}, 0};
    for (const PlanInput& input : plan_inputs(plan)) {
      for (const FileId id : input.files) {
        const File& file = tree_.file_at(*tree_.find_file(id));
        bytes += file.bytes.value();
        span = {std::min(span.first, file.flushes.first), std::max(span.last, file.flushes.last)};
        edit.removed.push_back(id);
      }
    }
    File output;
    output.id = tree_.allocate_file_id();
    output.keys = {1, 9};
    output.bytes = Bytes(bytes);
    output.entries = Entries(1);
    output.flushes = span;
    edit.takes_memtable = takes;
    edit.is_merge = std::holds_alternative<MergePlan>(plan.action);
    edit.added.push_back({plan_target(plan), {output}});
    written_ += bytes;
    const auto applied = tree_.apply(edit);
    INFO((applied ? "" : applied.error().message));
    REQUIRE(applied.has_value());
  }

  /// "1,1/5": the bytes of runs, newest first, by level.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Level& level : tree_.levels()) {
      if (&level != tree_.levels().data()) text += "/";
      for (const SortedRun& run : level.runs) {
        if (&run != level.runs.data()) text += ",";
        text += std::to_string(run.bytes().value());
      }
    }
    while (!text.empty() && text.back() == '/') text.pop_back();
    return text;
  }
  [[nodiscard]] const TreeState& tree() const { return tree_; }
  /// Of all flushes and merges.
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  const Policy& policy_;
  TreeState tree_;
  std::uint64_t flush_bytes_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace lsmlab::testing
