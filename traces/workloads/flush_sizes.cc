#include "traces/workloads/flush_sizes.h"

#include "models/base/quantity_text.h"
#include "models/base/units.h"
#include "traces/workloads/number_lines.h"

namespace lsmlab {

Result<std::vector<std::uint64_t>> read_flush_sizes(const std::string& path) {
  return read_number_lines(path,
                           {parse_bytes, 1, kFlushedBytesMax, "1..2^63 bytes", "flush sizes"});
}

}  // namespace lsmlab
