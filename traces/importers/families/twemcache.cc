// The CSV of Twitter's twemcache clusters. Every kind of store operation, including `incr` and
// `decr`, becomes a put with the given value size.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "traces/importers/import_parser.h"

namespace lsmlab::importing {
namespace {

// Fields: time, key, key size, value size, client, operation, time to live. A key may contain
// commas, so the other fields are found from both ends.
class TwemcacheParser : public LineParser {
 public:
  Result<void> parse(std::string_view line, Stage& stage) override {
    const std::string_view whole = line;
    std::array<std::string_view, 5> last;
    for (std::size_t i = last.size(); i-- > 0;) {
      const std::size_t comma = line.rfind(',');
      if (comma == std::string_view::npos) return too_few(whole);
      last[i] = line.substr(comma + 1);
      line = line.substr(0, comma);
    }
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return too_few(whole);
    const auto key_bytes = parse_number(last[0]);
    const auto value_bytes = parse_number(last[1]);
    if (!key_bytes) return wrong_field("key size", last[0], "a number");
    if (!value_bytes) return wrong_field("value size", last[1], "a number");
    NamedOperation operation{.key = line.substr(comma + 1), .key_bytes = *key_bytes};
    if (operation.key.empty()) return wrong_field("key", operation.key, "at least one byte");
    const std::string_view verb = last[3];
    if (verb == "get" || verb == "gets") {
      operation.kind = OperationKind::kGet;
    } else if (verb == "delete") {
      operation.kind = OperationKind::kDelete;
    } else if (std::find(kStores.begin(), kStores.end(), verb) != kStores.end()) {
      operation.kind = OperationKind::kPut;
      operation.value_bytes = *value_bytes;
    } else {
      return wrong_field("operation", verb,
                         "get, gets, set, add, replace, cas, append, prepend, "
                         "delete, incr or decr");
    }
    return stage.add(operation);
  }

 private:
  static constexpr std::array<std::string_view, 8> kStores{"set",    "add",     "replace", "cas",
                                                           "append", "prepend", "incr",    "decr"};

  static Error too_few(std::string_view line) {
    return input_error(fmt::format("{}; expected 7 fields separated by commas", quoted(line)));
  }
};

}  // namespace

Importer twemcache_importer() {
  return {"twemcache", "CSV of Twitter's twemcache clusters", make_parser<TwemcacheParser>,
          "0,a,b,3,20,1,set,60\n"};
}

}  // namespace lsmlab::importing
