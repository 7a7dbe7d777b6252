// Which keys the reads of a phase use at resolution `range`, and how often they use each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/random.h"
#include "models/tree/plan.h"
#include "sim/ranges/key_population.h"
#include "traces/workloads/operation_workload.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab {

/// How many reads there are of each kind. A read-modify-write reads too.
struct ReadCounts {
  std::uint64_t present = 0;
  std::uint64_t absent = 0;
  std::uint64_t scans = 0;
  std::uint64_t modified = 0;  // by read-modify-writes
  [[nodiscard]] std::uint64_t lookups() const { return present + absent + modified; }
  [[nodiscard]] std::uint64_t sum() const { return lookups() + scans; }
};

/// Those of a phase.
[[nodiscard]] ReadCounts reads_of(const Phase& phase);

/// The key of a read. A class has its keys at random places of the key space.
struct ReadKey {
  std::uint64_t key = 0;
  // Of the key, or of the one before it if the key is absent; nothing if the key is absent anywhere
  // in the domain.
  std::optional<std::size_t> key_class;
  bool is_absent = false;  // no such key was ever inserted
  // How often a read looks up the key of the class, scans from there, and looks up the absent key
  // after it.
  double get_rate = 0;
  double scan_rate = 0;
  double absent_rate = 0;
};

/// The largest numbers of entries and the last key that a scan visits.
struct ScanLimit {
  std::uint64_t entries_max = 0;  // 0: no limit
  std::uint64_t last_key = ~std::uint64_t{0};
};

class ReadTargets {
 public:
  /// How often a read uses each single key of a class.
  struct Rates {
    double get = 0;
    double scan = 0;        // as the first key of a scan
    double get_absent = 0;  // the key after it, which is absent
  };

  /// The reads of a phase begin. `are_keys_even`: keys follow each other in the order of inserts.
  void begin_phase(const Phase& phase, bool are_keys_even, std::uint64_t seed);
  /// Takes over how many keys there are now.
  void update(const KeyPopulation& population);

  /// Whether there is a key to read.
  [[nodiscard]] bool has_keys() const { return keys_ >= 1; }
  // REQUIRES of all draws: has_keys(), and the phase has such reads.
  [[nodiscard]] ReadKey draw_present() { return draw(looked_up_); }
  [[nodiscard]] ReadKey draw_modified() { return draw(updated_); }
  [[nodiscard]] ReadKey draw_absent();
  [[nodiscard]] ScanLimit draw_limit(std::uint64_t first_key);

  /// The class of a key. REQUIRES: keys follow each other in the order of inserts.
  [[nodiscard]] std::size_t class_at(std::uint64_t key) const;
  /// Live keys of a class.
  [[nodiscard]] double keys(std::size_t key_class) const { return classes_[key_class].keys; }
  /// Live keys, for the whole key space if all of it were like the part that has keys.
  [[nodiscard]] double density() const;
  /// The largest key that may be in use.
  [[nodiscard]] std::uint64_t last_key() const { return last_key_; }
  [[nodiscard]] const std::vector<Rates>& rates() const { return rates_; }
  /// Lookups of absent keys anywhere in the domain, as a share of all reads.
  [[nodiscard]] double absent_anywhere() const { return absent_anywhere_; }
  /// The entries that scans visit, in the mean; 0 if a share of the domain limits them.
  [[nodiscard]] double scan_entries() const { return scan_entries_; }
  /// The share of the key space that a scan covers, if that limits it.
  [[nodiscard]] double scan_share() const;

 private:
  // Sums of probabilities up to and including each class.
  using Sums = std::vector<double>;
  [[nodiscard]] ReadKey draw(const Sums& sums);
  [[nodiscard]] std::uint64_t key_of(std::size_t key_class, std::uint64_t index) const;

  const Phase* phase_ = nullptr;
  ReadCounts all_;
  bool are_keys_even_ = false;
  std::uint64_t key_seed_ = 0;
  SplitMix64 random_{0};
  std::optional<SizeSampler> scan_sizes_;
  double scan_entries_ = 0;
  double absent_anywhere_ = 0;
  std::vector<KeyPopulation::Readable> classes_;
  double keys_ = 0;
  std::uint64_t inserted_ = 0;
  std::uint64_t last_key_ = ~std::uint64_t{0};  // of the domain
  Sums looked_up_;
  Sums updated_;
  std::vector<Rates> rates_;
};

}  // namespace lsmlab
