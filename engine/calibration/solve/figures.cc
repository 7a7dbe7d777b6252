#include "engine/calibration/solve/figures.h"

#include "models/base/check.h"

namespace lsmlab::engine {

const CpuRow& find_row(std::span<const CpuRow> rows, CpuWork work) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const CpuRow& row) { return row.work == work; });
  CHECK(found != rows.end());
  return *found;
}

const DiskRow& find_row(std::span<const DiskRow> rows, DiskWork work, std::uint64_t request_bytes) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const DiskRow& row) {
    return row.work == work && row.request_bytes == request_bytes && row.depth == 1;
  });
  CHECK(found != rows.end());
  return *found;
}

}  // namespace lsmlab::engine
