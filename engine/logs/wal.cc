#include "engine/logs/wal.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/logs/field_codec.h"
#include "engine/logs/record_log.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kBatchHeaderBytesMax = sizeof(std::uint64_t) + 2 * kVarintBytesMax;
constexpr std::uint64_t kMarkSequence = 0;  // in place of a batch's first sequence number
constexpr std::uint64_t kEntryBytesMin = 3;
constexpr std::uint64_t kOperationsMax = std::uint64_t{1} << 62;  // more than a store's life has

// A batch of at least this size is written without copying it: one value may have 1 GiB.
constexpr std::size_t kCopiedBytesMax = std::size_t{4} << 20;

void append_batch_header(std::string& payload, const LoggedBatch& batch) {
  append_fixed(payload, batch.first_sequence);
  append_varint(payload, batch.now.value());
  append_varint(payload, batch.entries);
}

std::optional<LoggedBatch> parse_batch(std::string_view payload) {
  FieldReader fields(payload);
  const auto first_sequence = fields.fixed<std::uint64_t>();
  const auto now = fields.varint();
  const auto entries = fields.varint();
  if (!first_sequence || !now || !entries) return std::nullopt;
  if (*first_sequence == kMarkSequence || *first_sequence > kSequenceMax) return std::nullopt;
  if (*now > kOperationsMax || *entries > fields.rest().size() / kEntryBytesMin) {
    return std::nullopt;
  }
  return LoggedBatch{*first_sequence, Instant(*now), *entries, fields.rest()};
}

std::optional<LogMark> parse_mark(std::string_view payload) {
  FieldReader fields(payload);
  const auto sequence = fields.fixed<std::uint64_t>();
  const auto kind = fields.fixed<std::uint8_t>();
  const auto log = fields.varint();
  const auto number = fields.varint();
  if (!sequence || !kind || !log || !number || *sequence != kMarkSequence) return std::nullopt;
  const auto known = static_cast<LogMark::Kind>(*kind);
  if (known < LogMark::Kind::kBegin || known > LogMark::Kind::kSuccessor) return std::nullopt;
  if (!fields.rest().empty()) return std::nullopt;
  const bool has_sequence = known == LogMark::Kind::kBegin;
  if (has_sequence && (*number == 0 || *number > kSequenceMax + 1)) return std::nullopt;
  return LogMark{known, *log, *number};
}

// Whether the payload's first fields look like a batch of this log behind write `last`.
bool is_likely_batch(std::string_view payload, std::uint64_t last, std::uint64_t log_bytes) {
  const std::optional<LoggedBatch> batch = parse_batch(payload);
  if (!batch || batch->entries == 0) return false;
  if (batch->first_sequence <= last || batch->first_sequence - last > log_bytes) return false;
  FieldReader fields(batch->encoded);
  const auto kind = fields.fixed<std::uint8_t>();
  const auto key_bytes = fields.varint();
  const auto value_bytes = fields.varint();
  if (!kind || *kind > 1 || !key_bytes || *key_bytes == 0 || !value_bytes) return false;
  const bool fits = fields.bytes(*key_bytes) && fields.bytes(*value_bytes);
  return fits && (batch->entries > 1 || fields.rest().empty());
}

// The batch in a whole record. Errors: why it holds none.
Result<LoggedBatch> sound_batch(std::string_view payload) {
  const std::optional<LoggedBatch> batch = parse_batch(payload);
  if (!batch) return input_error("it is not a write batch, though its checksum matches");
  BOOST_OUTCOME_TRYV(visit_entries(*batch, [](const EntryView&) {}));
  return *batch;
}

void take_mark(const LogMark& mark, std::uint64_t offset, WalContents& contents) {
  if (mark.kind == LogMark::Kind::kBegin && offset == 0) contents.begins_with = mark.number;
  if (mark.kind == LogMark::Kind::kSuccessor) contents.successor = mark.number;
}

// What is known of a log before its damage.
struct Known {
  std::optional<std::uint64_t> log;  // its number
  bool has_marks = true;             // unknown if the damage is at the log's begin
  std::uint64_t last_sequence = 0;
  std::uint64_t synced_bytes = 0;
};

