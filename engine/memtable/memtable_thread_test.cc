// Readers run concurrently with a writer. They find every entry that was announced as written, and
// scans visit it.
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/memtable/memtable.h"
#include "testing/catch.h"

namespace lsmlab::engine::memtable_thread_test {
namespace {

enum class Keys { kRandom, kRising, kFalling, kOneWindow, kFewKeys };

// The key of the entry with this sequence number; a pure function, so readers can compute it.
std::string key_of(Keys keys, std::uint64_t sequence) {
  std::uint64_t number = sequence;
  if (keys == Keys::kRandom || keys == Keys::kOneWindow) number *= 0x9e3779b97f4a7c15;
  if (keys == Keys::kFalling) number = ~number;
  if (keys == Keys::kFewKeys) number = sequence * 0x9e3779b97f4a7c15 >> 54;
  std::string key = keys == Keys::kOneWindow ? "one window" : "";
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(number >> shift & 0xff);
  return key;
}

std::string value_of(std::uint64_t sequence) { return std::to_string(sequence); }

class Round {
 public:
  Round(Keys keys, std::uint64_t entries) : keys_(keys), entries_(entries) {}

  // Returns how many errors readers found.
  std::uint64_t run(unsigned readers, std::chrono::milliseconds duration) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < readers; ++i) {
      threads.emplace_back([this, i] { i % 2 == 0 ? find_announced(i) : walk_announced(); });
    }
    while (ready_ < readers) std::this_thread::yield();
    const auto end = std::chrono::steady_clock::now() + duration;
    for (std::uint64_t sequence = 1; sequence <= entries_; ++sequence) {
      memtable_.add({key_of(keys_, sequence), value_of(sequence), make_tag(sequence, false)},
                    Instant(0));
      announced_.store(sequence, std::memory_order_release);
      if (sequence % 512 == 0) {
        std::this_thread::yield();
        if (std::chrono::steady_clock::now() > end) break;
      }
    }
    is_over_ = true;
    for (std::thread& thread : threads) thread.join();
    return faults_;
  }

 private:
  void find_announced(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    ++ready_;
    while (!is_over_) {
      const std::uint64_t announced = announced_.load(std::memory_order_acquire);
      if (announced == 0) continue;
      // Nodes are being split where the newest entries are.
      const std::uint64_t back = random() % (random() % 2 == 0 ? announced : 1 + announced / 1'024);
      const std::uint64_t sequence = announced - back;
      const std::string key = key_of(keys_, sequence);
      const auto found = memtable_.find(key, sequence);
      if (!found || found->key != key || found->sequence() != sequence ||
          found->value != value_of(sequence)) {
        ++faults_;
      }
    }
  }

  void walk_announced() {
    ++ready_;
    while (!is_over_) {
      const std::uint64_t announced = announced_.load(std::memory_order_acquire);
      Memtable::Cursor cursor(memtable_);
      std::uint64_t seen = 0;
      EntryView last;
      bool has_last = false;
      for (cursor.seek_first(); cursor.valid(); cursor.next()) {
        const EntryView entry = cursor.entry();
        if (has_last && !precedes(last, entry)) ++faults_;
        if (entry.value != value_of(entry.sequence())) ++faults_;
        seen += entry.sequence() <= announced;
        last = entry;
        has_last = true;
      }
      if (seen != announced) ++faults_;
    }
  }

  Keys keys_;
  std::uint64_t entries_;
  KeyWindow window_;
  Memtable memtable_{window_, Bytes(8 << 20)};
  std::atomic<std::uint64_t> announced_ = 0;
  std::atomic<std::uint64_t> faults_ = 0;
  std::atomic<unsigned> ready_ = 0;
  std::atomic<bool> is_over_ = false;
};

TEST_CASE("memtable: readers miss nothing that was announced", "[memtable][thread]") {
  for (const Keys keys :
       {Keys::kRandom, Keys::kRising, Keys::kFalling, Keys::kOneWindow, Keys::kFewKeys}) {
    INFO("keys " << static_cast<int>(keys));
    for (int round = 0; round < 3; ++round) {
      // Small memtables, so that the root grows while readers use it, and one large memtable.
      const std::uint64_t entries = round < 2 ? 2'000 : 200'000;
      REQUIRE(Round(keys, entries).run(3, std::chrono::milliseconds(150)) == 0);
    }
  }
}

TEST_CASE("memtable: readers follow a tree from its first entry on", "[memtable][thread]") {
  for (int round = 0; round < 60; ++round) {
    const auto keys = static_cast<Keys>(round % 5);
    INFO("keys " << static_cast<int>(keys));
    REQUIRE(Round(keys, 300).run(2, std::chrono::milliseconds(50)) == 0);
  }
}

}  // namespace
}  // namespace lsmlab::engine::memtable_thread_test
