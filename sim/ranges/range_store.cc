#include "sim/ranges/range_store.h"

#include "models/base/check.h"

namespace lsmlab {
namespace {

// More plans after one flush than any policy can need: if a policy asks for more, it has a bug.
constexpr std::uint64_t kPlansPerFlushMax = 1'000'000;

}  // namespace

void RangeStore::flush(const RangeMemtable& memtable) {
  if (memtable.mix().entries() == 0) return;
  files_.begin_flush(memtable);
  settle();
  CHECK(!files_.tree().pending_flush());
}

LookupFigures RangeStore::get(const ReadKey& key, std::uint64_t weight) {
  const RangeReader::Lookup lookup = files_.reader().get(key, weight);
  if (!lookup.searched_in_vain) return lookup.figures;
  const FileLocation& at = *lookup.searched_in_vain;
  const std::uint64_t seeks = files_.state().charge_seek(at, weight);
  const auto seeks_max = files_.policy().seeks_max(files_.tree().file_at(at));
  if (seeks_max && seeks >= *seeks_max) settle();
  return lookup.figures;
}

void RangeStore::run_plans(const std::optional<ManualCompaction>& manual) {
  std::uint64_t plans = 0;
  // The pending flush is taken even if the run should stop. Between later plans the tree is whole.
  while (files_.tree().pending_flush() || stop_ == nullptr ||
         !stop_->load(std::memory_order_relaxed)) {
    const std::optional<Plan> plan = manual ? files_.policy().pick_manual(files_.tree(), *manual)
                                            : files_.policy().pick(files_.tree());
    if (!plan) return;
    // Its inputs need no mark: no other plan is picked before this one has ended.
    static_cast<void>(files_.finish(files_.start(*plan), false));
    CHECK(++plans < kPlansPerFlushMax);
  }
}

}  // namespace lsmlab
