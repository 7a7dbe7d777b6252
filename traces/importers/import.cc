#include "traces/importers/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/importers/import_parser.h"
#include "traces/io/line_reader.h"

namespace lsmlab {
namespace importing {
namespace {

constexpr std::size_t kBatch = 4096;

}  // namespace

Result<void> LineParser::read(const std::string& path, StopFlag stop, Stage& stage) {
  auto lines = BOOST_OUTCOME_TRYX(LineReader::open(path, stop));
  for (;;) {
    BOOST_OUTCOME_TRYV(check_stop(stop));
    auto line = BOOST_OUTCOME_TRYX(lines->next());
    if (!line) return success();
    if (line->empty()) {
      stage.add_empty_line();
      continue;
    }
    const auto parsed = parse(*line, stage);
    if (parsed) continue;
    Error error = parsed.error();
    if (error.kind == ErrorKind::kInput) error.message = lines->place() + error.message;
    return error;
  }
}

Error wrong_field(std::string_view name, std::string_view found, std::string_view expected) {
  return input_error(fmt::format("{} {}; expected {}", name, quoted(found), expected));
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string shown = "\"";
  for (const char character : text.substr(0, kShown)) {
    shown += character >= ' ' && character <= '~' ? character : '?';
  }
  return shown + (text.size() > kShown ? "...\"" : "\"");
}

Result<std::unique_ptr<Stage>> Stage::create(const ImportOptions& options) {
  if (options.memory_bytes_max < kImportMemoryBytesMin) {
    return input_error(fmt::format("{} bytes of memory for the import; expected at least {}",
                                   options.memory_bytes_max, kImportMemoryBytesMin));
  }
  auto file = BOOST_OUTCOME_TRYX(TemporaryFile::create(options.temporary_directory));
  auto spool = BOOST_OUTCOME_TRYX(TraceWriter::create(std::make_unique<TemporarySink>(file)));
  return std::unique_ptr<Stage>(new Stage(std::move(file), std::move(spool), options));
}

Stage::Stage(std::shared_ptr<TemporaryFile> file, std::unique_ptr<TraceWriter> spool,
             const ImportOptions& options)
    : file_(std::move(file)),
      spool_(std::move(spool)),
      ranking_(options.temporary_directory, static_cast<std::size_t>(options.memory_bytes_max),
               options.stop),
      skip_unsupported_(options.skip_unsupported),
      repeats_max_(options.repeats_max),
      stop_(options.stop),
      on_progress_(options.on_progress),
      on_keys_(options.on_keys) {}

// Until keys have ids, the spool stores the number of repeats in place of an operation's key, and
// the kind of bound in place of a scan's last key.
Result<void> Stage::add(const NamedOperation& operation) {
  const std::uint64_t key_bytes = operation.key_bytes.value_or(operation.key.size());
  if (std::max({key_bytes, std::uint64_t{operation.key.size()},
                std::uint64_t{operation.last_key.size()}}) > kSortKeyBytesMax) {
    return input_error(fmt::format("a key of {} bytes; expected at most {}",
                                   std::max<std::uint64_t>(key_bytes, operation.key.size()),
                                   kSortKeyBytesMax));
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (operation.value_bytes > kMost || operation.scan_entries_max > kMost) {
    return input_error(fmt::format("a value of {} bytes, a scan of {} entries; expected at most {}",
                                   operation.value_bytes, operation.scan_entries_max, kMost));
  }
  if (operation.repeats == 0) return input_error("op_count 0; expected at least 1");
  if (operation.repeats > repeats_max_) {
    return input_error(fmt::format(
        "op_count {} expands this row to {} operations; expected at most {} "
        "(--repeats-max allows more)",
        operation.repeats, grouped_text(operation.repeats), grouped_text(repeats_max_)));
  }
  if (operation.repeats > kImportOperationsMax - added_) {
    return input_error(fmt::format("{} operations so far; a trace holds at most {}",
                                   grouped_text(Uint128{added_} + operation.repeats),
                                   grouped_text(kImportOperationsMax)));
  }
  added_ += operation.repeats;
  const std::uint64_t order_bytes =
      operation.key.size() - std::min<std::uint64_t>(operation.key.size(), key_bytes);
  has_texts_ = has_texts_ && key_bytes <= operation.key.size() &&
               order_bytes_.value_or(order_bytes) == order_bytes;
  order_bytes_ = order_bytes;
  BOOST_OUTCOME_TRYV(ranking_.add(operation.key, KeyRole::kKey));
  if (operation.bound != Bound::kNone) {
    BOOST_OUTCOME_TRYV(ranking_.add(operation.last_key, KeyRole::kBound));
  }
  const Operation spooled{
      .key = operation.repeats,
      .scan_last_key = static_cast<std::uint64_t>(operation.bound),
      .scan_entries_max = static_cast<std::uint32_t>(operation.scan_entries_max),
      .value_bytes = static_cast<std::uint32_t>(operation.value_bytes),
      .key_bytes = static_cast<std::uint16_t>(key_bytes),
      .kind = operation.kind};
  return spool_->append({&spooled, 1});
}

Result<void> Stage::add_unsupported(std::string_view what) {
  if (!skip_unsupported_) {
    return input_error(
        fmt::format("{} cannot be imported; --skip-unsupported leaves it out", what));
  }
  ++report_.skipped;
  return success();
}

Result<Operation> Stage::named(const Operation& spooled) {
  Operation operation = spooled;
  auto key = BOOST_OUTCOME_TRYX(ranking_.next());
  operation.key = key;
  if (operation.kind != OperationKind::kScan) return operation;
  operation.scan_last_key = std::numeric_limits<std::uint64_t>::max();
  const auto bound = static_cast<Bound>(spooled.scan_last_key);
  if (bound != Bound::kNone) {
    auto last_key = BOOST_OUTCOME_TRYX(ranking_.next());
    // Ids are at least 2 apart and above 0. So the bound's id minus one is below the bound and
    // above every lower key.
    operation.scan_last_key = bound == Bound::kExcluded ? last_key - 1 : last_key;
  }
  return operation;
}

Result<ImportReport> Stage::deliver(const OperationSink& sink) {
  BOOST_OUTCOME_TRYV(spool_->finish());
  BOOST_OUTCOME_TRYV(ranking_.rank(order_bytes_.value_or(0)));
  report_.distinct_keys = ranking_.distinct_keys();
  if (on_keys_) {
    RecordedKeys keys = ranking_.recorded();
    if (!has_texts_) keys.shared_32nds.clear();
    BOOST_OUTCOME_TRYV(on_keys_(keys));
  }
  constexpr std::uint64_t kToTheEnd = std::numeric_limits<std::uint64_t>::max();
  auto spool = BOOST_OUTCOME_TRYX(
      TraceReader::open(std::make_unique<ByteReader>(file_->name(), part_of(file_, 0, kToTheEnd))));
  std::vector<Operation> spooled(kBatch);
  for (;;) {
    BOOST_OUTCOME_TRYV(check_stop(stop_));
    auto count = BOOST_OUTCOME_TRYX(spool->fill(spooled));
    for (const Operation& from : std::span(spooled).first(count)) {
      auto operation = BOOST_OUTCOME_TRYX(named(from));
      BOOST_OUTCOME_TRYV(deliver_repeats(operation, from.key, sink));
    }
    if (count < spooled.size()) break;
  }
  if (!batch_.empty()) {
    BOOST_OUTCOME_TRYV(sink(batch_));
  }
  return report_;
}

// One row may stand for very many operations.
Result<void> Stage::deliver_repeats(const Operation& operation, std::uint64_t repeats,
                                    const OperationSink& sink) {
  report_.operations += repeats;
  report_.by_kind[static_cast<std::size_t>(operation.kind)] += repeats;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    batch_.push_back(operation);
    if (batch_.size() < kBatch) continue;
    BOOST_OUTCOME_TRYV(check_stop(stop_));
    BOOST_OUTCOME_TRYV(sink(batch_));
    delivered_ += batch_.size();
    batch_.clear();
    constexpr std::uint64_t kToldOperations = 1024 * kBatch;
    if (on_progress_ && delivered_ % kToldOperations == 0) on_progress_(delivered_, added_);
  }
  return success();
}

}  // namespace importing

std::vector<ImportFormat> import_formats() {
  std::vector<ImportFormat> formats;
  for (importing::Importer& importer : importing::make_importers()) {
    formats.push_back({std::move(importer.name), std::move(importer.summary)});
  }
  return formats;
}

std::vector<std::string> names_of_import_formats() {
  std::vector<std::string> names;
  for (ImportFormat& format : import_formats()) names.push_back(std::move(format.name));
  return names;
}

Result<ImportReport> import_trace(const ImportOptions& options, const OperationSink& sink) {
  for (const importing::Importer& importer : importing::make_importers()) {
    if (importer.name != options.format) continue;
    auto stage = BOOST_OUTCOME_TRYX(importing::Stage::create(options));
    BOOST_OUTCOME_TRYV(importer.make()->read(options.path, options.stop, *stage));
    return stage->deliver(sink);
  }
  return input_error(fmt::format("unknown format '{}'{}", excerpt(options.format),
                                 suggestion(options.format, names_of_import_formats())));
}

}  // namespace lsmlab
