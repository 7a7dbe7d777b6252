// The text of the K-V-Workload-Generator: `I k v`, `U k v`, `D k`, `Q k`, `S lo hi` (including hi).
// Range deletes `R lo hi` are not supported.
#include <fmt/format.h>

#include "traces/importers/import_parser.h"

namespace lsmlab::importing {
namespace {

class KvWorkloadParser : public LineParser {
 public:
  Result<void> parse(std::string_view line, Stage& stage) override {
    const std::string_view whole = line;
    const std::string_view letter = take_field(line, ' ');
    const bool two_fields = line.find(' ') != std::string_view::npos;
    const std::string_view key = take_field(line, ' ');
    const std::string_view rest = line;
    const auto wrong = [&](std::string_view expected) {
      return input_error(fmt::format("{}; expected {}", quoted(whole), expected));
    };
    if (letter.size() != 1) return wrong("I, U, D, Q, S or R, a space and a key");
    NamedOperation operation{.key = key};
    switch (letter[0]) {
      case 'I':
      case 'U':
        if (key.empty() || !two_fields || rest.find(' ') != std::string_view::npos) {
          return wrong("\"I KEY VALUE\" or \"U KEY VALUE\"");
        }
        operation.kind = OperationKind::kPut;
        operation.value_bytes = rest.size();
        return stage.add(operation);
      case 'D':
      case 'Q':
        if (key.empty() || !rest.empty()) return wrong("\"D KEY\" or \"Q KEY\"");
        operation.kind = letter[0] == 'D' ? OperationKind::kDelete : OperationKind::kGet;
        return stage.add(operation);
      case 'S':
      case 'R':
        if (key.empty() || rest.empty() || rest.find(' ') != std::string_view::npos) {
          return wrong("\"S FIRST LAST\" or \"R FIRST LAST\"");
        }
        if (letter[0] == 'R') return stage.add_unsupported("a range delete");
        operation.kind = OperationKind::kScan;
        operation.bound = Bound::kIncluded;
        operation.last_key = rest;
        return stage.add(operation);
      default:
        return wrong("I, U, D, Q, S or R, a space and a key");
    }
  }
};

}  // namespace

Importer kv_workload_importer() {
  return {"kv-workload", "text of the K-V-Workload-Generator: I, U, D, Q and S lines",
          make_parser<KvWorkloadParser>, "I a v\nQ a\n"};
}

}  // namespace lsmlab::importing
