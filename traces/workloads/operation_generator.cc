#include "traces/workloads/operation_generator.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// Seeds: phases use streams from 0 on, layouts layout_seed(), sizes of keys this stream.
constexpr std::uint64_t kKeyBytesStream = 1'000'001;

bool needs_existing_key(Action action, AbsentKeys absent_keys) {
  if (action == Action::kGetAbsent) return absent_keys == AbsentKeys::kNeighbour;
  return action != Action::kInsert;
}

}  // namespace

OperationGenerator::Samplers::Samplers(const Phase& phase)
    : update_keys(phase.update_keys),
      delete_keys(phase.delete_keys),
      lookup_keys(phase.lookup_keys),
      value_bytes(phase.value_bytes, kValueBytesRange),
      scan_entries(phase.scan_entries.value_or(SizeDistribution::constant(0)), kScanEntriesRange) {}

OperationGenerator::OperationGenerator(const OperationWorkload& workload, std::uint64_t seed)
    : phases_(workload.phases),
      seed_(seed),
      key_bytes_(workload.key_bytes, kKeyBytesRange),
      has_constant_key_bytes_(workload.key_bytes.kind == SizeKind::kConstant) {
  const bool has_deletes = std::any_of(phases_.begin(), phases_.end(), [](const Phase& phase) {
    return phase.actions[Action::kDelete] != 0;
  });
  if (has_deletes) live_.emplace();
}

Result<std::size_t> OperationGenerator::fill(std::span<Operation> operations) {
  std::size_t filled = 0;
  while (filled < operations.size()) {
    if (second_half_) {
      operations[filled++] = *second_half_;
      second_half_.reset();
      continue;
    }
    if (remaining_sum_ == 0 && !start_next_phase()) break;
    if (remaining_[Action::kInsert] == remaining_sum_ && !live_) {
      const auto count =
          std::min<std::uint64_t>(operations.size() - filled, remaining_[Action::kInsert]);
      fill_inserts(operations.subspan(filled, static_cast<std::size_t>(count)));
      filled += static_cast<std::size_t>(count);
      continue;
    }
    generate(operations[filled++]);
  }
  return filled;
}

std::uint64_t OperationGenerator::loading_operations() const {
  std::uint64_t loading = 0;
  for (const Phase& phase : phases_) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : phase.actions.values) sum += count;
    if (sum != phase.actions[Action::kInsert]) return loading;
    loading += sum;
  }
  return 0;  // there are only inserts
}

bool OperationGenerator::start_next_phase() {
  if (phase_ == phases_.size()) return false;
  const Phase& phase = phases_[phase_];
  generator_ = SplitMix64(derive_seed(seed_, phase_));
  remaining_ = phase.actions;
  remaining_sum_ = 0;
  for (const std::uint64_t count : remaining_.values) remaining_sum_ += count;
  samplers_.emplace(phase);
  if (const std::uint64_t inserts = phase.actions[Action::kInsert]; inserts != 0) {
    layouts_.emplace_back(phase.insert_keys,
                          KeyLayout::Place{phase_, inserted_, inserts, layout_seed(seed_)});
  }
  ++phase_;
  return true;
}

Action OperationGenerator::draw_action() {
  if (remaining_[Action::kInsert] == remaining_sum_) return Action::kInsert;
  std::uint64_t drawn = generator_.below(remaining_sum_);
  std::size_t action = 0;
  while (drawn >= remaining_.values[action]) drawn -= remaining_.values[action++];
  const auto chosen = static_cast<Action>(action);
  if (live_count() != 0 || !needs_existing_key(chosen, phases_[phase_ - 1].absent_keys)) {
    return chosen;
  }
  CHECK(remaining_[Action::kInsert] != 0);
  return Action::kInsert;
}

std::uint64_t OperationGenerator::draw_number(KeyPicker& picker) {
  const std::uint64_t rank = picker.draw(live_count(), generator_);
  return live_ ? live_->at(rank) : rank;
}

