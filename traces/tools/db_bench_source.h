// Draws the operations of a plan as db_bench 7.8.3 does: the same keys in the same order for the
// same seed. Threads take turns, one batch each. Memory is constant, except for filluniquerandom,
// which shuffles all its keys: four bytes each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "models/base/random.h"
#include "traces/tools/db_bench_plan.h"
#include "traces/workloads/operation.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab::tools {

/// The numbers below `count` in the order that libstdc++'s shuffle gives them with
/// std::mt19937(seed). REQUIRES: count <= 2^32.
[[nodiscard]] std::vector<std::uint32_t> shuffled_numbers(std::uint64_t count, std::uint32_t seed);

class DbBenchSource final : public OperationSource {
 public:
  /// `seed`: of lines whose own seed is 0, and of the sizes of values.
  DbBenchSource(std::shared_ptr<const DbBenchPlan> plan, std::uint64_t seed);

  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override;
  /// Those of the benchmarks before the first one that does more than put.
  [[nodiscard]] std::uint64_t loading_operations() const override;

 private:
  // std::mt19937_64 is the same with every library.
  struct Thread {
    explicit Thread(std::uint64_t seed) : random(seed) {}
    std::mt19937_64 random;
    std::uint64_t units = 0;  // done so far
    std::uint32_t gets_left = 0;
    std::uint32_t puts_left = 0;
  };

  [[nodiscard]] bool start_next_step();
  // Appends the next turn to pending_; false at the end of the step.
  [[nodiscard]] bool take_turn();
  [[nodiscard]] bool is_writers_turn() const;
  void take_batch(Thread& thread);
  void take_one(Thread& thread);
  void read_or_put(Thread& thread);
  void take_mixed(Thread& thread);
  [[nodiscard]] std::uint64_t random_number(Thread& thread) const;
  [[nodiscard]] std::uint64_t read_number(Thread& thread) const;
  void put(std::uint64_t number) { put(number, draw_value_bytes()); }
  void put(std::uint64_t number, std::uint32_t value_bytes);
  void remove(std::uint64_t number);
  void get(std::uint64_t number);
  // The iterator moves so many times, so it stands on one entry more.
  void scan(std::uint64_t number, std::uint64_t moves);
  void seek_in_order(std::uint64_t unit);
  void scan_all();
  [[nodiscard]] std::uint32_t draw_value_bytes();

  std::shared_ptr<const DbBenchPlan> plan_;
  std::uint64_t seed_;
  SplitMix64 values_;
  const DbBenchStep* step_ = nullptr;
  std::size_t next_step_ = 0;
  std::vector<Thread> threads_;  // the writer last
  std::size_t next_thread_ = 0;
  std::uint64_t reader_units_ = 0;  // of all readers together
  std::vector<std::uint32_t> shuffled_;
  std::optional<MixGraphDraws> mix_;
  std::vector<Operation> pending_;
  std::size_t taken_ = 0;  // of pending_
};

}  // namespace lsmlab::tools
