// Checks flushes and merges: their inputs, their outputs, and the output files.
#include <algorithm>
#include <map>
#include <memory>

#include "testing/oracles/naive_mark.h"
#include "testing/oracles/naive_sstable.h"
#include "testing/oracles/store_oracle.h"

namespace lsmlab::testing {
namespace {

StoredEntry newest_of(const std::vector<StoredEntry>& versions) {
  StoredEntry newest = versions.front();
  for (const StoredEntry& version : versions) {
    if (version.sequence > newest.sequence) newest = version;
  }
  return newest;
}

// The number of tombstones in each block of 2^k sequence numbers, with the least k for which there
// are at most 100 blocks.
std::shared_ptr<const DeletionTimes> naive_deletion_times(const std::vector<StoredEntry>& entries) {
  for (std::uint32_t shift = 0;; ++shift) {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const StoredEntry& entry : entries) {
      if (entry.is_tombstone) ++counts[entry.sequence >> shift];
    }
    if (counts.empty()) return nullptr;
    if (counts.size() > 100) continue;
    std::vector<DeletionTimes::Block> blocks;
    for (const auto& [number, tombstones] : counts) blocks.push_back({number, tombstones});
    return std::make_shared<const DeletionTimes>(shift, std::move(blocks));
  }
}

void keep_oldest(std::optional<Instant>& oldest, const std::optional<Instant>& other) {
  if (other && (!oldest || *other < *oldest)) oldest = other;
}

}  // namespace

void StoreOracle::follow_merge(const MergePlan& plan, bool is_flush, const TreeEdit& edit,
                               const Contents& contents) {
  require(edit.takes_memtable == plan.takes_memtable, "the edit takes {} memtable",
          edit.takes_memtable ? "a" : "no");
  require(edit.is_merge == !is_flush, "the edit calls itself {}",
          edit.is_merge ? "a merge" : "no merge");
  require(edit.moved.empty() && edit.linked.empty() && edit.trimmed.empty(),
          "the edit moves or links files, or trims copies");
  const Gathered inputs = gather(plan);
  std::vector<FileId> going = edit.removed;
  going.insert(going.end(), edit.frozen.begin(), edit.frozen.end());
  for (const TreeEdit::TakenSlices& taken : edit.taken_slices) {
    require(taken.newest == plan.newest_slices, "the edit takes {} slices", taken.newest);
    going.push_back(taken.file);
  }
  require(edit.taken_slices.size() == (plan.newest_slices ? 1 : 0),
          "the edit takes slices of {} files", edit.taken_slices.size());
  require(std::set<FileId>(going.begin(), going.end()) == inputs.files &&
              going.size() == inputs.files.size(),
          "the edit removes {} files that are not the {} inputs", going.size(),
          inputs.files.size());
  require(edit.added.size() <= 1, "the edit adds files in {} places", edit.added.size());
  std::vector<File> files;
  if (!edit.added.empty()) {
    const OutputTarget& target = edit.added.front().target;
    require(target.level == plan.target.level && target.run == plan.target.run,
            "outputs go to level {}, or another run, instead of level {}", target.level,
            plan.target.level);
    files = edit.added.front().files;
  }
  for (const File& file : files) {
    require(used_ids_.insert(file.id).second, "output file {} has an id used before",
            file.id.value());
  }
  const bool keeps_overwritten = is_flush && options_.flush_keeps_overwritten;
  const Outputs outputs = read_outputs(files, keeps_overwritten, contents);
  std::vector<StoredEntry> kept;
  for (const std::vector<StoredEntry>& output : outputs) {
    kept.insert(kept.end(), output.begin(), output.end());
  }
  keeps_overwritten ? check_flushed(inputs, kept) : check_kept(plan, inputs, kept);
  if (is_flush && plan.cut.makes_one_file()) {
    require(files.size() == 1, "a flush of {} files", files.size());
  }
  check_cuts(plan, outputs, kept);

  const std::set<FileId> copied = expected_copied(plan, files);
  require(std::set<FileId>(edit.frozen.begin(), edit.frozen.end()) == copied,
          "{} inputs stay as copies, not {}", edit.frozen.size(), copied.size());
  std::vector<std::vector<Copy>> copies;
  for (const File& file : files) copies.push_back(expected_copies(plan, file.keys));
  if (!plan.newest_slices) leave(inputs.files, copied);
  for (std::size_t i = 0; i < files.size(); ++i) {
    File expected = expected_file(files[i], inputs, outputs[i]);
    expected.copies = copies[i];
    expected.is_rewritten = plan.copies_max > 0;
    check_file(files[i], expected);
    require(files[i].last_access == now_, "file {} has last_access {}, should be {}",
            files[i].id.value(), files[i].last_access.value(), now_.value());
    require(files[i].seeks == 0, "file {} begins with {} seeks", files[i].id.value(),
            files[i].seeks);
    (plan.newest_slices ? frozen_ : standing_)[files[i].id] = {expected, outputs[i]};
  }
  if (plan.newest_slices) replace_slices(plan, edit, files);
  const std::map<FileId, std::uint64_t> hanging = references();
  std::erase_if(frozen_, [&](const auto& frozen) { return !hanging.contains(frozen.first); });
  count_merge(plan, is_flush, inputs, files, kept.size());
}

