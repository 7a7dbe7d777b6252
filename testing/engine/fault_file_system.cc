#include "testing/engine/fault_file_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

Error fault(const std::string& path, std::string_view call, std::string_view reason) {
  return machine_error(fmt::format("{}: {}: {}", path, call, reason));
}

constexpr std::string_view kStopped = "machine has stopped";
constexpr std::string_view kNoSuchFile = "No such file or directory";
constexpr std::string_view kNoSpaceLeft = "No space left on device";

std::string_view reason_of(Failure failure) {
  return failure == Failure::kIoError ? "Input/output error" : kNoSpaceLeft;
}

std::string_view name_of(Op op) {
  switch (op) {
    case Op::kCreate:
      return "open to write";
    case Op::kAppend:
      return "write";
    case Op::kSync:
      return "fdatasync";
    case Op::kClose:
      return "close";
    case Op::kRename:
      return "rename";
    case Op::kRemove:
      return "unlink";
    case Op::kLink:
      return "link";
    case Op::kSyncDirectory:
      return "fsync";
    case Op::kCreateDirectory:
      return "mkdir";
    case Op::kOpen:
      return "open";
    case Op::kRead:
      return "read";
  }
  return "call";
}

// The path without trailing or double slashes; "" is the working directory, "/" the root.
std::string normalised(const std::string& path) {
  std::string result;
  for (const char c : path) {
    if (c != '/' || result.empty() || result.back() != '/') result.push_back(c);
  }
  if (result.size() > 1 && result.back() == '/') result.pop_back();
  return result == "." ? "" : result;
}

std::pair<std::string, std::string> split(const std::string& path) {
  const std::string whole = normalised(path);
  const std::size_t slash = whole.find_last_of('/');
  if (slash == std::string::npos) return {"", whole};
  return {slash == 0 ? "/" : whole.substr(0, slash), whole.substr(slash + 1)};
}

}  // namespace

class FaultWritableFile final : public WritableFile {
 public:
  FaultWritableFile(FaultFileSystem& disk, std::shared_ptr<FaultFileSystem::Inode> inode,
                    std::string path, WriteKind kind)
      : disk_(disk),
        inode_(std::move(inode)),
        path_(std::move(path)),
        kind_(kind),
        epoch_(disk.epoch_) {}

  Result<void> append(std::string_view bytes) override {
    const std::lock_guard guard(disk_.mutex_);
    BOOST_OUTCOME_TRYV(check_open("write"));
    const std::uint64_t before = inode_->bytes.size();
    const Result<void> outcome = disk_.append_to(*inode_, path_, bytes, kind_);
    size_ += inode_->bytes.size() - before;
    return outcome;
  }
  Result<void> sync() override {
    const std::lock_guard guard(disk_.mutex_);
    BOOST_OUTCOME_TRYV(check_open("fdatasync"));
    const auto verdict = disk_.judge(Op::kSync, path_);
    if (verdict.is_done) {
      inode_->synced = inode_->bytes.size();
    }
    if (verdict.error) return *verdict.error;
    return success();
  }
  Result<void> close() override {
    const std::lock_guard guard(disk_.mutex_);
    BOOST_OUTCOME_TRYV(check_open("close"));
    is_closed_ = true;
    const auto verdict = disk_.judge(Op::kClose, path_);
    if (verdict.error) return *verdict.error;
    return success();
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

 private:
  Result<void> check_open(std::string_view call) const {
    CHECK(!is_closed_);
    if (disk_.epoch_ != epoch_) return fault(path_, call, "opened before the restart");
    return success();
  }

  FaultFileSystem& disk_;
  std::shared_ptr<FaultFileSystem::Inode> inode_;
  std::string path_;
  WriteKind kind_;
  std::uint64_t epoch_;
  std::uint64_t size_ = 0;
  bool is_closed_ = false;
};

class FaultReadableFile final : public ReadableFile {
 public:
  FaultReadableFile(FaultFileSystem& disk, std::shared_ptr<FaultFileSystem::Inode> inode,
                    std::string path)
      : disk_(disk),
        inode_(std::move(inode)),
        path_(std::move(path)),
        epoch_(disk.epoch_),
        size_(inode_->bytes.size()) {
    ++disk_.open_files_;
  }
  ~FaultReadableFile() override {
    const std::lock_guard guard(disk_.mutex_);
    --disk_.open_files_;
  }

