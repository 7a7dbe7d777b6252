#include "models/tree/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/tree/file_spans.h"

namespace lsmlab {

std::size_t TreeView::run_count() const {
  std::size_t count = 0;
  for (const Level& level : levels_) count += level.runs.size();
  return count;
}

std::optional<FileLocation> TreeView::find_file(FileId id) const {
  const FilePlace* place = places_.find(id);
  if (place == nullptr) return std::nullopt;
  const std::vector<SortedRun>& runs = levels_[place->level].runs;
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& candidate) {
    return candidate.id == place->run;
  });
  CHECK(run != runs.end());
  const std::size_t file = run->files.first_from(place->smallest_key);
  CHECK(file < run->files.size() && run->files[file].id == id);
  return FileLocation{place->level, static_cast<std::size_t>(run - runs.begin()), file};
}

const File* FileFinder::find(FileId id) {
  if (location_.file + 1 < end_) {
    RunFiles::Iterator next = file_;
    if ((++next)->id == id) {
      file_ = next;
      ++location_.file;
      return &*file_;
    }
  }
  const std::optional<FileLocation> at = tree_->find_file(id);
  if (!at) return nullptr;
  const RunFiles& files = tree_->levels()[at->level].runs[at->run].files;
  location_ = *at;
  end_ = files.size();
  file_ = files.begin() + static_cast<std::ptrdiff_t>(at->file);
  return &*file_;
}

const File& FileFinder::at(FileId id) {
  const File* file = find(id);
  CHECK(file != nullptr);
  return *file;
}

const File& TreeView::file_at(const FileLocation& at) const {
  return levels_[at.level].runs[at.run].files[at.file];
}

const FileOrder& TreeView::order(std::size_t ordering, std::uint32_t level) const {
  if (!orders_.is_kept(ordering, level)) {
    std::vector<const File*> files;
    if (level < levels_.size()) {
      for (const SortedRun& run : levels_[level].runs) {
        for (const File& file : run.files) files.push_back(&file);
      }
    }
    orders_.keep(ordering, level, files);
  }
  return orders_.of(ordering, level);
}

FileLocation TreeView::location_of(std::uint32_t level, const OrderedFile& file) const {
  const std::vector<SortedRun>& runs = levels_[level].runs;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::size_t index = runs[run].files.first_from(file.smallest_key);
    if (index < runs[run].files.size() && runs[run].files[index].id == file.id) {
      return {level, run, index};
    }
  }
  CHECK(!"a file of an order is in its level");
  return {};
}

KeyRange responsible_range(const SortedRun& run, std::size_t index) {
  KeyRange keys;
  if (index > 0) keys.smallest = run.files[index - 1].keys.largest + 1;
  if (index + 1 < run.files.size()) keys.largest = run.files[index].keys.largest;
  return keys;
}

void TreeState::touch(const FileLocation& at, Instant when) {
  const File& file = file_at(at);
  if (file.last_access >= when) return;
  const auto set = [&](File& touched) { touched.last_access = when; };
  if (!orders_.by_access()) return files_of(at).annotate(at.file, set);
  const File before = file;
  files_of(at).annotate(at.file, set);
  orders_.move(static_cast<std::uint32_t>(at.level), before, file_at(at));
}

std::uint64_t TreeState::charge_seek(const FileLocation& at, std::uint64_t times) {
  std::optional<File> before;
  if (orders_.by_seeks()) before = file_at(at);
  files_of(at).annotate(at.file, [&](File& file) { file.seeks += times; });
  if (before) orders_.move(static_cast<std::uint32_t>(at.level), *before, file_at(at));
  return file_at(at).seeks;
}

void TreeState::begin_flush(const PendingFlush& flush) {
  CHECK(!pending_flush_);
  pending_flush_ = flush;
}

Result<void> TreeState::set_busy(const std::vector<PlanInput>& inputs) {
  std::vector<FileLocation> files;
  FileFinder finder(*this);
  for (const PlanInput& input : inputs) {
    files.reserve(files.size() + input.files.size());
    for (const FileId id : input.files) {
      const File* file = finder.find(id);
      if (file == nullptr || finder.location().level != input.level) {
        return input_error(fmt::format("file {} is not in level {}", id.value(), input.level));
      }
      if (file->busy) return input_error(fmt::format("file {} is busy", id.value()));
      files.push_back(finder.location());
    }
  }
  std::sort(files.begin(), files.end());
  const auto twice = std::adjacent_find(files.begin(), files.end());
  if (twice != files.end()) {
    return input_error(fmt::format("file {} is busy", file_at(*twice).id.value()));
  }
  set_busy(files, true);
  return success();
}

void TreeState::set_busy(const std::vector<FileLocation>& files, bool busy) {
  for_each_span(files, [&](const FileLocation& first, std::size_t last) {
    FileSums& sums = levels_[first.level].sums;
    files_of(first).change(first.file, last, [&](File& file) {
      sums.subtract(FileSums::of(file));
      file.busy = busy;
      sums.add(FileSums::of(file));
    });
  });
}

Result<void> TreeState::reserve(const Plan& plan) {
  if (takes_memtable(plan) && !pending_flush_)
    return input_error("no memtable is waiting for a flush");
  return set_busy(plan_inputs(plan));
}

void TreeState::release(const Plan& plan) {
  std::vector<FileLocation> files;
  FileFinder finder(*this);
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) {
      CHECK(finder.find(id) != nullptr);
      files.push_back(finder.location());
    }
  }
  std::sort(files.begin(), files.end());
  set_busy(files, false);
}

}  // namespace lsmlab
