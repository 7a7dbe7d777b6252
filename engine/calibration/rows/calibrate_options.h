// The options of a calibration.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "models/base/units.h"

namespace lsmlab::engine {

/// Default size of the scratch file. It is smaller for short runs, which would otherwise spend
/// their time on writing and removing it. REQUIRES: seconds > 0.
[[nodiscard]] constexpr Bytes usual_file_bytes(std::uint64_t seconds) {
  constexpr std::uint64_t kBytesASecond = 64 << 20;
  constexpr std::uint64_t kMost = 1 << 30;
  return Bytes(std::min(seconds, kMost / kBytesASecond) * kBytesASecond);
}

struct CalibrateOptions {
  std::string directory;
  std::uint64_t seconds = 60;  // a short run measures every row once and takes somewhat longer
  // Size of the scratch file. Larger: the disk's own cache holds a smaller part of it.
  Bytes file_bytes = usual_file_bytes(60);
  bool is_buffered = false;                 // through the page cache, which is emptied before reads
  const std::atomic<bool>* stop = nullptr;  // set: the run ends soon, without a result
  /// Called by the calling thread many times a second, with the name of the present measurement.
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
