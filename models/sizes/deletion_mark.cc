#include "models/sizes/deletion_mark.h"

namespace lsmlab {

std::uint64_t DeletionMark::Window::bucket_entries() const {
  return entries / kBuckets + (entries % kBuckets > 0 ? 1 : 0);
}

std::uint64_t DeletionMark::Window::entries_max() const { return kBuckets * bucket_entries(); }

DeletionMarkCounter::DeletionMarkCounter(const DeletionMark& mark) : mark_(mark) {
  if (!mark.window) return;
  bucket_entries_ = mark.window->bucket_entries();
  deletes_.assign(DeletionMark::kBuckets, 0);
}

void DeletionMarkCounter::add(bool is_tombstone) {
  ++entries_;
  tombstones_ += is_tombstone ? 1U : 0U;
  if (bucket_entries_ > 0 && !is_window_dense_) slide(is_tombstone);
}

void DeletionMarkCounter::slide(bool is_tombstone) {
  if (entries_in_bucket_ == bucket_entries_) {
    // The ring's next bucket is the oldest one, which leaves the window.
    bucket_ = (bucket_ + 1) % deletes_.size();
    deletes_in_window_ -= deletes_[bucket_];
    deletes_[bucket_] = 0;
    entries_in_bucket_ = 0;
  }
  ++entries_in_bucket_;
  if (!is_tombstone) return;
  ++deletes_in_window_;
  ++deletes_[bucket_];
  is_window_dense_ = deletes_in_window_ >= mark_.window->deletes;
}

bool DeletionMarkCounter::is_marked() const {
  if (is_window_dense_) return true;
  return mark_.ratio && entries_ > 0 &&
         Uint128{tombstones_} * mark_.ratio->denominator() >=
             Uint128{entries_} * mark_.ratio->numerator();
}

}  // namespace lsmlab
