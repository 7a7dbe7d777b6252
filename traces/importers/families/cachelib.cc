// The CSV of Meta's CacheLib key-value caches. The header defines the columns; op_count says how
// often a row repeats.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "traces/importers/import_parser.h"

namespace lsmlab::importing {
namespace {

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
  // Counts fields before it stores them, because a line may consist of commas only.
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
      return input_error("the header lacks \"key\", \"op\" or \"size\"; expected all of them");
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
  std::optional<std::size_t> columns_;  // nothing until the header was read
  std::size_t key_ = 0;
  std::size_t op_ = 0;
  std::size_t size_ = 0;
  std::optional<std::size_t> key_size_;
  std::optional<std::size_t> op_count_;
};

}  // namespace

Importer cachelib_importer() {
  return {"cachelib", "CSV of Meta's CacheLib key-value caches; op_count repeats a row",
          make_parser<CachelibParser>, "key,op,size,op_count,key_size\nb,GET,9,3,20\n"};
}

}  // namespace lsmlab::importing
