// Generates a workload's operations, one after another.
//
// The actions of a phase are drawn without replacement, so their numbers are exact and their order
// is random. If an action needs an existing key and none is alive, the generator takes a later
// insert instead. OperationWorkload::validate ensures that there is one. Memory is constant, except
// with deletes: they need one bit per inserted key.
#pragma once

#include <optional>
#include <vector>

#include "models/base/random.h"
#include "traces/workloads/key_distribution.h"
#include "traces/workloads/live_keys.h"
#include "traces/workloads/operation.h"
#include "traces/workloads/operation_workload.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab {

class OperationGenerator final : public OperationSource {
 public:
  /// REQUIRES: workload.validate() found no fault.
  OperationGenerator(const OperationWorkload& workload, std::uint64_t seed);
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override;
  /// The inserts of all phases before the first phase that does more than insert.
  [[nodiscard]] std::uint64_t loading_operations() const override;

 private:
  // The samplers of the current phase.
  struct Samplers {
    explicit Samplers(const Phase& phase);
    KeyPicker update_keys;
    KeyPicker delete_keys;
    KeyPicker lookup_keys;
    SizeSampler value_bytes;
    SizeSampler scan_entries;
  };

  [[nodiscard]] bool start_next_phase();
  [[nodiscard]] Action draw_action();
  [[nodiscard]] std::uint64_t live_count() const { return live_ ? live_->count() : inserted_; }
  [[nodiscard]] std::uint64_t draw_number(KeyPicker& picker);
  [[nodiscard]] std::uint64_t key_of(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t draw_absent_key();
  [[nodiscard]] std::uint16_t key_bytes_of(std::uint64_t key) const;
  void fill_inserts(std::span<Operation> operations);
  void generate(Operation& operation);
  void generate_put(Operation& operation, std::uint64_t key);
  void generate_scan(Operation& operation);

  std::vector<Phase> phases_;
  std::uint64_t seed_;
  SizeSampler key_bytes_;
  bool has_constant_key_bytes_;
  SplitMix64 generator_{0};
  std::size_t phase_ = 0;  // index of the current phase plus one
  ActionCounts remaining_;
  std::uint64_t remaining_sum_ = 0;
  std::optional<Samplers> samplers_;
  std::vector<KeyLayout> layouts_;  // of the phases so far that insert, by first number
  std::uint64_t inserted_ = 0;
  std::optional<LiveKeys> live_;          // used only if the workload deletes
  std::optional<Operation> second_half_;  // the put of a read-modify-write
};

}  // namespace lsmlab
