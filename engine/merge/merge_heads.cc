#include "engine/merge/merge_heads.h"

#include <algorithm>

namespace lsmlab::engine {

MergeHeads::MergeHeads(const std::vector<std::unique_ptr<MergeSource>>& sources)
    : sources_(sources), shown_(sources.size()) {}

Result<void> MergeHeads::start() {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const bool has_entry = BOOST_OUTCOME_TRYX(sources_[i]->next());
    if (!has_entry) continue;
    ++shown_[i];
    heap_.push_back({sources_[i]->window(), sources_[i].get(), i});
  }
  std::make_heap(heap_.begin(), heap_.end(),
                 [](const Head& a, const Head& b) { return stands_before(b, a); });
  note_second();
  return success();
}

Result<void> MergeHeads::advance() {
  Head& front = heap_.front();
  const bool has_entry = BOOST_OUTCOME_TRYX(front.source->next());
  if (has_entry) {
    ++shown_[front.number];
    front.window = front.source->window();
    if (front.window < second_window_ || is_alone_) return success();
  } else {
    front = heap_.back();
    heap_.pop_back();
  }
  settle_front();
  note_second();
  return success();
}

bool MergeHeads::stands_before(const Head& a, const Head& b) {
  if (a.window != b.window) return a.window < b.window;
  const EntryView& entry = a.source->entry();
  const EntryView& other = b.source->entry();
  const int order = entry.key.compare(other.key);
  if (order != 0) return order < 0;
  return entry.tag != other.tag ? entry.tag > other.tag : a.number < b.number;
}

void MergeHeads::settle_front() {
  std::size_t at = 0;
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) return;
    if (child + 1 < heap_.size() && stands_before(heap_[child + 1], heap_[child])) ++child;
    if (!stands_before(heap_[child], heap_[at])) return;
    std::swap(heap_[at], heap_[child]);
    at = child;
  }
}

void MergeHeads::note_second() {
  is_alone_ = heap_.size() <= 1;
  if (is_alone_) return;
  second_window_ = heap_[1].window;
  if (heap_.size() > 2) second_window_ = std::min(second_window_, heap_[2].window);
}

}  // namespace lsmlab::engine
