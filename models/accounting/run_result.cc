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

std::optional<double> DiskPeaks::space() const {
  if (live_bytes == 0) return std::nullopt;
  return ratio_of(file_bytes, live_bytes);
}

PartFigures PartFigures::since(const PartFigures& earlier) const {
  PartFigures part = *this;
  part.operations -= earlier.operations;
  part.puts -= earlier.puts;
  part.deletes -= earlier.deletes;
  part.gets -= earlier.gets;
  part.scans -= earlier.scans;
  part.flushes -= earlier.flushes;
  part.merges -= earlier.merges;
  part.moves -= earlier.moves;
  part.user_bytes -= earlier.user_bytes;
  part.bytes_flushed -= earlier.bytes_flushed;
  part.flush_bytes_written -= earlier.flush_bytes_written;
  part.merge_bytes_read -= earlier.merge_bytes_read;
  part.merge_bytes_written -= earlier.merge_bytes_written;
  part.blocks_read -= earlier.blocks_read;
  for (std::size_t level = 0; level < earlier.by_output_level.size(); ++level) {
    part.by_output_level[level] -= earlier.by_output_level[level];
  }
  if (part.nanoseconds) *part.nanoseconds -= earlier.nanoseconds.value_or(0);
  return part;
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
