// Writes: an entry goes to the log, then to the memtable. A full memtable is rotated.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/files/file_names.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::size_t kKeyBytesMax = 65'535;
constexpr std::size_t kEncodedBytesKept = std::size_t{4} << 20;
// A batch with its header must fit in a log record, and a value with the values before it in a
// block.
constexpr std::size_t kValueBytesMax = kStoreValueBytesMax;
constexpr std::size_t kBatchBytesMax = std::size_t{2} << 30;

Result<void> check_sizes(std::string_view key, std::string_view value) {
  if (key.empty()) return input_error("a key must have at least 1 byte");
  if (key.size() > kKeyBytesMax) {
    return input_error(
        fmt::format("a key may have at most {} bytes; this one has {}", kKeyBytesMax, key.size()));
  }
  if (value.size() > kValueBytesMax) {
    return input_error(fmt::format("a value may have at most {} bytes; this one has {}",
                                   kValueBytesMax, value.size()));
  }
  return success();
}

std::uint64_t nanoseconds_since(std::chrono::steady_clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
          .count());
}

}  // namespace

void WriteBatch::put(std::string_view key, std::string_view value) { add(key, value, false); }
void WriteBatch::remove(std::string_view key) { add(key, {}, true); }

void WriteBatch::add(std::string_view key, std::string_view value, bool is_tombstone) {
  const Result<void> sizes = check_sizes(key, value);
  if (!sizes && fault_.empty()) fault_ = sizes.error().message;
  const std::size_t before = encoded_.size();
  try {
    encode_entry(encoded_, key, value, is_tombstone);
  } catch (...) {
    encoded_.resize(before);
    throw;
  }
  ++count_;
  user_bytes_ += key.size() + value.size();
}

void WriteBatch::clear() { *this = {}; }

Result<void> StoreImpl::check_writable() {
  if (!has_error_.load(std::memory_order_acquire)) return success();
  return background_error();
}

void StoreImpl::add_entry(const EntryView& entry, Instant now) {
  active_->table.add(entry, now);
  if (setup_.observer == nullptr) return;
  setup_.observer->on_write(
      {window_.of(entry.key), entry.sequence(), static_cast<std::uint32_t>(entry.key.size()),
       static_cast<std::uint32_t>(entry.value.size()), entry.is_tombstone()},
      now);
}

void StoreImpl::end_writes(const Error& error) noexcept {
  set_error(error);
  const auto fail_log = [&](const Error& known) -> Result<void> {
    if (wal_) wal_->fail(known);
    return success();
  };
  // There may be no memory to copy the error; the short text below needs none.
  if (caught({}, [&] { return fail_log(error); })) return;
  static_cast<void>(caught({}, [&] { return fail_log(machine_error("out of memory")); }));
}

template <class Add>
Result<void> StoreImpl::write_encoded(Lock& lock, const LoggedBatch& batch,
                                      std::uint64_t user_bytes, const Add& add) {
  BOOST_OUTCOME_TRYV(check_writable());
  if (!is_stepped()) {
    // The memtable counts a tag and an offset for each entry on top of the logged bytes.
    make_room(lock, batch.encoded.size() + batch.entries * (sizeof(std::uint64_t) + 1));
    BOOST_OUTCOME_TRYV(check_writable());
  }
  const std::uint64_t last_sequence = last_sequence_.load(std::memory_order_relaxed);
  if (batch.entries > kSequenceMax - last_sequence) {
    return machine_error(fmt::format(
        "{}: after {} writes, {} more would exceed the {} that a store takes in its life",
        directory_, last_sequence, batch.entries, kSequenceMax));
  }
  LoggedBatch numbered = batch;
  numbered.first_sequence = last_sequence + 1;
  numbered.now =
      Instant(clock_.fetch_add(batch.entries, std::memory_order_relaxed) + batch.entries);
  const std::uint64_t log_bytes = wal_->size();
  const Result<void> logged = wal_->append(numbered);
  if (!logged) {
    set_error(logged.error());
    return logged;
  }
  logged_bytes_ += wal_->size() - log_bytes;
  add(numbered);
  last_sequence_.store(numbered.first_sequence + batch.entries - 1, std::memory_order_release);
  writes_ += batch.entries;
  user_bytes_.fetch_add(user_bytes, std::memory_order_relaxed);
  const std::uint64_t logged_bytes = logged_bytes_;
  // Only a rotation must wait for a running sync: other writes share the next sync, or need none.
  if (is_memtable_full()) {
    wait_for_sync(lock);
    // A later sync may succeed after a failed one, but what was lost stays lost.
    BOOST_OUTCOME_TRYV(check_writable());
    // Another writer may have rotated it meanwhile.
    if (is_memtable_full()) {
      BOOST_OUTCOME_TRYV(rotate_memtable());
    }
  }
  const bool is_synced = setup_.sync == SyncRule::kEveryBatch ||
                         (setup_.sync == SyncRule::kEveryBytes &&
                          logged_bytes - synced_bytes_ >= setup_.sync_bytes.value());
  if (is_synced) {
    BOOST_OUTCOME_TRYV(sync_log(lock, logged_bytes));
  }
  lock.unlock();
  if (!is_stepped()) return success();
  Lock state(mutex_);
  if (waiting_.empty()) return success();
  return settle_stepped(state);
}

