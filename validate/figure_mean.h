// The mean of figures of several runs or measurements. Of rates it is that of the times which they
// stand for: what took twice as long in one run and as long as ever in another took one and a half
// times as long.
#pragma once

#include <string_view>

namespace lsmlab {

/// Whether a figure of that name is so much a second.
[[nodiscard]] inline bool is_rate(std::string_view name) {
  return name.find("bandwidth") != std::string_view::npos ||
         name.find("per_second") != std::string_view::npos;
}

class FigureMean {
 public:
  explicit FigureMean(bool of_rates) : of_rates_(of_rates) {}

  void add(double figure) {
    has_zero_ = has_zero_ || figure == 0;
    ++count_;
    sum_ += figure;
    if (figure != 0) times_ += 1 / figure;
  }
  /// 0 of rates where one is none. REQUIRES: something was added.
  [[nodiscard]] double value() const {
    if (!of_rates_) return sum_ / count_;
    return has_zero_ ? 0 : count_ / times_;
  }

 private:
  bool of_rates_;
  bool has_zero_ = false;
  double count_ = 0;
  double sum_ = 0;
  double times_ = 0;
};

}  // namespace lsmlab
