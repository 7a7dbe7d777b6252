// Random operations for tests of stores: puts, deletes, gets and scans.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>

#include "traces/workloads/operation.h"

namespace lsmlab::testing {

/// Number of random workloads that a test runs: the environment variable's value, or `otherwise`.
inline std::uint64_t seeds_wanted(const char* variable, std::uint64_t otherwise) {
  const char* const wanted = std::getenv(variable);
  return wanted != nullptr ? std::stoull(wanted) : otherwise;
}

// Puts, deletes, gets and scans that stress overlaps: few keys, several sizes.
class RandomOperations : public OperationSource {
 public:
  RandomOperations(std::uint64_t seed, std::uint64_t count, bool reads = true)
      : random_(seed), left_(count) {
    key_range_ = std::uint64_t{1} << (4 + draw(8));
    delete_percent_ = draw(4) * 10;
    read_percent_ = reads ? draw(3) * 15 : 0;
    has_mixed_sizes_ = draw(2) == 1;
    value_bytes_ = static_cast<std::uint32_t>(draw(3) * 20);
    is_sequential_ = draw(5) == 0;
  }

  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && left_ > 0; ++filled, --left_) make(operations[filled]);
    return filled;
  }

 private:
  void make(Operation& operation) {
    operation = {};
    operation.key_bytes = 16;
    operation.key = draw(key_range_);
    if (draw(100) < read_percent_) {
      operation.kind = draw(3) == 0 ? OperationKind::kScan : OperationKind::kGet;
      operation.scan_last_key = draw(4) == 0 ? ~std::uint64_t{0} : operation.key + draw(60);
      operation.scan_entries_max = static_cast<std::uint32_t>(draw(3) * 5);
      return;
    }
    if (is_sequential_) operation.key = next_key_++;
    operation.kind = draw(100) < delete_percent_ ? OperationKind::kDelete : OperationKind::kPut;
    if (operation.kind == OperationKind::kDelete) return;
    operation.value_bytes = has_mixed_sizes_ ? static_cast<std::uint32_t>(draw(200)) : value_bytes_;
  }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  std::mt19937_64 random_;
  std::uint64_t left_;
  std::uint64_t next_key_ = 0;
  std::uint64_t key_range_ = 0;
  std::uint64_t delete_percent_ = 0;
  std::uint64_t read_percent_ = 0;
  std::uint32_t value_bytes_ = 0;
  bool has_mixed_sizes_ = false;
  bool is_sequential_ = false;
};

}  // namespace lsmlab::testing
