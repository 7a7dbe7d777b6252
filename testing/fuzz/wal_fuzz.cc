// Reads any bytes as a write-ahead log. Recovery must end with batches or an error.
#include "engine/logs/field_codec.h"
#include "engine/logs/record_log.h"
#include "engine/logs/wal.h"
#include "models/base/check.h"
#include "testing/engine/fault_file_system.h"
#include "testing/fuzz/framed_input.h"
#include "testing/fuzz/fuzz.h"

namespace lsmlab::engine {
namespace {

const std::string kPath = "000001.wal";

std::string sample_log() {
  FaultFileSystem files;
  auto file = files.create(kPath, {WriteKind::kWal});
  CHECK(file);
  WalWriter wal(std::move(file).value(), 0);
  CHECK(wal.begin(1, 1));
  std::uint64_t sequence = 1;
  for (const std::uint64_t entries : {1u, 3u, 0u, 40u}) {
    std::string encoded;
    for (std::uint64_t i = 0; i < entries; ++i) {
      encode_entry(encoded, "key", i % 3 == 2 ? "" : std::string(i, 'v'), i % 3 == 2);
    }
    CHECK(wal.append({sequence, Instant(sequence), entries, encoded}));
    sequence += entries;
    if (entries == 3) CHECK(wal.sync());
  }
  CHECK(wal.sync());
  CHECK(wal.name_successor(2));
  return files.read_file(kPath).value();
}

}  // namespace

}  // namespace lsmlab::engine

std::vector<std::string> lsmlab::testing::fuzz_seeds() {
  using namespace lsmlab::engine;
  const std::string log = sample_log();
  std::string framed(1, kFramedInput);
  RecordReader records(log);
  while (const auto payload = records.next()) append_framed(framed, *payload);
  return {std::string(1, '\0') + log, framed};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lsmlab::engine;
  const std::string bytes = file_of_input({reinterpret_cast<const char*>(data), size});
  FaultFileSystem files;
  files.put_file(kPath, bytes);
  std::uint64_t batches = 0;
  WalVisitor visitor;
  visitor.batch = [&](std::uint64_t, const LoggedBatch& batch) -> lsmlab::Result<void> {
    ++batches;
    std::uint64_t sequence = batch.first_sequence;
    std::string again;
    const auto visited = visit_entries(batch, [&](const EntryView& entry) {
      CHECK(entry.sequence() == sequence++);
      encode_entry(again, entry.key, entry.value, entry.is_tombstone());
    });
    CHECK(visited && again == batch.encoded);
    return lsmlab::success();
  };
  const auto found = read_wal(files, kPath, visitor);
  CHECK(found);
  const WalContents& contents = found.value();
  CHECK(contents.batches == batches && contents.bytes == bytes.size());
  CHECK(contents.damage.has_value() == (contents.valid_bytes < contents.bytes));
  if (contents.damage) CHECK(contents.damage->offset == contents.valid_bytes);
  return 0;
}
