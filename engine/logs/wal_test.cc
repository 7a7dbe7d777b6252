#include "engine/logs/wal.h"

#include <fmt/format.h>

#include <random>
#include <vector>

#include "engine/logs/field_codec.h"
#include "engine/logs/record_log.h"
#include "models/sizes/wal_record.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"

namespace lsmlab::engine::wal_test {
namespace {

const std::string kPath = "db/000001.wal";

struct Written {
  std::string key;
  std::string value;
  bool is_tombstone = false;
};
struct Batch {
  std::uint64_t first_sequence = 0;
  std::uint64_t now = 0;
  std::vector<Written> entries;
};

std::vector<Batch> draw_batches(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Batch> batches;
  std::uint64_t sequence = 1;
  for (std::size_t i = 0; i < count; ++i) {
    Batch batch{sequence, 3 * sequence, {}};
    for (std::uint64_t entries = random() % 4; entries > 0; --entries) {
      const bool is_tombstone = random() % 3 == 0;
      batch.entries.push_back({std::string(random() % 9, static_cast<char>(random() % 256)),
                               is_tombstone ? "" : fmt::format("value {}", random() % 1000),
                               is_tombstone});
    }
    sequence += batch.entries.size();
    batches.push_back(std::move(batch));
  }
  return batches;
}

Result<void> append(WalWriter& wal, const Batch& batch) {
  std::string encoded;
  for (const Written& entry : batch.entries) {
    encode_entry(encoded, entry.key, entry.value, entry.is_tombstone);
  }
  return wal.append({batch.first_sequence, Instant(batch.now), batch.entries.size(), encoded});
}

std::string text_of(const LoggedBatch& batch) {
  std::string text = fmt::format("{}@{}:", batch.first_sequence, batch.now.value());
  const Result<void> visited = visit_entries(batch, [&](const EntryView& entry) {
    text += fmt::format(" {}{}={}#{}", entry.is_tombstone() ? "-" : "", entry.key, entry.value,
                        entry.sequence());
  });
  REQUIRE(visited);
  return text;
}

std::string text_of(const Batch& batch) {
  std::string encoded;
  for (const Written& entry : batch.entries) {
    encode_entry(encoded, entry.key, entry.value, entry.is_tombstone);
  }
  return text_of(
      LoggedBatch{batch.first_sequence, Instant(batch.now), batch.entries.size(), encoded});
}

WalVisitor into(std::vector<std::string>& texts) {
  WalVisitor visitor;
  visitor.batch = [&](std::uint64_t, const LoggedBatch& batch) -> Result<void> {
    texts.push_back(text_of(batch));
    return success();
  };
  return visitor;
}

std::vector<std::string> read_texts(FileSystem& files, WalContents* contents = nullptr) {
  std::vector<std::string> texts;
  const auto found = read_wal(files, kPath, into(texts));
  REQUIRE(found);
  REQUIRE(found.value().batches == texts.size());
  REQUIRE(found.value().bytes == files.read_file(kPath).value().size());
  REQUIRE(found.value().damage.has_value() == (found.value().dropped_bytes() > 0));
  if (contents != nullptr) *contents = found.value();
  return texts;
}

WalWriter open_wal(FaultFileSystem& files, std::uint64_t buffer_bytes) {
  REQUIRE(files.create_directory("db"));
  auto file = files.create(kPath, {WriteKind::kWal});
  REQUIRE(file);
  return WalWriter(std::move(file).value(), buffer_bytes);
}

void require_prefix(const std::vector<std::string>& found, const std::vector<Batch>& batches) {
  REQUIRE(found.size() <= batches.size());
  for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == text_of(batches[i]));
}

TEST_CASE("a record of one write is as large as the model of sizes says") {
  for (const std::uint64_t now : {std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128},
                                  std::uint64_t{1} << 20, std::uint64_t{1} << 27}) {
    for (const std::size_t value_bytes : {0u, 112u, 127u, 128u, 20'000u}) {
      FaultFileSystem files(1);
      REQUIRE(files.create_directory("db"));
      WalWriter wal(files.create(kPath, {WriteKind::kWal}).value(), 0);
      const std::string key(16, 'k');
      REQUIRE(append(wal, {5, now, {{key, std::string(value_bytes, 'v'), value_bytes == 0}}}));
      INFO(now << ", " << value_bytes);
      REQUIRE(wal.size() == wal_record_bytes(now, key.size(), value_bytes));
      const WalSize size{StoreOptions()};
      REQUIRE(size.write_bytes(key.size(), value_bytes, now) == wal.size());
      REQUIRE(size.write_bytes(key.size(), value_bytes) - wal.size() <= 3);
    }
  }
}

TEST_CASE("wal: batches come back with their sequence numbers and their time") {
  for (const std::uint64_t buffer_bytes : {0u, 100u, 100000u}) {
    FaultFileSystem files;
    const std::vector<Batch> batches = draw_batches(11, 200);
    WalWriter wal = open_wal(files, buffer_bytes);
    for (const Batch& batch : batches) REQUIRE(append(wal, batch));
    const std::uint64_t size = wal.size();
    REQUIRE(wal.close());
    REQUIRE(files.file_size(kPath) == size);
    REQUIRE(files.counters().of(WriteKind::kWal) == size);
    WalContents contents;
    require_prefix(read_texts(files, &contents), batches);
    REQUIRE(contents.batches == batches.size());
    REQUIRE(contents.dropped_bytes() == 0);
  }
}

TEST_CASE("wal: a batch that is too large to be copied is a record as any other") {
  FaultFileSystem files;
  Batch large{2, 2, {{"key", std::string(5 << 20, 'v'), false}}};
  const std::vector<Batch> batches{{1, 1, {{"a", "b", false}}}, large, {3, 3, {{"c", "", true}}}};
  WalWriter wal = open_wal(files, 100);
  for (const Batch& batch : batches) REQUIRE(append(wal, batch));
  REQUIRE(wal.close());
  REQUIRE(files.file_size(kPath) == wal.size());
  WalContents contents;
  require_prefix(read_texts(files, &contents), batches);
  REQUIRE(contents.batches == 3);
}

TEST_CASE("wal: what is gathered is written by flush, and made durable by sync") {
  FaultFileSystem files;
  const std::vector<Batch> batches = draw_batches(5, 3);
  WalWriter wal = open_wal(files, 1 << 20);
  REQUIRE(files.sync_directory("db"));
  REQUIRE(append(wal, batches[0]));
  REQUIRE(files.file_size(kPath) == 0);
  REQUIRE(wal.sync());
  REQUIRE(append(wal, batches[1]));
  REQUIRE(wal.flush());
  REQUIRE(files.file_size(kPath) == wal.size());
  REQUIRE(append(wal, batches[2]));
  files.restart(1, LossMode::kEverything);
  REQUIRE(read_texts(files).size() == 1);
}

TEST_CASE("wal: every truncation and every flipped bit gives the batches before it") {
  const std::vector<Batch> batches = draw_batches(3, 6);
  FaultFileSystem original;
  WalWriter wal = open_wal(original, 0);
  std::vector<std::uint64_t> ends{0};
  for (const Batch& batch : batches) {
    REQUIRE(append(wal, batch));
    ends.push_back(wal.size());
  }
  const std::string bytes = original.read_file(kPath).value();
  const auto expect = [&](std::string damaged, std::uint64_t damaged_at) {
    FaultFileSystem files;
    files.put_file(kPath, std::move(damaged));
    WalContents contents;
    const auto found = read_texts(files, &contents);
    require_prefix(found, batches);
    REQUIRE(contents.valid_bytes <= damaged_at);
    REQUIRE(contents.valid_bytes == ends[found.size()]);
    REQUIRE((found.size() == batches.size() || ends[found.size() + 1] > damaged_at));
  };
  for (std::uint64_t size = 0; size <= bytes.size(); ++size) expect(bytes.substr(0, size), size);
  for (std::uint64_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    expect(std::move(flipped), bit / 8);
  }
}

TEST_CASE("wal: a crash at any call keeps what was synced, and nothing out of order") {
  const std::vector<Batch> batches = draw_batches(21, 12);
  // Returns the number of synced batches.
  const auto work = [&](FaultFileSystem& files) {
    std::size_t synced = 0;
    if (!files.create_directory("db")) return synced;
    auto file = files.create(kPath, {WriteKind::kWal});
    if (!file || !files.sync_directory("db")) return synced;
    WalWriter wal(std::move(file).value(), 60);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (!append(wal, batches[i])) return synced;
      if (i % 3 != 2) continue;
      if (!wal.sync()) return synced;
      synced = i + 1;
    }
    static_cast<void>(wal.close());
    return synced;
  };
  FaultFileSystem whole;
  work(whole);
  for (const LossMode mode :
       {LossMode::kNothing, LossMode::kPrefix, LossMode::kReordered, LossMode::kEverything}) {
    for (std::uint64_t call = 1; call <= whole.calls(); ++call) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        INFO("mode " << static_cast<int>(mode) << " call " << call << " seed " << seed);
        FaultFileSystem files(seed);
        files.crash_at(call);
        const std::size_t synced = work(files);
        files.restart(seed, mode);
        if (!files.exists(kPath).value()) {
          REQUIRE(synced == 0);
          continue;
        }
        const auto found = read_texts(files);
        require_prefix(found, batches);
        REQUIRE(found.size() >= synced);
      }
    }
  }
}

