// A disk in memory that fails on command, for tests of how a store reacts.
//
// It distinguishes durable from volatile state. Durable are a file's bytes up to its last sync, and
// a directory's names up to its last sync_directory. restart() drops volatile state as a power cut
// may. Directories themselves are durable at once.
//
// Calls that change something (Op, up to kCreateDirectory) are counted from 1. A test can run a
// workload once to count them, and then once more for each call.
//
// Threading: one mutex protects everything; one thread at a time uses a WritableFile.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/files/file_system.h"

namespace lsmlab::engine {

enum class Op {
  kCreate,
  kAppend,
  kSync,
  kClose,
  kRename,
  kRemove,
  kLink,
  kSyncDirectory,
  kCreateDirectory,
  // Not counted, but fail_matching() can make them fail.
  kOpen,
  kRead,
};

enum class Failure {
  kIoError,     // nothing happens
  kNoSpace,     // nothing happens
  kShortWrite,  // appends only a part, then no space; other calls: kNoSpace
};

/// What restart() does with volatile state.
enum class LossMode {
  kNothing,     // all of it survives: only the process was killed
  kPrefix,      // a random prefix of each file's bytes and each directory's changes survives
  kReordered,   // any sectors of a file and any consistent changes of names survive
  kEverything,  // all of it is lost
};

class FaultFileSystem : public FileSystem {
 public:
  static constexpr std::uint64_t kSectorBytes = 512;

  /// `seed`: for random choices at crashes and short writes.
  explicit FaultFileSystem(std::uint64_t seed = 1) : random_(seed) {}

  // Faults. restart() ends all of them except set_space() and damage to the disk's content.

  /// The n-th counted call and everything after it fails with "machine has stopped". Of that call
  /// all, nothing or (if it appends) a part is done.
  void crash_at(std::uint64_t call);
  /// Stops the machine now.
  void crash();
  [[nodiscard]] bool has_stopped() const;
  /// Number of counted calls since the beginning or the last restart().
  [[nodiscard]] std::uint64_t calls() const;
  /// Makes the n-th counted call fail, once.
  void fail_call(std::uint64_t call, Failure failure);
  /// Makes the next `times` calls of this kind fail if their path contains `path_part` (for a
  /// rename or link, either path).
  void fail_matching(Op op, std::string path_part, std::uint64_t times,
                     Failure failure = Failure::kIoError);
  /// Limits the disk to this many bytes; nullopt: no limit.
  void set_space(std::optional<std::uint64_t> bytes);
  /// Limits the files that are open for reading. Opening one more fails as in a process with too
  /// many open files.
  void set_open_files_max(std::optional<std::uint64_t> files);
  [[nodiscard]] std::optional<std::uint64_t> open_files_max() const override;
  /// Total bytes of all files that have a name.
  [[nodiscard]] std::uint64_t used_bytes() const;
  /// Flips a bit, durably. REQUIRES: the file exists and has more than `bit` bits.
  void flip_bit(const std::string& path, std::uint64_t bit);
  /// Size of a file. REQUIRES: it exists.
  [[nodiscard]] std::uint64_t file_size(const std::string& path) const;
  /// Makes a durable file with these bytes, in a durable directory.
  void put_file(const std::string& path, std::string bytes);

  /// Restarts the machine with the state that survives. Locks are released, and files that were
  /// open fail every later call.
  void restart(std::uint64_t seed, LossMode mode);

  Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                               const CreateOptions& options) override;
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  Result<bool> exists(const std::string& path) override;
  Result<void> remove(const std::string& path) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> link(const std::string& from, const std::string& to) override;
  Result<void> create_directory(const std::string& path) override;
  Result<void> sync_directory(const std::string& path) override;
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override;
  Result<std::unique_ptr<DirectoryLock>> lock_to_read(const std::string& path) override;

 private:
  friend class FaultWritableFile;
  friend class FaultReadableFile;
  friend class FaultLock;

  struct Inode {
    std::string bytes;
    std::uint64_t synced = 0;  // the first `synced` bytes are durable
    std::uint64_t names = 0;
  };
  using InodePtr = std::shared_ptr<Inode>;
  using Names = std::map<std::string, InodePtr>;
  /// Removes `old_name` and sets `new_name`; either may be empty. A rename has both. A rename and a
  /// link require `source` to exist.
  struct NameChange {
    std::string old_name;
    std::string new_name;
    InodePtr inode;
    std::string source;
  };
  struct Directory {
    Names names;
    Names durable;
    std::vector<NameChange> pending;
  };
  struct Place {
    Directory* directory;
    std::string path;  // of the directory
    std::string name;
  };
  struct Matcher {
    Op op;
    std::string path_part;
    std::uint64_t times;
    Failure failure;
  };
  /// The outcome of a call: its error if it fails, and whether it is executed (a call may be
  /// executed and return an error if the machine stops right after it).
  struct Verdict {
    std::optional<Error> error;
    bool is_done = true;
    bool is_partial = false;  // an append writes a random part
  };

  [[nodiscard]] Verdict judge(Op op, const std::string& path, const std::string& other = {});
  [[nodiscard]] std::optional<Failure> take_failure(Op op, const std::string& path,
                                                    const std::string& other);
  [[nodiscard]] Result<Place> place_of(const std::string& path, const char* call);
  /// Errors: no such file.
  [[nodiscard]] Result<InodePtr> find(const Place& place, const std::string& path,
                                      const char* call) const;
  [[nodiscard]] InodePtr find_file(const std::string& path) const;
  [[nodiscard]] static Error is_locked(const Place& place, const std::string& path);
  void change(Directory& directory, NameChange change);
  static bool apply(Names& names, const NameChange& change);
  [[nodiscard]] Result<void> append_to(Inode& inode, const std::string& path,
                                       std::string_view bytes, WriteKind kind);
  [[nodiscard]] std::uint64_t used() const;
  void lose_bytes(Inode& inode, LossMode mode);
  void lose_names(Directory& directory, LossMode mode);

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::map<std::string, Directory> directories_;
  struct HeldLock {
    bool is_to_read = false;
    unsigned holders = 1;
  };
  std::map<std::string, HeldLock> locks_;
  std::uint64_t epoch_ = 0;  // number of restarts
  std::uint64_t calls_ = 0;
  std::optional<std::uint64_t> crash_call_;
  bool has_stopped_ = false;
  std::map<std::uint64_t, Failure> failing_calls_;
  std::vector<Matcher> matchers_;
  std::optional<std::uint64_t> space_;
  std::optional<std::uint64_t> open_files_max_;
  std::uint64_t open_files_ = 0;  // open for reading
};

}  // namespace lsmlab::engine
