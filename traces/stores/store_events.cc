#include "traces/stores/store_events.h"

#include <algorithm>

namespace lsmlab::stores {

StoreEvents::StoreEvents(const Store& store) {
  for (std::size_t i = 0; i < store.logs.size(); ++i) add_log(store.logs[i].log, i);
  if (store.manifest) add_manifest(*store.manifest);
}

FamilyLog& StoreEvents::log_of(const std::string& family, std::size_t number) {
  std::vector<FamilyLog>& logs = families_[family].logs;
  if (logs.empty() || logs.back().log != number) logs.push_back({number});
  return logs.back();
}

void StoreEvents::add_tables(const std::vector<LoggedTable>& tables) {
  for (const LoggedTable& table : tables) file_bytes_[table.number] = table.bytes;
}

void StoreEvents::add_log(const InfoLog& log, std::size_t number) {
  std::uint64_t last_flush = log.first_micros;
  for (const LoggedFlush& flush : log.flushes) {
    log_of(flush.family, number).flushes.push_back(&flush);
    add_tables(flush.outputs);
    last_flush = std::max(last_flush, flush.micros);
  }
  for (const LoggedCompaction& merge : log.compactions) {
    log_of(merge.family, number).compactions.push_back(&merge);
    add_tables(merge.outputs);
  }
  for (const LoggedMove& move : log.moves) log_of(move.family, number).moves.push_back(&move);
  for (const LoggedStall& stall : log.stalls) log_of(stall.family, number).stalls.push_back(&stall);
  seconds_ += static_cast<double>(log.last_micros - log.first_micros) / 1e6;
  writing_seconds_ += static_cast<double>(last_flush - log.first_micros) / 1e6;
}

void StoreEvents::add_manifest(const Manifest& manifest) {
  for (const HistoryEdit& step : manifest.history) {
    for (const AddedFile& added : step.edit.added)
      file_bytes_[added.file.number] = added.file.bytes;
    const auto family = manifest.families.find(step.edit.family);
    if (family != manifest.families.end()) families_[family->second.name].edits.push_back(&step);
  }
}

const FamilyEvents& StoreEvents::of(std::string_view family) const {
  static const FamilyEvents kNone;
  const auto found = families_.find(family);
  return found == families_.end() ? kNone : found->second;
}

std::optional<std::uint64_t> StoreEvents::file_bytes(std::uint64_t number) const {
  const auto found = file_bytes_.find(number);
  return found == file_bytes_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lsmlab::stores