TEST_CASE("wal: errors stick, and an error of the visitor ends the reading") {
  FaultFileSystem files;
  const std::vector<Batch> batches = draw_batches(5, 3);
  WalWriter wal = open_wal(files, 0);
  REQUIRE(append(wal, batches[0]));
  files.fail_matching(Op::kAppend, ".wal", 1, Failure::kShortWrite);
  const auto failed = append(wal, batches[1]);
  REQUIRE(!failed);
  REQUIRE(failed.error().message == "db/000001.wal: write: No space left on device");
  REQUIRE(append(wal, batches[2]).error().message == failed.error().message);
  REQUIRE(wal.sync().error().message == failed.error().message);
  REQUIRE(read_texts(files).size() == 1);
  WalVisitor visitor;
  visitor.batch = [](std::uint64_t, const LoggedBatch&) -> Result<void> {
    return input_error("enough");
  };
  const auto refused = read_wal(files, kPath, visitor);
  REQUIRE(refused.error().message == "enough");
}

TEST_CASE("wal: a whole record that is no batch is damage, and no crash leaves it") {
  std::string unknown_kind;
  append_fixed(unknown_kind, std::uint64_t{0});
  unknown_kind += "\4\0";
  const std::string entry_missing("\1\0\0\0\0\0\0\0\1\2\0\0\0", 13);
  const std::string late_clock =
      std::string("\1\0\0\0\0\0\0\0", 8) + std::string(9, '\xff') + std::string("\1\0", 2);
  for (const std::string& payload :
       {std::string("short"), std::string(10, '\0'), unknown_kind, entry_missing, late_clock}) {
    FaultFileSystem files;
    WalWriter wal = open_wal(files, 0);
    const std::vector<Batch> batches = draw_batches(3, 2);
    REQUIRE(append(wal, batches[0]));
    const std::uint64_t end = wal.size();
    std::string log = files.read_file(kPath).value();
    append_record(log, payload);
    files.put_file(kPath, log);
    WalContents contents;
    require_prefix(read_texts(files, &contents), batches);
    REQUIRE(contents.batches == 1);
    REQUIRE(contents.damage->offset == end);
    REQUIRE(contents.damage->is_proven());
  }
}

