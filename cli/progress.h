// One line of progress on standard error, only where that is a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "validate/runs/batch.h"

namespace lsmlab {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // wipes the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const BatchProgress& progress);
  /// Of work that is given a time: `present` is what it is at.
  void show_time(double whole_seconds, std::string_view present);

 private:
  [[nodiscard]] double seconds() const;
  void print(const std::string& line);

  std::chrono::steady_clock::time_point begin_;
  bool is_terminal_;
  bool is_shown_ = false;
  double shown_seconds_ = 0;  // when, by show_time()
};

}  // namespace lsmlab
