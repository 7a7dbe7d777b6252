// Files on a flash device: gives each file pages of the device's logical space as a file system
// would, and so turns what a store writes and deletes into page writes and TRIMs.
//
// A file is written once, whole and in order, as SSTables are; its last page is padded. It takes
// free pages in the order of their addresses, in as many extents as that needs. With TRIM, where a
// file lies makes no difference to a device that maps every page. Without it, the device keeps
// deleted files until their pages are written again, and placement decides when that is. The file
// system's own data is taken as free. Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "models/base/error.h"
#include "models/base/units.h"
#include "models/machine/flash_translation.h"

namespace lsmlab {

/// Which free pages a file takes.
enum class FilePlacement {
  // From where the last file ended, and around: in time every page of the device is used.
  kNextFit,
  // The lowest: the device sees no more pages than files ever filled at one time.
  kFirstFit,
};

struct FlashFilesOptions {
  FilePlacement placement = FilePlacement::kNextFit;
  // Whether the device is told of deleted files, as file systems mounted with `discard` do.
  bool is_trimming = true;
};

class FlashFiles {
 public:
  /// `device` may hold pages: those of files that were there before and have been deleted.
  explicit FlashFiles(FlashTranslation device, FlashFilesOptions options = {});

  /// Errors, which change nothing: there is such a file; the pages that are free are too few.
  [[nodiscard]] Result<void> write(FileId file, Bytes bytes);
  /// Errors, which change nothing: there is no such file.
  [[nodiscard]] Result<void> remove(FileId file);

  [[nodiscard]] const FlashTranslation& device() const { return device_; }
  [[nodiscard]] std::uint64_t free_pages() const { return free_pages_; }
  /// In the order of the file's bytes; none where there is no such file, or an empty one.
  [[nodiscard]] std::span<const PageRange> extents(FileId file) const;

 private:
  [[nodiscard]] PageRange hole_at_or_after(std::uint64_t page) const;
  void take(PageRange pages);
  void give_back(PageRange pages);

  FlashTranslation device_;
  FlashFilesOptions options_;
  std::map<FileId, std::vector<PageRange>> files_;
  std::map<std::uint64_t, std::uint64_t> holes_;  // pages by first page; no two touch
  std::uint64_t free_pages_;
  std::uint64_t cursor_ = 0;  // behind the page that was taken last
};

}  // namespace lsmlab
