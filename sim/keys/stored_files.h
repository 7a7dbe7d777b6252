// The SSTables of a simulated store by file id. Ids come in rising order and are many more than
// files that exist, so that a page of neighbouring ids is found without a search, and is freed with
// its last file.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "models/base/units.h"
#include "models/sizes/sstable_size.h"
#include "sim/keys/entry_list.h"

namespace lsmlab {

/// An SSTable in the tree, or a frozen file.
struct StoredFile {
  EntryList entries;
  SstableFormat format;          // the format that it was written with
  bool has_overwritten = false;  // entries has several versions of some key, the newest first
};

class StoredFiles {
 public:
  /// Null where there is no such file. Valid until the file is erased.
  [[nodiscard]] StoredFile* find(FileId id) const;
  /// REQUIRES: there is no file of this id.
  void add(FileId id, StoredFile file);
  /// Nothing happens where there is no such file.
  void erase(FileId id);

 private:
  static constexpr std::size_t kPageIds = 64;
  struct Page {
    std::array<std::unique_ptr<StoredFile>, kPageIds> files;
    std::size_t count = 0;
  };
  std::vector<std::unique_ptr<Page>> pages_;  // null where no file of a page exists
};

}  // namespace lsmlab