TEST_CASE("wal: marks tell how the log begins, what was synced and what follows") {
  FaultFileSystem files;
  const std::vector<Batch> batches = draw_batches(9, 4);
  WalWriter wal = open_wal(files, 0);
  REQUIRE(wal.begin(11, 7));
  REQUIRE(wal.sync());  // no batch: no mark
  const std::uint64_t begin_end = wal.size();
  REQUIRE(append(wal, batches[0]));
  const std::uint64_t first_end = wal.size();
  REQUIRE(append(wal, batches[1]));
  REQUIRE(wal.note_synced(first_end));  // while another batch was appended
  const std::uint64_t mark_end = wal.size();
  REQUIRE(wal.note_synced(first_end));  // adds no mark: nothing new is synced
  REQUIRE(wal.size() == mark_end);
  REQUIRE(wal.sync());
  REQUIRE(wal.name_successor(12));
  std::vector<std::string> marks;
  std::vector<std::string> texts;
  WalVisitor visitor = into(texts);
  visitor.mark = [&](std::uint64_t offset, const LogMark& mark) {
    marks.push_back(fmt::format("@{} {} {}", offset, static_cast<int>(mark.kind), mark.number));
  };
  const WalContents contents = read_wal(files, kPath, visitor).value();
  REQUIRE(texts.size() == 2);
  REQUIRE(contents.begins_with == 7);
  REQUIRE(contents.successor == 12);
  REQUIRE(!contents.damage);
  REQUIRE(marks.size() == 4);
  REQUIRE(marks[0] == "@0 1 7");
  REQUIRE(marks[1].ends_with(fmt::format(" 2 {}", first_end)));
  REQUIRE(marks[2] == fmt::format("@{} 2 {}", mark_end, mark_end));
  REQUIRE(marks[3].ends_with(" 3 12"));
  REQUIRE(begin_end < first_end);
}

