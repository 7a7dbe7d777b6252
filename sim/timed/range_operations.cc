#include "sim/timed/range_operations.h"

#include "models/base/check.h"

namespace lsmlab {

RangeOperations::RangeOperations(const OperationWorkload& workload, const RangeSizes& sizes,
                                 std::uint64_t seed)
    : workload_(workload),
      seed_(seed),
      loading_(workload.open(seed)->loading_operations()),
      key_bytes_(static_cast<std::uint16_t>(sizes.key_bytes(1))),
      value_bytes_(static_cast<std::uint32_t>(sizes.value_bytes(1))) {}

bool RangeOperations::begin_next_phase() {
  if (phases_begun_ == workload_.phases.size()) return false;
  random_ = SplitMix64(derive_seed(seed_, phases_begun_));
  remaining_ = workload_.phases[phases_begun_++].actions;
  remaining_[Action::kInsert] += std::exchange(remaining_[Action::kUpdate], 0);
  left_ = 0;
  for (const std::uint64_t count : remaining_.values) left_ += count;
  return true;
}

Result<std::size_t> RangeOperations::fill(std::span<Operation> operations) {
  std::size_t filled = 0;
  for (; filled < operations.size(); ++filled) {
    if (second_half_) {
      operations[filled] = *std::exchange(second_half_, std::nullopt);
      continue;
    }
    while (left_ == 0) {
      if (!begin_next_phase()) return filled;
    }
    const Action action = draw_action();
    --remaining_[action];
    --left_;
    operations[filled] = operation_of(action);
    if (action == Action::kReadModifyWrite) second_half_ = operation_of(Action::kInsert);
    has_put_ = has_put_ || action == Action::kInsert;
    is_put_next_ = action == Action::kInsert && remaining_[Action::kInsert] == left_;
  }
  return filled;
}

void RangeOperations::skip(std::uint64_t count) {
  CHECK(count <= equal_puts());
  remaining_[Action::kInsert] -= count;
  left_ -= count;
}

Action RangeOperations::draw_action() {
  if (remaining_[Action::kInsert] == left_) return Action::kInsert;
  // The first operation must put a key that the others can use.
  if (!has_put_ && remaining_[Action::kInsert] > 0) return Action::kInsert;
  std::uint64_t drawn = random_.below(left_);
  std::size_t action = 0;
  while (drawn >= remaining_.values[action]) drawn -= remaining_.values[action++];
  return static_cast<Action>(action);
}

Operation RangeOperations::operation_of(Action action) const {
  Operation operation;
  operation.key = RangeAction{phases_begun_ - 1, action}.as_key();
  operation.key_bytes = key_bytes_;
  switch (action) {
    case Action::kInsert:
    case Action::kUpdate:
      operation.value_bytes = value_bytes_;
      operation.kind = OperationKind::kPut;
      break;
    case Action::kDelete:
      operation.kind = OperationKind::kDelete;
      break;
    case Action::kGetPresent:
    case Action::kGetAbsent:
    case Action::kReadModifyWrite:
      operation.kind = OperationKind::kGet;
      break;
    case Action::kScan:
      operation.kind = OperationKind::kScan;
      break;
  }
  return operation;
}

}  // namespace lsmlab
