// The end of a part at which the clients ask their store for something, or after which others send
// operations: no client sends the next operation before all others are done and the store has done
// what was asked.
#include <algorithm>

#include "sim/timed/timed_clients.h"
#include "sim/timed/timed_store.h"

namespace lsmlab {

bool TimedStore::end_part(std::uint64_t now_ns, PartEnd asked) {
  if (asked == PartEnd::kNothing) return true;
  const std::optional<ManualScope> scope = manual_scope_of(asked);
  const bool flushes = asked == PartEnd::kFlush || (scope && flushes_first(*scope));
  if (flushes && !files_->is_memtable_empty()) {
    if (holds_flush()) return false;
    rotate(now_ns);
  }
  if (asked == PartEnd::kFlush) return waiting_ == 0;
  if (scope) {
    if (manual_ == Manual::kNone && is_idle()) {
      manual_ = Manual::kWanted;
      schedule_.begin_manual(tree_, *scope);
      dispatch(now_ns);
    }
    if (manual_ == Manual::kWanted && is_idle()) {
      manual_ = Manual::kDone;
      dispatch(now_ns);
    }
    if (manual_ != Manual::kDone) return false;
  }
  if (!is_idle()) return false;
  manual_ = Manual::kNone;
  return true;
}

void TimedClients::set_parts(const std::vector<PartMark>& parts) {
  const auto clients_of = [&](std::size_t part) {
    return parts[part].clients == 0 ? setup_.model.clients : parts[part].clients;
  };
  if (!parts.empty()) active_ = clients_of(0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint64_t own = clients_of(i);
    const std::uint64_t after = clients_of(std::min(i + 1, parts.size() - 1));
    clients_.resize(std::max<std::size_t>(clients_.size(), own));
    if (parts[i].then == PartEnd::kNothing && after == own) continue;
    part_ends_.push_back({parts[i].end_operations, parts[i].then, after});
  }
}

std::uint64_t TimedClients::wait_at_part_end(std::uint64_t now_ns, Client& client) {
  client.phase = Phase::kNext;
  at_part_end_.push_back(static_cast<std::uint32_t>(&client - clients_.data()));
  continue_part_end(now_ns);
  return kWaits;
}

void TimedClients::continue_part_end(std::uint64_t now_ns) {
  if (at_part_end_.size() < active_ || control_.should_stop()) return;
  const ClientsPartEnd& end = part_ends_[next_part_];
  if (end.then != PartEnd::kNothing) {
    // What the store does from here on belongs to the part that asks for it.
    while (recorder_.asked_at_part_end() == PartEnd::kNothing) recorder_.end_part();
    if (!store_.end_part(now_ns, end.then)) return;
    recorder_.end_part();
  }
  ++next_part_;
  active_ = end.clients_after;
  for (std::uint32_t i = 0; i < active_; ++i) push(now_ns, i);
  at_part_end_.clear();
}

}  // namespace lsmlab
