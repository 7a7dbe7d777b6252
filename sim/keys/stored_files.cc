#include "sim/keys/stored_files.h"

#include <utility>

#include "models/base/check.h"

namespace lsmlab {

StoredFile* StoredFiles::find(FileId id) const {
  const std::size_t page = id.value() / kPageIds;
  if (page >= pages_.size() || !pages_[page]) return nullptr;
  return pages_[page]->files[id.value() % kPageIds].get();
}

void StoredFiles::add(FileId id, StoredFile file) {
  const std::size_t page = id.value() / kPageIds;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (!pages_[page]) pages_[page] = std::make_unique<Page>();
  std::unique_ptr<StoredFile>& place = pages_[page]->files[id.value() % kPageIds];
  CHECK(!place);
  place = std::make_unique<StoredFile>(std::move(file));
  ++pages_[page]->count;
}

void StoredFiles::erase(FileId id) {
  if (find(id) == nullptr) return;
  std::unique_ptr<Page>& page = pages_[id.value() / kPageIds];
  page->files[id.value() % kPageIds].reset();
  if (--page->count == 0) page.reset();
}

}  // namespace lsmlab
