#include "engine/store/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/files/file_names.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

// With more shards, threads contend less. One shard holds exactly the blocks that the simulator's
// cache holds.
constexpr unsigned kThreadedCacheShards = 16;

// Half of the files that the process may have open: merges, scans and the program around the store
// need some too.
std::uint64_t open_tables_max(const StoreSetup& setup) {
  const std::optional<std::uint64_t> files = setup.files->open_files_max();
  if (!files) return setup.open_tables_max;
  return std::min(setup.open_tables_max, std::max<std::uint64_t>(*files / 2, 1));
}

}  // namespace

std::vector<std::string> StoreSetup::validate() const {
  std::vector<std::string> faults;
  if (files == nullptr) faults.emplace_back("files: not set; expected a file system");
  if (!policy.policy) faults.emplace_back("policy: not set");
  if (policy.store.layout != SstableLayout::kLsmlab) {
    faults.emplace_back("table_format: the engine writes SSTables in lsmlab's format only");
  }
  if (merge_threads < kMergeThreadsRange.min || merge_threads > kMergeThreadsRange.max) {
    faults.push_back(fmt::format("merge_threads: expected {} to {}", kMergeThreadsRange.min,
                                 kMergeThreadsRange.max));
  }
  if (sync == SyncRule::kEveryBytes && sync_bytes == Bytes(0)) {
    faults.emplace_back("sync_bytes: expected at least 1");
  }
  if (sync != SyncRule::kNever && !sync_files) {
    faults.emplace_back(
        "sync_files: only sync=never can do without it. The store removes a synced log once its "
        "entries are in SSTables, so these must be durable");
  }
  if (open_tables_max < 16) faults.emplace_back("open_tables_max: expected at least 16");
  for (std::string& fault : stalls.validate()) faults.push_back(std::move(fault));
  if (mode == StoreMode::kThreaded && observer != nullptr) {
    faults.emplace_back("observer: only stepped mode has one");
  }
  return faults;
}

StoreImpl::StoreImpl(std::string directory, StoreSetup setup)
    : directory_(std::move(directory)),
      setup_(std::move(setup)),
      files_(*setup_.files),
      policy_(*setup_.policy.policy),
      window_(setup_.key_prefix),
      block_cache_(setup_.policy.store.block_cache, is_stepped() ? 1 : kThreadedCacheShards),
      table_cache_(files_, directory_, window_, open_tables_max(setup_), setup_.direct_io),
      // Memory of one memtable, which holds more than it charges for.
      memory_reserve_(std::make_shared<ArenaReserve>(2 * setup_.policy.store.buffer.value())),
      ledger_(setup_.log),
      scheduler_(policy_.merge_scheduling()) {
  tree_.keep(policy_.orderings());
  if (policy_.keeps_copies()) fetched_blocks_.emplace(setup_.policy.store.block_cache);
}

StoreImpl::~StoreImpl() {
  if (!is_closed_) static_cast<void>(caught(directory_, [this] { return close(); }));
}

Result<std::unique_ptr<StoreImpl>> StoreImpl::open(const std::string& directory, StoreSetup setup) {
  std::string faults;
  for (const std::string& fault : setup.validate()) {
    faults += (faults.empty() ? "" : "; ") + fault;
  }
  if (!faults.empty()) return input_error(std::move(faults));
  std::unique_ptr<StoreImpl> store(new StoreImpl(directory, std::move(setup)));
  BOOST_OUTCOME_TRYV(store->recover());
  if (!store->is_stepped()) {
    {
      const Lock state(store->mutex_);
      store->note_edit();
    }
    BOOST_OUTCOME_TRYV(store->start_threads());
  }
  return store;
}

std::string StoreImpl::path_of(std::string_view name) const { return join_path(directory_, name); }

Result<void> StoreImpl::close() {
  CHECK(!is_closed_);
  is_closed_ = true;
  stop_threads();
  Result<void> outcome = success();
  if (wal_) {
    // After an error the log's own error sticks, so nothing claims that the log is durable.
    outcome = setup_.sync == SyncRule::kNever ? wal_->flush() : wal_->sync();
    Result<void> closed = wal_->close();
    if (outcome) outcome = std::move(closed);
  }
  manifest_.reset();
  view_.reset();
  dropped_.clear();
  live_.clear();
  directory_lock_.reset();
  return outcome;
}

Result<void> StoreImpl::checkpoint(const std::string& directory) {
  BOOST_OUTCOME_TRYV(flush_memtables());
  const bool exists = BOOST_OUTCOME_TRYX(files_.exists(directory));
  if (exists) {
    const std::vector<std::string> names = BOOST_OUTCOME_TRYX(files_.list(directory));
    if (!names.empty()) return input_error(fmt::format("{}: not an empty directory", directory));
  }
  BOOST_OUTCOME_TRYV(files_.create_directory(directory));
  ManifestSnapshot snapshot;
  LiveFiles held;  // keeps merges from removing them during the copy
  {
    const Lock state(mutex_);
    snapshot = {identity(), tree_.image(), filed_sequence_, 1, false};  // a checkpoint has no log
    held = live_;
  }
  for (const auto& [id, file] : held) {
    if (!file->has_table()) continue;
    BOOST_OUTCOME_TRYV(files_.link(file->path(), join_path(directory, sstable_name(id))));
  }
  BOOST_OUTCOME_TRYV(ManifestWriter::create(files_, directory, 1, snapshot, true));
  return success();
}

