// The output of YCSB's `basic` binding. The size of a value is that of its fields without their
// names, so an update of one field is a put of that field's size. A scan is limited by its number
// of records.
#include <fmt/format.h>

#include "traces/importers/import_parser.h"

namespace lsmlab::importing {
namespace {

// The total size of the values in `fieldN=value fieldN=value `. A value may contain spaces and
// equality signs, so a field begins only at a complete field name.
std::optional<std::uint64_t> values_bytes(std::string_view fields) {
  constexpr std::string_view kName = "field";
  std::uint64_t bytes = 0;
  std::size_t named = 0;
  for (std::size_t at = 0; at < fields.size();) {
    std::size_t end = at;
    if ((at == 0 || fields[at - 1] == ' ') && fields.substr(at).starts_with(kName)) {
      end = at + kName.size();
      while (end < fields.size() && fields[end] >= '0' && fields[end] <= '9') ++end;
      if (end == at + kName.size() || end == fields.size() || fields[end] != '=') end = at;
    }
    if (end == at) {
      if (named == 0) return std::nullopt;
      ++bytes;
      ++at;
    } else {
      ++named;
      at = end + 1;
    }
  }
  if (bytes < named) return std::nullopt;
  return bytes - named;  // without the space after each value
}

class YcsbParser : public LineParser {
 public:
  Result<void> parse(std::string_view line, Stage& stage) override {
    // Lines before and after the operations begin with an asterisk, "name"="value", [OVERALL], ...
    if (line[0] == '*' || line[0] == '"' || line[0] == '[') {
      stage.add_empty_line();
      return success();
    }
    const std::string_view whole = line;
    const std::string_view verb = take_field(line, ' ');
    const std::string_view table = take_field(line, ' ');
    const std::string_view key = take_field(line, ' ');
    const auto wrong = [&](std::string_view expected) {
      return input_error(fmt::format("{}; expected {}", quoted(whole), expected));
    };
    const bool is_put = verb == "INSERT" || verb == "UPDATE";
    if (!is_put && verb != "READ" && verb != "SCAN" && verb != "DELETE") {
      return wrong("READ, SCAN, UPDATE, INSERT or DELETE");
    }
    if (table.empty() || key.empty()) return wrong("a table and a key");
    NamedOperation operation{.key = key};
    if (is_put) {
      if (!line.starts_with("[ ") || !line.ends_with("]")) return wrong("\"[ fieldN=VALUE ]\"");
      const auto bytes = values_bytes(line.substr(2, line.size() - 3));
      if (!bytes) return wrong("\"[ fieldN=VALUE ]\"");
      operation.kind = OperationKind::kPut;
      operation.value_bytes = *bytes;
    } else if (verb == "DELETE") {
      operation.kind = OperationKind::kDelete;
    } else if (verb == "SCAN") {
      const auto entries = parse_number(take_field(line, ' '));
      if (!entries || *entries == 0) return wrong("a number of records from 1");
      operation.kind = OperationKind::kScan;
      operation.scan_entries_max = *entries;
    }
    return stage.add(operation);
  }
};

}  // namespace

Importer ycsb_importer() {
  return {"ycsb", "output of YCSB's basic binding", make_parser<YcsbParser>,
          "READ t k [ <all fields>]\n"};
}

}  // namespace lsmlab::importing