  Result<std::size_t> read(std::uint64_t offset, std::span<char> buffer) const override {
    const std::lock_guard guard(disk_.mutex_);
    if (disk_.epoch_ != epoch_) return fault(path_, "read", "opened before the restart");
    const auto verdict = disk_.judge(Op::kRead, path_);
    if (verdict.error) return *verdict.error;
    const std::string& bytes = inode_->bytes;
    if (offset >= bytes.size()) return std::size_t{0};
    return bytes.copy(buffer.data(), buffer.size(), offset);
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  FaultFileSystem& disk_;
  std::shared_ptr<FaultFileSystem::Inode> inode_;
  std::string path_;
  std::uint64_t epoch_;
  std::uint64_t size_;
};

class FaultLock final : public DirectoryLock {
 public:
  FaultLock(FaultFileSystem& disk, std::string path)
      : disk_(disk), path_(std::move(path)), epoch_(disk.epoch_) {}
  ~FaultLock() override {
    const std::lock_guard guard(disk_.mutex_);
    if (disk_.epoch_ != epoch_) return;
    const auto held = disk_.locks_.find(path_);
    if (--held->second.holders == 0) disk_.locks_.erase(held);
  }

 private:
  FaultFileSystem& disk_;
  std::string path_;
  std::uint64_t epoch_;
};

std::optional<Failure> FaultFileSystem::take_failure(Op op, const std::string& path,
                                                     const std::string& other) {
  if (op <= Op::kCreateDirectory) {
    const auto failing = failing_calls_.find(calls_);
    if (failing != failing_calls_.end()) return failing->second;
  }
  for (Matcher& matcher : matchers_) {
    const bool is_path = path.find(matcher.path_part) != std::string::npos ||
                         other.find(matcher.path_part) != std::string::npos;
    if (matcher.op != op || matcher.times == 0 || !is_path) continue;
    --matcher.times;
    return matcher.failure;
  }
  return std::nullopt;
}

FaultFileSystem::Verdict FaultFileSystem::judge(Op op, const std::string& path,
                                                const std::string& other) {
  const bool is_counted = op <= Op::kCreateDirectory;
  if (has_stopped_) return {fault(path, name_of(op), kStopped), false, false};
  if (is_counted && ++calls_ == crash_call_) {
    has_stopped_ = true;
    return {fault(path, name_of(op), kStopped), random_() % 2 == 0, true};
  }
  const std::optional<Failure> failure = take_failure(op, path, other);
  if (!failure) return {};
  const bool is_partial = op == Op::kAppend && *failure == Failure::kShortWrite;
  return {fault(path, name_of(op), reason_of(*failure)), false, is_partial};
}

Result<void> FaultFileSystem::append_to(Inode& inode, const std::string& path,
                                        std::string_view bytes, WriteKind kind) {
  Verdict verdict = judge(Op::kAppend, path);
  if (verdict.is_partial) {
    bytes = bytes.substr(0, random_() % (bytes.size() + 1));
  } else if (!verdict.is_done) {
    bytes = {};
  }
  if (space_ && inode.names > 0) {
    const std::uint64_t taken = used();
    const std::uint64_t room = *space_ > taken ? *space_ - taken : 0;
    if (bytes.size() > room) {
      bytes = bytes.substr(0, room);
      if (!verdict.error) verdict.error = fault(path, "write", kNoSpaceLeft);
    }
  }
  inode.bytes += bytes;
  counters().add(kind, bytes.size());
  if (verdict.error) return *verdict.error;
  return success();
}

Result<FaultFileSystem::Place> FaultFileSystem::place_of(const std::string& path,
                                                         const char* call) {
  auto [directory, name] = split(path);
  // The working directory and the root always exist.
  if (directory.empty() || directory == "/") directories_.try_emplace(directory);
  const auto found = directories_.find(directory);
  if (found == directories_.end() || name.empty()) return fault(path, call, kNoSuchFile);
  return Place{&found->second, directory, name};
}

Result<FaultFileSystem::InodePtr> FaultFileSystem::find(const Place& place, const std::string& path,
                                                        const char* call) const {
  const auto found = place.directory->names.find(place.name);
  if (found == place.directory->names.end()) return fault(path, call, kNoSuchFile);
  return found->second;
}

FaultFileSystem::InodePtr FaultFileSystem::find_file(const std::string& path) const {
  const auto [directory, name] = split(path);
  const auto found = directories_.find(directory);
  if (found == directories_.end()) return nullptr;
  const auto file = found->second.names.find(name);
  return file == found->second.names.end() ? nullptr : file->second;
}

bool FaultFileSystem::apply(Names& names, const NameChange& change) {
  if (!change.source.empty()) {
    const auto source = names.find(change.source);
    if (source == names.end() || source->second != change.inode) return false;
  }
  if (!change.old_name.empty()) names.erase(change.old_name);
  if (!change.new_name.empty()) names[change.new_name] = change.inode;
  return true;
}

void FaultFileSystem::change(Directory& directory, NameChange change) {
  const auto forget = [&](const std::string& name) {
    const auto known = directory.names.find(name);
    if (known != directory.names.end()) --known->second->names;
  };
  forget(change.old_name);
  forget(change.new_name);
  if (!change.new_name.empty()) ++change.inode->names;
  CHECK(apply(directory.names, change));
  directory.pending.push_back(std::move(change));
}

Result<std::unique_ptr<WritableFile>> FaultFileSystem::create(const std::string& path,
                                                              const CreateOptions& options) {
  const std::lock_guard guard(mutex_);
  const Verdict verdict = judge(Op::kCreate, path);
  if (!verdict.is_done) return *verdict.error;
  const Place place = BOOST_OUTCOME_TRYX(place_of(path, "open to write"));
  const auto known = place.directory->names.find(place.name);
  if (known != place.directory->names.end()) {
    change(*place.directory, {place.name, "", known->second, ""});
  }
  const auto inode = std::make_shared<Inode>();
  change(*place.directory, {"", place.name, inode, ""});
  if (verdict.error) return *verdict.error;
  return std::make_unique<FaultWritableFile>(*this, inode, path, options.kind);
}

Result<std::unique_ptr<ReadableFile>> FaultFileSystem::open(const std::string& path) {
  const std::lock_guard guard(mutex_);
  const Verdict verdict = judge(Op::kOpen, path);
  if (verdict.error) return *verdict.error;
  const Place place = BOOST_OUTCOME_TRYX(place_of(path, "open"));
  const InodePtr inode = BOOST_OUTCOME_TRYX(find(place, path, "open"));
  if (open_files_max_ && open_files_ >= *open_files_max_) {
    return fault(path, "open", "Too many open files");
  }
  return std::make_unique<FaultReadableFile>(*this, inode, path);
}

Result<std::vector<std::string>> FaultFileSystem::list(const std::string& directory) {
  const std::lock_guard guard(mutex_);
  if (has_stopped_) return fault(directory, "opendir", kStopped);
  const std::string whole = normalised(directory);
  const auto found = directories_.find(whole);
  if (found == directories_.end()) return fault(directory, "opendir", kNoSuchFile);
  std::vector<std::string> names;
  for (const auto& [name, inode] : found->second.names) names.push_back(name);
  for (const auto& [path, inner] : directories_) {
    const auto [parent, name] = split(path);
    if (parent == whole && !name.empty()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> FaultFileSystem::exists(const std::string& path) {
  const std::lock_guard guard(mutex_);
  if (has_stopped_) return fault(path, "stat", kStopped);
  return directories_.contains(normalised(path)) || find_file(path) != nullptr;
}

Result<void> FaultFileSystem::remove(const std::string& path) {
  const std::lock_guard guard(mutex_);
  const Verdict verdict = judge(Op::kRemove, path);
  if (!verdict.is_done) return *verdict.error;
  const Place place = BOOST_OUTCOME_TRYX(place_of(path, "unlink"));
  const InodePtr inode = BOOST_OUTCOME_TRYX(find(place, path, "unlink"));
  change(*place.directory, {place.name, "", inode, ""});
  if (verdict.error) return *verdict.error;
  return success();
}

Result<void> FaultFileSystem::rename(const std::string& from, const std::string& to) {
  const std::lock_guard guard(mutex_);
  const Verdict verdict = judge(Op::kRename, from, to);
  if (!verdict.is_done) return *verdict.error;
  const Place old_place = BOOST_OUTCOME_TRYX(place_of(from, "rename"));
  const Place new_place = BOOST_OUTCOME_TRYX(place_of(to, "rename"));
  const InodePtr inode = BOOST_OUTCOME_TRYX(find(old_place, from, "rename"));
  if (old_place.directory != new_place.directory) {
    change(*new_place.directory, {"", new_place.name, inode, ""});
    change(*old_place.directory, {old_place.name, "", inode, ""});
  } else if (old_place.name != new_place.name) {
    change(*old_place.directory, {old_place.name, new_place.name, inode, old_place.name});
  }
  if (verdict.error) return *verdict.error;
  return success();
}

Result<void> FaultFileSystem::link(const std::string& from, const std::string& to) {
  const std::lock_guard guard(mutex_);
  const Verdict verdict = judge(Op::kLink, from, to);
  if (!verdict.is_done) return *verdict.error;
  const Place old_place = BOOST_OUTCOME_TRYX(place_of(from, "link"));
  const Place new_place = BOOST_OUTCOME_TRYX(place_of(to, "link"));
  const InodePtr inode = BOOST_OUTCOME_TRYX(find(old_place, from, "link"));
  if (new_place.directory->names.contains(new_place.name)) return fault(to, "link", "File exists");
  const bool is_near = old_place.directory == new_place.directory;
  change(*new_place.directory, {"", new_place.name, inode, is_near ? old_place.name : ""});
  if (verdict.error) return *verdict.error;
  return success();
}

Result<void> FaultFileSystem::create_directory(const std::string& path) {
  const std::lock_guard guard(mutex_);
  const Verdict verdict = judge(Op::kCreateDirectory, path);
  if (!verdict.is_done) return *verdict.error;
  for (std::string directory = normalised(path);;) {
    if (find_file(directory)) return fault(directory, "mkdir", "File exists");
    directories_.try_emplace(directory);
    if (directory.empty() || directory == "/") break;
    directory = split(directory).first;
  }
  if (verdict.error) return *verdict.error;
  return success();
}

Result<void> FaultFileSystem::sync_directory(const std::string& path) {
  const std::lock_guard guard(mutex_);
  const Verdict verdict = judge(Op::kSyncDirectory, path);
  const auto found = directories_.find(normalised(path));
  if (found == directories_.end()) return fault(path, "fsync", kNoSuchFile);
  if (verdict.is_done) {
    found->second.durable = found->second.names;
    found->second.pending.clear();
  }
  if (verdict.error) return *verdict.error;
  return success();
}

Error FaultFileSystem::is_locked(const Place& place, const std::string& path) {
  return input_error(fmt::format(
      "{}: this process already uses this directory; it holds the lock {}", place.path, path));
}

Result<std::unique_ptr<DirectoryLock>> FaultFileSystem::lock(const std::string& path) {
  const std::lock_guard guard(mutex_);
  if (has_stopped_) return fault(path, "flock", kStopped);
  const Place place = BOOST_OUTCOME_TRYX(place_of(path, "open to lock"));
  if (!locks_.try_emplace(normalised(path)).second) return is_locked(place, path);
  if (!place.directory->names.contains(place.name)) {
    const auto inode = std::make_shared<Inode>();
    inode->names = 1;
    place.directory->names[place.name] = inode;
    place.directory->durable[place.name] = inode;
  }
  return std::make_unique<FaultLock>(*this, normalised(path));
}

Result<std::unique_ptr<DirectoryLock>> FaultFileSystem::lock_to_read(const std::string& path) {
  const std::lock_guard guard(mutex_);
  if (has_stopped_) return fault(path, "flock", kStopped);
  const Place place = BOOST_OUTCOME_TRYX(place_of(path, "open to lock"));
  const auto [held, is_new] = locks_.try_emplace(normalised(path), HeldLock{true, 0});
  if (!held->second.is_to_read) return is_locked(place, path);
  ++held->second.holders;
  return std::make_unique<FaultLock>(*this, normalised(path));
}

}  // namespace lsmlab::engine
