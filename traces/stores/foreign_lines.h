// Lines of RocksDB's log that another program's logger wrote, with its own prefix and time: glog of
// YugabyteDB, CockroachDB's, loggers of Java, FoundationDB's XML. Each is given back as RocksDB
// would have written it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lsmlab::stores {

/// What stands before the time of a line that was written later than it was made.
inline constexpr std::string_view kOriginalTimeMark = "(Original Log Time ";

class ForeignLines {
 public:
  /// The line as "2026/11/28-08:00:50.826342 thread message"; none: it has no message of RocksDB,
  /// or no time. Times without a year are of 1972.
  [[nodiscard]] std::optional<std::string> own_form(std::string_view line);
  /// Of the last line with a form: the database that it is of, where a log is that of many: "5d3f
  /// [R]" of YugabyteDB. Empty: it says none.
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  std::string last_time_;
  std::string source_;
};

/// The line with the quotes of its event as JSON has them; none: they are, or it has no event.
[[nodiscard]] std::optional<std::string> with_plain_quotes(std::string_view line);

}  // namespace lsmlab::stores
