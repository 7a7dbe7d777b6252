#include "traces/io/temporary_paths.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>

namespace lsmlab {
namespace {

enum class State : int { kFree, kBeingSet, kFile, kDirectory };

struct Slot {
  std::atomic<State> state{State::kFree};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<State>::is_always_lock_free);

// A signal handler can reach nothing but static memory. More paths are open only in runs that
// register their whole directory.
constexpr std::size_t kSlots = 128;
std::array<Slot, kSlots> slots;
constexpr std::size_t kNoSlot = kSlots;

std::size_t take_slot(const std::string& path, State state) {
  if (path.size() >= PATH_MAX) return kNoSlot;
  for (std::size_t i = 0; i < kSlots; ++i) {
    State expected = State::kFree;
    if (!slots[i].state.compare_exchange_strong(expected, State::kBeingSet)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].state.store(state);
    return i;
  }
  return kNoSlot;
}

// The layout of getdents64(2). The library's readdir() allocates memory, which a signal handler may
// not do.
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t bytes;
  std::uint8_t type;
  char name[1];  // NOLINT: its length follows from `bytes`
};

void remove_entries(int directory, int depth_max);

void remove_directory_at(int parent, const char* name, int depth_max) {
  const int directory = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory >= 0) {
    if (depth_max > 0) remove_entries(directory, depth_max - 1);
    ::close(directory);
  }
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

void remove_entries(int directory, int depth_max) {
  alignas(DirectoryEntry) std::array<char, 4096> buffer;
  bool has_removed = true;
  while (has_removed) {
    has_removed = false;
    ::lseek(directory, 0, SEEK_SET);
    for (;;) {
      const long bytes = ::syscall(SYS_getdents64, directory, buffer.data(), buffer.size());
      if (bytes <= 0) break;
      for (long at = 0; at < bytes;) {
        const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer.data() + at);
        const char* name = entry->name;
        at += entry->bytes;
        if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
        if (::unlinkat(directory, name, 0) == 0) {
          has_removed = true;
        } else {
          remove_directory_at(directory, name, depth_max);
        }
      }
    }
  }
}

}  // namespace

TemporaryPath::TemporaryPath(const std::string& path, Kind kind)
    : slot_(take_slot(path, kind == Kind::kFile ? State::kFile : State::kDirectory)) {}

TemporaryPath::TemporaryPath(TemporaryPath&& other) noexcept
    : slot_(std::exchange(other.slot_, kNoSlot)) {}

TemporaryPath::~TemporaryPath() {
  if (slot_ != kNoSlot) slots[slot_].state.store(State::kFree);
}

void remove_temporary_paths() {
  constexpr int kDepthMax = 4;
  for (Slot& slot : slots) {
    const State state = slot.state.load();
    if (state == State::kFile) ::unlink(slot.path.data());
    if (state == State::kDirectory) remove_directory_at(AT_FDCWD, slot.path.data(), kDepthMax);
  }
}

}  // namespace lsmlab
