#include "engine/merge/merge_cut.h"

namespace lsmlab::engine {

bool MergeCut::ask(std::uint64_t window, const SstableSize* open) {
  static const SstableSize kEmpty{SstableFormat{}};
  const bool ends = cutter_->ends_before(window, open != nullptr ? *open : kEmpty);
  note_quiet();
  return ends && open != nullptr;
}

void MergeCut::note_quiet() {
  const std::optional<std::uint64_t> quiet = cutter_ ? cutter_->quiet_until() : std::nullopt;
  is_always_quiet_ = !quiet;
  quiet_until_ = quiet.value_or(0);
}

}  // namespace lsmlab::engine
