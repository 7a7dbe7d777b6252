// The files whose access times or seeks readers have changed since the store last brought them into
// the tree. The store thus looks at these files only before a policy picks.
//
// Threading: any number of threads.
#pragma once

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "models/base/units.h"

namespace lsmlab::engine {

/// A file's part of the list, so that adding it needs no memory.
struct TouchedEntry : boost::intrusive::list_base_hook<> {
  explicit TouchedEntry(FileId file) : id(file) {}
  const FileId id;
  std::atomic<bool> is_listed{false};
};

class TouchedFiles {
 public:
  /// Adds the file if it is not in the list.
  void add(TouchedEntry& file) noexcept;
  /// Removes the file if it is in the list. Every file does this before it is destroyed.
  void remove(TouchedEntry& file) noexcept;
  /// Empties the list and appends its files to `ids`. The caller then sees all changes for which
  /// nobody adds the file again. If there is no memory, nothing changes.
  void take(std::vector<FileId>& ids);

 private:
  using Files = boost::intrusive::list<TouchedEntry>;

  std::mutex mutex_;
  Files files_;
};

}  // namespace lsmlab::engine
