// A page of HTML in one file: text, and places for charts, which gnuplot draws all at once when the
// page is otherwise done.
#pragma once

#include <string>
#include <vector>

#include "models/base/error.h"
#include "validate/report/gnuplot.h"

namespace lsmlab {

class ReportPage {
 public:
  /// Head and opened header.
  void begin(const std::string& title);
  void text(const std::string& html) { parts_.back() += html; }
  /// A name and what belongs to it, in a list of facts.
  void fact(const std::string& name, const std::string& html);
  void figure(const std::string& html_class, const std::string& caption, Chart chart);
  /// The whole page, its main part closed. Errors: gnuplot's.
  [[nodiscard]] Result<std::string> finish();

 private:
  std::vector<std::string> parts_{""};  // one more than charts
  std::vector<Chart> charts_;
};

}  // namespace lsmlab
