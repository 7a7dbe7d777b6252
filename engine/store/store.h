// An embeddable key-value store. Keys and values are strings of bytes; keys are ordered byte by
// byte. The store merges by any policy of models/.
//
//   StoreSetup setup;
//   setup.files = &files;  // a PosixFileSystem
//   setup.policy = make_policy(parse_spec("lo+1").value()).value();
//   auto store = Store::open("/ssd/db", setup).value();
//   store->put("key", "value");
//   std::optional<std::string> value = store->get("key").value();
//
// Promises:
// - A later read sees every write that returned success. After a crash, a later read sees the
//   writes that the sync rule covers.
// - After a crash, a batch is there as a whole or not at all.
// - A cursor or snapshot shows the store as it was when the cursor or snapshot was made.
// - The store reports damage with file and offset. It never returns damaged bytes as data.
// - After a failed write, flush or merge, the store refuses writes with that error until it is
//   opened again. Reads still work.
//
// Lack of memory ("out of memory") and lack of threads are errors too, also in the store's own
// threads. If memory runs out in a write, flush, settle, sync, checkpoint or background thread, the
// store refuses writes from then on. If it ran out in the middle of an edit of the tree (rare), the
// store also refuses reads that need a new read view. A get, scan or snapshot that runs out of
// memory changes nothing. These functions throw std::bad_alloc and leave their object unchanged:
// those of WriteBatch, the copies of figures (tree_image() to file_bytes()), and scan() if there is
// no memory even for a cursor that reports the error.
//
// Threading: in threaded mode, any thread may call any function except close(). In stepped mode,
// only one thread may use the store. A Cursor belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/store/store_setup.h"
#include "models/accounting/run_result.h"
#include "models/accounting/store_ledger.h"
#include "models/base/error.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class StoreImpl;

/// A batch with its header must fit in a log record, and a value with the values before it in a
/// block.
inline constexpr std::uint64_t kStoreValueBytesMax = std::uint64_t{1} << 30;

/// Puts and removals that the store accepts together or not at all.
class WriteBatch {
 public:
  void put(std::string_view key, std::string_view value);
  void remove(std::string_view key);
  void clear();
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  friend class StoreImpl;
  void add(std::string_view key, std::string_view value, bool is_tombstone);
  std::string encoded_;
  std::uint64_t count_ = 0;
  std::uint64_t user_bytes_ = 0;
  std::string fault_;  // why a store refuses the first invalid entry; empty if all are valid
};

struct ReadView;

/// The store as it was at one moment. It keeps the files that it needs. Must not outlive its store.
class Snapshot {
 public:
  Snapshot(std::shared_ptr<const ReadView> view, std::uint64_t sequence)
      : view_(std::move(view)), sequence_(sequence) {}
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }

 private:
  friend class StoreImpl;
  std::shared_ptr<const ReadView> view_;
  std::uint64_t sequence_;
};

struct ReadOptions {
  const Snapshot* snapshot = nullptr;  // null: the store as it is now
  // If false, the read changes no figures, clock or access times. A verification uses this so that
  // it does not disturb what it checks.
  bool is_counted = true;
};

struct ScanBounds {
  std::string first_key;                // the smallest key to show
  std::optional<std::string> last_key;  // the largest key to show; none: up to the end
};

/// Visits live entries in key order. Must not outlive its store.
class Cursor {
 public:
  Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  virtual ~Cursor() = default;
  /// Moves to the next entry; the first call moves to the first entry. Returns false at the end.
  /// After an error, every call returns that error.
  [[nodiscard]] virtual Result<bool> next() = 0;
  /// Valid until next().
  [[nodiscard]] virtual std::string_view key() const = 0;
  [[nodiscard]] virtual std::string_view value() const = 0;
  [[nodiscard]] virtual std::uint64_t sequence() const = 0;
};

struct StoreStalls {
  struct Stall {
    std::uint64_t count = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t longest_ns = 0;
  };
  Stall memtables;         // too many full memtables wait for flushes
  Stall merges_first;      // merges that run or are due go before writes
  Stall level0_slowdown;   // too many sorted runs in level 0: each write is delayed
  Stall level0_stop;       // the same: writes stop
  Stall pending_slowdown;  // merges are too many bytes behind: each write is delayed
  Stall pending_stop;      // the same: writes stop
  Stall memtable_slowdown;
  [[nodiscard]] const Stall& of(StallReason reason) const;
  [[nodiscard]] Stall& of(StallReason reason);
};

class Store {
 public:
  /// Opens a store's directory or creates it, and recovers what a crash left. Errors: the setup has
  /// faults; the directory is in use, damaged, or was made with another policy or other options;
  /// I/O; no memory; no threads for threaded mode.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::string& directory,
                                                           StoreSetup setup);
  ~Store();  // calls close() and ignores its errors
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value);
  [[nodiscard]] Result<void> remove(std::string_view key);
  [[nodiscard]] Result<void> write(const WriteBatch& batch);
  /// The key's value, or nullopt if the key is absent or removed.
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key,
                                                       const ReadOptions& options = {});
  [[nodiscard]] std::unique_ptr<Cursor> scan(ScanBounds bounds, const ReadOptions& options = {});
  [[nodiscard]] Result<std::shared_ptr<const Snapshot>> snapshot();

  /// Flushes the memtable, full or not, and waits until the policy wants nothing more.
  [[nodiscard]] Result<void> flush();
  /// Waits until full memtables are flushed, the policy wants nothing more, and files that nobody
  /// reads any more are removed.
  [[nodiscard]] Result<void> settle();
  /// Brings everything written so far into files. In threaded mode it does not wait for merges.
  [[nodiscard]] Result<void> flush_memtables();
  /// Settles, and merges what the scope names as the policy's system does when a client asks for it
  /// (Policy::pick_manual()); then settles again. Flushes the memtable first if the scope takes it.
  /// Writes of other threads go on: what they flush meanwhile may stay. Errors: the policy knows no
  /// such merge.
  [[nodiscard]] Result<void> compact(ManualScope scope = ManualScope::kWhole);
  /// Makes the log durable up to the last write.
  [[nodiscard]] Result<void> sync();
  /// Makes a copy of the current store in a new directory. It flushes the memtable first and links
  /// the SSTables. Errors: the directory exists and is not empty.
  [[nodiscard]] Result<void> checkpoint(const std::string& directory);
  /// Ends running flushes and merges and closes files. The memtable's content stays in the log.
  /// REQUIRES: afterwards only the destructor is called.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] const RecoveryReport& recovery() const;
  /// Copies of the current figures.
  [[nodiscard]] TreeImage tree_image() const;
  [[nodiscard]] Totals totals() const;
  [[nodiscard]] ReadFigures reads() const;
  [[nodiscard]] StoreStalls stalls() const;
  [[nodiscard]] std::uint64_t file_bytes() const;
  /// The first error of a flush or merge, if there was one.
  [[nodiscard]] Result<void> background_error() const;

  /// For replays and tests.
  [[nodiscard]] StoreImpl& impl() { return *impl_; }

 private:
  explicit Store(std::unique_ptr<StoreImpl> impl);
  template <class Work>
  [[nodiscard]] Result<void> guarded(const Work& work) noexcept;
  std::unique_ptr<StoreImpl> impl_;
};

}  // namespace lsmlab::engine
