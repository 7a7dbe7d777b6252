// The flags of db_bench 7.8.3 and of other versions, and the lines that users write with them:
// `db_bench --num=1000000
// ...`. A text may hold several lines, one for each run of db_bench on the same store.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"

namespace lsmlab::tools {

enum class FlagType { kBool, kInt32, kInt64, kUint32, kUint64, kDouble, kText };

/// What lsmlab does with a flag.
enum class FlagUse {
  kOperations,      // decides the operations
  kPolicy,          // an option of RocksDB's that decides merges or sizes; `what`: its name there
  kStalls,          // decides when writers wait
  kRun,             // an option of a verb or of the store
  kUnmodelled,      // changes bytes of files, and lsmlab does not know how
  kUnmodelledTime,  // the same, only where writers and merges take time
  kRefused,         // changes operations in a way that lsmlab cannot follow; `what`: why
  kNoBytes,         // changes neither operations nor the bytes of files
};

struct DbBenchFlag {
  std::string_view name;
  FlagType type = FlagType::kText;
  std::string_view standard;  // the default; empty for kNoBytes
  FlagUse use = FlagUse::kNoBytes;
  std::string_view what = {};
};

/// All flags but those of kNoBytes, and the names of those.
[[nodiscard]] std::span<const DbBenchFlag> db_bench_flags_with_effect();
[[nodiscard]] std::span<const std::string_view> db_bench_names_without_effect(FlagType type);

/// The flag of that name; null if db_bench has none.
[[nodiscard]] const DbBenchFlag* db_bench_flag(std::string_view name);

/// The values of one run's flags: given ones, else the defaults. REQUIRES of all accessors: the
/// flag exists and has that type.
class DbBenchLine {
 public:
  /// Errors: the text is no value of the flag's type.
  [[nodiscard]] Result<void> set(const DbBenchFlag& flag, std::string_view text);

  [[nodiscard]] bool is_given(std::string_view name) const { return given_.count(name) > 0; }
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::uint64_t natural(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  /// The given flags by name, with their values in one spelling.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& given() const {
    return given_;
  }
  /// Whether the value differs from the default.
  [[nodiscard]] bool differs(const DbBenchFlag& flag) const;

 private:
  std::map<std::string, std::string, std::less<>> given_;
};

/// Reads the lines. Each may begin with the program's name, and ends at the end of a line, at `&&`
/// or `;`. A backslash continues a line, `#` begins a comment, and redirections of a shell are
/// skipped. Errors: a flag that db_bench does not have (with the nearest one); a bad value; one
/// that a shell would have to evaluate; a word that is no flag; no flag at all.
[[nodiscard]] Result<std::vector<DbBenchLine>> parse_db_bench_lines(std::string_view text);

}  // namespace lsmlab::tools
