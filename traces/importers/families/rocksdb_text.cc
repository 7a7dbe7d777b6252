// The human-readable output of RocksDB's trace_analyzer: `0xKEY type family value_bytes time`. A
// seek becomes a scan of one entry, because the trace does not tell the steps after it; multi-gets
// become gets. Not supported: merges, range deletes, seeks for the previous key. Column families
// get separate key ranges (rocksdb_keys.h).
#include <fmt/format.h>

#include <charconv>

#include "traces/importers/import_parser.h"
#include "traces/importers/rocksdb_keys.h"

namespace lsmlab::importing {
namespace {

std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (!text.starts_with("0x") || text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 2; i < text.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, fault] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (fault != std::errc() || end != text.data() + i + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

class RocksdbTextParser : public LineParser {
 public:
  Result<void> parse(std::string_view line, Stage& stage) override {
    const std::string_view whole = line;
    const auto wrong = [&](std::string_view expected) {
      return input_error(fmt::format("{}; expected {}", quoted(whole), expected));
    };
    const auto key = bytes_of_hex(take_field(line, ' '));
    if (!key) return wrong("a key as 0x and pairs of hexadecimal digits");
    // A range delete of newer versions has its end key before its type.
    if (line.starts_with("0x")) take_field(line, ' ');
    const auto type = parse_number(take_field(line, ' '));
    const auto family = parse_number(take_field(line, ' '));
    const auto value_bytes = parse_number(take_field(line, ' '));
    const auto time = parse_number(take_field(line, ' '));
    if (!type || !family || *family > 0xffffffff || !value_bytes || !time || !line.empty()) {
      return wrong("\"0xKEY TYPE FAMILY VALUE_BYTES TIME\"");
    }
    const auto number = static_cast<std::uint32_t>(*family);
    switch (*type) {
      case 0:  // get
      case 8:  // one key of a multi-get
        return add_in_family(OperationKind::kGet, number, *key, 0, stage);
      case 1:  // put
      case 9:  // put of an entity
        return add_in_family(OperationKind::kPut, number, *key, *value_bytes, stage);
      case 2:  // delete
      case 3:  // single delete
        return add_in_family(OperationKind::kDelete, number, *key, 0, stage);
      case 4:
        return stage.add_unsupported("a range delete");
      case 5:
        return stage.add_unsupported("a merge");
      case 6:
        return add_seek(number, *key, std::nullopt, stage);
      case 7:
        return stage.add_unsupported("a seek for the previous key");
      default:
        return wrong("a type from 0 to 9");
    }
  }
};

}  // namespace

Importer rocksdb_text_importer() {
  return {"rocksdb-text", "text of RocksDB's trace_analyzer: 0xKEY TYPE FAMILY VALUE_BYTES TIME",
          make_parser<RocksdbTextParser>, "0x61 1 0 100 17\n"};
}

}  // namespace lsmlab::importing
