// Lookups and scans at resolution `range`. A read asks files in the order of
// models/execution/lookup_path.h and scan_path.h. What it finds there is drawn from densities:
//
//   - A live key of a class is in the newest source at hand with the probability: puts of the class
//     there, divided by all keys of the class that this source and older ones have, both near the
//     key. So a key is found for certain in the last source that has its class.
//   - A filter passes a key that the file lacks with its false positive rate.
//   - A block is in the cache with the probability of sim/ranges/cache_window.h. Its rate of uses
//   is
//     that of the read's key, of the other entries in the block, whose classes are drawn from the
//     file's, of keys that a filter passes in vain, and of scans that come by.
//
// Draws for a key and a file are functions of both: the same lookup has the same outcome until
// merges change the file. A read may stand for several equal ones (its weight). Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/base/random.h"
#include "models/execution/scan_path.h"
#include "models/tree/tree.h"
#include "sim/ranges/cache_window.h"
#include "sim/ranges/range_tables.h"
#include "sim/ranges/read_targets.h"

namespace lsmlab {

class RangeReader {
 public:
  struct Setup {
    Bytes cache;
    bool is_age_ordered = true;  // Policy::keeps_age_order()
    bool are_keys_even = false;  // keys follow each other in the order of inserts
    // The same, but other operations write them too. Files then have one class, and a class of the
    // targets is a part of the key space.
    bool are_keys_placed = false;
    std::uint64_t seed = 1;
  };
  /// REQUIRES: tree and tables outlive the reader.
  RangeReader(TreeState& tree, RangeTables& tables, const Setup& setup);

  /// What the open memtable holds from now on. `keys`: where these lie.
  void show_memtable(ClassList memtable, const KeyRange& keys);
  /// A phase with reads begins: the cache counts as empty.
  void begin_phase() { cache_.restart(); }
  /// How often reads use keys from now on. REQUIRES: the targets outlive their use.
  void use(const ReadTargets& targets) { targets_ = &targets; }

  struct Lookup {
    LookupFigures figures;  // of one such lookup
    // The file that is charged with a seek, as in walk_lookup().
    std::optional<FileLocation> searched_in_vain;
  };
  Lookup get(const ReadKey& key, std::uint64_t weight);
  /// The figures of one such scan.
  ScanFigures scan(const ReadKey& first, const ScanLimit& limit, std::uint64_t weight);
  [[nodiscard]] const ReadFigures& figures() const { return figures_; }
  /// Reads so far.
  [[nodiscard]] std::uint64_t reads() const { return cache_.reads(); }

 private:
  // Entries of one class near a key, for the whole key space if all of it were like that.
  struct Density {
    double entries = 0;
    double oldest = 0;
    double tombstones = 0;
    [[nodiscard]] double puts() const { return entries - tombstones; }
    [[nodiscard]] double updates() const { return entries - oldest; }
    [[nodiscard]] double new_keys() const { return oldest - tombstones; }
  };
  // What a lookup's path may ask, newest first.
  struct Source {
    const RangeTables::Table* table = nullptr;
    FileLocation at;
    const ClassList* classes = nullptr;
    Density scale;  // density for each counted entry
    std::size_t cell = 0;
    double cell_scale = 0;  // the same for each entry of the cell, where cells differ in classes
    bool has_one_class = false;  // which counts as each class of the targets
    [[nodiscard]] Density of(std::size_t c) const;
    [[nodiscard]] double entries() const;
  };

  /// Fills sources_.
  void gather(std::uint64_t key);
  [[nodiscard]] ReadKey gather_present(ReadKey key);
  [[nodiscard]] Source source_of(const RangeTables::Table& table, const FileLocation& at,
                                 std::uint64_t key) const;
  [[nodiscard]] Density memtable_density(std::size_t c, std::uint64_t key) const;
  [[nodiscard]] static double own_rate(const ReadKey& key, const RangeTables::Table& table,
                                       bool is_held);
  /// Whether the memtable has the key's newest version.
  [[nodiscard]] bool is_buffered(const ReadKey& key);
  /// For each source whether it has the key. If lookups end at the first version, only that one.
  void place(const ReadKey& key);
  [[nodiscard]] std::uint64_t drawn(FileId file, std::uint64_t key, std::uint64_t purpose) const;

  struct Fetch {
    const ReadKey& key;
    double own_rate = 0;   // how often a read uses the first block for this key
    bool is_held = false;  // the first block has the key
    std::uint64_t blocks = 1;
    double gap = 0;  // share of the key space before the block that its run has nothing in
  };
  /// Fetches blocks. `index`: among sources_, the first one that is not newer.
  void fetch(const Source& source, std::size_t index, const Fetch& fetch, BlockReads& reads);
  /// How often a read uses such a block for other keys than the one at hand.
  [[nodiscard]] double rate_of_others(const Source& source, std::size_t index, const Fetch& fetch);
  /// Whether keys of a class may lie near this key.
  [[nodiscard]] bool is_near(std::size_t c, std::uint64_t key) const {
    return !setup_.are_keys_placed || targets_->class_at(key) == c;
  }
  /// Computes kept_ and older_keys_.
  void weigh_sources(std::uint64_t key);
  /// A whole number with the given mean.
  [[nodiscard]] double whole(double mean);
  struct ScanSpan {
    std::uint64_t first = 0;
    std::uint64_t last = 0;     // the scan ends here
    std::uint64_t limit = 0;    // the last key that it may visit
    std::uint64_t entries = 0;  // live ones that it returns
  };
  [[nodiscard]] ScanSpan span_of(std::uint64_t first, const ScanLimit& limit) const;
  struct Scan {
    const ScanSpan& span;
    const ReadKey& key;
    FileLocation at;
  };
  [[nodiscard]] bool open_table(FileId id, const KeyRange& keys, const Scan& scan,
                                ScanFigures& figures);

  TreeState& tree_;
  RangeTables& tables_;
  const Setup setup_;
  const ReadTargets* targets_ = nullptr;
  CacheWindow cache_;
  SplitMix64 random_;
  ReadFigures figures_;
  ClassList memtable_;
  KeyRange memtable_keys_;
  std::vector<Source> sources_;  // of the read at hand, newest first
  std::vector<bool> has_key_;    // by source
  bool is_weighed_ = false;
  // By source and class, and once more behind the last source.
  std::vector<double> kept_;        // share of the source's entries that nothing newer replaces
  std::vector<double> older_keys_;  // keys of the source and of older ones
};

}  // namespace lsmlab
