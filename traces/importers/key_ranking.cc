#include "traces/importers/key_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/check.h"
#include "models/base/units.h"
#include "traces/files/trace_format.h"

namespace lsmlab {
namespace {

constexpr std::size_t kRunBufferBytes = std::size_t{16} << 10;
constexpr std::size_t kRunEntryHeaderBytes = 10;  // 2 for the key's length, 8 for the number
// More open files gain little, and a process may not have many more.
constexpr std::size_t kFanInMax = 128;

std::size_t fan_in_of(std::size_t memory_bytes_max) {
  return std::clamp<std::size_t>(memory_bytes_max / kRunBufferBytes / 2, 2, kFanInMax);
}

std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8 | (i < key.size() ? static_cast<std::uint8_t>(key[i]) : 0U);
  }
  return prefix;
}

Result<void> write_entry(std::string_view key, std::uint64_t number, ByteWriter& file) {
  std::array<std::uint8_t, kRunEntryHeaderBytes> header{};
  store_little<2>(key.size(), header.data());
  store_little<8>(number, header.data() + 2);
  BOOST_OUTCOME_TRYV(file.write(header));
  return file.write({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()});
}

std::uint64_t same_bytes(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::uint64_t>(end - a.begin());
}

std::string big_endian(std::uint64_t number) {
  std::string text(8, '\0');
  for (std::size_t i = 8; i-- > 0; number >>= 8) text[i] = static_cast<char>(number & 0xff);
  return text;
}

}  // namespace

// A sorted run, read from its part of the temporary file. The part is freed when the reader is
// destroyed.
class ExternalSort::Run {
 public:
  Run(const std::shared_ptr<TemporaryFile>& file, const Extent& extent)
      : temporary_(file),
        extent_(extent),
        file_(file->name(), part_of(file, extent.begin, extent.end), kRunBufferBytes) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { temporary_->discard(extent_.begin, extent_.end); }

  Result<bool> advance() {
    std::array<std::uint8_t, kRunEntryHeaderBytes> header{};
    auto got = BOOST_OUTCOME_TRYX(file_.read(header));
    if (got == 0) return false;
    if (got == header.size()) {
      key_.resize(load_little<2>(header.data()));
      number_ = load_little<8>(header.data() + 2);
      auto more = BOOST_OUTCOME_TRYX(
          file_.read({reinterpret_cast<std::uint8_t*>(key_.data()), key_.size()}));
      if (more == key_.size()) return true;
    }
    return machine_error(fmt::format("{} is truncated", file_.path()));
  }
  [[nodiscard]] Entry entry() const { return {key_, number_}; }

 private:
  std::shared_ptr<TemporaryFile> temporary_;
  Extent extent_;
  ByteReader file_;
  std::string key_;
  std::uint64_t number_ = 0;
};