TreeImage StoreImpl::tree_image() {
  const Lock state(mutex_);
  return tree_.image();
}

void StoreImpl::bring_byte_counts() {
  ledger_.set_user_bytes(user_bytes_.load(std::memory_order_relaxed));
  ledger_.set_wal_bytes_written(files_.counters().of(WriteKind::kWal));
  ledger_.set_manifest_bytes_written(files_.counters().of(WriteKind::kManifest));
}

void StoreImpl::with_state(const std::function<void()>& look) {
  const Lock state(mutex_);
  bring_byte_counts();
  look();
}

Totals StoreImpl::totals() {
  const Lock state(mutex_);
  bring_byte_counts();
  return ledger_.totals();
}

ReadFigures StoreImpl::reads() {
  const Lock figures(figures_mutex_);
  return reads_;
}

StoreStalls::Stall& StoreStalls::of(StallReason reason) {
  switch (reason) {
    case StallReason::kFullMemtables:
      return memtables;
    case StallReason::kMergesFirst:
      return merges_first;
    case StallReason::kLevel0Slowdown:
      return level0_slowdown;
    case StallReason::kLevel0Stop:
      return level0_stop;
    case StallReason::kPendingSlowdown:
      return pending_slowdown;
    case StallReason::kPendingStop:
      return pending_stop;
    case StallReason::kMemtableSlowdown:
      break;
  }
  return memtable_slowdown;
}

const StoreStalls::Stall& StoreStalls::of(StallReason reason) const {
  return const_cast<StoreStalls*>(this)->of(reason);
}

StoreStalls StoreImpl::stalls() {
  const Lock figures(figures_mutex_);
  return stalls_;
}

std::vector<MergeTime> StoreImpl::merge_times() {
  const Lock figures(figures_mutex_);
  return merge_times_.times();
}

std::vector<JobTimes> StoreImpl::job_times() {
  const Lock figures(figures_mutex_);
  return job_times_;
}

std::uint64_t StoreImpl::file_bytes() {
  const Lock state(mutex_);
  return ledger_.file_bytes();
}

Result<void> StoreImpl::background_error() {
  const Lock state(mutex_);
  if (error_) return *error_;
  return success();
}

Store::Store(std::unique_ptr<StoreImpl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const std::string& directory, StoreSetup setup) {
  return caught(directory, [&]() -> Result<std::unique_ptr<Store>> {
    auto impl = BOOST_OUTCOME_TRYX(StoreImpl::open(directory, std::move(setup)));
    return std::unique_ptr<Store>(new Store(std::move(impl)));
  });
}

// For functions that change the store: an exception may leave a change incomplete, so the store
// then accepts no more writes.
template <class Work>
Result<void> Store::guarded(const Work& work) noexcept {
  return caught(impl_->directory(), [&]() -> Result<void> {
    try {
      return work();
    } catch (...) {
      impl_->set_error(caught_error(impl_->directory()));
      throw;
    }
  });
}

// StoreImpl itself reports a put or write that was interrupted; an earlier exception changed
// nothing.
Result<void> Store::put(std::string_view key, std::string_view value) {
  return caught(impl_->directory(), [&] { return impl_->put(key, value, false); });
}
Result<void> Store::remove(std::string_view key) {
  return caught(impl_->directory(), [&] { return impl_->put(key, {}, true); });
}
Result<void> Store::write(const WriteBatch& batch) {
  return caught(impl_->directory(), [&] { return impl_->write(batch); });
}
Result<std::optional<std::string>> Store::get(std::string_view key, const ReadOptions& options) {
  return caught(impl_->directory(), [&] { return impl_->get(key, options); });
}
std::unique_ptr<Cursor> Store::scan(ScanBounds bounds, const ReadOptions& options) {
  return impl_->scan(std::move(bounds), options);
}
Result<std::shared_ptr<const Snapshot>> Store::snapshot() {
  return caught(impl_->directory(), [&] { return impl_->snapshot(); });
}
Result<void> Store::flush() {
  return guarded([&] { return impl_->flush(); });
}
Result<void> Store::settle() {
  return guarded([&] { return impl_->settle(); });
}
Result<void> Store::flush_memtables() {
  return guarded([&] { return impl_->flush_memtables(); });
}
Result<void> Store::compact(ManualScope scope) {
  if (!impl_->setup().policy.policy->compacts(scope)) {
    return input_error("the policy merges by its own rules only");
  }
  return guarded([&] { return impl_->compact(scope); });
}
Result<void> Store::sync() {
  return guarded([&] { return impl_->sync(); });
}
Result<void> Store::checkpoint(const std::string& directory) {
  return guarded([&] { return impl_->checkpoint(directory); });
}
Result<void> Store::close() {
  return guarded([&] { return impl_->close(); });
}
const RecoveryReport& Store::recovery() const { return impl_->recovery(); }
TreeImage Store::tree_image() const { return impl_->tree_image(); }
Totals Store::totals() const { return impl_->totals(); }
ReadFigures Store::reads() const { return impl_->reads(); }
StoreStalls Store::stalls() const { return impl_->stalls(); }
std::uint64_t Store::file_bytes() const { return impl_->file_bytes(); }
Result<void> Store::background_error() const {
  return caught(impl_->directory(), [&] { return impl_->background_error(); });
}

}  // namespace lsmlab::engine
