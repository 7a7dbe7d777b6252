#include "models/accounting/run_result.h"

#include <algorithm>

namespace lsmlab {

double ratio_of(Uint128 a, Uint128 b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

Amplification amplification_of(const Totals& totals, const SortedRunCounts& runs,
                               const TransientSpace& transient,
                               std::optional<double> live_bytes_ratio) {
  const Uint128 sstable_bytes = totals.flush_bytes_written + totals.merge_bytes_written;
  Amplification figures;
  figures.write = ratio_of(sstable_bytes, totals.user_bytes);
  figures.write_flushed = ratio_of(sstable_bytes, totals.bytes_flushed);
  figures.write_total = ratio_of(
      sstable_bytes + totals.wal_bytes_written + totals.manifest_bytes_written, totals.user_bytes);
  figures.read_mean = ratio_of(runs.sum, totals.flushes);
  figures.read_max = runs.max;
  figures.space = live_bytes_ratio;
  figures.space_transient = ratio_of(transient.disk_bytes, transient.flushed_bytes);
  return figures;
}

MergeSizes merge_sizes_of(std::span<const std::uint64_t> bytes) {
  MergeSizes sizes;
  if (bytes.empty()) return sizes;
  const auto percentile = [&](std::size_t percent) {
    return bytes[(bytes.size() * percent + 99) / 100 - 1];
  };
  sizes.p50_bytes = percentile(50);
  sizes.p90_bytes = percentile(90);
  sizes.p99_bytes = percentile(99);
  sizes.max_bytes = bytes.back();
  Uint128 sum = 0;
  for (const std::uint64_t size : bytes) sum += size;
  sizes.mean_bytes = ratio_of(sum, bytes.size());
  return sizes;
}

BlockReads& BlockReads::operator+=(const BlockReads& other) {
  blocks_fetched += other.blocks_fetched;
  blocks_read += other.blocks_read;
  bytes_read += other.bytes_read;
  return *this;
}

LookupFigures& LookupFigures::operator+=(const LookupFigures& other) {
  count += other.count;
  memtable_hits += other.memtable_hits;
  runs_touched += other.runs_touched;
  filter_checks += other.filter_checks;
  false_positives += other.false_positives;
  blocks += other.blocks;
  return *this;
}

BlockReads ReadFigures::blocks() const {
  BlockReads sum = gets_found.blocks;
  sum += gets_absent.blocks;
  sum += scans.blocks;
  return sum;
}

double read_blocks_of(const ReadFigures& reads) {
  return ratio_of(
      Uint128{reads.gets_found.blocks.blocks_read} + reads.gets_absent.blocks.blocks_read,
      Uint128{reads.gets_found.count} + reads.gets_absent.count);
}

std::optional<bool> WrittenCheck::agrees() const {
  if (!kernel_bytes) return std::nullopt;
  const Uint128 larger = std::max(counted_bytes, *kernel_bytes);
  const Uint128 smaller = std::min(counted_bytes, *kernel_bytes);
  return (larger - smaller) * 100 <= counted_bytes;
}

}  // namespace lsmlab
