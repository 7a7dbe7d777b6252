// What a calibration is asked for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "models/base/units.h"

namespace lsmlab::engine {

/// Of the scratch file where none is asked for: short runs would spend their time on making and
/// removing it. REQUIRES: seconds > 0.
[[nodiscard]] constexpr Bytes usual_file_bytes(std::uint64_t seconds) {
  constexpr std::uint64_t kBytesASecond = 64 << 20;
  constexpr std::uint64_t kMost = 1 << 30;
  return Bytes(std::min(seconds, kMost / kBytesASecond) * kBytesASecond);
}

struct CalibrateOptions {
  std::string directory;
  std::uint64_t seconds = 60;  // a short run measures everything once and takes somewhat longer
  // Of the scratch file; larger: less of it in a disk's own cache.
  Bytes file_bytes = usual_file_bytes(60);
  bool is_buffered = false;                 // through the page cache, which reads find empty
  const std::atomic<bool>* stop = nullptr;  // set: the run ends soon, without a result
  /// From the calling thread, many times a second, with what is being measured.
  std::function<void(std::string_view)> on_progress = {};
};

inline constexpr Bytes kCalibrateFileBytesMin{8 << 20};

[[nodiscard]] inline bool should_stop(const CalibrateOptions& options) {
  return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}
inline void show_progress(const CalibrateOptions& options, std::string_view what) {
  if (options.on_progress) options.on_progress(what);
}

}  // namespace lsmlab::engine
