#include "engine/files/io_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "engine/files/posix_handle.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kHugePageBytes = 2 << 20;
constexpr std::uint64_t kLargeBytes = 128 << 10;  // from this size on a huge page is used
constexpr std::size_t kKeptMax = 16;  // enough for some threads that merge, read and write

// Asks for huge pages. Without them it is ordinary memory.
char* map_huge(std::uint64_t bytes) {
  const std::uint64_t mapped = bytes + kHugePageBytes;
  void* const begin =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<char*>(begin);
  const std::uint64_t beyond = reinterpret_cast<std::uintptr_t>(first) % kHugePageBytes;
  const std::uint64_t before = beyond == 0 ? 0 : kHugePageBytes - beyond;
  if (before > 0) ::munmap(first, before);
  ::munmap(first + before + bytes, mapped - before - bytes);
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(first + before, bytes, MADV_HUGEPAGE));
#endif
  return first + before;
}

// Destroyed buffers of one huge page each, kept for reuse. This object is never destroyed, because
// threads may destroy buffers when they end.
class KeptPages {
 public:
  // keep() must not allocate memory, because a destructor calls it.
  KeptPages() { pages_.reserve(kKeptMax); }
  [[nodiscard]] char* take() {
    const std::lock_guard lock(mutex_);
    if (pages_.empty()) return nullptr;
    char* const page = pages_.back();
    pages_.pop_back();
    return page;
  }
  [[nodiscard]] bool keep(char* page) {
    const std::lock_guard lock(mutex_);
    if (pages_.size() >= kKeptMax) return false;
    pages_.push_back(page);
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<char*> pages_;
};

KeptPages& kept_pages() {
  static KeptPages* const pages = new KeptPages;
  return *pages;
}

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

IoPages::IoPages(std::uint64_t bytes) {
  if (bytes == 0) return;
  if (bytes < kLargeBytes) {
    room_ = rounded_up(bytes, kPageBytes);
    bytes_ = static_cast<char*>(std::aligned_alloc(kPageBytes, room_));
    if (bytes_ == nullptr) throw std::bad_alloc();
    return;
  }
  room_ = rounded_up(bytes, kHugePageBytes);
  if (room_ == kHugePageBytes) bytes_ = kept_pages().take();
  if (bytes_ == nullptr) bytes_ = map_huge(room_);
}

IoPages::~IoPages() {
  if (bytes_ == nullptr) return;
  if (room_ < kHugePageBytes) {
    std::free(bytes_);
  } else if (room_ > kHugePageBytes || !kept_pages().keep(bytes_)) {
    ::munmap(bytes_, room_);
  }
}

void copy_for_device(char* to, std::string_view bytes) {
#ifdef __SSE2__
  constexpr std::size_t kUnit = sizeof(__m128i);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(to) % kUnit;
  const std::size_t before = std::min(bytes.size(), beyond == 0 ? 0 : kUnit - beyond);
  if (before > 0) std::memcpy(to, bytes.data(), before);
  to += before;
  bytes.remove_prefix(before);
  const std::size_t streamed = bytes.size() / kUnit * kUnit;
  for (std::size_t at = 0; at < streamed; at += kUnit) {
    const __m128i unit = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), unit);
  }
  _mm_sfence();  // orders the streamed stores before later ones
  to += streamed;
  bytes.remove_prefix(streamed);
#endif
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
}

}  // namespace lsmlab::engine
