// One line of progress on standard error, only where that is a terminal.
#pragma once

#include <chrono>

#include "validate/batch.h"

namespace lsmlab {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // wipes the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const BatchProgress& progress);

 private:
  std::chrono::steady_clock::time_point begin_;
  bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace lsmlab
