#include "engine/logs/record_log.h"

#include <cstring>
#include <random>
#include <vector>

#include "engine/logs/field_codec.h"
#include "testing/catch.h"

namespace lsmlab::engine::record_log_test {
namespace {

std::vector<std::string> records_of(std::string_view log, std::optional<RecordDamage>* damage) {
  RecordReader reader(log);
  std::vector<std::string> payloads;
  while (const auto payload = reader.next()) payloads.emplace_back(*payload);
  *damage = reader.damage();
  return payloads;
}

bool is_any(std::string_view) { return true; }

TEST_CASE("record log: what was appended is read back, the empty record too") {
  const std::vector<std::string> payloads{"one", "", std::string(100000, 'x'),
                                          std::string("\0", 1)};
  std::string log;
  for (const std::string& payload : payloads) append_record(log, payload);
  std::optional<RecordDamage> damage;
  REQUIRE(records_of(log, &damage) == payloads);
  REQUIRE(!damage);
  REQUIRE(records_of("", &damage).empty());
  REQUIRE(!damage);
}

TEST_CASE("record log: a tail of zeros is damage, and its offset is told") {
  std::string log;
  append_record(log, "one");
  const std::size_t end = log.size();
  log.append(4096, '\0');
  std::optional<RecordDamage> damage;
  REQUIRE(records_of(log, &damage) == std::vector<std::string>{"one"});
  REQUIRE(damage->offset == end);
  REQUIRE(damage->reason == "is damaged: its checksum does not match");
  REQUIRE(!RecordSearch(log, is_any).find(end));
}

TEST_CASE("record log: every truncation and every flipped bit gives a prefix and damage") {
  const std::vector<std::string> payloads{"first", std::string(300, 'b'), "", "last"};
  std::string log;
  std::vector<std::size_t> ends{0};
  for (const std::string& payload : payloads) {
    append_record(log, payload);
    ends.push_back(log.size());
  }
  const auto whole_records = [&](std::size_t byte) {
    std::size_t count = 0;
    while (count + 1 < ends.size() && ends[count + 1] <= byte) ++count;
    return count;
  };
  for (std::size_t size = 0; size <= log.size(); ++size) {
    std::optional<RecordDamage> damage;
    const auto found = records_of(std::string_view(log).substr(0, size), &damage);
    const std::size_t count = whole_records(size);
    REQUIRE(found ==
            std::vector<std::string>(payloads.begin(), payloads.begin() + static_cast<int>(count)));
    REQUIRE(damage.has_value() == (size != ends[count]));
  }
  for (std::size_t bit = 0; bit < 8 * log.size(); ++bit) {
    std::string flipped = log;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    std::optional<RecordDamage> damage;
    const auto found = records_of(flipped, &damage);
    const std::size_t count = whole_records(bit / 8);
    REQUIRE(found ==
            std::vector<std::string>(payloads.begin(), payloads.begin() + static_cast<int>(count)));
    REQUIRE(damage->offset == ends[count]);
  }
}

TEST_CASE("record log: a record behind damage is found") {
  std::string log = "damage of some length";
  const std::size_t begin = log.size();
  append_record(log, "whole");
  for (const std::size_t from : {std::size_t{0}, begin}) {
    const auto found = RecordSearch(log, is_any).find(from);
    REQUIRE(found.has_value());
    REQUIRE(found->offset == begin);
    REQUIRE(found->payload == "whole");
    REQUIRE(found->is_certain);
  }
  REQUIRE(!RecordSearch(log, is_any).find(begin + 1));
  REQUIRE(!RecordSearch(log, [](std::string_view payload) { return payload == "other"; }).find(0));
}

TEST_CASE("record log: a search in a crafted log ends after some times its bytes") {
  // A header at every place, with a length that reaches the end and a wrong checksum.
  constexpr std::size_t kBytes = 1 << 20;
  std::string log(kBytes, '\0');
  for (std::size_t at = 0; at + kRecordHeaderBytes < kBytes; at += kRecordHeaderBytes) {
    const auto length = static_cast<std::uint32_t>(kBytes - at - kRecordHeaderBytes);
    std::memcpy(log.data() + at, &length, sizeof length);
  }
  const auto found = RecordSearch(log, is_any).find(0);
  REQUIRE(found.has_value());
  REQUIRE(!found->is_certain);
  REQUIRE(found->offset <= (RecordSearch::kSearchFactor + 1) * kRecordHeaderBytes);
}

TEST_CASE("field codec: numbers come back, and have one encoding") {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> numbers{0, 1, 127, 128, 16383, 16384, ~std::uint64_t{0}};
  for (int i = 0; i < 1000; ++i) numbers.push_back(random() >> (random() % 64));
  std::string bytes;
  for (const std::uint64_t number : numbers) append_varint(bytes, number);
  FieldReader reader(bytes);
  for (const std::uint64_t number : numbers) REQUIRE(reader.varint() == number);
  REQUIRE(reader.rest().empty());
  REQUIRE(!reader.varint());

  REQUIRE(!FieldReader(std::string_view("\x80\x00", 2)).varint());
  REQUIRE(!FieldReader(std::string(9, '\xff') + "\x02").varint());
  REQUIRE(!FieldReader("\xff").varint());
  FieldReader spent("ab");
  REQUIRE(!spent.bytes(3));
  REQUIRE(!spent.bytes(1));
}

}  // namespace
}  // namespace lsmlab::engine::record_log_test