// Searches behind the damage for marks and batches that prove it was durable.
void search_behind(std::string_view log, const Known& known, WalContents& contents) {
  LogDamage& damage = *contents.damage;
  const auto is_own = [&](const LogMark& mark) {
    return known.has_marks && (!known.log || mark.log == *known.log) &&
           (mark.kind != LogMark::Kind::kSynced || mark.number <= log.size());
  };
  RecordSearch search(log, [&](std::string_view payload) {
    const std::optional<LogMark> mark = parse_mark(payload);
    return mark ? is_own(*mark) : is_likely_batch(payload, known.last_sequence, log.size());
  });
  std::uint64_t from = damage.offset + 1;
  while (const auto found = search.find(from)) {
    if (!found->is_certain) {
      damage.is_searched_whole = false;
      return;
    }
    const std::optional<LogMark> mark = parse_mark(found->payload);
    if (!mark) ++damage.batches_behind;
    if (mark) take_mark(*mark, found->offset, contents);
    if (mark && mark->kind == LogMark::Kind::kSynced) {
      damage.synced_bytes = std::max(damage.synced_bytes, mark->number);
    }
    from = found->offset + kRecordHeaderBytes + found->payload.size();
  }
}

}  // namespace

void encode_entry(std::string& encoded, std::string_view key, std::string_view value,
                  bool is_tombstone) {
  encoded.push_back(is_tombstone ? '\1' : '\0');
  append_varint(encoded, key.size());
  append_varint(encoded, value.size());
  encoded += key;
  encoded += value;
}

Result<void> visit_entries(const LoggedBatch& batch,
                           const std::function<void(const EntryView&)>& visit) {
  FieldReader fields(batch.encoded);
  for (std::uint64_t i = 0; i < batch.entries; ++i) {
    const auto kind = fields.fixed<std::uint8_t>();
    const auto key_bytes = fields.varint();
    const auto value_bytes = fields.varint();
    const auto key = fields.bytes(key_bytes.value_or(0));
    const auto value = fields.bytes(value_bytes.value_or(0));
    if (!kind || !key || !value || *kind > 1 || (*kind == 1 && !value->empty())) {
      return input_error(fmt::format("entry {} of {} in the batch of sequence number {} is damaged",
                                     i + 1, batch.entries, batch.first_sequence));
    }
    if (batch.first_sequence > kSequenceMax || i > kSequenceMax - batch.first_sequence) {
      return input_error(
          fmt::format("the batch of sequence number {} exceeds the largest sequence number, {}",
                      batch.first_sequence, kSequenceMax));
    }
    visit({*key, *value, make_tag(batch.first_sequence + i, *kind == 1)});
  }
  if (!fields.rest().empty()) {
    return input_error(
        fmt::format("the batch of sequence number {} has {} bytes after its {} entries",
                    batch.first_sequence, fields.rest().size(), batch.entries));
  }
  return success();
}

WalWriter::WalWriter(std::unique_ptr<WritableFile> file, std::uint64_t buffer_bytes)
    : file_(std::move(file)), buffer_bytes_(buffer_bytes), size_(file_->size()) {}

Result<void> WalWriter::keep(Result<void> outcome) {
  if (!outcome && error_) error_ = outcome;
  return outcome;
}

Result<void> WalWriter::flush_full() {
  return buffer_.size() >= buffer_bytes_ ? flush() : success();
}

Result<void> WalWriter::append_mark(LogMark::Kind kind, std::uint64_t number) {
  BOOST_OUTCOME_TRYV(error_);
  const std::size_t begin = begin_record(buffer_);
  append_fixed(buffer_, kMarkSequence);
  append_fixed(buffer_, static_cast<std::uint8_t>(kind));
  append_varint(buffer_, log_);
  append_varint(buffer_, number);
  end_record(buffer_, begin);
  size_ += buffer_.size() - begin;
  return flush_full();
}

