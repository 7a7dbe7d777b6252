// What a plan takes: collected under the lock, and opened without it.
#include "engine/store/store_impl.h"
#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab::engine {

PlanJob StoreImpl::prepare(const Plan& plan) {
  PlanJob job;
  job.plan = plan;
  job.urgency = urgency_of(plan);
  std::optional<Instant> oldest;
  Entries keys;
  if (takes_memtable(plan)) {
    job.memtables = flushing_;
    oldest = flushing_summary_.oldest_tombstone;
    keys = flushing_summary_.pending.entries;
    job.sources.emplace_back();
  }
  job.range_bytes = tuned_options(setup_.policy.store, tree_).range_bytes;
  job.merge.stop = &are_merges_stopped_;
  job.merge.mark = policy_.deletion_mark();
  job.merge.keeps_deletion_times = policy_.gc_grace() > 0;
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) {
    job.sums = flush_sums(tree_, oldest);
    job.merge.format = output_format(policy_, setup_.policy.store, tree_, plan, keys);
    if (flush->cut.makes_one_file()) {
      job.merge.keeps_overwritten = flush_keeps_overwritten(policy_, setup_.policy.store);
    } else {
      job.merge.cutter.emplace(tree_, *flush);
    }
  }
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
    job.sums = merge_sums(tree_, *merge, oldest);
    job.merge.format = output_format(policy_, setup_.policy.store, tree_, plan, keys);
    job.merge.cutter.emplace(tree_, *merge);
    job.merge.tombstones.emplace(tree_, *merge, setup_.policy.store.pre_remove, policy_.gc_grace());
    if (job.merge.tombstones->asks_filters() && job.sums.tombstones_max > 0) {
      // Files that others remove meanwhile stay on disk until the merge ends.
      job.merge.holds_key = [files = live_](FileId id, std::string_view key) -> Result<bool> {
        return BOOST_OUTCOME_TRYX(files.at(id)->table())->passes(key);
      };
    }
    prepare_inputs(*merge, job);
  }
  CHECK(job.sums.sources == job.sources.size());
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) prepare_drop(*drop, job);
  job.merge.oldest_tombstone = job.sums.oldest_tombstone;
  job.room = OutputRoom(tree_, plan, job.sums);
  return job;
}

void StoreImpl::prepare_inputs(const MergePlan& plan, PlanJob& job) {
  for (const PlanInput& input : plan.inputs) {
    PlanJob::Source run;
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = tree_.find_file(id);
      CHECK(at);
      const File& file = tree_.file_at(*at);
      if (!file.is_virtual) run.parts.push_back({live_.at(id), KeyRange{}});
      for (const Slice& slice : merged_slices(plan, file)) {
        job.sources.push_back({{{live_.at(slice.frozen_file), slice.keys}}, true});
      }
    }
    if (!run.parts.empty()) job.sources.push_back(std::move(run));
  }
}

void StoreImpl::prepare_drop(const DropPlan& plan, PlanJob& job) {
  job.sums = drop_sums(tree_, plan);
  for (const PlanInput& input : plan.inputs) {
    PlanJob::Source run;
    for (const FileId id : input.files) {
      const File& file = tree_.file_at(*tree_.find_file(id));
      if (file.tombstones > Entries(0)) run.parts.push_back({live_.at(id), KeyRange{}});
    }
    if (!run.parts.empty()) job.sources.push_back(std::move(run));
  }
}

// A file that cannot be read goes nevertheless; the ages of its tombstones then stay unknown.
void StoreImpl::note_dropped_tombstones(PlanJob& job) {
  job.sums.tombstones_dropped = job.sums.tombstones_max;
  for (const PlanJob::Source& source : job.sources) {
    for (const PlanJob::Part& part : source.parts) {
      const auto table = part.file->table();
      if (!table) return;
      SstableScanner scanner(*table.value(), {}, setup_.read_ahead.value());
      for (;;) {
        const Result<bool> has_entry = scanner.next();
        if (!has_entry) return;
        if (!has_entry.value()) break;
        const EntryView& entry = scanner.entry();
        if (entry.is_tombstone()) job.sums.dropped_sequences.push_back(entry.sequence());
      }
    }
  }
}

void StoreImpl::note_fetch(const SstableReader& table, std::size_t block) {
  if (!fetched_blocks_) return;
  fetched_blocks_->note(table.id(), block, table.block_count(), table.stored_bytes_of(block));
}

void StoreImpl::look_at_copies() {
  if (!fetched_blocks_ || !policy_.looks_at_copies(tree_)) return;
  std::vector<FileId> ids;
  for (const FrozenFile& frozen : tree_.frozen_files()) ids.push_back(frozen.file.id);
  for (const FileId id : ids) tree_.note_blocks(id, fetched_blocks_->of(id));
  fetched_blocks_->forget([&](FileId id) { return !live_.contains(id); });
}

void StoreImpl::add_sources(PlanJob& job) {
  for (const PlanJob::Source& source : job.sources) {
    if (source.parts.empty()) {
      job.merge.sources.push_back(memtable_source(tables_of(job.memtables)));
      continue;
    }
    std::vector<TablePart> parts;
    for (const PlanJob::Part& part : source.parts) {
      parts.push_back({[file = part.file] { return file->table(); }, part.windows});
    }
    job.merge.sources.push_back(table_source(std::move(parts), setup_.read_ahead.value()));
  }
}

}  // namespace lsmlab::engine
