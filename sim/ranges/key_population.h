// The keys of a workload as resolution `range` knows them: how many there are in each popularity
// class, how often operations use each class, and what a memtable holds of each.
//
// A class is an interval of insertion numbers, whose keys are used about equally often: intervals
// that grow by a factor for zipfian access, equal parts of all inserts for normal access, one class
// for uniform access. A class is spread over the key space like all keys, because a key's position
// does not depend on when it was inserted (traces/workloads/key_distribution.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/error.h"
#include "sim/ranges/range_contents.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// How probable the keys of a distribution are, by their rank among the live keys.
class RankWeights {
 public:
  virtual ~RankWeights() = default;
  /// The probability that an operation uses one of the ranks first..last of `live`, counted from 0;
  /// `last` is not one of them. Ranks need not be whole numbers.
  [[nodiscard]] virtual double of(double first, double last, double live) const = 0;
  /// The insertion numbers at which classes begin, from 0, for so many inserts in all.
  [[nodiscard]] virtual std::vector<std::uint64_t> class_begins(std::uint64_t inserts) const = 0;
};

class KeyPopulation {
 public:
  /// Errors: a distribution of keys that has no classes.
  [[nodiscard]] static Result<KeyPopulation> make(const OperationWorkload& workload);

  /// The distributions of a phase are used from now on.
  void begin_phase(std::size_t phase);
  /// Counts operations into the open memtable.
  void insert(std::uint64_t count);
  void update(std::uint64_t count);
  void remove(std::uint64_t count);
  /// What the memtable holds so far.
  [[nodiscard]] ClassList memtable() const;
  /// The same. The memtable is empty from then on.
  [[nodiscard]] ClassList take_memtable();

  /// What reads need to know of a class.
  struct Readable {
    std::uint64_t first = 0;  // insertion number
    double keys = 0;          // live ones, those in the memtable included
    double looked_up = 0;     // the probability that a lookup of a live key uses one of them
    double updated = 0;       // the same for an update
  };
  /// By class; of the present phase. The probabilities are 0 where the phase has no such operation.
  [[nodiscard]] std::vector<Readable> readable() const;

  [[nodiscard]] std::uint64_t inserted() const { return inserted_; }

 private:
  struct KeyClass {
    std::uint64_t first = 0;  // insertion number
    double live = 0;          // keys that were inserted before the open memtable and not deleted
    // counts of operations in the open memtable
    double inserts = 0;
    double updates = 0;
    double deletes = 0;
    [[nodiscard]] double present() const { return live + inserts - deletes; }
  };
  void spread(std::uint64_t count, const RankWeights& weights, double KeyClass::*counter);
  /// The probability that an operation uses a key of each class; empty without live keys.
  [[nodiscard]] std::vector<double> shares_of(const RankWeights& weights) const;
  [[nodiscard]] ClassCounts memtable_of(std::size_t c) const;
  [[nodiscard]] double distinct_of(std::size_t c, double updates) const;

  struct PhaseWeights {
    std::shared_ptr<const RankWeights> updates;
    std::shared_ptr<const RankWeights> deletes;
    std::shared_ptr<const RankWeights> lookups;
  };
  std::vector<PhaseWeights> phases_;
  std::size_t phase_ = 0;
  std::vector<KeyClass> classes_;
  std::uint64_t inserted_ = 0;
};

}  // namespace lsmlab
