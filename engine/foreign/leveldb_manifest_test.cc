#include "engine/foreign/leveldb_manifest.h"

#include <random>

#include "engine/logs/field_codec.h"
#include "testing/catch.h"

namespace lsmlab::engine::leveldb_manifest_test {
namespace {

void append_text(std::string& to, const std::string& text) {
  append_varint(to, text.size());
  to += text;
}

// An edit that adds and removes files, in the format of LevelDB's db/version_edit.cc.
std::string edit_of(std::uint64_t log, const std::vector<std::uint64_t>& removed,
                    const std::vector<std::uint64_t>& added, std::size_t key_bytes) {
  std::string edit;
  append_varint(edit, 1);
  append_text(edit, "leveldb.BytewiseComparator");
  append_varint(edit, 2);
  append_varint(edit, log);
  append_varint(edit, 3);
  append_varint(edit, 900);
  append_varint(edit, 5);
  append_varint(edit, 1);
  append_text(edit, std::string(key_bytes + 8, 'p'));
  for (const std::uint64_t number : removed) {
    append_varint(edit, 6);
    append_varint(edit, 2);
    append_varint(edit, number);
  }
  for (const std::uint64_t number : added) {
    append_varint(edit, 7);
    append_varint(edit, 3);
    append_varint(edit, number);
    append_varint(edit, 1000 + number);
    append_text(edit, std::string(key_bytes, 'a') + std::string(8, '\1'));
    append_text(edit, std::string(key_bytes, 'z') + std::string(8, '\1'));
  }
  return edit;
}

// Appends a record in fragments, in blocks of 32 KiB, as in LevelDB's doc/log_format.md. Checksums
// are 0, because the reader does not verify them.
void append_record(std::string& log, std::string record) {
  constexpr std::size_t kBlock = 32'768;
  constexpr std::size_t kHeader = 7;
  bool is_first = true;
  do {
    std::size_t left = kBlock - log.size() % kBlock;
    if (left < kHeader) {
      log.append(left, '\0');
      left = kBlock;
    }
    const std::size_t taken = std::min(record.size(), left - kHeader);
    const bool is_last = taken == record.size();
    const char kind = is_first ? (is_last ? 1 : 2) : (is_last ? 4 : 3);
    log.append(4, '\0');
    log += static_cast<char>(taken & 0xff);
    log += static_cast<char>(taken >> 8);
    log += kind;
    log += record.substr(0, taken);
    record.erase(0, taken);
    is_first = false;
  } while (!record.empty());
}

TEST_CASE("edits come out of LevelDB's manifest however it is cut into appends and blocks") {
  std::mt19937_64 random(3);
  std::string log;
  constexpr std::size_t kEdits = 400;
  for (std::size_t i = 0; i < kEdits; ++i) {
    append_record(log, edit_of(i, {i, i + 1}, {i + 2}, 10 + random() % 400));
  }
  LeveldbManifest manifest;
  std::size_t seen = 0;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t count = std::min<std::size_t>(log.size() - at, 1 + random() % 5'000);
    manifest.append(std::string_view(log).substr(at, count));
    at += count;
    for (;;) {
      const auto edit = manifest.next();
      REQUIRE(edit.has_value());
      if (!edit.value()) break;
      REQUIRE(edit.value()->log_number == seen);
      REQUIRE(edit.value()->removed.size() == 2);
      REQUIRE(edit.value()->removed[1].number == seen + 1);
      REQUIRE(edit.value()->removed[1].level == 2);
      REQUIRE(edit.value()->added[0].bytes == 1002 + seen);
      REQUIRE(edit.value()->added[0].smallest[0] == 'a');
      ++seen;
    }
  }
  INFO("seed 3");
  REQUIRE(seen == kEdits);
}

TEST_CASE("what is no edit is an error") {
  LeveldbManifest manifest;
  std::string log;
  append_record(log, std::string("\x63") + "nonsense");
  manifest.append(log);
  REQUIRE(!manifest.next());
  LeveldbManifest cut;
  std::string whole = edit_of(1, {}, {5}, 16);
  whole.resize(whole.size() - 3);
  log.clear();
  append_record(log, whole);
  cut.append(log);
  REQUIRE(!cut.next());
}

}  // namespace
}  // namespace lsmlab::engine::leveldb_manifest_test
