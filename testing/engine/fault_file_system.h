// A disk in memory that fails on command, for tests of what a store does then.
//
// It keeps apart what is durable and what is not: of a file the bytes up to its last sync, of a
// directory the names up to its last sync_directory. restart() loses of the rest what a power cut
// may lose. Directories themselves are durable at once.
//
// Calls that change something (Op, up to kCreateDirectory) are counted from 1, so that a test can
// run a workload once to learn how many there are, and once more for each of them.
//
// Threading: everything by one mutex; a WritableFile by one thread at a time.
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
  // Not counted, but fail_matching() knows them:
  kOpen,
  kRead,
};

enum class Failure {
  kIoError,     // nothing happens
  kNoSpace,     // nothing happens
  kShortWrite,  // a part of what is appended gets there, then no space; other calls: kNoSpace
};

/// What restart() does with what was not synced.
enum class LossMode {
  kNothing,     // it all survives: the process was killed, the machine was not
  kPrefix,      // of each file and of each directory's changes a random first part survives
  kReordered,   // any sectors of a file, and any changes of names that make sense by themselves
  kEverything,  // it is all lost
};

class FaultFileSystem : public FileSystem {
 public:
  static constexpr std::uint64_t kSectorBytes = 512;

  /// `seed`: of what is drawn at crashes and short writes.
  explicit FaultFileSystem(std::uint64_t seed = 1) : random_(seed) {}

  // Faults. All but set_space() and the disk's contents end with restart().

  /// The n-th counted call and everything after it fails: "machine has stopped". Of that call all,
  /// nothing or, where it appends, a part is done.
  void crash_at(std::uint64_t call);
  /// Stops now.
  void crash();
  [[nodiscard]] bool has_stopped() const;
  /// Counted calls since the beginning or the last restart().
  [[nodiscard]] std::uint64_t calls() const;
  /// The n-th counted call fails, once.
  void fail_call(std::uint64_t call, Failure failure);
  /// The next `times` calls of the kind on paths that contain `path_part` fail (a rename's or
  /// link's paths: either).
  void fail_matching(Op op, std::string path_part, std::uint64_t times,
                     Failure failure = Failure::kIoError);
  /// At most so many bytes fit the disk; nullopt: any number.
  void set_space(std::optional<std::uint64_t> bytes);
  /// At most so many files are open to be read; opening one more fails as it does where a process
  /// has too many.
  void set_open_files_max(std::optional<std::uint64_t> files);
  [[nodiscard]] std::optional<std::uint64_t> open_files_max() const override;
  /// Bytes of all files that have a name.
  [[nodiscard]] std::uint64_t used_bytes() const;
  /// REQUIRES: there is such a file, with more than `bit` bits. Durable.
  void flip_bit(const std::string& path, std::uint64_t bit);
  /// REQUIRES: there is such a file.
  [[nodiscard]] std::uint64_t file_size(const std::string& path) const;
  /// A file with these bytes, durable; its directory too.
  void put_file(const std::string& path, std::string bytes);

  /// The machine comes back with what it kept. Locks are let go, and files that were open fail
  /// every call from now on.
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
    std::uint64_t synced = 0;  // bytes up to here are durable
    std::uint64_t names = 0;
  };
  using InodePtr = std::shared_ptr<Inode>;
  using Names = std::map<std::string, InodePtr>;
  /// Takes `old_name` away and sets `new_name`, either may be empty. A rename has both; it and a
  /// link want `source` to be there first.
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
  /// What becomes of a call: an error where it fails, and whether it is carried out (with an error
  /// too where the machine stops just after it).
  struct Verdict {
    std::optional<Error> error;
    bool is_done = true;
    bool is_partial = false;  // of an append a random part
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
  std::uint64_t epoch_ = 0;  // restarts
  std::uint64_t calls_ = 0;
  std::optional<std::uint64_t> crash_call_;
  bool has_stopped_ = false;
  std::map<std::uint64_t, Failure> failing_calls_;
  std::vector<Matcher> matchers_;
  std::optional<std::uint64_t> space_;
  std::optional<std::uint64_t> open_files_max_;
  std::uint64_t open_files_ = 0;  // to be read
};

}  // namespace lsmlab::engine
