// A page of HTML in one file: text and charts. gnuplot draws all charts at once when the rest of
// the page is complete.
#pragma once

#include <string>
#include <vector>

#include "models/base/error.h"
#include "validate/report/gnuplot.h"

namespace lsmlab {

class ReportPage {
 public:
  /// Writes the document's head and opens its header.
  void begin(const std::string& title);
  void text(const std::string& html) { parts_.back() += html; }
  /// Adds a name and its value to an open list of facts.
  void fact(const std::string& name, const std::string& html);
  /// Adds a chart under its caption. `html_class` and `caption` may be empty.
  void figure(const std::string& html_class, const std::string& caption, Chart chart);
  /// Closes the main part and returns the whole page. Errors: those of draw_charts().
  [[nodiscard]] Result<std::string> finish();

 private:
  std::vector<std::string> parts_{""};  // one more than there are charts
  std::vector<Chart> charts_;
};

}  // namespace lsmlab
