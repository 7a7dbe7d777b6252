#include "sim/keys/key_store.h"

#include "models/base/check.h"

namespace lsmlab {
namespace {

// More plans after one flush than any policy can need: if a policy asks for more, it has a bug.
constexpr std::uint64_t kPlansPerFlushMax = 1'000'000;

}  // namespace

KeyStore::KeyStore(const ConfiguredPolicy& policy, const PlanLogSink& log, StoreObserver* observer)
    : memtable_(policy.store, flush_keeps_overwritten(*policy.policy, policy.store)),
      files_(policy, KeyTree::Inputs::kLetGo, log, observer, memtables_) {}

Result<void> KeyStore::write(std::uint64_t key, std::uint32_t key_bytes, std::uint32_t value_bytes,
                             bool is_tombstone) {
  const Entry entry = BOOST_OUTCOME_TRYX(files_.accept(key, key_bytes, value_bytes, is_tombstone));
  memtable_.add(entry, files_.sizes(), files_.tree().now());
  ++traffic_.writes;
  if (is_tombstone) ++traffic_.deletes;
  if (memtable_.is_full()) flush();
  return success();
}

std::optional<Entry> KeyStore::get(std::uint64_t key) {
  ++traffic_.lookups;
  const KeyReader::Lookup lookup = files_.reader().get(key);
  if (lookup.searched_in_vain) {
    const std::uint64_t seeks = files_.state().charge_seek(*lookup.searched_in_vain);
    const auto seeks_max =
        files_.policy().seeks_max(files_.tree().file_at(*lookup.searched_in_vain));
    if (seeks_max && seeks >= *seeks_max) settle();
  }
  return lookup.entry;
}

void KeyStore::scan(const ScanRange& range, const KeyReader::Visit& visit) {
  ++traffic_.lookups;
  ++traffic_.scans;
  files_.reader().scan(range, visit);
}

void KeyStore::flush() {
  if (memtable_.empty()) return;
  files_.begin_flush(memtable_, std::exchange(traffic_, {}));
  settle();
  CHECK(!files_.tree().pending_flush());
}

void KeyStore::compact(ManualScope scope) {
  if (flushes_first(scope)) flush();
  run_plans(ManualCompaction{scope, files_.state().next_file_id()});
  settle();
}

void KeyStore::run_plans(const std::optional<ManualCompaction>& manual) {
  std::uint64_t plans = 0;
  // The pending flush is taken even if the run should stop. Between later plans the tree is whole.
  while (files_.tree().pending_flush() || !should_stop()) {
    files_.look_at_copies();
    const std::optional<Plan> plan = manual ? files_.policy().pick_manual(files_.tree(), *manual)
                                            : files_.policy().pick(files_.tree());
    if (!plan) return;
    if (files_.observer() != nullptr) files_.observer()->on_plan(files_.tree(), *plan);
    // Its inputs need no mark: no other plan is picked before this one has ended.
    if (files_.finish(files_.start(*plan), false).takes_memtable) memtable_.clear();
    CHECK(++plans < kPlansPerFlushMax);
  }
}

}  // namespace lsmlab
