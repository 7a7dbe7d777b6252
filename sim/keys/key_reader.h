// Lookups and scans in a simulated store at resolution `key`, and how many blocks they read.
//
//   get:   asks the memtables, then files in the order of models/execution/lookup_path.h, up to the
//          first version found
//   scan:  merges all of these by key. It opens files in the order of
//          models/execution/scan_path.h. A run fetches a block when the scan needs the first entry
//          of that block.
//
// A lookup touches a file (its last access changes) when it reaches the file or one of its slices
// by key range, before it asks the filter. A scan touches a file when it reads from it or from one
// of its slices. Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/execution/scan_path.h"
#include "models/tree/tree.h"
#include "sim/keys/entry.h"
#include "sim/keys/key_memtable.h"
#include "sim/keys/table_reader.h"

namespace lsmlab {

struct ScanRange {
  std::uint64_t first_key = 0;
  std::uint64_t last_key = ~std::uint64_t{0};
  std::uint64_t entries_max = 0;  // 0: no limit
};

class KeyReader {
 public:
  using Visit = std::function<void(const Entry&)>;
  struct Lookup {
    std::optional<Entry> entry;  // nothing if the key is absent or deleted
    LookupFigures figures;       // of this lookup alone
    // The file that is charged with a seek, as in walk_lookup().
    std::optional<FileLocation> searched_in_vain;
  };

  /// REQUIRES: the arguments outlive the reader. `memtables`: newest first; all but the first are
  /// sorted. `is_age_ordered`: Policy::keeps_age_order() of the tree's policy.
  KeyReader(TreeState& tree, const std::vector<KeyMemtable*>& memtables, TableReader& tables,
            bool is_age_ordered)
      : tree_(tree), memtables_(memtables), tables_(tables), is_age_ordered_(is_age_ordered) {}

  [[nodiscard]] Lookup get(std::uint64_t key);
  /// Calls `visit`, if it is not empty, with the live entries of the range, in the order of keys,
  /// up to entries_max.
  void scan(const ScanRange& range, const Visit& visit);
  [[nodiscard]] const ReadFigures& figures() const { return figures_; }

 private:
  [[nodiscard]] std::optional<Entry> find_buffered(std::uint64_t key) const;
  // The version of a key in one table.
  [[nodiscard]] std::optional<Entry> ask(FileId id, std::uint64_t key, LookupFigures& figures);
  [[nodiscard]] bool may_hold(FileId id, std::uint64_t key, LookupFigures& figures);

  // An input of a scan. The list is a member, so that a scan allocates no memory of its own.
  struct Source {
    TableReader::Table* table = nullptr;    // null: a memtable
    const KeyMemtable* memtable = nullptr;  // sorted; null: the memtable that takes writes
    std::size_t entry = 0;
    std::size_t block = 0;
    std::uint64_t last_key = 0;
  };
  void start_scan(const ScanRange& range);
  void open_memtables(const ScanRange& range);
  void open_file(const FileLocation& at, bool is_run_touched, const ScanRange& range);
  [[nodiscard]] bool open_table(FileId id, const KeyRange& keys, const ScanRange& range);
  void show(std::uint64_t key, std::size_t source);
  void push(const ScanEvent& event);
  [[nodiscard]] ScanEvent pop();
  void advance(std::size_t source);
  [[nodiscard]] Entry current(std::size_t source) const;

  TreeState& tree_;
  const std::vector<KeyMemtable*>& memtables_;
  TableReader& tables_;
  bool is_age_ordered_;
  std::optional<FileId> passed_filter_;  // whose filter has passed the key of this lookup
  ReadFigures figures_;
  std::vector<Source> sources_;
  ScanEvents events_;
  std::vector<std::size_t> passed_;
  std::map<std::uint64_t, std::uint64_t>::const_iterator buffered_;
  std::map<std::uint64_t, std::uint64_t>::const_iterator buffered_end_;
};

}  // namespace lsmlab
