#include "sim/keys/output_builder.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

void OutputSums::add_equal(std::span<const Entry> entries, const SizeClass& size) {
  if (size_.entries() == 0) keys_.smallest = entries.front().key;
  keys_.largest = entries.back().key;
  size_.add_equal(entries.size(), size.key_bytes, size.value_bytes);
  key_bytes_ += entries.size() * size.key_bytes;
  value_bytes_ += entries.size() * size.value_bytes;
  for (const Entry& entry : entries) observe(entry);
}

void OutputSums::add(const Entry& entry, const SizeClass& size) {
  if (size_.entries() == 0) keys_.smallest = entry.key;
  keys_.largest = entry.key;
  if (size_.needs_keys()) {
    size_.add_key(entry.key, size.key_bytes, size.value_bytes);
  } else {
    size_.add_measured(size.entry_bytes, size.key_bytes);
  }
  key_bytes_ += size.key_bytes;
  value_bytes_ += size.value_bytes;
  observe(entry);
}

File OutputSums::file() const {
  File file;
  file.keys = keys_;
  file.bytes = size_.file_bytes();
  file.entries = Entries(size_.entries());
  file.tombstones = Entries(tombstones_);
  file.key_bytes = Bytes(key_bytes_);
  file.value_bytes = Bytes(value_bytes_);
  file.sequences = {Entry{0, least_version_}.sequence(), Entry{0, largest_version_}.sequence()};
  file.marked = mark_ && mark_->is_marked();
  file.deletion_times = times_.times();
  return file;
}

void OutputBuilder::append(std::span<const Entry> entries) {
  while (!entries.empty()) {
    const std::optional<std::uint64_t> quiet = cutter_.quiet_until();
    std::size_t quiet_count = entries.size();
    if (quiet && entries.back().key > *quiet) {
      const auto loud =
          std::upper_bound(entries.begin(), entries.end(), *quiet,
                           [](std::uint64_t key, const Entry& entry) { return key < entry.key; });
      quiet_count = static_cast<std::size_t>(loud - entries.begin());
    }
    append_quiet(entries.first(quiet_count));
    entries = entries.subspan(quiet_count);
    if (entries.empty()) return;
    static const SstableSize kEmpty{SstableFormat{}};
    const bool ends = cutter_.ends_before(entries.front().key, open_ ? open_->sums.size() : kEmpty);
    if (ends && open_) close_file();
    append_quiet(entries.first(1));
    entries = entries.subspan(1);
  }
}

void OutputBuilder::append_quiet(std::span<const Entry> entries) {
  if (entries.empty()) return;
  if (classes_.count() == 1 && format_.layout == SstableLayout::kLsmlab) {
    append_uniform(entries);
  } else {
    append_mixed(entries);
  }
}

void OutputBuilder::append_uniform(std::span<const Entry> entries) {
  const SizeClass& size = classes_[0];
  while (!entries.empty()) {
    OpenFile& file = open_file();
    const std::uint64_t room =
        cutter_.entries_to_end(file.sums.size(), size.key_bytes, size.value_bytes);
    const std::span<const Entry> part =
        entries.first(static_cast<std::size_t>(std::min<std::uint64_t>(room, entries.size())));
    file.entries.append(part);
    file.sums.add_equal(part, size);
    if (cutter_.ends_after(file.sums.size())) close_file();
    entries = entries.subspan(part.size());
  }
}

void OutputBuilder::append_mixed(std::span<const Entry> entries) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    OpenFile& file = open_file();
    file.sums.add(entries[i], classes_[entries[i].size_class()]);
    if (!cutter_.ends_after(file.sums.size())) continue;
    file.entries.append(entries.subspan(first, i + 1 - first));
    first = i + 1;
    close_file();
  }
  if (first < entries.size()) open_file().entries.append(entries.subspan(first));
}

OutputBuilder::OpenFile& OutputBuilder::open_file() {
  if (!open_) open_.emplace(OpenFile{EntryList(pool_), OutputSums(format_, notes_)});
  return *open_;
}

void OutputBuilder::close_file() {
  CHECK(open_);
  File file = open_->sums.file();
  open_->entries.trim();
  built_.push_back({std::move(open_->entries), false, std::move(file)});
  open_.reset();
}

std::vector<BuiltFile> OutputBuilder::finish() {
  if (open_) close_file();
  return std::move(built_);
}

}  // namespace lsmlab
