// The parts of an importer. A format is one file of traces/importers/families/ that defines
// `Importer NAME_importer()`. The build collects these files, so you add a format by adding a file.
#pragma once

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/files/trace_file.h"
#include "traces/importers/import.h"
#include "traces/importers/key_ranking.h"
#include "traces/io/byte_file.h"
#include "traces/io/temporary_file.h"

namespace lsmlab::importing {

enum class Bound { kNone, kIncluded, kExcluded };

/// An operation with the key as it is in the input. Views are valid during the call.
struct NamedOperation {
  OperationKind kind = OperationKind::kGet;
  std::string_view key = {};                              // determines order and identity
  std::optional<std::uint64_t> key_bytes = std::nullopt;  // if it differs from the key's length
  std::uint64_t value_bytes = 0;
  Bound bound = Bound::kNone;
  std::string_view last_key = {};
  std::uint64_t scan_entries_max = 0;
  std::uint64_t repeats = 1;
};

/// Stores operations while the input is read, and delivers them with ids afterwards.
class Stage {
 public:
  static Result<std::unique_ptr<Stage>> create(const ImportOptions& options);

  /// Errors: a size that an operation cannot hold (input), the disk (machine).
  [[nodiscard]] Result<void> add(const NamedOperation& operation);
  /// Counts something that a trace cannot express, or returns an error.
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
  std::unique_ptr<TraceWriter> spool_;  // writes to file_
  KeyRanking ranking_;
  bool skip_unsupported_;
  std::uint64_t repeats_max_;
  StopFlag stop_;
  std::function<void(std::uint64_t, std::uint64_t)> on_progress_;
  std::function<Result<void>(const RecordedKeys&)> on_keys_;
  // Leading bytes of each key that are not of its text; nothing if keys differ in this, or are
  // stated to be longer than what is known of them.
  std::optional<std::uint64_t> order_bytes_ = {};
  bool has_texts_ = true;
  std::uint64_t added_ = 0;  // operations including repeats
  std::uint64_t delivered_ = 0;
  std::vector<Operation> batch_;  // operations to deliver next
  ImportReport report_;
};

/// Reads an input of one format from beginning to end.
class InputReader {
 public:
  InputReader() = default;
  InputReader(const InputReader&) = delete;
  InputReader& operator=(const InputReader&) = delete;
  virtual ~InputReader() = default;
  /// Errors: the input cannot be read or is wrong: the path, the place, what was found and what was
  /// expected.
  [[nodiscard]] virtual Result<void> read(const std::string& path, StopFlag stop, Stage& stage) = 0;
};

/// Reads an input that consists of lines.
class LineParser : public InputReader {
 public:
  [[nodiscard]] Result<void> read(const std::string& path, StopFlag stop, Stage& stage) final;

 private:
  /// Parses one line. An error says what is wrong; read() adds where. REQUIRES: the line is not
  /// empty.
  [[nodiscard]] virtual Result<void> parse(std::string_view line, Stage& stage) = 0;
};

/// One format.
struct Importer {
  std::string name;     // the value of --format
  std::string summary;  // one line: the program whose traces it reads
  std::unique_ptr<InputReader> (*make)();
  std::string_view example;  // a short input with an operation, from which tests and fuzzing start
};

/// All importers, ordered by name.
[[nodiscard]] std::vector<Importer> make_importers();

template <class Parser>
std::unique_ptr<InputReader> make_parser() {
  return std::make_unique<Parser>();
}

/// Removes the text before the first separator, and the separator, from the front of `text`, and
/// returns it. Without a separator it is the whole text.
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

/// The error for a field that is not as expected.
[[nodiscard]] Error wrong_field(std::string_view name, std::string_view found,
                                std::string_view expected);

/// Text of the input in quotes, for messages: shortened, because the input may be long and contain
/// anything.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace lsmlab::importing
