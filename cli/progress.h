// One line of progress on standard error. Nothing is printed if standard error is not a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "validate/runs/batch.h"

namespace lsmlab {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const BatchProgress& progress);
  /// Before other output; the next show() begins anew.
  void clear();
  /// For work that takes a fixed time. `present`: what it does at the moment.
  void show_time(double whole_seconds, std::string_view present);

 private:
  [[nodiscard]] double seconds() const;
  void print(const std::string& line);

  std::chrono::steady_clock::time_point begin_;
  bool is_terminal_;
  bool is_shown_ = false;
  double shown_seconds_ = 0;  // when show_time() printed last
};

/// Options of simulations that an interrupt stops, and whose progress the line shows unless
/// `quiet`. REQUIRES: the line outlives the simulations.
[[nodiscard]] BatchOptions watched_batch(unsigned threads, bool quiet, ProgressLine& progress);

}  // namespace lsmlab
