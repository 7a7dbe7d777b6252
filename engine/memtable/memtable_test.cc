// Compares the memtable with a sorted map of all versions; one thread.
#include "engine/memtable/memtable.h"

#include <map>
#include <random>
#include <string>

#include "testing/catch.h"

namespace lsmlab::engine::memtable_test {
namespace {

constexpr std::uint64_t kNewest = kSequenceMax;

struct Version {
  std::string value;
  bool is_tombstone = false;
};

// By key, those of one key newest first.
struct ByPrecedence {
  bool operator()(const std::pair<std::string, std::uint64_t>& a,
                  const std::pair<std::string, std::uint64_t>& b) const {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  }
};
using Model = std::map<std::pair<std::string, std::uint64_t>, Version, ByPrecedence>;

class Fixture {
 public:
  explicit Fixture(const std::string& prefix, Bytes capacity = Bytes(1 << 20),
                   MemtableKind kind = MemtableKind::kVersions)
      : window_(prefix), memtable_(window_, capacity, nullptr, kind), kind_(kind) {}

  void add(const std::string& key, const std::string& value, bool is_tombstone = false) {
    const std::uint64_t tag = make_tag(++sequence_, is_tombstone);
    memtable_.add({key, value, tag}, Instant(sequence_ * 10));
    const auto older = model_.lower_bound({key, kNewest});
    if (kind_ == MemtableKind::kInPlace && older != model_.end() && older->first.first == key) {
      charged_bytes_ -= buffered_entry_bytes(key.size(), older->second.value.size());
    }
    model_.emplace(std::pair{key, sequence_}, Version{value, is_tombstone});
    charged_bytes_ += buffered_entry_bytes(key.size(), value.size());
  }

  void compare_find(const std::string& key, std::uint64_t sequence) const {
    const auto expected = model_.lower_bound({key, sequence});
    const auto found = memtable_.find(key, sequence);
    REQUIRE(found.has_value() == (expected != model_.end() && expected->first.first == key));
    if (found) require_equal(*found, *expected);
  }

  // Compares all entries from the first key that is not smaller, or from the first key if there is
  // none.
  void compare_walk(const std::optional<std::string>& from) const {
    Memtable::Cursor cursor(memtable_);
    REQUIRE(!cursor.valid());
    auto expected = from ? model_.lower_bound({*from, kNewest}) : model_.begin();
    if (from) {
      cursor.seek(*from);
    } else {
      cursor.seek_first();
    }
    for (; cursor.valid(); cursor.next(), ++expected) {
      REQUIRE(expected != model_.end());
      require_equal(cursor.entry(), *expected);
      REQUIRE(cursor.window() == window_.of(cursor.entry().key));
    }
    REQUIRE(expected == model_.end());
  }

  void compare_sums() const {
    REQUIRE(memtable_.writes() == model_.size());
    REQUIRE(memtable_.charged_bytes() == charged_bytes_);
    for (const auto& [name, version] : model_) {
      const auto written = memtable_.tombstone_written(name.second);
      REQUIRE(written.has_value() == version.is_tombstone);
      if (written) REQUIRE(*written == Instant(name.second * 10));
    }
  }

  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  [[nodiscard]] const Memtable& memtable() const { return memtable_; }

 private:
  static void require_equal(const EntryView& found, const Model::value_type& expected) {
    REQUIRE(found.key == expected.first.first);
    REQUIRE(found.sequence() == expected.first.second);
    REQUIRE(found.is_tombstone() == expected.second.is_tombstone);
    REQUIRE(found.value == expected.second.value);
  }