void StoreOracle::replace_slices(const MergePlan& plan, const TreeEdit& edit,
                                 const std::vector<File>& files) {
  const FileId id = plan.inputs.front().files.front();
  File& file = standing_.at(id).file;
  file.slices.resize(file.slices.size() - *plan.newest_slices);
  require(files.size() <= 1, "{} outputs become slices of one file", files.size());
  require(!edit.added.empty() && edit.added.front().into == id,
          "the output does not become a slice of file {}", id.value());
  for (const File& output : files) file.slices.push_back({output.id, output.keys, output.bytes});
}

StoreOracle::Gathered StoreOracle::gather(const MergePlan& plan) const {
  Gathered gathered;
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      const KnownFile& known = standing_.at(id);
      gathered.files.insert(id);
      gathered.bytes += known.file.bytes.value();
      if (!known.file.is_virtual) {
        gathered.ancestors.emplace_back(known.file.keys, known.file.oldest_ancestor);
      }
      if (!known.file.is_virtual) gather_file(known, KeyRange{}, gathered);
      const std::vector<Slice>& slices = known.file.slices;
      const std::size_t skipped = slices.size() - plan.newest_slices.value_or(slices.size());
      for (std::size_t i = skipped; i < slices.size(); ++i) {
        const Slice& slice = slices[i];
        gathered.bytes += slice.bytes.value();
        gathered.ancestors.emplace_back(slice.keys,
                                        frozen_.at(slice.frozen_file).file.oldest_ancestor);
        gather_file(frozen_.at(slice.frozen_file), slice.keys, gathered);
      }
    }
  }
  if (plan.takes_memtable) {
    for (const auto& [key, write] : memtable_) {
      gathered.versions[key].push_back(write.entry);
      ++gathered.entries;
      if (write.entry.is_tombstone) keep_oldest(gathered.oldest_tombstone, write.when);
    }
    for (const Write& write : overwritten_) {
      gathered.versions[write.entry.key].push_back(write.entry);
      ++gathered.entries;
      if (write.entry.is_tombstone) keep_oldest(gathered.oldest_tombstone, write.when);
    }
    gathered.ancestors.emplace_back(KeyRange{memtable_.begin()->first, memtable_.rbegin()->first},
                                    memtable_begun_);
    const std::uint64_t flush = before_->flush_count() + 1;
    gathered.flushes.push_back({flush, flush});
  }
  return gathered;
}

void StoreOracle::gather_file(const KnownFile& known, const KeyRange& keys,
                              Gathered& gathered) const {
  for (const StoredEntry& entry : known.entries) {
    if (entry.key < keys.smallest || entry.key > keys.largest) continue;
    gathered.versions[entry.key].push_back(entry);
    ++gathered.entries;
  }
  gathered.flushes.push_back(known.file.flushes);
  keep_oldest(gathered.oldest_tombstone, known.file.oldest_tombstone);
}

