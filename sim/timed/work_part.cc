#include "sim/timed/work_part.h"

#include <algorithm>
#include <numeric>

#include "models/sizes/sstable_size.h"

namespace lsmlab {
namespace {

// Work is divided into this number of steps before requests of a step are joined.
constexpr std::uint64_t kStepsOfJoined = 64;

std::uint64_t scaled(std::uint64_t sum, std::uint64_t share, std::uint64_t whole) {
  return static_cast<std::uint64_t>(Uint128{sum} * share / whole);
}

}  // namespace

std::uint64_t part_of(std::uint64_t sum, std::uint64_t n, std::uint64_t parts) {
  return scaled(sum, n + 1, parts) - scaled(sum, n, parts);
}

void WorkPart::divide(std::uint64_t piece, std::uint64_t joined_max) {
  std::uint64_t written = write_bytes;
  for (const std::uint64_t end : file_ends) written += end;
  const std::uint64_t bytes = std::max(read_bytes, written);
  requests = std::max<std::uint64_t>(1, (bytes + piece - 1) / piece);
  const std::uint64_t joined = std::clamp<std::uint64_t>(requests / kStepsOfJoined, 1, joined_max);
  steps = (requests + joined - 1) / joined;
}

std::uint64_t output_bytes(const PlanJob& job) {
  return std::accumulate(
      job.files.begin(), job.files.end(), std::uint64_t{0},
      [](std::uint64_t sum, const File& file) { return sum + file.bytes.value(); });
}

std::vector<WorkPart> work_parts(const PlanJob& job, const MergeParts& parts,
                                 std::uint64_t cpu_ns) {
  std::vector<std::uint64_t> shares = parts.input_bytes;
  if (shares.empty()) shares.push_back(1);
  const std::uint64_t whole = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  std::uint64_t data_bytes = output_bytes(job);
  for (const File& file : job.files) data_bytes -= sstable_end_bytes(file.bytes.value());
  std::vector<WorkPart> found;
  std::uint64_t begin = 0;     // shares of the parts before this one
  std::uint64_t file_end = 0;  // data of files until the end of `file`
  auto file = job.files.begin();
  for (const std::uint64_t share : shares) {
    const auto of = [&](std::uint64_t sum) {
      return scaled(sum, begin + share, whole) - scaled(sum, begin, whole);
    };
    WorkPart part{of(job.sums.read_bytes), of(data_bytes), {}, of(cpu_ns)};
    begin += share;
    // The part's last file ends in the next part, if any of its data lies there.
    for (; file != job.files.end(); ++file) {
      const std::uint64_t end_bytes = sstable_end_bytes(file->bytes.value());
      const std::uint64_t file_data = file->bytes.value() - end_bytes;
      if (file_end + file_data > scaled(data_bytes, begin, whole)) break;
      file_end += file_data;
      part.file_ends.push_back(end_bytes);
    }
    std::reverse(part.file_ends.begin(), part.file_ends.end());
    found.push_back(std::move(part));
  }
  return found;
}

}  // namespace lsmlab