class ExternalSort::Merge {
 public:
  Result<void> add(std::unique_ptr<Run> run) {
    auto more = BOOST_OUTCOME_TRYX(run->advance());
    if (more) {
      heap_.push_back(std::move(run));
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
    return success();
  }

  Result<std::optional<Entry>> next() {
    if (last_ != nullptr) {
      auto more = BOOST_OUTCOME_TRYX(last_->advance());
      if (more) {
        heap_.push_back(std::move(last_));
        std::push_heap(heap_.begin(), heap_.end(), later);
      }
      last_.reset();
    }
    if (heap_.empty()) return std::optional<Entry>();
    std::pop_heap(heap_.begin(), heap_.end(), later);
    last_ = std::move(heap_.back());
    heap_.pop_back();
    return std::optional<Entry>(last_->entry());
  }

 private:
  static bool later(const std::unique_ptr<Run>& a, const std::unique_ptr<Run>& b) {
    const int order = a->entry().key.compare(b->entry().key);
    return order != 0 ? order > 0 : a->entry().number > b->entry().number;
  }

  std::vector<std::unique_ptr<Run>> heap_;  // the smallest entry on top
  std::unique_ptr<Run> last_;               // the run whose entry was returned last
};

// Offsets into the text have 32 bits, so more memory cannot be used.
ExternalSort::ExternalSort(std::string directory, std::size_t memory_bytes_max, StopFlag stop)
    : directory_(std::move(directory)),
      memory_bytes_max_(std::min(memory_bytes_max, std::size_t{4} << 30)),
      stop_(stop) {
  CHECK(memory_bytes_max >= kSortMemoryBytesMin);
}

ExternalSort::~ExternalSort() = default;

std::string_view ExternalSort::key_of(const Slot& slot) const {
  return std::string_view(text_).substr(slot.offset, slot.bytes);
}

Result<void> ExternalSort::add(std::string_view key, std::uint64_t number) {
  CHECK(key.size() <= kSortKeyBytesMax);
  // While a container grows, it holds its old and its doubled new memory: three times its contents.
  if (!slots_.empty() &&
      (slots_.size() + 1) * sizeof(Slot) + text_.size() + key.size() > memory_bytes_max_ / 3) {
    BOOST_OUTCOME_TRYV(spill());
  }
  slots_.push_back({prefix_of(key), number, static_cast<std::uint32_t>(text_.size()),
                    static_cast<std::uint32_t>(key.size())});
  text_ += key;
  return success();
}

void ExternalSort::sort_slots() {
  std::sort(slots_.begin(), slots_.end(), [&](const Slot& a, const Slot& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = key_of(a).compare(key_of(b));
    return order != 0 ? order < 0 : a.number < b.number;
  });
}

Result<void> ExternalSort::begin_run() {
  if (file_ == nullptr) {
    file_ = BOOST_OUTCOME_TRYX(TemporaryFile::create(directory_));
    writer_ = std::make_unique<ByteWriter>(file_->name(), file_->descriptor(), kRunBufferBytes);
  }
  runs_.push_back({writer_->size(), writer_->size()});
  ++runs_made_;
  return success();
}

Result<void> ExternalSort::end_run() {
  BOOST_OUTCOME_TRYV(writer_->flush());
  runs_.back().end = writer_->size();
  return success();
}

Result<void> ExternalSort::spill() {
  sort_slots();
  BOOST_OUTCOME_TRYV(begin_run());
  for (const Slot& slot : slots_) {
    BOOST_OUTCOME_TRYV(write_entry(key_of(slot), slot.number, *writer_));
  }
  slots_.clear();
  text_.clear();
  return end_run();
}

// Merges the oldest runs into one, which goes to the end of the list.
Result<void> ExternalSort::merge_runs(std::size_t count) {
  Merge merge;
  for (std::size_t i = 0; i < count; ++i) {
    BOOST_OUTCOME_TRYV(merge.add(std::make_unique<Run>(file_, runs_[i])));
  }
  BOOST_OUTCOME_TRYV(begin_run());
  for (;;) {
    BOOST_OUTCOME_TRYV(check_stop(stop_));
    auto entry = BOOST_OUTCOME_TRYX(merge.next());
    if (!entry) break;
    BOOST_OUTCOME_TRYV(write_entry(entry->key, entry->number, *writer_));
  }
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
  return end_run();
}

Result<void> ExternalSort::sort() {
  if (runs_.empty()) {
    sort_slots();
    return success();
  }
  BOOST_OUTCOME_TRYV(spill());
  std::vector<Slot>().swap(slots_);  // frees memory for the buffers of the merge
  std::string().swap(text_);
  const std::size_t fan_in = fan_in_of(memory_bytes_max_);
  while (runs_.size() > fan_in) {
    // Merges as few runs as leave enough for one final merge, so that no entry is moved needlessly.
    BOOST_OUTCOME_TRYV(merge_runs(std::min(fan_in, runs_.size() - fan_in + 1)));
  }
  merge_ = std::make_unique<Merge>();
  for (const Extent& run : runs_) {
    BOOST_OUTCOME_TRYV(merge_->add(std::make_unique<Run>(file_, run)));
  }
  return success();
}

Result<std::optional<ExternalSort::Entry>> ExternalSort::next() {
  if (merge_ != nullptr) return merge_->next();
  if (next_slot_ == slots_.size()) return std::optional<Entry>();
  const Slot& slot = slots_[next_slot_++];
  return std::optional<Entry>({key_of(slot), slot.number});
}

void SharedPrefixes::add(std::uint64_t shared_bytes) {
  std::uint64_t least = shared_bytes;
  for (std::size_t i = 0;; ++i) {
    if (i == distances_.size()) distances_.emplace_back();
    Distance& distance = distances_[i];
    distance.sum += least;
    ++distance.pairs;
    if (!distance.open) {
      distance.open = least;
      return;
    }
    least = std::min(least, *distance.open);
    distance.open.reset();
  }
}

std::vector<std::uint32_t> SharedPrefixes::means_32nds() const {
  std::vector<std::uint32_t> means;
  for (const Distance& distance : distances_) {
    const Uint128 mean = (Uint128{distance.sum} * 32 + distance.pairs / 2) / distance.pairs;
    means.push_back(static_cast<std::uint32_t>(mean));
  }
  return means;
}

KeyRanking::KeyRanking(const std::string& directory, std::size_t memory_bytes_max, StopFlag stop)
    : stop_(stop),
      by_key_(directory, memory_bytes_max / 2, stop),
      by_occurrence_(directory, memory_bytes_max / 2, stop) {}

// The number of a key is twice its occurrence, plus one if it is a bound.
Result<void> KeyRanking::add(std::string_view key, KeyRole role) {
  return by_key_.add(key, occurrences_++ * 2 + (role == KeyRole::kBound ? 1 : 0));
}

Result<void> KeyRanking::rank(std::uint64_t order_bytes) {
  BOOST_OUTCOME_TRYV(by_key_.sort());
  std::string last;
  bool last_is_key = false;
  for (;;) {
    BOOST_OUTCOME_TRYV(check_stop(stop_));
    auto entry = BOOST_OUTCOME_TRYX(by_key_.next());
    if (!entry) break;
    if (ranks_ == 0 || entry->key != last) {
      if (ranks_ > 0) {
        const std::uint64_t same = same_bytes(last, entry->key);
        shared_.add(same - std::min(same, order_bytes));
      }
      last = entry->key;
      last_is_key = false;
      ++ranks_;
    }
    const bool is_key = entry->number % 2 == 0;
    if (is_key && !last_is_key) ++distinct_keys_;
    last_is_key |= is_key;
    BOOST_OUTCOME_TRYV(by_occurrence_.add(big_endian(entry->number / 2), ranks_ - 1));
  }
  return by_occurrence_.sort();
}

Result<std::uint64_t> KeyRanking::next() {
  auto entry = BOOST_OUTCOME_TRYX(by_occurrence_.next());
  CHECK(entry.has_value());
  // The middle of the rank's share of all 64-bit numbers.
  return static_cast<std::uint64_t>(((Uint128{entry->number} * 2 + 1) << 63) / ranks_);
}

}  // namespace lsmlab
