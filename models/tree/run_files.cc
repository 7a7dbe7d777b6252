#include "models/tree/run_files.h"

#include <algorithm>
#include <span>
#include <utility>

namespace lsmlab {

void RunExtremes::add(const RunExtremes& other) {
  slices_max.add(other.slices_max);
  first_flush.add(other.first_flush);
  last_flush.add(other.last_flush);
  oldest_tombstone.add(other.oldest_tombstone);
  first_created.add(other.first_created);
  first_ancestor.add(other.first_ancestor);
}

void RunExtremes::add(const FileExtremes& file) {
  slices_max.add({file.slices, 1});
  first_flush.add({file.flushes.first, 1});
  last_flush.add({file.flushes.last, 1});
  if (file.oldest_tombstone) oldest_tombstone.add({file.oldest_tombstone->value(), 1});
  first_created.add({file.created.value(), 1});
  first_ancestor.add({file.oldest_ancestor.value(), 1});
}

bool RunExtremes::subtract(const RunExtremes& other) {
  // Each one, also where an earlier one cannot be told.
  const bool has_slices = slices_max.subtract(other.slices_max);
  const bool has_first = first_flush.subtract(other.first_flush);
  const bool has_last = last_flush.subtract(other.last_flush);
  const bool has_tombstone = oldest_tombstone.subtract(other.oldest_tombstone);
  const bool has_created = first_created.subtract(other.first_created);
  const bool has_ancestor = first_ancestor.subtract(other.first_ancestor);
  return has_slices && has_first && has_last && has_tombstone && has_created && has_ancestor;
}

FileExtremes file_extremes(const File& file) {
  return {file.keys.largest,   file.data_bytes().value(), file.slices.size(),
          file.flushes,        file.oldest_tombstone,     file.created,
          file.oldest_ancestor};
}

void FileSums::add(const FileSums& other) {
  files += other.files;
  busy_files += other.busy_files;
  bytes += other.bytes;
  virtual_bytes += other.virtual_bytes;
  busy_bytes += other.busy_bytes;
  entries += other.entries;
  tombstones += other.tombstones;
  busy_tombstones += other.busy_tombstones;
  key_bytes += other.key_bytes;
  value_bytes += other.value_bytes;
  unsliced_files += other.unsliced_files;
  files_with_copies += other.files_with_copies;
  surplus_tombstones += other.surplus_tombstones;
  busy_surplus_tombstones += other.busy_surplus_tombstones;
}

void FileSums::subtract(const FileSums& other) {
  files -= other.files;
  busy_files -= other.busy_files;
  bytes -= other.bytes;
  virtual_bytes -= other.virtual_bytes;
  busy_bytes -= other.busy_bytes;
  entries -= other.entries;
  tombstones -= other.tombstones;
  busy_tombstones -= other.busy_tombstones;
  key_bytes -= other.key_bytes;
  value_bytes -= other.value_bytes;
  unsliced_files -= other.unsliced_files;
  files_with_copies -= other.files_with_copies;
  surplus_tombstones -= other.surplus_tombstones;
  busy_surplus_tombstones -= other.busy_surplus_tombstones;
}

FileSums FileSums::of(const File& file) {
  FileSums sums;
  sums.files = 1;
  sums.bytes = file.bytes.value();
  sums.virtual_bytes = file.is_virtual ? file.data_bytes().value() : 0;
  sums.entries = file.entries.value();
  sums.tombstones = file.tombstones.value();
  sums.key_bytes = file.key_bytes.value();
  sums.value_bytes = file.value_bytes.value();
  sums.unsliced_files = file.slices.empty() ? 1 : 0;
  sums.files_with_copies = file.copies.empty() ? 0 : 1;
  const std::uint64_t doubled = 2 * sums.tombstones;
  sums.surplus_tombstones = doubled > sums.entries ? doubled - sums.entries : 0;
  if (file.busy) {
    sums.busy_files = 1;
    sums.busy_bytes = sums.data_bytes();
    sums.busy_tombstones = sums.tombstones;
    sums.busy_surplus_tombstones = sums.surplus_tombstones;
  }
  return sums;
}

RunSums RunSums::of(const File& file) {
  RunSums sums;
  sums.FileSums::add(FileSums::of(file));
  sums.RunExtremes::add(file_extremes(file));
  return sums;
}

RunFiles::RunFiles(std::initializer_list<File> files) {
  for (const File& file : files) push_back(file);
}

RunFiles::RunFiles(std::vector<File> files) {
  for (File& file : files) push_back(std::move(file));
}

void RunFiles::insert(File file) {
  const std::size_t index = first_from(file.keys.smallest);
  files_.insert(index, Traits::Item(new SharedFile(std::move(file))));
}

void RunFiles::push_back(File file) {
  files_.insert(size(), Traits::Item(new SharedFile(std::move(file))));
}

void RunFiles::replace(std::size_t first, std::size_t last, std::vector<File> files) {
  const std::size_t replaced = std::min(last - first, files.size());
  std::vector<Traits::Item> items;
  items.reserve(files.size());
  for (File& file : files) items.emplace_back(new SharedFile(std::move(file)));
  files_.assign(first, std::span(items).first(replaced));
  files_.erase(first + replaced, last);
  for (std::size_t i = replaced; i < items.size(); ++i) {
    files_.insert(first + i, std::move(items[i]));
  }
}

File RunFiles::erase(std::size_t index) {
  const Traits::Item item = files_.erase(index);
  return item->use_count() > 1 ? item->file : std::move(item->file);
}

}  // namespace lsmlab