Result<void> StoreImpl::put(std::string_view key, std::string_view value, bool is_tombstone) {
  BOOST_OUTCOME_TRYV(check_sizes(key, value));
  Lock lock(write_mutex_);
  encoded_.clear();
  encode_entry(encoded_, key, value, is_tombstone);
  const LoggedBatch batch{0, Instant(), 1, encoded_};
  const auto add = [&](const LoggedBatch& numbered) {
    // The memtable needs that memory now; the next batch seldom does.
    if (encoded_.capacity() > kEncodedBytesKept) std::string().swap(encoded_);
    add_entry({key, value, make_tag(numbered.first_sequence, is_tombstone)}, numbered.now);
  };
  return guard_writes([&] { return write_encoded(lock, batch, key.size() + value.size(), add); });
}

Result<void> StoreImpl::write(const WriteBatch& batch) {
  if (!batch.fault_.empty()) return input_error(batch.fault_);
  if (batch.count_ == 0) return success();
  if (batch.encoded_.size() > kBatchBytesMax) {
    return input_error(fmt::format("a batch may have at most {} bytes; this one has {}",
                                   kBatchBytesMax, batch.encoded_.size()));
  }
  const LoggedBatch logged{0, Instant(), batch.count_, batch.encoded_};
  const auto add = [&](const LoggedBatch& numbered) {
    const Result<void> added =
        visit_entries(numbered, [&](const EntryView& entry) { add_entry(entry, numbered.now); });
    CHECK(added.has_value());
  };
  Lock lock(write_mutex_);
  return guard_writes([&] { return write_encoded(lock, logged, batch.user_bytes_, add); });
}

Result<std::shared_ptr<MemtableSlot>> StoreImpl::open_log() {
  std::uint64_t number = 0;
  {
    const Lock state(mutex_);
    number = next_log_number_++;
  }
  auto file =
      BOOST_OUTCOME_TRYX(files_.create(path_of(wal_name(number)), {WriteKind::kWal, false}));
  const std::uint64_t gathered =
      setup_.sync == SyncRule::kEveryBatch ? 0 : setup_.wal_buffer.value();
  auto log = std::make_unique<WalWriter>(std::move(file), gathered);
  BOOST_OUTCOME_TRYV(log->begin(number, last_sequence_.load(std::memory_order_relaxed) + 1));
  if (setup_.sync != SyncRule::kNever) {
    BOOST_OUTCOME_TRYV(log->sync());
    BOOST_OUTCOME_TRYV(files_.sync_directory(directory_));
  }
  wal_ = std::move(log);
  return std::make_shared<MemtableSlot>(window_, setup_.policy.store, memory_reserve_, number);
}

void StoreImpl::wait_for_sync(Lock& lock) {
  log_synced_.wait(lock, [&] { return !is_syncing_; });
}

Result<void> StoreImpl::rotate_memtable() {
  CHECK(!is_syncing_);
  const auto rotate = [&]() -> Result<void> {
    // The end of this log must be durable before a later log is: what is synced there follows it.
    if (setup_.sync == SyncRule::kNever) {
      BOOST_OUTCOME_TRYV(wal_->flush());
    } else {
      BOOST_OUTCOME_TRYV(wal_->sync());
      synced_bytes_ = logged_bytes_;
    }
    const std::unique_ptr<WalWriter> before = std::exchange(wal_, nullptr);
    const std::shared_ptr<MemtableSlot> full = active_;
    full->last_sequence = last_sequence_.load(std::memory_order_relaxed);
    full->traffic = {lookups_.exchange(0, std::memory_order_relaxed), writes_,
                     scans_.exchange(0, std::memory_order_relaxed), full->table.deletes()};
    full->full_ns = clock_ns();
    writes_ = 0;
    auto empty = BOOST_OUTCOME_TRYX(open_log());
    if (setup_.sync != SyncRule::kNever) {
      BOOST_OUTCOME_TRYV(before->name_successor(empty->wal_number));
    }
    BOOST_OUTCOME_TRYV(before->close());
    // Both under one lock: a reader between the two would miss the full memtable, and an edit its
    // log.
    const Lock state(mutex_);
    waiting_.push_back(full);
    is_at_rest_.store(false, std::memory_order_relaxed);
    active_ = std::move(empty);
    if (!is_stepped()) note_memtable_full();
    changed();
    return success();
  };
  Result<void> outcome = guard_writes(rotate);
  if (!outcome) set_error(outcome.error());
  return outcome;
}

