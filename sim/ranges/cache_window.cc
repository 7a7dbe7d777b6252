#include "sim/ranges/cache_window.h"

#include <algorithm>
#include <cmath>

#include "models/base/portable_math.h"

namespace lsmlab {

void CacheWindow::restart() {
  reads_before_ = reads_;
  uses_.clear();
  next_ = noted_ = 0;
  stride_ = 1;
  skipped_ = 0;
  is_full_ = false;
  window_ = 0;
}

double CacheWindow::window_reads() const {
  const auto all = static_cast<double>(reads_ - reads_before_);
  return is_full_ ? std::min(window_, all) : all;
}

double CacheWindow::chance_of(const Block& block) const {
  if (!can_hold(block.bytes)) return 0;
  return -portable_expm1(-block.rate * std::min(window_reads(), block.age_reads));
}

void CacheWindow::note(const Block& block, std::uint64_t count) {
  if (++skipped_ < stride_) return;
  skipped_ = 0;
  const Use use{block, count * stride_, sampled_, reads_};
  if (uses_.size() < kUses) {
    uses_.push_back(use);
  } else {
    uses_[next_] = use;
    next_ = (next_ + 1) % kUses;
  }
  // The first looks come early, because a cache may fill in a few reads.
  if (++noted_ < std::min(kUsesBetweenLooks, uses_.size() / 4)) return;
  noted_ = 0;
  look();
  adapt_stride();
}

void CacheWindow::adapt_stride() {
  if (uses_.size() < kUses) return;
  const auto span = static_cast<double>(reads_ - oldest().reads);
  if (span < window_reads() / 2) stride_ *= 2;
  if (span > 2 * window_reads() && stride_ > 1) stride_ /= 2;
}

// The bytes of the blocks that a window's uses leave in the cache. A use `ago` reads before now
// counts if its block was not used since: with exp(-rate * ago), as long as its file lived, which
// after the use is as long as before it. `slope`: bytes that a longer window adds for each read.
double CacheWindow::held_bytes(double window, double& slope) const {
  double bytes = 0;
  slope = 0;
  for (const Use& use : uses_) {
    const double lived = std::min(window, use.block.age_reads);
    const double unused = portable_exp(-use.block.rate * lived);
    const double reads_in_use =
        use.block.rate * lived > 1e-9 ? (1 - unused) / use.block.rate : lived;
    const auto size = static_cast<double>(use.block.bytes * use.count);
    bytes += size * (reads_in_use + (window - lived) * unused);
    slope += size * unused;
  }
  const auto sampled = static_cast<double>(sampled_ - oldest().sampled + 1);
  slope /= sampled;
  return bytes / sampled;
}

// Newton's method. The bytes are a concave function of the window. So every step ends at a window
// that is right or too short, from where the next ones approach it.
void CacheWindow::look() {
  constexpr int kSteps = 8;
  constexpr double kNear = 0.002;
  const auto capacity = static_cast<double>(capacity_);
  const auto all = static_cast<double>(reads_ - reads_before_);
  double slope = 0;
  is_full_ = held_bytes(all, slope) > capacity;
  if (!is_full_) return;
  window_ = std::min(window_ > 0 ? window_ : 1, all);
  for (int step = 0; step < kSteps; ++step) {
    const double bytes = held_bytes(window_, slope);
    if (std::abs(bytes - capacity) < kNear * capacity || slope <= 0) return;
    window_ = std::clamp(window_ + (capacity - bytes) / slope, window_ / 4, all);
  }
}

}  // namespace lsmlab