StoreOracle::Outputs StoreOracle::read_outputs(const std::vector<File>& files, bool has_versions,
                                               const Contents& contents) const {
  Outputs outputs;
  std::optional<std::uint64_t> last_key;
  std::uint64_t last_sequence = 0;
  for (const File& file : files) {
    outputs.push_back(contents(file.id));
    require(!outputs.back().empty(), "output file {} is empty", file.id.value());
    for (const StoredEntry& entry : outputs.back()) {
      const bool is_older_version =
          has_versions && last_key == entry.key && entry.sequence < last_sequence;
      require(!last_key || *last_key < entry.key || is_older_version,
              "key {} of output file {} comes at or after key {}: outputs are not by key",
              entry.key, file.id.value(), last_key.value_or(0));
      last_key = entry.key;
      last_sequence = entry.sequence;
    }
  }
  return outputs;
}

void StoreOracle::check_flushed(const Gathered& inputs, const std::vector<StoredEntry>& kept) {
  require(kept.size() == inputs.entries, "the flush writes {} of {} entries", kept.size(),
          inputs.entries);
  for (const StoredEntry& entry : kept) {
    const auto versions = inputs.versions.find(entry.key);
    require(versions != inputs.versions.end() &&
                std::find(versions->second.begin(), versions->second.end(), entry) !=
                    versions->second.end(),
            "version {} of key {} was never written", entry.sequence, entry.key);
  }
}

void StoreOracle::check_kept(const MergePlan& plan, const Gathered& inputs,
                             const std::vector<StoredEntry>& kept) const {
  const std::vector<MaybeOlder> older = maybe_older(plan, inputs);
  std::map<std::uint64_t, StoredEntry> outputs;
  for (const StoredEntry& entry : kept) {
    require(inputs.versions.contains(entry.key), "key {} is in an output but in no input",
            entry.key);
    outputs[entry.key] = entry;
  }
  for (const auto& [key, versions] : inputs.versions) {
    const StoredEntry newest = newest_of(versions);
    const auto found = outputs.find(key);
    if (found == outputs.end()) {
      check_missing(plan, inputs, newest);
      continue;
    }
    require(found->second.sequence == newest.sequence,
            "the output holds version {} of key {}, the newest of the inputs is {}",
            found->second.sequence, key, newest.sequence);
    require(found->second == newest, "version {} of key {} has changed in the output",
            newest.sequence, key);
    if (!newest.is_tombstone || !plan.drops_tombstones || is_young(newest)) continue;
    require(std::any_of(older.begin(), older.end(),
                        [&](const MaybeOlder& data) {
                          return data.keys.smallest <= newest.key &&
                                 newest.key <= data.keys.largest &&
                                 data.first_sequence <= newest.sequence;
                        }),
            "the tombstone of key {} was kept, but nothing older can exist", key);
  }
}

bool StoreOracle::is_young(const StoredEntry& tombstone) const {
  return tombstone.sequence + options_.gc_grace > newest_filed_ && options_.gc_grace > 0;
}

void StoreOracle::check_missing(const MergePlan& plan, const Gathered& inputs,
                                const StoredEntry& newest) const {
  require(newest.is_tombstone, "version {} of key {} is lost", newest.sequence, newest.key);
  require(plan.drops_tombstones, "the tombstone of key {} was dropped, but the plan keeps all",
          newest.key);
  require(!is_young(newest), "the tombstone {} of key {} was dropped after {} writes, before {}",
          newest.sequence, newest.key, newest_filed_ - newest.sequence, options_.gc_grace);
  for (const StoredEntry& version : versions_of(newest.key, inputs.files)) {
    require(version.sequence > newest.sequence,
            "the tombstone {} of key {} was dropped too early: version {} exists", newest.sequence,
            newest.key, version.sequence);
  }
}