Result<void> WalWriter::begin(std::uint64_t log, std::uint64_t next_sequence) {
  CHECK(size_ == 0);
  log_ = log;
  return append_mark(LogMark::Kind::kBegin, next_sequence);
}

Result<void> WalWriter::append(const LoggedBatch& batch) {
  BOOST_OUTCOME_TRYV(error_);
  if (batch.encoded.size() > kRecordPayloadBytesMax - kBatchHeaderBytesMax) {
    return input_error(
        fmt::format("a batch of {} bytes does not fit a record of the log", batch.encoded.size()));
  }
  if (batch.encoded.size() >= kCopiedBytesMax) return append_large(batch);
  const std::size_t begin = begin_record(buffer_);
  append_batch_header(buffer_, batch);
  buffer_ += batch.encoded;
  end_record(buffer_, begin);
  size_ += buffer_.size() - begin;
  batches_end_ = size_;
  return flush_full();
}

Result<void> WalWriter::append_large(const LoggedBatch& batch) {
  BOOST_OUTCOME_TRYV(flush());
  std::string header;
  append_batch_header(header, batch);
  const std::string record = record_header(header, batch.encoded) + header;
  size_ += record.size() + batch.encoded.size();
  batches_end_ = size_;
  BOOST_OUTCOME_TRYV(keep(file_->append(record)));
  return keep(file_->append(batch.encoded));
}

Result<void> WalWriter::flush() {
  BOOST_OUTCOME_TRYV(error_);
  if (buffer_.empty()) return success();
  const Result<void> outcome = keep(file_->append(buffer_));
  buffer_.clear();
  return outcome;
}

Result<void> WalWriter::sync() {
  BOOST_OUTCOME_TRYV(flush());
  BOOST_OUTCOME_TRYV(keep(file_->sync()));
  return note_synced(size_);
}

Result<void> WalWriter::note_synced(std::uint64_t bytes) {
  // A mark that covers only marks would prove nothing.
  if (marked_bytes_ >= std::min(bytes, batches_end_)) return success();
  marked_bytes_ = bytes;
  BOOST_OUTCOME_TRYV(append_mark(LogMark::Kind::kSynced, bytes));
  // Write it to the file: a mark in the buffer would prove nothing after the process is killed.
  return flush();
}

Result<void> WalWriter::name_successor(std::uint64_t number) {
  return append_mark(LogMark::Kind::kSuccessor, number);
}

Result<void> WalWriter::close() {
  BOOST_OUTCOME_TRYV(flush());
  return keep(file_->close());
}

Result<WalContents> read_wal(FileSystem& files, const std::string& path,
                             const WalVisitor& visitor) {
  const std::string log = BOOST_OUTCOME_TRYX(files.read_file(path));
  RecordReader records(log);
  WalContents contents;
  contents.bytes = log.size();
  Known known;
  while (const auto payload = records.next()) {
    const std::uint64_t offset = records.offset();
    if (const auto mark = parse_mark(*payload)) {
      take_mark(*mark, offset, contents);
      if (offset == 0) known.log = mark->log;
      if (mark->kind == LogMark::Kind::kBegin) known.last_sequence = mark->number - 1;
      if (mark->kind == LogMark::Kind::kSynced) known.synced_bytes = mark->number;
      if (visitor.mark) visitor.mark(offset, *mark);
    } else {
      const auto batch = sound_batch(*payload);
      if (!batch) {
        contents.damage = LogDamage{offset, "is damaged: " + batch.error().message};
        contents.damage->is_whole = true;
        break;
      }
      if (offset == 0) known.has_marks = false;
      BOOST_OUTCOME_TRYV(visitor.batch(offset, batch.value()));
      ++contents.batches;
      known.last_sequence = batch.value().first_sequence + batch.value().entries - 1;
    }
    contents.valid_bytes = records.end();
  }
  if (!contents.damage && records.damage()) {
    contents.damage = LogDamage{records.damage()->offset, std::string(records.damage()->reason)};
  }
  if (contents.damage) {
    contents.damage->synced_bytes = known.synced_bytes;
    search_behind(log, known, contents);
  }
  return contents;
}

}  // namespace lsmlab::engine