Result<void> StoreImpl::sync_log(Lock& lock, std::uint64_t logged_bytes) {
  while (synced_bytes_ < logged_bytes) {
    BOOST_OUTCOME_TRYV(check_writable());
    if (is_syncing_) {
      log_synced_.wait(lock);
      continue;
    }
    // One sync makes every batch logged so far durable. Other writers keep logging meanwhile, and
    // share the next sync.
    is_syncing_ = true;
    const std::uint64_t target = logged_bytes_;
    const std::uint64_t log_bytes = wal_->size();
    WritableFile& file = wal_->file();
    Result<void> synced = guard_writes([&] { return wal_->flush(); });
    if (synced) {
      lock.unlock();
      synced = caught(directory_, [&] { return file.sync(); });
      lock.lock();
    }
    is_syncing_ = false;
    if (synced) {
      synced_bytes_ = std::max(synced_bytes_, target);
      synced = guard_writes([&] { return wal_->note_synced(log_bytes); });
    } else {
      wal_->fail(synced.error());
    }
    log_synced_.notify_all();
    if (synced) continue;
    set_error(synced.error());
    return synced;
  }
  return success();
}

Result<void> StoreImpl::sync() {
  Lock lock(write_mutex_);
  BOOST_OUTCOME_TRYV(check_writable());
  wait_for_sync(lock);
  if (setup_.sync == SyncRule::kNever) {
    // Rotated logs and this log's name were not synced. Full memtables are durable once they are
    // flushed.
    BOOST_OUTCOME_TRYV(wait_for_flushes());
    const Result<void> named = files_.sync_directory(directory_);
    if (!named) {
      set_error(named.error());
      return named;
    }
  }
  return sync_log(lock, logged_bytes_);
}

Result<void> StoreImpl::wait_for_flushes() {
  Lock state(mutex_);
  if (is_stepped()) return settle_stepped(state);
  const std::uint64_t newest = waiting_.empty() ? 0 : waiting_.back()->last_sequence;
  changed_.wait(state, [&] { return filed_sequence_ >= newest || error_; });
  if (error_) return *error_;
  return success();
}

Result<void> StoreImpl::rotate_written() {
  Lock lock(write_mutex_);
  wait_for_sync(lock);
  BOOST_OUTCOME_TRYV(check_writable());
  if (active_->table.writes() == 0) return success();
  // Merges that go before flushes go before this one too.
  if (!is_stepped() && merge_stop(true) == StallReason::kMergesFirst) {
    static_cast<void>(wait_for_merges(true));  // not counted: no write waits
    BOOST_OUTCOME_TRYV(check_writable());
  }
  return active_->table.writes() > 0 ? rotate_memtable() : success();
}

Result<void> StoreImpl::flush() {
  BOOST_OUTCOME_TRYV(rotate_written());
  return settle();
}

Result<void> StoreImpl::flush_memtables() {
  BOOST_OUTCOME_TRYV(rotate_written());
  return wait_for_flushes();
}

Result<void> StoreImpl::settle() {
  {
    Lock state(mutex_);
    BOOST_OUTCOME_TRYV(is_stepped() ? settle_stepped(state) : settle_threaded(state));
  }
  obsolete_->wait();
  return success();
}

Result<void> StoreImpl::compact(ManualScope scope) {
  const std::lock_guard one_at_a_time(whole_mutex_);
  if (flushes_first(scope)) {
    BOOST_OUTCOME_TRYV(flush());
  } else {
    BOOST_OUTCOME_TRYV(settle());
  }
  {
    Lock state(mutex_);
    schedule_.begin_manual(tree_, scope);
    is_manual_wanted_ = true;
    is_at_rest_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    const Result<void> merged = is_stepped() ? settle_stepped(state) : settle_threaded(state);
    is_manual_wanted_ = false;
    is_at_rest_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    BOOST_OUTCOME_TRYV(merged);
  }
  return settle();
}

StoreLoad StoreImpl::load() const {
  return {waiting_.size(),
          stalling_runs_.load(std::memory_order_relaxed),
          pending_bytes_.load(std::memory_order_relaxed),
          false,
          is_memtable_awaited_,
          behind_bytes_.load(std::memory_order_relaxed)};
}