// Key ranges that may have versions older than the inputs, by what a tree shows of its files:
// everything below the target, and runs at its level or above that hold a flush older than the
// newest input of other runs. The run that receives outputs has no other version of their keys.
std::vector<StoreOracle::MaybeOlder> StoreOracle::maybe_older(const MergePlan& plan,
                                                              const Gathered& inputs) const {
  std::map<RunId, std::uint64_t> newest_of_runs;
  for (const auto& [id, at] : places_before_) {
    if (inputs.files.contains(id)) newest_of_runs[at.run->id] = at.run->flushes.last;
  }
  const auto newest_beside = [&](RunId run) {
    std::uint64_t newest = plan.takes_memtable ? before_->flush_count() + 1 : 0;
    for (const auto& [other, last] : newest_of_runs) {
      if (other != run) newest = std::max(newest, last);
    }
    return newest;
  };
  std::vector<MaybeOlder> older;
  for (const auto& [id, at] : places_before_) {
    if (inputs.files.contains(id)) continue;
    if (at.level <= plan.target.level &&
        (plan.target.run == at.run->id || at.run->flushes.first >= newest_beside(at.run->id))) {
      continue;
    }
    const KnownFile& known = standing_.at(id);
    for (const MaybeOlder& data : older_data_of(known)) older.push_back(data);
    for (const Slice& slice : known.file.slices) {
      if (!asks_filters()) {
        older.push_back({slice.keys});
        continue;
      }
      for (const StoredEntry& entry : frozen_.at(slice.frozen_file).entries) {
        if (slice.keys.smallest <= entry.key && entry.key <= slice.keys.largest) {
          older.push_back({{entry.key, entry.key}});
        }
      }
    }
  }
  return older;
}

// Files of stores that have filters have one each.
bool StoreOracle::asks_filters() const {
  return options_.store.pre_remove == PreRemove::kFilters &&
         options_.store.bits_per_key.numerator() > 0;
}

// What the store knows of where a file's keys are.
std::vector<StoreOracle::MaybeOlder> StoreOracle::older_data_of(const KnownFile& known) const {
  std::vector<MaybeOlder> found;
  switch (options_.store.pre_remove) {
    case PreRemove::kOff:
      return {{KeyRange{}}};
    case PreRemove::kFiles:
      return {{known.file.keys}};
    case PreRemove::kFilters: {
      std::uint64_t first = ~std::uint64_t{0};
      for (const StoredEntry& entry : known.entries) first = std::min(first, entry.sequence);
      if (!asks_filters()) return {{known.file.keys, first}};
      for (const StoredEntry& entry : known.entries) {
        found.push_back({{entry.key, entry.key}, first});
      }
      return found;
    }
    case PreRemove::kBlocks:
      break;
  }
  if (known.file.is_virtual) return {{known.file.keys}};
  std::uint64_t open_bytes = 0;
  const std::uint64_t wanted_bytes =
      known.file.range_bytes.value_or(options_.store.range_bytes).value();
  for (const NaiveBlock& block : naive_blocks(known.entries, format_)) {
    if (open_bytes == 0) found.push_back({{block.first_key, block.first_key}});
    found.back().keys.largest = block.last_key;
    open_bytes += block.stored_bytes;
    if (open_bytes >= wanted_bytes) open_bytes = 0;
  }
  return found;
}

KeyRange StoreOracle::keys_of(const MergePlan& plan) const {
  KeyRange keys{~std::uint64_t{0}, 0};
  const auto add = [&](std::uint64_t smallest, std::uint64_t largest) {
    keys = {std::min(keys.smallest, smallest), std::max(keys.largest, largest)};
  };
  if (plan.takes_memtable) add(memtable_.begin()->first, memtable_.rbegin()->first);
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      add(standing_.at(id).file.keys.smallest, standing_.at(id).file.keys.largest);
    }
  }
  return keys;
}

