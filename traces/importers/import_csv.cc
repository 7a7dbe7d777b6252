// Cache traces as CSV: Twitter's twemcache and Meta's CacheLib.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "traces/importers/import_parser.h"

namespace lsmlab::importing {
namespace {

Error wrong_field(std::string_view name, std::string_view found, std::string_view expected) {
  return input_error(fmt::format("{} {}; expected {}", name, quoted(found), expected));
}

// time, key, key size, value size, client, operation, time to live. Keys may hold commas, so the
// others are found from the ends.
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
    return input_error(fmt::format("{}; expected 7 fields and commas between them", quoted(line)));
  }
};

class CachelibParser : public LineParser {
 public:
  Result<void> parse(std::string_view line, Stage& stage) override {
    BOOST_OUTCOME_TRYV(split(line));
    if (!columns_) {
      stage.add_empty_line();
      return read_header();
    }
    NamedOperation operation{.key = fields_[key_]};
    if (operation.key.empty()) return wrong_field("key", operation.key, "at least one byte");
    std::uint64_t value_bytes = 0;
    if (key_size_) {
      operation.key_bytes = 0;
      BOOST_OUTCOME_TRYV(read_number(*key_size_, "key_size", *operation.key_bytes));
    }
    if (op_count_) {
      BOOST_OUTCOME_TRYV(read_number(*op_count_, "op_count", operation.repeats));
    }
    const std::string_view verb = fields_[op_];
    if (verb == "GET" || verb == "GET_LEASE") {
      operation.kind = OperationKind::kGet;
    } else if (verb == "DELETE") {
      operation.kind = OperationKind::kDelete;
    } else if (verb == "SET" || verb == "SET_LEASE") {
      BOOST_OUTCOME_TRYV(read_number(size_, "size", value_bytes));
      operation.kind = OperationKind::kPut;
      operation.value_bytes = value_bytes;
    } else {
      return wrong_field("op", verb, "GET, GET_LEASE, SET, SET_LEASE or DELETE");
    }
    return stage.add(operation);
  }

 private:
  // Fields are counted before they are kept: a line may be nothing but commas.
  Result<void> split(std::string_view line) {
    constexpr std::size_t kColumnsMax = 1000;
    fields_.clear();
    const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (columns_ && count != *columns_) {
      return input_error(fmt::format("{} fields; expected {}, as in the header", count, *columns_));
    }
    if (count > kColumnsMax) {
      return input_error(
          fmt::format("a header of {} fields; expected at most {}", count, kColumnsMax));
    }
    for (std::size_t i = 0; i < count; ++i) fields_.push_back(take_field(line, ','));
    return success();
  }

  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::find(fields_.begin(), fields_.end(), name);
    if (found == fields_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - fields_.begin());
  }

  Result<void> read_header() {
    const auto key = column("key");
    const auto op = column("op");
    const auto size = column("size");
    if (!key || !op || !size) {
      return input_error("a header without \"key\", \"op\" or \"size\"; expected all of them");
    }
    key_ = *key;
    op_ = *op;
    size_ = *size;
    key_size_ = column("key_size");
    op_count_ = column("op_count");
    columns_ = fields_.size();
    return success();
  }

  Result<void> read_number(std::size_t column, std::string_view name, std::uint64_t& number) const {
    const auto parsed = parse_number(fields_[column]);
    if (!parsed) return wrong_field(name, fields_[column], "a number");
    number = *parsed;
    return success();
  }

  std::vector<std::string_view> fields_;
  std::optional<std::size_t> columns_;  // none: the header is still to come
  std::size_t key_ = 0;
  std::size_t op_ = 0;
  std::size_t size_ = 0;
  std::optional<std::size_t> key_size_;
  std::optional<std::size_t> op_count_;
};

}  // namespace

std::unique_ptr<LineParser> make_twemcache_parser() { return std::make_unique<TwemcacheParser>(); }
std::unique_ptr<LineParser> make_cachelib_parser() { return std::make_unique<CachelibParser>(); }

}  // namespace lsmlab::importing
