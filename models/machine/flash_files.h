// Files on a flash device. Like a file system, it gives each file pages of the device's logical
// space. So it turns a store's written and deleted files into page writes and TRIMs.
//
// A file is written once, whole and in order, as SSTables are. Its last page is padded. It takes
// free pages in the order of their addresses, in as many extents as necessary. With TRIM, the place
// of a file makes no difference to a device that maps every page. Without TRIM, the device keeps
// deleted files until their pages are written again, and placement decides when that happens. The
// file system's own data costs nothing here. Not thread safe.
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
  // From the end of the last file on, and around: in time every page of the device is used.
  kNextFit,
  // The lowest free pages: the device sees no more pages than files ever filled at one time.
  kFirstFit,
};

struct FlashFilesOptions {
  FilePlacement placement = FilePlacement::kNextFit;
  // Whether the device is told of deleted files, as by file systems mounted with `discard`.
  bool is_trimming = true;
};

class FlashFiles {
 public:
  /// `device` may hold pages already: those of earlier files that have been deleted.
  explicit FlashFiles(FlashTranslation device, FlashFilesOptions options = {});

  /// Errors, which change nothing: the file exists already; there are too few free pages.
  [[nodiscard]] Result<void> write(FileId file, Bytes bytes);
  /// Errors, which change nothing: there is no such file.
  [[nodiscard]] Result<void> remove(FileId file);

  [[nodiscard]] const FlashTranslation& device() const { return device_; }
  [[nodiscard]] std::uint64_t free_pages() const { return free_pages_; }
  /// The file's extents in the order of its bytes. None: there is no such file, or it is empty.
  [[nodiscard]] std::span<const PageRange> extents(FileId file) const;

 private:
  [[nodiscard]] PageRange hole_at_or_after(std::uint64_t page) const;
  void take(PageRange pages);
  void give_back(PageRange pages);

  FlashTranslation device_;
  FlashFilesOptions options_;
  std::map<FileId, std::vector<PageRange>> files_;
  std::map<std::uint64_t, std::uint64_t>
      holes_;  // number of free pages by first page; no two touch
  std::uint64_t free_pages_;
  std::uint64_t cursor_ = 0;  // the page after the last one taken
};

}  // namespace lsmlab
