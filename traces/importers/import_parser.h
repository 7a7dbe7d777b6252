// Between import.cc and the parsers of the single formats: not for others.
#pragma once

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traces/files/trace_file.h"
#include "traces/importers/import.h"
#include "traces/importers/key_ranking.h"
#include "traces/io/byte_file.h"
#include "traces/io/temporary_file.h"

namespace lsmlab::importing {

enum class Bound { kNone, kIncluded, kExcluded };

/// An operation as an input names it. Views last for the call.
struct NamedOperation {
  OperationKind kind = OperationKind::kGet;
  std::string_view key = {};                              // decides order and identity
  std::optional<std::uint64_t> key_bytes = std::nullopt;  // where it is not the key's length
  std::uint64_t value_bytes = 0;
  Bound bound = Bound::kNone;
  std::string_view last_key = {};
  std::uint64_t scan_entries_max = 0;
  std::uint64_t repeats = 1;
};

/// Takes operations while the input is read, and hands them out with ids afterwards.
class Stage {
 public:
  static Result<std::unique_ptr<Stage>> create(const ImportOptions& options);

  /// Errors: a size that an operation cannot hold (input), the disk (machine).
  [[nodiscard]] Result<void> add(const NamedOperation& operation);
  /// Something that a trace cannot say: counted, or an error.
  [[nodiscard]] Result<void> add_unsupported(std::string_view what);
  void add_empty_line() { ++report_.lines_without_operation; }

  [[nodiscard]] Result<ImportReport> deliver(const OperationSink& sink);

 private:
  Stage(std::shared_ptr<TemporaryFile> file, std::unique_ptr<TraceWriter> spool,
        const ImportOptions& options);
  Result<Operation> named(const Operation& spooled);
  Result<void> deliver_repeats(const Operation& operation, std::uint64_t repeats,
                               const OperationSink& sink);

  std::shared_ptr<TemporaryFile> file_;
  std::unique_ptr<TraceWriter> spool_;  // to the file
  KeyRanking ranking_;
  bool skip_unsupported_;
  std::uint64_t repeats_max_;
  StopFlag stop_;
  std::function<void(std::uint64_t, std::uint64_t)> on_progress_;
  std::uint64_t added_ = 0;  // operations, repeats included
  std::uint64_t delivered_ = 0;
  std::vector<Operation> batch_;  // to be delivered
  ImportReport report_;
};

/// Parses one line; errors say what is wrong, the caller adds where.
class LineParser {
 public:
  LineParser() = default;
  LineParser(const LineParser&) = delete;
  LineParser& operator=(const LineParser&) = delete;
  virtual ~LineParser() = default;
  [[nodiscard]] virtual Result<void> parse(std::string_view line, Stage& stage) = 0;
};

std::unique_ptr<LineParser> make_kv_workload_parser();
std::unique_ptr<LineParser> make_ycsb_parser();
std::unique_ptr<LineParser> make_rocksdb_text_parser();
std::unique_ptr<LineParser> make_twemcache_parser();
std::unique_ptr<LineParser> make_cachelib_parser();

[[nodiscard]] Result<void> read_rocksdb_binary(const std::string& path, StopFlag stop,
                                               Stage& stage);

/// Takes the text before the separator, and the separator, off the front; all if there is none.
inline std::string_view take_field(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view field = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return field;
}

inline std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// For messages: input may be long and hold anything.
[[nodiscard]] std::string quoted(std::string_view text);

/// Makes a key of a column family. Families are disjoint ranges of the order, by their number.
inline std::string family_key(std::uint32_t family, std::string_view key) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(family >> shift & 0xffU);
  return text.append(key);
}

/// An operation of RocksDB on a key of a family; REQUIRES: no scan.
[[nodiscard]] Result<void> add_in_family(OperationKind kind, std::uint32_t family,
                                         std::string_view key, std::uint64_t value_bytes,
                                         Stage& stage);
/// A seek: a scan of one entry, up to the bound (excluded) or the end of the family.
[[nodiscard]] Result<void> add_seek(std::uint32_t family, std::string_view key,
                                    std::optional<std::string_view> upper_bound, Stage& stage);

}  // namespace lsmlab::importing