void StoreOracle::check_cuts(const MergePlan& plan, const Outputs& outputs,
                             const std::vector<StoredEntry>& kept) const {
  const bool is_dynamic = plan.cut.grandparents == GrandparentRule::kDynamicFileSize;
  if (is_dynamic || plan.cut.grandparents == GrandparentRule::kCompactionLimit) {
    // RocksDB's grandparent rule lets a file grow to twice its size.
    OutputCut largest = plan.cut;
    if (is_dynamic && largest.file_bytes) *largest.file_bytes += *plan.cut.file_bytes;
    for (const std::vector<StoredEntry>& output : outputs) {
      require(!naive_exceeds(output, largest, format_),
              "the output file of keys {} to {} passes its size before its last entry",
              output.front().key, output.back().key);
    }
    return;
  }
  std::vector<File> grandparents;
  const std::size_t below = plan.cut.grandparent_level.value_or(plan.target.level + 1);
  if (below < before_->levels().size() && !before_->levels()[below].runs.empty()) {
    const RunFiles& files = before_->levels()[below].runs.front().files;
    grandparents.assign(files.begin(), files.end());
    for (File& file : grandparents) {
      for (const Slice& slice : file.slices) file.bytes += file.is_virtual ? slice.bytes : Bytes();
    }
  }
  if (plan.cut.has_begins()) {
    const KeyRange keys = keys_of(plan);
    std::erase_if(grandparents, [&](const File& file) { return !file.keys.overlaps(keys); });
  }
  const std::vector<std::size_t> cuts = naive_cuts(kept, plan.cut, grandparents, format_);
  for (std::size_t i = 0; i < std::min(cuts.size(), outputs.size()); ++i) {
    require(outputs[i].size() == cuts[i],
            "output file {} of {}, from key {}, is cut after {} entries instead of {}", i + 1,
            outputs.size(), outputs[i].front().key, outputs[i].size(), cuts[i]);
  }
  require(outputs.size() == cuts.size(), "the output is cut into {} files instead of {}",
          outputs.size(), cuts.size());
}

File StoreOracle::expected_file(const File& reported, const Gathered& inputs,
                                const std::vector<StoredEntry>& entries) const {
  File file;
  file.id = reported.id;
  file.keys = {entries.front().key, entries.back().key};
  file.entries = Entries(entries.size());
  file.sequences = {entries.front().sequence, entries.front().sequence};
  for (const StoredEntry& entry : entries) {
    file.tombstones += Entries(entry.is_tombstone ? 1 : 0);
    file.key_bytes += Bytes(entry.key_bytes);
    file.value_bytes += Bytes(entry.value_bytes);
    file.sequences.first = std::min(file.sequences.first, entry.sequence);
    file.sequences.last = std::max(file.sequences.last, entry.sequence);
  }
  file.bytes = options_.store.filter_split == FilterSplit::kUniform
                   ? Bytes(naive_file_bytes(entries, format_))
                   : reported.bytes;
  if (options_.store.keeps_ranges() && range_bytes() != options_.store.range_bytes.value()) {
    file.range_bytes = Bytes(range_bytes());
  }
  if (file.tombstones.value() > 0) file.oldest_tombstone = inputs.oldest_tombstone;
  if (options_.mark) {
    std::vector<bool> deletes;
    for (const StoredEntry& entry : entries) deletes.push_back(entry.is_tombstone);
    file.marked = naive_mark(*options_.mark, deletes);
  }
  if (options_.gc_grace > 0) file.deletion_times = naive_deletion_times(entries);
  file.created = file.level_since = file.last_access = file.oldest_ancestor = now_;
  for (const auto& [keys, oldest] : inputs.ancestors) {
    if (keys.overlaps(file.keys)) file.oldest_ancestor = std::min(file.oldest_ancestor, oldest);
  }
  file.flushes = inputs.flushes.front();
  for (const FlushSpan& span : inputs.flushes) {
    file.flushes.first = std::min(file.flushes.first, span.first);
    file.flushes.last = std::max(file.flushes.last, span.last);
  }
  return file;
}

void StoreOracle::count_merge(const MergePlan& plan, bool is_flush, const Gathered& inputs,
                              const std::vector<File>& files, std::uint64_t entries_kept) {
  std::uint64_t written = 0;
  for (const File& file : files) written += file.bytes.value();
  if (plan.takes_memtable) {
    ++totals_.flushes;
    for (const auto& [key, write] : memtable_) {
      newest_filed_ = std::max(newest_filed_, write.entry.sequence);
    }
    is_flushed_early_ = memtable_bytes_ < options_.store.buffer.value();
    memtable_.clear();
    overwritten_.clear();
    memtable_bytes_ = 0;
  }
  entries_gone_ += inputs.entries - entries_kept;
  if (is_flush) {
    totals_.flush_bytes_written += written;
    return;
  }
  ++totals_.merges;
  totals_.merge_bytes_written += written;
  totals_.merge_bytes_read += inputs.bytes;
  totals_.entries_dropped += inputs.entries - entries_kept;
  // A key without an output lost its newest version; only a tombstone may be lost.
  totals_.tombstones_dropped += inputs.versions.size() - entries_kept;
}

}  // namespace lsmlab::testing
