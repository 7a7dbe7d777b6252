// Reads property files and command lines of YCSB's core workload as a workload of operations: first
// the load, then the run.
// Source: YCSB 0.17, CoreWorkload.java; its defaults are used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab::tools {

struct YcsbWorkload {
  OperationWorkload workload;
  std::vector<std::string> ignored;  // properties that decide no operation, as "name=value"
};

/// Errors: a line that is no property (with its number); a bad value, or one that lsmlab cannot
/// follow, by the property's name; a property that is nearly that of another name; no records.
[[nodiscard]] Result<YcsbWorkload> read_ycsb_properties(std::string_view text);

/// What one shell line says: properties, or a command of YCSB.
struct YcsbLine {
  std::vector<std::string> files;        // of -P, in order
  std::string properties;                // of -p and those without it, a line each
  std::vector<std::string> other_words;  // flags and their values, which decide no operation
  bool only_loads = false;               // `ycsb load`, or -load
};

/// Reads "name=value ..." or "bin/ycsb run STORE -P FILE -p name=value ...". Quotes keep blanks; a
/// backslash at the end of a line continues it. Errors: a word that is neither property nor flag; a
/// flag that YCSB does not have; a flag without its value; a quote that does not end.
[[nodiscard]] Result<YcsbLine> parse_ycsb_line(std::string_view text);

/// A text of properties and where it comes from.
struct YcsbText {
  std::string place;
  std::string text;
};
/// As read_ycsb_properties(), of the texts in order: later properties replace earlier ones, and
/// properties of the line all of them.
[[nodiscard]] Result<YcsbWorkload> read_ycsb_line(const YcsbLine& line,
                                                  const std::vector<YcsbText>& files);

}  // namespace lsmlab::tools