std::uint64_t OperationGenerator::key_of(std::uint64_t number) const {
  std::size_t layout = layouts_.size() - 1;
  while (number < layouts_[layout].first()) --layout;
  return layouts_[layout].key(number);
}

std::uint64_t OperationGenerator::draw_absent_key() {
  if (phases_[phase_ - 1].absent_keys == AbsentKeys::kNeighbour) {
    return key_of(draw_number(samplers_->lookup_keys)) | 1;
  }
  const std::uint64_t last =
      layouts_.empty() ? ~std::uint64_t{0} : layouts_.back().last_key(inserted_);
  return static_cast<std::uint64_t>(Uint128{last} * generator_.next() >> 64) | 1;
}

// The size depends only on the key, so that all operations on a key agree.
std::uint16_t OperationGenerator::key_bytes_of(std::uint64_t key) const {
  SplitMix64 generator(
      has_constant_key_bytes_ ? 0 : mix_bits(key) ^ derive_seed(seed_, kKeyBytesStream));
  return static_cast<std::uint16_t>(key_bytes_.draw(generator));
}

// Used when only inserts are left: makes the same operations as generate(), but faster.
void OperationGenerator::fill_inserts(std::span<Operation> operations) {
  const KeyLayout& layout = layouts_.back();
  for (Operation& operation : operations) generate_put(operation, layout.key(inserted_++));
  remaining_[Action::kInsert] -= operations.size();
  remaining_sum_ -= operations.size();
}

void OperationGenerator::generate(Operation& operation) {
  const Action action = draw_action();
  --remaining_[action];
  --remaining_sum_;
  switch (action) {
    case Action::kInsert:
      if (live_) live_->append();
      generate_put(operation, layouts_.back().key(inserted_++));
      return;
    case Action::kUpdate:
      generate_put(operation, key_of(draw_number(samplers_->update_keys)));
      return;
    case Action::kDelete: {
      const std::uint64_t number = draw_number(samplers_->delete_keys);
      live_->remove(number);
      operation = {.key = key_of(number), .kind = OperationKind::kDelete};
      break;
    }
    case Action::kGetPresent:
      operation = {.key = key_of(draw_number(samplers_->lookup_keys)), .kind = OperationKind::kGet};
      break;
    case Action::kGetAbsent:
      operation = {.key = draw_absent_key(), .kind = OperationKind::kGet};
      break;
    case Action::kScan:
      generate_scan(operation);
      break;
    case Action::kReadModifyWrite: {
      const std::uint64_t key = key_of(draw_number(samplers_->update_keys));
      generate_put(second_half_.emplace(), key);
      operation = {.key = key, .kind = OperationKind::kGet};
      break;
    }
  }
  operation.key_bytes = key_bytes_of(operation.key);
}

void OperationGenerator::generate_put(Operation& operation, std::uint64_t key) {
  operation = {.key = key,
               .value_bytes = static_cast<std::uint32_t>(samplers_->value_bytes.draw(generator_)),
               .key_bytes = key_bytes_of(key),
               .kind = OperationKind::kPut};
}

void OperationGenerator::generate_scan(Operation& operation) {
  const Phase& phase = phases_[phase_ - 1];
  operation = {.key = key_of(draw_number(samplers_->lookup_keys)),
               .scan_last_key = ~std::uint64_t{0},
               .kind = OperationKind::kScan};
  if (!phase.scan_selectivity) {
    operation.scan_entries_max =
        static_cast<std::uint32_t>(samplers_->scan_entries.draw(generator_));
    return;
  }
  // Covers at least the first key itself. The product of 2^64 keys and at most 10^9 fits.
  const Uint128 domain = Uint128{layouts_.back().last_key(inserted_)} + 1;
  const Decimal& selectivity = *phase.scan_selectivity;
  const Uint128 width =
      std::max<Uint128>(1, domain * selectivity.numerator() / selectivity.denominator());
  const Uint128 last = Uint128{operation.key} + width - 1;
  operation.scan_last_key = static_cast<std::uint64_t>(std::min<Uint128>(last, ~std::uint64_t{0}));
}

}  // namespace lsmlab