  KeyWindow window_;
  Memtable memtable_;
  MemtableKind kind_;
  Model model_;
  std::uint64_t sequence_ = 0;
  std::uint64_t charged_bytes_ = 0;
};

// Keys that share a window, windows that share leading bytes, and keys that sort around the prefix.
std::string drawn_key(std::mt19937_64& random, const std::string& prefix, std::uint64_t keys) {
  const std::uint64_t number = random() % keys;
  switch (random() % 4) {
    case 0:
      return prefix + std::string(9, 'k') + std::to_string(number);
    case 1:
      return prefix + std::to_string(number);
    case 2:
      return std::string(number % 12, number % 2 == 0 ? '\0' : '\xff');
    default:
      return prefix + std::string(1, static_cast<char>(number % 256)) + std::to_string(number / 7);
  }
}

TEST_CASE("memtable: finds and walks what a sorted map does", "[memtable]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::string prefix = seed % 3 == 0 ? "" : "user";
    const std::uint64_t keys = seed % 2 == 0 ? 20 : 5'000;
    Fixture fixture(prefix, Bytes(1 << 20),
                    seed % 4 < 2 ? MemtableKind::kVersions : MemtableKind::kInPlace);
    for (int i = 0; i < 6'000; ++i) {
      const bool is_tombstone = random() % 5 == 0;
      fixture.add(drawn_key(random, prefix, keys),
                  is_tombstone ? "" : std::string(random() % 40, 'v'), is_tombstone);
      if (i % 8 == 0) {
        const std::uint64_t snapshot = random() % 2 == 0 ? kNewest : random() % fixture.sequence();
        fixture.compare_find(drawn_key(random, prefix, keys), snapshot);
      }
      if (i % 1'000 == 0) fixture.compare_walk(drawn_key(random, prefix, keys));
    }
    fixture.compare_walk(std::nullopt);
    fixture.compare_sums();
  }
}

TEST_CASE("memtable: keys in rising and falling order", "[memtable]") {
  Fixture fixture("");
  const auto key = [](int number) {
    const std::string digits = std::to_string(number);
    return std::string(8 - digits.size(), '0') + digits;
  };
  for (int i = 0; i < 20'000; ++i) fixture.add(key(i), "rising");
  for (int i = 49'999; i >= 20'000; --i) fixture.add(key(i), "falling");
  fixture.compare_walk(std::nullopt);
  for (int i = 0; i < 50'010; i += 7) fixture.compare_find(key(i), kNewest);
}

TEST_CASE("memtable: an empty one", "[memtable]") {
  const Fixture fixture("");
  fixture.compare_find("a", kNewest);
  fixture.compare_walk(std::nullopt);
  fixture.compare_walk("a");
  fixture.compare_sums();
}

TEST_CASE("memtable: empty and large keys and values", "[memtable]") {
  Fixture fixture("", Bytes(64 << 10));
  fixture.add("", "");
  fixture.add("", "of the empty key");
  fixture.add(std::string(65'535, 'x'), std::string(3 << 20, 'y'));
  fixture.add("a", "");
  fixture.add("", "", true);
  fixture.compare_find("", kNewest);
  fixture.compare_find("", 2);
  fixture.compare_find(std::string(65'535, 'x'), kNewest);
  fixture.compare_walk(std::nullopt);
  fixture.compare_sums();
  REQUIRE(fixture.memtable().memory_bytes() > 3 << 20);
  REQUIRE(fixture.memtable().memory_bytes() < 4 << 20);
}

TEST_CASE("memtable: is full at its capacity", "[memtable]") {
  const KeyWindow window;
  const std::uint64_t each = buffered_entry_bytes(1, 1);
  Memtable memtable(window, Bytes(2 * each));
  memtable.add({"a", "1", make_tag(1, false)}, Instant(1));
  REQUIRE(!memtable.is_full());
  memtable.add({"a", "2", make_tag(2, false)}, Instant(2));
  REQUIRE(memtable.is_full());
}

TEST_CASE("memtable: one that replaces entries fills with new keys only", "[memtable]") {
  const KeyWindow window;
  const std::uint64_t each = buffered_entry_bytes(1, 1);
  Memtable memtable(window, Bytes(3 * each), nullptr, MemtableKind::kInPlace);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    memtable.add({i % 2 == 0 ? "a" : "b", "1", make_tag(i, false)}, Instant(i));
  }
  REQUIRE(memtable.charged_bytes() == 2 * each);
  memtable.add({"a", "", make_tag(101, true)}, Instant(101));
  REQUIRE(memtable.charged_bytes() == each + buffered_entry_bytes(1, 0));
  memtable.add({"a", "longer", make_tag(102, false)}, Instant(102));
  REQUIRE(memtable.charged_bytes() == each + buffered_entry_bytes(1, 6));
  REQUIRE(!memtable.is_full());
  memtable.add({"c", "1", make_tag(103, false)}, Instant(103));
  REQUIRE(memtable.is_full());
  // Older readers still see what was replaced.
  REQUIRE(memtable.find("a", 50)->sequence() == 50);
  REQUIRE(memtable.find("a", kNewest)->value == "longer");
}

TEST_CASE("memtable: a cursor stays valid while entries are added", "[memtable]") {
  const KeyWindow window;
  Memtable memtable(window, Bytes(1 << 20));
  std::uint64_t sequence = 0;
  const auto add = [&](std::uint64_t number) {
    const std::string digits = std::to_string(100'000 + number);
    memtable.add({digits, "", make_tag(++sequence, false)}, Instant(0));
  };
  for (std::uint64_t i = 0; i < 1'000; ++i) add(i * 10);
  Memtable::Cursor cursor(memtable);
  cursor.seek_first();
  // Leaves around the cursor change and split. The cursor shows all earlier entries, in order.
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    const std::string expected = std::to_string(100'000 + i * 10);
    while (cursor.valid() && cursor.entry().key < expected) cursor.next();
    REQUIRE(cursor.valid());
    REQUIRE(cursor.entry().key == expected);
    for (std::uint64_t j = 1; j < 10; ++j) add((i + j % 2) * 10 + j);
  }
}

}  // namespace
}  // namespace lsmlab::engine::memtable_test
