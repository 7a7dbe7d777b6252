// What tests do to the disk: stop it, fill it, damage it, and restart it.
#include <algorithm>

#include "models/base/check.h"
#include "testing/engine/fault_file_system.h"

namespace lsmlab::engine {

void FaultFileSystem::crash_at(std::uint64_t call) {
  const std::lock_guard guard(mutex_);
  crash_call_ = call;
}

void FaultFileSystem::crash() {
  const std::lock_guard guard(mutex_);
  has_stopped_ = true;
}

bool FaultFileSystem::has_stopped() const {
  const std::lock_guard guard(mutex_);
  return has_stopped_;
}

std::uint64_t FaultFileSystem::calls() const {
  const std::lock_guard guard(mutex_);
  return calls_;
}

void FaultFileSystem::fail_call(std::uint64_t call, Failure failure) {
  const std::lock_guard guard(mutex_);
  failing_calls_[call] = failure;
}

void FaultFileSystem::fail_matching(Op op, std::string path_part, std::uint64_t times,
                                    Failure failure) {
  const std::lock_guard guard(mutex_);
  matchers_.push_back({op, std::move(path_part), times, failure});
}

void FaultFileSystem::set_open_files_max(std::optional<std::uint64_t> files) {
  const std::lock_guard guard(mutex_);
  open_files_max_ = files;
}

std::optional<std::uint64_t> FaultFileSystem::open_files_max() const {
  const std::lock_guard guard(mutex_);
  return open_files_max_;
}

void FaultFileSystem::set_space(std::optional<std::uint64_t> bytes) {
  const std::lock_guard guard(mutex_);
  space_ = bytes;
}

std::uint64_t FaultFileSystem::used_bytes() const {
  const std::lock_guard guard(mutex_);
  return used();
}

std::uint64_t FaultFileSystem::used() const {
  std::set<const Inode*> counted;
  std::uint64_t sum = 0;
  for (const auto& [path, directory] : directories_) {
    for (const auto& [name, inode] : directory.names) {
      if (counted.insert(inode.get()).second) sum += inode->bytes.size();
    }
  }
  return sum;
}

void FaultFileSystem::flip_bit(const std::string& path, std::uint64_t bit) {
  const std::lock_guard guard(mutex_);
  const InodePtr inode = find_file(path);
  CHECK(inode && bit / 8 < inode->bytes.size());
  char& byte = inode->bytes[bit / 8];
  byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1u << (bit % 8)));
}

std::uint64_t FaultFileSystem::file_size(const std::string& path) const {
  const std::lock_guard guard(mutex_);
  const InodePtr inode = find_file(path);
  CHECK(inode);
  return inode->bytes.size();
}

void FaultFileSystem::put_file(const std::string& path, std::string bytes) {
  const std::size_t slash = path.find_last_of('/');
  if (slash != std::string::npos && slash > 0) {
    const std::lock_guard guard(mutex_);
    for (std::size_t end = slash; end != std::string::npos && end > 0;
         end = path.find_last_of('/', end - 1)) {
      directories_.try_emplace(path.substr(0, end));
    }
  }
  const std::lock_guard guard(mutex_);
  const Result<Place> place = place_of(path, "put_file");
  CHECK(place);
  const auto inode = std::make_shared<Inode>();
  inode->bytes = std::move(bytes);
  inode->synced = inode->bytes.size();
  inode->names = 1;
  place.value().directory->names[place.value().name] = inode;
  place.value().directory->durable[place.value().name] = inode;
}

void FaultFileSystem::lose_bytes(Inode& inode, LossMode mode) {
  if (mode == LossMode::kNothing) return;
  const std::uint64_t size = inode.bytes.size();
  const std::uint64_t unsynced = size - inode.synced;
  if (unsynced == 0) return;
  if (mode == LossMode::kEverything) {
    inode.bytes.resize(inode.synced);
  } else if (mode == LossMode::kPrefix) {
    inode.bytes.resize(inode.synced + random_() % (unsynced + 1));
  } else {
    std::uint64_t end = inode.synced;
    for (std::uint64_t at = inode.synced; at < size;) {
      const std::uint64_t sector_end = std::min((at / kSectorBytes + 1) * kSectorBytes, size);
      if (random_() % 2 == 0) {
        end = sector_end;
      } else {
        std::fill(inode.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  inode.bytes.begin() + static_cast<std::ptrdiff_t>(sector_end), '\0');
      }
      at = sector_end;
    }
    // The new file length may be durable without its last sectors.
    if (random_() % 2 == 0) inode.bytes.resize(end);
  }
}

void FaultFileSystem::lose_names(Directory& directory, LossMode mode) {
  if (mode == LossMode::kNothing) return;
  const std::uint64_t first_part = random_() % (directory.pending.size() + 1);
  Names names = directory.durable;
  for (std::size_t i = 0; i < directory.pending.size(); ++i) {
    const bool survives = (mode == LossMode::kPrefix && i < first_part) ||
                          (mode == LossMode::kReordered && random_() % 2 == 0);
    // A change that depends on a lost one is lost too.
    if (survives) static_cast<void>(apply(names, directory.pending[i]));
  }
  directory.names = std::move(names);
}

void FaultFileSystem::restart(std::uint64_t seed, LossMode mode) {
  const std::lock_guard guard(mutex_);
  random_.seed(seed);
  for (auto& [path, directory] : directories_) lose_names(directory, mode);
  std::set<const Inode*> seen;
  for (auto& [path, directory] : directories_) {
    for (const auto& [name, inode] : directory.names) {
      if (!seen.insert(inode.get()).second) continue;
      lose_bytes(*inode, mode);
      inode->names = 0;
    }
  }
  for (auto& [path, directory] : directories_) {
    for (const auto& [name, inode] : directory.names) {
      ++inode->names;
      // A killed process loses nothing, but a later power cut still may.
      if (mode == LossMode::kNothing) continue;
      inode->synced = inode->bytes.size();
    }
    if (mode == LossMode::kNothing) continue;
    directory.durable = directory.names;
    directory.pending.clear();
  }
  ++epoch_;
  calls_ = 0;
  crash_call_.reset();
  has_stopped_ = false;
  failing_calls_.clear();
  matchers_.clear();
  locks_.clear();
}

}  // namespace lsmlab::engine
