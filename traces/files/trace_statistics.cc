#include "traces/files/trace_statistics.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// Each range between two powers of two is divided into 2^kBucketBits buckets.
constexpr unsigned kBucketBits = 7;
constexpr std::uint64_t kExactBelow = std::uint64_t{2} << kBucketBits;
constexpr std::size_t kBuckets = (64 - kBucketBits + 1) << kBucketBits;

constexpr std::size_t kSlotsMin = 1024;  // a power of two, as are all larger tables

std::size_t bucket_of(std::uint64_t size) {
  if (size < kExactBelow) return static_cast<std::size_t>(size);
  const unsigned shift = static_cast<unsigned>(std::bit_width(size)) - kBucketBits - 1;
  return (std::size_t{shift} << kBucketBits) + static_cast<std::size_t>(size >> shift);
}

std::uint64_t bucket_last(std::size_t bucket) {
  if (bucket < kExactBelow) return bucket;
  const std::size_t shift = (bucket >> kBucketBits) - 1;
  const std::uint64_t top = (bucket & ((std::size_t{1} << kBucketBits) - 1)) | (1U << kBucketBits);
  return (top << shift) + ((std::uint64_t{1} << shift) - 1);
}

// A bijection that spreads adjacent keys: the finaliser of splitmix64 (Steele et al., OOPSLA 2014).
std::uint64_t mixed(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
  key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
  return key ^ (key >> 31);
}

bool is_write(const Operation& operation) {
  return operation.kind == OperationKind::kPut || operation.kind == OperationKind::kDelete;
}

// The share of all accesses that go to the most accessed keys. The code sums the accesses of the
// other keys and subtracts. The hottest keys are few, so a sample often misses some of them. It
// represents the many cold keys well.
double share_of_hottest(const std::vector<std::uint64_t>& accesses, std::size_t hottest,
                        double scale, std::uint64_t total) {
  std::uint64_t others = 0;
  for (std::size_t i = hottest; i < accesses.size(); ++i) others += accesses[i];
  const double share = 1.0 - static_cast<double>(others) * scale / static_cast<double>(total);
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace

SizeSummary::SizeSummary() : counts_(kBuckets) {}

void SizeSummary::add(std::uint64_t size) {
  ++counts_[bucket_of(size)];
  ++count_;
  sum_ += size;
  least_ = std::min(least_, size);
  most_ = std::max(most_, size);
}

double SizeSummary::mean() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

std::uint64_t SizeSummary::percentile(unsigned percent) const {
  CHECK(percent > 0 && percent <= 100);
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::uint64_t>((Uint128{count_} * percent + 99) / 100);
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while (seen + counts_[bucket] < rank) seen += counts_[bucket++];
  return std::min(bucket_last(bucket), most_);
}

TraceStatistics::TraceStatistics(std::size_t sampled_keys_max)
    : sampled_keys_max_(sampled_keys_max), sample_(kSlotsMin) {
  CHECK(sampled_keys_max >= 2);
}

void TraceStatistics::add(std::span<const Operation> operations) {
  for (const Operation& operation : operations) {
    ++operations_;
    ++by_kind_[static_cast<std::size_t>(operation.kind)];
    key_bytes_.add(operation.key_bytes);
    if (operation.kind == OperationKind::kPut) value_bytes_.add(operation.value_bytes);
    if (operation.kind == OperationKind::kScan) {
      if (operation.scan_entries_max > 0) scan_entries_.add(operation.scan_entries_max);
    } else {
      add_key(operation);
    }
  }
}

void TraceStatistics::add_key(const Operation& operation) {
  const std::uint64_t hash = mixed(operation.key);
  if (halvings_ > 0 && (hash >> (64 - halvings_)) != 0) return;
  SampledKey& key = slot_of(hash);
  const bool is_new = key.accesses == 0;
  key.hash = hash;
  ++key.accesses;
  if (is_write(operation)) {
    if (key.last_write != 0) {
      const auto power = static_cast<std::size_t>(std::bit_width(operations_ - key.last_write)) - 1;
      update_distances_[power] += std::uint64_t{1} << halvings_;
    }
    key.last_write = operations_;
  }
  if (!is_new) return;
  ++sampled_;
  if (sampled_ > sampled_keys_max_) thin_out();
  if (sampled_ * 2 > sample_.size()) rebuild(sample_.size() * 2);
}

// The slot of the key, or the free slot where it belongs.
TraceStatistics::SampledKey& TraceStatistics::slot_of(std::uint64_t hash) {
  const std::size_t mask = sample_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  while (sample_[slot].accesses != 0 && sample_[slot].hash != hash) slot = (slot + 1) & mask;
  return sample_[slot];
}

// Rebuilds the table with only the keys of the sampled share.
void TraceStatistics::rebuild(std::size_t slots) {
  std::vector<SampledKey> old(slots);
  old.swap(sample_);
  sampled_ = 0;
  for (const SampledKey& key : old) {
    if (key.accesses == 0 || (halvings_ > 0 && (key.hash >> (64 - halvings_)) != 0)) continue;
    slot_of(key.hash) = key;
    ++sampled_;
  }
}

void TraceStatistics::thin_out() {
  while (sampled_ > sampled_keys_max_) {
    ++halvings_;
    CHECK(halvings_ < 64);
    rebuild(sample_.size());
  }
}

KeyFigures TraceStatistics::keys() const {
  KeyFigures figures;
  figures.estimated = halvings_ > 0;
  figures.distinct = std::uint64_t{sampled_} << halvings_;
  figures.update_distances = update_distances_;
  for (const std::uint64_t count : update_distances_) figures.rewrites += count;
  std::vector<std::uint64_t> accesses;
  accesses.reserve(sampled_);
  for (const SampledKey& key : sample_) {
    if (key.accesses != 0) accesses.push_back(key.accesses);
  }
  std::sort(accesses.begin(), accesses.end(), std::greater<>());
  const std::uint64_t total =
      operations_ - by_kind_[static_cast<std::size_t>(OperationKind::kScan)];
  if (total == 0) return figures;
  const double scale = static_cast<double>(std::uint64_t{1} << halvings_);
  figures.top_1_percent_share =
      share_of_hottest(accesses, (accesses.size() + 99) / 100, scale, total);
  figures.top_10_percent_share =
      share_of_hottest(accesses, (accesses.size() + 9) / 10, scale, total);
  return figures;
}

}  // namespace lsmlab
