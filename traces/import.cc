#include "traces/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "traces/import_parser.h"

namespace lsmlab {
namespace importing {
namespace {

constexpr std::size_t kLineBytesMax = std::size_t{16} << 20;
constexpr std::uint64_t kRepeatsMax = 100'000'000;
constexpr std::size_t kBatch = 4096;

struct FormatName {
  ImportFormat format;
  std::string_view name;
};
constexpr std::array<FormatName, 6> kFormats{{{ImportFormat::kKvWorkload, "kv-workload"},
                                              {ImportFormat::kYcsb, "ycsb"},
                                              {ImportFormat::kRocksdbText, "rocksdb-text"},
                                              {ImportFormat::kRocksdbBinary, "rocksdb-binary"},
                                              {ImportFormat::kTwemcache, "twemcache"},
                                              {ImportFormat::kCachelib, "cachelib"}}};

// Lines without their ends, LF or CR LF.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteReader> file) : file_(std::move(file)) {}

  /// The next line, valid until the next call; none at the end.
  Result<std::optional<std::string_view>> next() {
    ++number_;
    line_.clear();
    for (;;) {
      auto bytes = BOOST_OUTCOME_TRYX(file_->peek());
      if (bytes.empty()) break;
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      const std::size_t end = text.find('\n');
      line_ += text.substr(0, end);
      if (line_.size() > kLineBytesMax) {
        return input_error(fmt::format("longer than {} bytes", kLineBytesMax));
      }
      file_->consume(end == std::string_view::npos ? text.size() : end + 1);
      if (end != std::string_view::npos) return whole_line();
    }
    if (line_.empty()) return std::optional<std::string_view>();
    return whole_line();
  }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::optional<std::string_view> whole_line() {
    if (line_.ends_with('\r')) line_.pop_back();
    return line_;
  }

  std::unique_ptr<ByteReader> file_;
  std::string line_;
  std::uint64_t number_ = 0;
};

Result<void> read_lines(const std::string& path, LineParser& parser, Stage& stage) {
  auto file = BOOST_OUTCOME_TRYX(ByteReader::open(path));
  LineReader lines(std::move(file));
  const auto located = [&](Error error) {
    if (error.kind == ErrorKind::kInput) {
      error.message = fmt::format("{}: line {}: {}", path, lines.number(), error.message);
    }
    return error;
  };
  for (;;) {
    const auto line = lines.next();
    if (!line) return located(line.error());
    if (!line.value()) return success();
    if (line.value()->empty()) {
      stage.add_empty_line();
      continue;
    }
    const auto parsed = parser.parse(*line.value(), stage);
    if (!parsed) return located(parsed.error());
  }
}

Result<void> read_input(const ImportOptions& options, Stage& stage) {
  std::unique_ptr<LineParser> parser;
  switch (options.format) {
    case ImportFormat::kKvWorkload:
      parser = make_kv_workload_parser();
      break;
    case ImportFormat::kYcsb:
      parser = make_ycsb_parser();
      break;
    case ImportFormat::kRocksdbText:
      parser = make_rocksdb_text_parser();
      break;
    case ImportFormat::kTwemcache:
      parser = make_twemcache_parser();
      break;
    case ImportFormat::kCachelib:
      parser = make_cachelib_parser();
      break;
    case ImportFormat::kRocksdbBinary:
      return read_rocksdb_binary(options.path, stage);
  }
  return read_lines(options.path, *parser, stage);
}

}  // namespace

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
    return input_error(fmt::format("an import within {} bytes of memory; expected at least {}",
                                   options.memory_bytes_max, kImportMemoryBytesMin));
  }
  auto directory = BOOST_OUTCOME_TRYX(TemporaryDirectory::create(options.temporary_directory));
  auto spool = BOOST_OUTCOME_TRYX(TraceWriter::create(directory->path() + "/operations"));
  return std::unique_ptr<Stage>(new Stage(std::move(directory), std::move(spool), options));
}

Stage::Stage(std::unique_ptr<TemporaryDirectory> directory, std::unique_ptr<TraceWriter> spool,
             const ImportOptions& options)
    : directory_(std::move(directory)),
      spool_(std::move(spool)),
      ranking_(directory_->path(), static_cast<std::size_t>(options.memory_bytes_max)),
      skip_unsupported_(options.skip_unsupported),
      stop_(options.stop) {}

Result<void> Stage::check_stop() const {
  if (stop_ == nullptr || !stop_->load(std::memory_order_relaxed)) return success();
  return machine_error("the import was stopped");
}

// Until keys have ids, an operation's key is spooled as its number of repeats, and a scan's last
// key as its kind of bound.
Result<void> Stage::add(const NamedOperation& operation) {
  BOOST_OUTCOME_TRYV(check_stop());
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
  if (operation.repeats == 0 || operation.repeats > kRepeatsMax) {
    return input_error(
        fmt::format("repeated {} times; expected 1 to {}", operation.repeats, kRepeatsMax));
  }
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
    return input_error(fmt::format("{} cannot be imported; it can be skipped on request", what));
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
    // Ids are at least 2 apart and above 0: one less is below the bound and above every lower key.
    operation.scan_last_key = bound == Bound::kExcluded ? last_key - 1 : last_key;
  }
  return operation;
}

Result<ImportReport> Stage::deliver(const OperationSink& sink) {
  BOOST_OUTCOME_TRYV(spool_->finish());
  BOOST_OUTCOME_TRYV(ranking_.rank());
  report_.distinct_keys = ranking_.distinct_keys();
  auto spool = BOOST_OUTCOME_TRYX(TraceReader::open(directory_->path() + "/operations"));
  std::vector<Operation> spooled(kBatch);
  std::vector<Operation> operations;
  for (;;) {
    BOOST_OUTCOME_TRYV(check_stop());
    auto count = BOOST_OUTCOME_TRYX(spool->fill(spooled));
    for (const Operation& from : std::span(spooled).first(count)) {
      auto operation = BOOST_OUTCOME_TRYX(named(from));
      report_.operations += from.key;
      report_.by_kind[static_cast<std::size_t>(from.kind)] += from.key;
      for (std::uint64_t repeat = 0; repeat < from.key; ++repeat) {
        operations.push_back(operation);
        if (operations.size() == kBatch) {
          BOOST_OUTCOME_TRYV(sink(operations));
          operations.clear();
        }
      }
    }
    if (count < spooled.size()) break;
  }
  if (!operations.empty()) {
    BOOST_OUTCOME_TRYV(sink(operations));
  }
  return report_;
}

}  // namespace importing

std::optional<ImportFormat> import_format_of(std::string_view name) {
  for (const auto& format : importing::kFormats) {
    if (format.name == name) return format.format;
  }
  return std::nullopt;
}

std::vector<std::string> names_of_import_formats() {
  std::vector<std::string> names;
  for (const auto& format : importing::kFormats) names.emplace_back(format.name);
  return names;
}

Result<ImportReport> import_trace(const ImportOptions& options, const OperationSink& sink) {
  auto stage = BOOST_OUTCOME_TRYX(importing::Stage::create(options));
  BOOST_OUTCOME_TRYV(importing::read_input(options, *stage));
  return stage->deliver(sink);
}

}  // namespace lsmlab
