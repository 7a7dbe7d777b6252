#include "validate/stores/key_order.h"

#include <algorithm>
#include <string>

namespace lsmlab {

KeyOrder key_order_of(const stores::Manifest& manifest, std::uint32_t family) {
  KeyOrder order;
  std::string largest;
  bool is_first_followed = false;
  bool is_loading = true;
  std::uint64_t first_sequence = 0;
  const auto count_load = [&](const stores::StoreFile& file, bool rises) {
    if (!file.smallest_sequence || !file.largest_sequence) return;
    if (order.flushes == 1) first_sequence = *file.smallest_sequence;
    const std::uint64_t first = rises ? *file.largest_sequence + 1
                                      : (*file.smallest_sequence + *file.largest_sequence + 1) / 2;
    order.loading_writes = first - std::min(first, first_sequence);
  };
  for (const stores::HistoryEdit& step : manifest.history) {
    if (step.kind != stores::EditKind::kFlush || step.edit.family != family) continue;
    for (const stores::AddedFile& added : step.edit.added) {
      ++order.flushes;
      const bool rises = order.flushes > 1 && added.file.smallest_key > largest;
      if (order.flushes == 2) is_first_followed = rises;
      order.rising += rises;
      if (is_loading) {
        is_loading = order.flushes == 1 || rises;
        order.loaded += is_loading;
        count_load(added.file, is_loading);
      }
      largest = std::max(largest, added.file.largest_key);
    }
  }
  order.rising += is_first_followed;
  if (!is_first_followed) order.loaded = order.loading_writes = 0;
  return order;
}

}  // namespace lsmlab
