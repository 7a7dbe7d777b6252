// The operations of a workload for a timed run at resolution `range`: their kinds in an order, and
// mean sizes. An operation has no key there. Its `key` says which phase and action it belongs to
// (RangeAction); inserts and updates are both puts, and RangeFiles knows how they mix.
//
// As in OperationGenerator, the actions of a phase are drawn without replacement. Not thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/base/random.h"
#include "sim/ranges/range_sizes.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// What an operation's `key` stands for.
struct RangeAction {
  std::size_t phase = 0;
  Action action = Action::kInsert;  // kInsert: any put
  [[nodiscard]] static RangeAction of(const Operation& operation) {
    return {operation.key / kActions, static_cast<Action>(operation.key % kActions)};
  }
  [[nodiscard]] std::uint64_t as_key() const {
    return phase * kActions + static_cast<std::size_t>(action);
  }
};

class RangeOperations final : public OperationSource {
 public:
  /// REQUIRES: workload.validate() found no fault; the workload outlives the source.
  RangeOperations(const OperationWorkload& workload, const RangeSizes& sizes, std::uint64_t seed);
  /// Leaves out the first phase. REQUIRES: no operation was taken yet, and a phase follows.
  void begin_after_first_phase() {
    phases_begun_ = 1;
    has_put_ = true;
  }
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override;
  [[nodiscard]] std::uint64_t loading_operations() const override { return loading_; }
  /// How many puts follow that equal the last operation, if that is a put.
  [[nodiscard]] std::uint64_t equal_puts() const { return is_put_next_ ? left_ : 0; }
  /// Leaves out the next operations. REQUIRES: count <= equal_puts().
  void skip(std::uint64_t count);

 private:
  [[nodiscard]] bool begin_next_phase();
  [[nodiscard]] Action draw_action();
  [[nodiscard]] Operation operation_of(Action action) const;

  const OperationWorkload& workload_;
  const std::uint64_t seed_;
  const std::uint64_t loading_;
  const std::uint16_t key_bytes_;
  const std::uint32_t value_bytes_;
  SplitMix64 random_{0};
  std::size_t phases_begun_ = 0;
  ActionCounts remaining_;    // of the phase; all puts that are no second half are inserts
  std::uint64_t left_ = 0;    // sum of these
  bool is_put_next_ = false;  // only puts are left in the phase
  bool has_put_ = false;      // so that there is a key to use
  std::optional<Operation> second_half_;  // the put of a read-modify-write
};

}  // namespace lsmlab
