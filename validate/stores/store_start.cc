#include "validate/stores/store_start.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "validate/stores/key_shares.h"
#include "validate/stores/store_tree.h"

namespace lsmlab {
namespace {

// Bytes of an entry in files of each level, from those whose entries a LOG tells; of flushed files
// where it tells none.
class EntryBytes {
 public:
  EntryBytes(const stores::Manifest& manifest, std::uint32_t family, const LoggedTables& tables,
             const stores::FlushFigures& flushes) {
    for (const stores::HistoryEdit& step : manifest.history) {
      if (step.edit.family != family) continue;
      for (const stores::AddedFile& added : step.edit.added) {
        const auto logged = tables.find(added.file.number);
        if (logged == tables.end() || logged->second.entries == 0) continue;
        if (sums_.size() <= added.level) sums_.resize(added.level + 1);
        sums_[added.level].first += static_cast<double>(logged->second.bytes);
        sums_[added.level].second += static_cast<double>(logged->second.entries);
      }
    }
    if (flushes.entries > 0) {
      flushed_ = static_cast<double>(flushes.bytes) / static_cast<double>(flushes.entries);
    }
  }

  [[nodiscard]] double at(std::uint32_t level) const {
    if (level < sums_.size() && sums_[level].second > 0) {
      return sums_[level].first / sums_[level].second;
    }
    return flushed_;
  }

 private:
  std::vector<std::pair<double, double>> sums_;  // bytes and entries
  double flushed_ = 0;
};

class TreeReader {
 public:
  TreeReader(const stores::Manifest& manifest, std::uint32_t family, const EntryBytes& bytes,
             const stores::StoreWorkload& workload, bool falls)
      : bytes_(bytes), workload_(workload), falls_(falls) {
    for (const stores::HistoryEdit& step : manifest.history) {
      if (step.edit.family != family) continue;
      for (const stores::AddedFile& added : step.edit.added) {
        files_[added.file.number] = &added.file;
        keys_.push_back(&added.file.smallest_key);
        keys_.push_back(&added.file.largest_key);
      }
    }
  }

  // Null: it is empty, or nothing tells how many entries it holds.
  [[nodiscard]] std::shared_ptr<const StartingTree> read(const TreeView& tree,
                                                         bool is_today) const {
    const std::vector<KeyShares::Run> parts = runs_of_tree(tree);
    if (parts.empty()) return nullptr;
    const KeyShares shares(keys_, parts, static_cast<double>(records_of(tree, is_today)), falls_);
    auto start = std::make_shared<StartingTree>();
    start->records = shares.records();
    for (std::size_t level = tree.levels().size(); level-- > 0;) {
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      for (std::size_t i = runs.size(); i-- > 0;) {
        StartingRun run{static_cast<std::uint32_t>(level), {}};
        for (const File& file : runs[i].files) {
          if (entries_of(file, run.level) == 0) continue;
          const stores::StoreFile& stored = *files_.at(file.id.value());
          run.files.push_back({shares.before(stored), shares.up_to(stored),
                               static_cast<std::uint64_t>(entries_of(file, run.level))});
        }
        if (!run.files.empty()) start->runs.push_back(std::move(run));
      }
    }
    if (start->runs.empty()) return nullptr;
    return start;
  }

 private:
  // 0: not known. A file holds something.
  [[nodiscard]] double entries_of(const File& file, std::uint32_t level) const {
    if (file.entries.value() > 0) return static_cast<double>(file.entries.value());
    const double bytes = bytes_.at(level);
    return bytes > 0 ? std::max(1.0, static_cast<double>(file.bytes.value()) / bytes) : 0;
  }

  [[nodiscard]] std::vector<KeyShares::Run> runs_of_tree(const TreeView& tree) const {
    std::vector<KeyShares::Run> runs;
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        KeyShares::Run parts;
        for (const File& file : run.files) {
          const double entries = entries_of(file, static_cast<std::uint32_t>(level));
          if (entries > 0) parts.push_back({files_.at(file.id.value()), entries});
        }
        if (!parts.empty()) runs.push_back(std::move(parts));
      }
    }
    return runs;
  }

  [[nodiscard]] std::uint64_t records_of(const TreeView& tree, bool is_today) const {
    if (is_today && workload_.lately) return workload_.lately->records;
    std::vector<double> levels(tree.levels().size());
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        for (const File& file : run.files) {
          levels[level] += entries_of(file, static_cast<std::uint32_t>(level));
        }
      }
    }
    if (workload_.drawn_keys) {
      return std::min(stores::live_records(levels, 1, 0), *workload_.drawn_keys);
    }
    return stores::live_records(levels, workload_.update_fraction, workload_.delete_fraction);
  }

  const EntryBytes& bytes_;
  const stores::StoreWorkload& workload_;
  const bool falls_;
  std::unordered_map<std::uint64_t, const stores::StoreFile*> files_;  // only looked up
  std::vector<const std::string*> keys_;
};

// Whether the history that the figures tell of has begun with this edit, if it had not before.
bool begins_history(const stores::HistoryEdit& step, const stores::FamilyFigures& figures,
                    const LoggedTables& tables) {
  if (figures.source == stores::HistorySource::kManifest) {
    return step.kind != stores::EditKind::kSnapshot && step.kind != stores::EditKind::kSettings;
  }
  return std::any_of(
      step.edit.added.begin(), step.edit.added.end(),
      [&](const stores::AddedFile& added) { return tables.contains(added.file.number); });
}

}  // namespace

Result<StoreStarts> starts_of(const stores::Store& store, const stores::FamilyFigures& figures,
                              const stores::StoreWorkload& workload) {
  StoreStarts starts;
  if (!store.manifest) return starts;
  const stores::Manifest& manifest = *store.manifest;
  const auto family =
      std::find_if(manifest.families.begin(), manifest.families.end(),
                   [&](const auto& one) { return one.second.name == figures.name; });
  if (family == manifest.families.end()) return starts;
  const LoggedTables tables = tables_of_logs(store);
  const EntryBytes bytes(manifest, family->first, tables, figures.flushes);
  const StoreKeys keys = BOOST_OUTCOME_TRYX(StoreKeys::of(manifest, family->first));
  const TreeReader reader(manifest, family->first, bytes, workload, keys.falls());
  StoreTree tree(keys, tables);
  bool has_begun = false;
  for (const stores::HistoryEdit& step : manifest.history) {
    if (step.edit.family != family->first) continue;
    if (!has_begun && begins_history(step, figures, tables)) {
      has_begun = true;
      // A first edit that holds logged files: the history is older than the MANIFEST.
      if (step.kind != stores::EditKind::kSnapshot)
        starts.at_history = reader.read(tree.tree(), false);
    }
    BOOST_OUTCOME_TRYV(tree.apply(step));
  }
  starts.now = reader.read(tree.tree(), true);
  return starts;
}

StartingTree opened_with_dynamic_levels(StartingTree start, std::uint64_t levels) {
  auto to = static_cast<std::uint32_t>(levels);
  for (StartingRun& run : start.runs) {  // the deepest level first
    if (run.level > 0) run.level = --to;
  }
  return start;
}

}  // namespace lsmlab
