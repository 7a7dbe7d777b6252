#include "models/machine/flash_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {

FlashFiles::FlashFiles(FlashTranslation device, FlashFilesOptions options)
    : device_(std::move(device)),
      options_(options),
      free_pages_(device_.geometry().logical_pages()) {
  holes_.emplace(0, free_pages_);
}

Result<void> FlashFiles::write(FileId file, Bytes bytes) {
  const std::uint64_t page_bytes = device_.geometry().page_bytes.value();
  std::uint64_t pages = bytes.value() / page_bytes + (bytes.value() % page_bytes > 0 ? 1 : 0);
  if (files_.contains(file)) {
    return input_error(fmt::format("flash: file {} exists already", file.value()));
  }
  if (pages > free_pages_) {
    return input_error(fmt::format(
        "flash: the device is full: file {} needs {} pages of {} bytes, and {} of {} are free; "
        "expected a larger capacity",
        file.value(), pages, page_bytes, free_pages_, device_.geometry().logical_pages()));
  }
  std::vector<PageRange>& extents = files_[file];
  std::uint64_t from = options_.placement == FilePlacement::kFirstFit ? 0 : cursor_;
  while (pages > 0) {
    const PageRange hole = hole_at_or_after(from);
    const PageRange extent{hole.first, std::min(pages, hole.count)};
    take(extent);
    device_.write(extent);
    extents.push_back(extent);
    pages -= extent.count;
    from = extent.first + extent.count;
  }
  cursor_ = from;
  return success();
}

Result<void> FlashFiles::remove(FileId file) {
  const auto found = files_.find(file);
  if (found == files_.end()) {
    return input_error(fmt::format("flash: there is no file {} to remove", file.value()));
  }
  for (const PageRange& extent : found->second) {
    give_back(extent);
    if (options_.is_trimming) device_.trim(extent);
  }
  files_.erase(found);
  return success();
}

std::span<const PageRange> FlashFiles::extents(FileId file) const {
  const auto found = files_.find(file);
  if (found == files_.end()) return {};
  return found->second;
}

PageRange FlashFiles::hole_at_or_after(std::uint64_t page) const {
  CHECK(!holes_.empty());
  auto after = holes_.upper_bound(page);
  if (after != holes_.begin()) {
    const auto& [first, count] = *std::prev(after);
    if (page < first + count) return {page, first + count - page};
  }
  if (after == holes_.end()) after = holes_.begin();
  return {after->first, after->second};
}

void FlashFiles::take(PageRange pages) {
  const auto hole = std::prev(holes_.upper_bound(pages.first));
  const auto [first, count] = *hole;
  const std::uint64_t before = pages.first - first;
  CHECK(before + pages.count <= count);
  const std::uint64_t behind = count - before - pages.count;
  if (before > 0) {
    hole->second = before;
  } else {
    holes_.erase(hole);
  }
  if (behind > 0) holes_.emplace(pages.first + pages.count, behind);
  free_pages_ -= pages.count;
}

void FlashFiles::give_back(PageRange pages) {
  free_pages_ += pages.count;
  auto behind = holes_.upper_bound(pages.first);
  if (behind != holes_.end() && behind->first == pages.first + pages.count) {
    pages.count += behind->second;
    behind = holes_.erase(behind);
  }
  if (behind != holes_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == pages.first) {
      before->second += pages.count;
      return;
    }
  }
  holes_.emplace_hint(behind, pages.first, pages.count);
}

}  // namespace lsmlab