void StoreImpl::note_edit() {
  stalling_runs_.store(policy_.stalling_runs(tree_), std::memory_order_relaxed);
  pending_bytes_.store(policy_.pending_bytes(tree_), std::memory_order_relaxed);
  behind_bytes_.store(policy_.behind_bytes(tree_), std::memory_order_relaxed);
  controller_.on_edit(load());
  is_slowed_.store(controller_.slowdown().has_value(), std::memory_order_relaxed);
}

void StoreImpl::note_memtable_full() {
  controller_.on_memtable_full(load());
  is_slowed_.store(controller_.slowdown().has_value(), std::memory_order_relaxed);
}

void StoreImpl::count_stall(StallReason reason, std::uint64_t nanoseconds) {
  const Lock figures(figures_mutex_);
  StoreStalls::Stall& stall = stalls_.of(reason);
  ++stall.count;
  stall.nanoseconds += nanoseconds;
  stall.longest_ns = std::max(stall.longest_ns, nanoseconds);
}

void StoreImpl::make_room(Lock& lock, std::uint64_t batch_bytes) {
  CHECK(lock.owns_lock());
  // Only a nearly full memtable is about to be rotated. Only then does the number of waiting
  // memtables matter, and reading it takes the other lock.
  if (fills_memtable(batch_bytes)) wait_for_memtables();
  const bool fills = fills_memtable(batch_bytes);
  if (merge_stop(fills)) {
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<StallReason> waited_for = wait_for_merges(fills);
    if (waited_for) count_stall(*waited_for, nanoseconds_since(begin));
  }
  if (is_slowed_.load(std::memory_order_relaxed)) slow_down(batch_bytes);
}

std::optional<StallReason> StoreImpl::merge_stop(bool fills_memtable) const {
  return stop_reason(setup_.stalls, fills_memtable,
                     {.full_memtables = 0,
                      .level0_runs = stalling_runs_.load(std::memory_order_relaxed),
                      .pending_bytes = pending_bytes_.load(std::memory_order_relaxed),
                      .has_work = !is_at_rest_.load(std::memory_order_relaxed)});
}

bool StoreImpl::fills_memtable(std::uint64_t batch_bytes) const {
  return active_->table.charged_bytes() + batch_bytes >= setup_.policy.store.buffer.value();
}

void StoreImpl::wait_for_memtables() {
  std::uint64_t most = setup_.stalls.full_memtables_max;
  const auto has_room = [&] { return waiting_.size() < most || error_; };
  Lock state(mutex_);
  if (has_room()) return;
  // RocksDB replaces a full memtable before its writers wait, so that the next flush takes it too.
  // A running sync would have to end first, which would let other writers in: the batch is already
  // encoded.
  const bool replaces = policy_.flush_takes_all_waiting() && active_->table.writes() > 0 &&
                        !is_syncing_ && !setup_.stalls.merges_first;
  if (replaces) ++most;
  is_memtable_awaited_ = true;
  controller_.on_full_memtables(most);
  is_slowed_.store(controller_.slowdown().has_value(), std::memory_order_relaxed);
  const auto begin = std::chrono::steady_clock::now();
  if (replaces) {
    state.unlock();
    if (!rotate_memtable()) return;  // which keeps the error
    state.lock();
  }
  changed_.notify_all();  // while writers wait, more merges may run
  changed_.wait(state, has_room);
  state.unlock();
  count_stall(StallReason::kFullMemtables, nanoseconds_since(begin));
}

std::optional<StallReason> StoreImpl::wait_for_merges(bool fills_memtable) {
  std::optional<StallReason> waited_for;
  Lock state(mutex_);
  while (!error_) {
    const std::optional<StallReason> reason = merge_stop(fills_memtable);
    // If no running plan can make room, waiting would never end.
    if (!reason || !wait_or_help(state)) break;
    waited_for = reason;
  }
  return waited_for;
}

void StoreImpl::slow_down(std::uint64_t batch_bytes) {
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::nanoseconds wait{0};
  std::optional<StallReason> reason;
  {
    const Lock state(mutex_);
    const auto now_ns = std::chrono::nanoseconds(begin.time_since_epoch()).count();
    wait = std::chrono::nanoseconds(
        controller_.wait_ns(static_cast<std::uint64_t>(now_ns), batch_bytes));
    reason = controller_.slowdown();
  }
  if (wait.count() == 0) return;
  const std::optional<std::uint64_t> step_ns = controller_.look_again_ns();
  if (!step_ns) {
    std::this_thread::sleep_for(wait);
  } else {
    while (is_slowed_.load(std::memory_order_relaxed) &&
           std::chrono::steady_clock::now() - begin < wait) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(*step_ns));
    }
  }
  count_stall(*reason, nanoseconds_since(begin));
}

}  // namespace lsmlab::engine