TEST_CASE("wal: what a sync made durable is told to the system at once, gathered or not") {
  FaultFileSystem files;
  const std::vector<Batch> batches = draw_batches(9, 2);
  WalWriter wal = open_wal(files, 1 << 20);
  REQUIRE(wal.begin(1, 1));
  REQUIRE(append(wal, batches[0]));
  REQUIRE(wal.sync());
  REQUIRE(files.file_size(kPath) == wal.size());
  REQUIRE(append(wal, batches[1]));
  REQUIRE(files.file_size(kPath) < wal.size());
}

TEST_CASE("wal: damage is proven by a mark behind it that covers it, and by no other") {
  std::vector<Batch> batches;
  for (std::uint64_t i = 1; i <= 4; ++i) batches.push_back({i, i, {{"key", "value", false}}});
  FaultFileSystem original;
  WalWriter wal = open_wal(original, 0);
  REQUIRE(wal.begin(1, 1));
  std::vector<std::uint64_t> ends{wal.size()};
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(append(wal, batches[i]));
    ends.push_back(wal.size());
  }
  REQUIRE(wal.note_synced(ends[1]));  // the first batch
  REQUIRE(append(wal, batches[3]));
  const std::string bytes = original.read_file(kPath).value();
  for (std::uint64_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    FaultFileSystem files;
    files.put_file(kPath, flipped);
    WalContents contents;
    require_prefix(read_texts(files, &contents), batches);
    INFO("bit " << bit);
    REQUIRE(contents.damage.has_value());
    REQUIRE(contents.damage->is_searched_whole);
    REQUIRE(contents.damage->is_proven() == (bit / 8 < ends[1]));
    REQUIRE(contents.batches + contents.damage->batches_behind >= 3);
  }
}

TEST_CASE("wal: entries that are none are refused") {
  const auto ignore = [](const EntryView&) {};
  std::string put;
  encode_entry(put, "key", "value", false);
  REQUIRE(visit_entries({1, Instant(), 1, put}, ignore));
  REQUIRE(!visit_entries({1, Instant(), 2, put}, ignore));
  REQUIRE(!visit_entries({1, Instant(), 0, put}, ignore));
  REQUIRE(visit_entries({kSequenceMax, Instant(), 1, put}, ignore));
  REQUIRE(!visit_entries({kSequenceMax, Instant(), 2, put + put}, ignore));
  REQUIRE(!visit_entries({kSequenceMax + 1, Instant(), 1, put}, ignore));
  REQUIRE(!visit_entries({1, Instant(), ~std::uint64_t{0}, ""}, ignore));
  std::string unknown = put;
  unknown[0] = '\2';
  REQUIRE(!visit_entries({1, Instant(), 1, unknown}, ignore));
  unknown[0] = '\1';  // a tombstone with a value
  REQUIRE(!visit_entries({1, Instant(), 1, unknown}, ignore));
}

}  // namespace
}  // namespace lsmlab::engine::wal_test
