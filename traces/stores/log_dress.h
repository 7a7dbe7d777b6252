// What stands before the lines of a LOG that was copied out of a page, a mail or a collector of
// logs: "> ", spaces, a file's name, a container's time and stream, the number in a list.
#pragma once

#include <string>
#include <string_view>

#include "traces/stores/foreign_lines.h"

namespace lsmlab::stores {

/// Takes the lines of one text in their order.
class LogDress {
 public:
  /// The line from its own time on. A line without a time, say of a table: without what stood
  /// before the last line with one, digits aside, or without the mark of a list. Valid until the
  /// next call.
  [[nodiscard]] std::string_view bare(std::string_view line);
  /// Of the last line, as ForeignLines has it. A line without a time belongs to the one before.
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  [[nodiscard]] std::string_view with_own_quotes(std::string_view line);

  std::string dress_;     // before the last line with a time
  std::string unquoted_;  // the last line, if it was a string of a program
  std::string source_;
  ForeignLines foreign_;
};

/// Whether one of the lines has a log's time, behind whatever stands before it.
[[nodiscard]] bool has_log_lines(std::string_view text);

}  // namespace lsmlab::stores
