// The frozen files of a tree, by id.
#include <atomic>
#include <memory>
#include <utility>

#include "models/base/check.h"
#include "models/tree/tree.h"

namespace lsmlab {

std::size_t FrozenFiles::index_of(FileId id) const {
  return files_.partition_point([&](std::uint64_t other) { return other < id.value(); });
}

const FrozenFile* FrozenFiles::find(FileId id) const {
  const std::size_t index = index_of(id);
  if (index == files_.size()) return nullptr;
  const auto at = files_.at(index);
  return at.key() == id.value() ? at->get() : nullptr;
}

const FrozenFile& FrozenFiles::at(FileId id) const {
  const FrozenFile* frozen = find(id);
  CHECK(frozen != nullptr);
  return *frozen;
}

FrozenFile& FrozenFiles::own(Item& item) {
  if (item.use_count() > 1) {
    item = std::make_shared<FrozenFile>(*item);
  } else {
    // After the last look of a thread that had a copy.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  return *item;
}

bool FrozenFiles::add(FrozenFile frozen) {
  const FileId id = frozen.file.id;
  if (contains(id)) return false;
  files_.insert(index_of(id), std::make_shared<FrozenFile>(std::move(frozen)));
  return true;
}

void FrozenFiles::add_reference(FileId id) {
  files_.annotate(index_of(id), [&](Item& item) {
    CHECK(item->file.id == id);
    ++own(item).references;
  });
}

void FrozenFiles::drop_reference(FileId id) {
  const std::uint64_t references = at(id).references;
  CHECK(references > 0);
  if (references == 1) {
    files_.erase(index_of(id));
    return;
  }
  files_.annotate(index_of(id), [](Item& item) { --own(item).references; });
}

void FrozenFiles::note_blocks(FileId id, const CachedBlocks& blocks) {
  files_.annotate(index_of(id), [&](Item& item) {
    CHECK(item->file.id == id);
    own(item).blocks = blocks;
  });
}

}  // namespace lsmlab
