#include "validate/stores/key_order.h"

#include <algorithm>
#include <string>

namespace lsmlab {

KeyOrder key_order_of(const stores::Manifest& manifest, std::uint32_t family) {
  KeyOrder order;
  std::string largest;
  bool is_first_followed = false;
  for (const stores::HistoryEdit& step : manifest.history) {
    if (step.kind != stores::EditKind::kFlush || step.edit.family != family) continue;
    for (const stores::AddedFile& added : step.edit.added) {
      ++order.flushes;
      const bool rises = order.flushes > 1 && added.file.smallest_key > largest;
      if (order.flushes == 2) is_first_followed = rises;
      order.rising += rises;
      largest = std::max(largest, added.file.largest_key);
    }
  }
  order.rising += is_first_followed;
  return order;
}

}  // namespace lsmlab
