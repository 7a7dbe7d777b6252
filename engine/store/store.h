// An embeddable key-value store: keys and values are strings of bytes, keys rise byte by byte. Its
// merge policy is any policy of models/.
//
//   StoreSetup setup;
//   setup.files = &files;  // a PosixFileSystem
//   setup.policy = make_policy(parse_spec("lo+1").value()).value();
//   auto store = Store::open("/ssd/db", setup).value();
//   store->put("key", "value");
//   std::optional<std::string> value = store->get("key").value();
//
// Promises: a write that returned success is there for every later read, and after a crash as the
// sync rule says; a batch is there as a whole or not at all; a cursor or snapshot shows the store
// as it was when it was made. Damage is reported with file and offset, never returned as data.
// After a failed write, flush or merge the store refuses writes with that error until it is opened
// anew; reads go on.
//
// No memory, and no thread to be had, are errors too ("out of memory"), here and in the store's own
// threads. After one of a write, flush, settle, sync or checkpoint, or of a background thread, the
// store refuses writes as after any other; in the rare case that it came in the middle of an edit
// of the tree, reads that need a new picture of the store are refused too. A get, scan or snapshot
// changes nothing where there is no memory. Throw std::bad_alloc where there is none, and leave
// what they are called on as it was: WriteBatch, the copies of figures (tree_image() to
// file_bytes()), and scan() where there is none even for a cursor that tells so.
//
// Threading: in threaded mode every function but close() may be called by any thread; in stepped
// mode one thread may use the store. A Cursor belongs to one thread.
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

/// A batch with its header fits a record of the log, and a value with others before it a block.
inline constexpr std::uint64_t kStoreValueBytesMax = std::uint64_t{1} << 30;

/// Puts and removals that are accepted together.
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
  std::string fault_;  // of the first entry that no store takes
};

struct ReadView;

/// The store as it was at one moment; holds the files that it needs. Must not outlive its store.
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
  const Snapshot* snapshot = nullptr;  // null: as it is now
  // Whether figures, policies' clock and access times learn of the read; a verification is not to
  // disturb what it looks at.
  bool is_counted = true;
};

struct ScanBounds {
  std::string first_key;                // the smallest key to show
  std::optional<std::string> last_key;  // the largest; none: up to the end
};

/// Walks live entries by key. Must not outlive its store.
class Cursor {
 public:
  Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  virtual ~Cursor() = default;
  /// To the next entry, the first at first; false at the end. Errors stick.
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
  Stall memtables;        // too many full memtables
  Stall merges_first;     // what runs or is wanted goes before writes
  Stall level0_slowdown;  // too many runs in level 0
  Stall level0_stop;
  Stall pending_slowdown;  // too much that merges have still to move
  Stall pending_stop;
  Stall memtable_slowdown;
  [[nodiscard]] const Stall& of(StallReason reason) const;
  [[nodiscard]] Stall& of(StallReason reason);
};

class Store {
 public:
  /// Opens a directory, or makes it; recovers what a crash left. Errors: a setup with faults; the
  /// directory is in use, damaged, or of another policy or other options; I/O; no memory; no
  /// threads for threaded mode.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::string& directory,
                                                           StoreSetup setup);
  ~Store();  // close(), errors unseen
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value);
  [[nodiscard]] Result<void> remove(std::string_view key);
  [[nodiscard]] Result<void> write(const WriteBatch& batch);
  /// Nothing where the key is absent or removed.
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key,
                                                       const ReadOptions& options = {});
  [[nodiscard]] std::unique_ptr<Cursor> scan(ScanBounds bounds, const ReadOptions& options = {});
  [[nodiscard]] Result<std::shared_ptr<const Snapshot>> snapshot();

  /// Flushes the memtable, full or not, and waits until the policy wants nothing.
  [[nodiscard]] Result<void> flush();
  /// Waits until memtables that are full are flushed, the policy wants nothing, and files that
  /// nobody reads any more are removed.
  [[nodiscard]] Result<void> settle();
  /// Makes the log durable up to now.
  [[nodiscard]] Result<void> sync();
  /// A copy of the store as it is, in a new directory: SSTables are linked, the memtable is flushed
  /// first. Errors: the directory exists and is not empty.
  [[nodiscard]] Result<void> checkpoint(const std::string& directory);
  /// Ends what runs and closes files; what is in the memtable stays in the log. Every later call
  /// but the destructor is a bug.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] const RecoveryReport& recovery() const;
  /// Copies, as they are now.
  [[nodiscard]] TreeImage tree_image() const;
  [[nodiscard]] Totals totals() const;
  [[nodiscard]] ReadFigures reads() const;
  [[nodiscard]] StoreStalls stalls() const;
  [[nodiscard]] std::uint64_t file_bytes() const;
  /// The first error of a flush or merge, where there was one.
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
