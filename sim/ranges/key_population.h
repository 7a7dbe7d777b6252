// The keys of a workload as resolution `range` knows them: how many there are in each popularity
// class, how often operations use each class, and what a memtable holds of each.
//
// A class is an interval of insertion numbers, whose keys are used about equally often: intervals
// that grow by a factor for zipfian access, equal parts of all inserts for normal access, one class
// for uniform access. With latest access popularity moves with the inserts; then classes are made
// by memtable, and old ones merge (sim/ranges/aging_classes.h). A class is spread over the key
// space like all keys, because a key's position does not depend on when it was inserted
// (traces/workloads/key_distribution.h). Where keys are inserted in order, a class is a part of the
// key space instead, and only this population knows it (sim/ranges/placed_keys.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/base/error.h"
#include "sim/ranges/aging_classes.h"
#include "sim/ranges/range_contents.h"
#include "sim/ranges/rank_weights.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

class KeyPopulation {
 public:
  /// Errors: a distribution of keys that has no classes.
  [[nodiscard]] static Result<KeyPopulation> make(const OperationWorkload& workload);

  /// The distributions of a phase are used from now on.
  void begin_phase(std::size_t phase);
  /// Counts operations into the open memtable. Those of one write() mix evenly.
  void write(std::uint64_t inserts, std::uint64_t updates, std::uint64_t deletes);
  void insert(std::uint64_t count);
  void update(std::uint64_t count);
  void remove(std::uint64_t count);
  /// What the memtable holds so far.
  [[nodiscard]] ClassList memtable() const;
  /// The same. The memtable is empty from then on.
  [[nodiscard]] ClassList take_memtable();
  /// Entries of the memtable whose keys were inserted with the numbers first..last; `last` is not
  /// one of them.
  struct Numbered {
    double first = 0;
    double last = 0;
    ClassCounts counts;
  };
  /// The memtable by insertion number: of each part its inserts, and its other entries.
  [[nodiscard]] std::vector<Numbered> numbered_memtable() const;
  /// Lets old classes merge if there are many. All class lists of the store must follow. REQUIRES:
  /// the memtable was just taken.
  [[nodiscard]] std::optional<ClassMerges> age();

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
  /// Whether age() may merge classes.
  [[nodiscard]] bool do_classes_age() const { return do_classes_age_; }

 private:
  void spread(std::uint64_t count, const RankWeights& weights, double KeyPart::*counter);
  /// The probability that an operation uses a key of each part; empty without live keys.
  [[nodiscard]] std::vector<double> shares_of(const RankWeights& weights) const;
  /// What the memtable holds of a part's keys.
  struct PartCounts {
    double entries = 0;
    double oldest = 0;
    double tombstones = 0;
  };
  [[nodiscard]] PartCounts memtable_of(std::size_t part) const;
  /// The parts first..end are a class.
  [[nodiscard]] ClassCounts memtable_of_class(std::size_t first, std::size_t end) const;
  [[nodiscard]] std::size_t end_of_class(std::size_t first) const;
  [[nodiscard]] double distinct_of(std::size_t part, double updates) const;
  /// Classes begin at these insertion numbers; no class reaches across a fixed one.
  void set_begins(std::vector<std::uint64_t> fixed, std::vector<std::uint64_t> moving);
  [[nodiscard]] std::size_t classes() const { return parts_.back().key_class + 1; }
  /// Begins the parts whose first insertion number is below `end`.
  void reach(std::uint64_t end);

  // Old classes merge when there are more than so many, or twice as many as after the last time.
  static constexpr std::size_t kClassesMin = 64;
  static constexpr std::uint64_t kStepsOfWrite = 32;
  struct PhaseWeights {
    std::shared_ptr<const RankWeights> updates;
    std::shared_ptr<const RankWeights> deletes;
    std::shared_ptr<const RankWeights> lookups;
    bool prefers_newest = false;  // one of them does
  };
  std::vector<PhaseWeights> phases_;
  std::size_t phase_ = 0;
  std::vector<KeyPart> parts_;  // each a class of its own unless classes age
  std::uint64_t inserted_ = 0;
  // Of a workload with latest access.
  bool do_classes_age_ = false;
  std::vector<KeyPart> ahead_;  // the last one begins first
  std::size_t classes_max_ = kClassesMin;
};

}  // namespace lsmlab
