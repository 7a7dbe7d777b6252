// Feeds logs to their readers: whole texts, and files of any size as streams.
#include "traces/stores/info_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/quantity_text.h"
#include "traces/stores/log_dress.h"
#include "traces/stores/log_outcome.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

Salvaged<InfoLog> read_lines(InfoLogReader& reader, std::string_view bytes) {
  Lines lines(bytes);
  LogDress dress;
  while (const auto line = lines.next()) {
    const std::string_view bare = dress.bare(*line);
    reader.set_source(dress.source());
    reader.add_line(bare, lines.is_whole(), lines.number());
  }
  return reader.finish();
}

// Collects the line that buffers of a stream share. What a line has beyond the limit is left out.
class LineCollector {
 public:
  explicit LineCollector(InfoLogReader& reader) : reader_(reader) {}

  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      const std::size_t room = kInfoLogLineBytesMax - line_.size();
      if (part.size() > room && !too_long_) too_long_ = number_ + 1;
      line_.append(part.substr(0, room));
      if (end == std::string_view::npos) return;
      end_line(true);
      bytes.remove_prefix(end + 1);
    }
  }

  Salvaged<InfoLog> finish() {
    if (!line_.empty()) end_line(false);
    Salvaged<InfoLog> log = reader_.finish();
    if (too_long_ && !log.fault) {
      log.fault = input_error(fmt::format("line {}: is longer than {}; the rest of it is left out",
                                          *too_long_, bytes_text(kInfoLogLineBytesMax)));
    }
    return log;
  }

 private:
  void end_line(bool is_whole) {
    std::string_view line = line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view bare = dress_.bare(line);
    reader_.set_source(dress_.source());
    reader_.add_line(bare, is_whole, ++number_);
    line_.clear();
  }

  InfoLogReader& reader_;
  LogDress dress_;
  std::string line_;
  std::size_t number_ = 0;
  std::optional<std::size_t> too_long_;
};

}  // namespace

std::string_view name_of(StallCause cause) {
  switch (cause) {
    case StallCause::kLevel0Files:
      return "level-0 files";
    case StallCause::kMemtables:
      return "full memtables";
    case StallCause::kPendingBytes:
      return "pending compaction bytes";
    case StallCause::kOther:
      break;
  }
  return "other";
}

std::uint64_t LoggedFlush::bytes() const {
  std::uint64_t sum = 0;
  for (const LoggedTable& table : outputs) sum += table.bytes;
  return sum;
}

bool is_rocksdb_log(std::string_view bytes) {
  constexpr std::string_view kMarks[] = {"RocksDB version", "Speedb version",   "EVENT_LOG_v1 ",
                                         " Options.",       " writes because ", kOutcomeMark};
  const std::string_view head = bytes.substr(0, 1U << 18);
  const bool is_marked = std::any_of(
      std::begin(kMarks), std::end(kMarks),
      [head](std::string_view mark) { return head.find(mark) != std::string_view::npos; });
  return is_marked && has_log_lines(head);
}

Salvaged<InfoLog> read_rocksdb_log(std::string_view bytes) {
  return read_lines(*rocksdb_log_reader(), bytes);
}

Salvaged<InfoLog> read_leveldb_log(std::string_view bytes) {
  return read_lines(*leveldb_log_reader(), bytes);
}

std::unique_ptr<InfoLogReader> info_log_reader(std::string_view head) {
  if (is_rocksdb_log(head)) return rocksdb_log_reader();
  if (is_leveldb_log(head)) return leveldb_log_reader();
  return nullptr;
}

Result<Salvaged<InfoLog>> read_info_log(ByteReader& file, InfoLogReader& reader) {
  LineCollector lines(reader);
  for (;;) {
    const auto bytes = BOOST_OUTCOME_TRYX(file.peek());
    if (bytes.empty()) return lines.finish();
    lines.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file.consume(bytes.size());
  }
}

}  // namespace lsmlab::stores
