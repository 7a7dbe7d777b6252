// The frozen files of a tree, by id.
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
  if (index == files_.size() || files_[index]->file.id != id) return nullptr;
  return files_[index].get();
}

const FrozenFile& FrozenFiles::at(FileId id) const {
  const FrozenFile* frozen = find(id);
  CHECK(frozen != nullptr);
  return *frozen;
}

bool FrozenFiles::add(FrozenFile frozen) {
  const FileId id = frozen.file.id;
  if (contains(id)) return false;
  files_.insert(index_of(id), std::make_shared<const FrozenFile>(std::move(frozen)));
  return true;
}

void FrozenFiles::add_reference(FileId id) {
  CHECK(contains(id));
  files_.annotate(index_of(id), [](Item& item) {
    item = std::make_shared<const FrozenFile>(
        FrozenFile{item->file, item->references + 1, item->blocks});
  });
}

void FrozenFiles::drop_reference(FileId id) {
  const std::uint64_t references = at(id).references;
  CHECK(references > 0);
  if (references == 1) {
    files_.erase(index_of(id));
    return;
  }
  files_.annotate(index_of(id), [&](Item& item) {
    item = std::make_shared<const FrozenFile>(FrozenFile{item->file, references - 1, item->blocks});
  });
}

void FrozenFiles::note_blocks(FileId id, const CachedBlocks& blocks) {
  CHECK(contains(id));
  files_.annotate(index_of(id), [&](Item& item) {
    item = std::make_shared<const FrozenFile>(FrozenFile{item->file, item->references, blocks});
  });
}

}  // namespace lsmlab
