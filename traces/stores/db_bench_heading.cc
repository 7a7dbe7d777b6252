#include "traces/stores/db_bench_heading.h"

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// Nothing but what db_bench may have: a wild number would overflow sums of bytes.
std::uint64_t stated_bytes(std::string_view word) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  const auto bytes = leading_number(word);
  return bytes && *bytes < kMost ? *bytes : 0;
}

}  // namespace

void note_heading_line(std::string_view line, DbBenchHeading& heading, std::string& version) {
  const auto words = words_of(line);
  if (words.size() < 2) return;
  if (words[0] == "RocksDB:" && words[1] == "version" && words.size() == 3) {
    version = std::string(words[2]);
  } else if (words[0] == "Keys:" && words.size() > 3 && words[2] == "bytes") {
    heading.key_bytes = stated_bytes(words[1]);
  } else if (words[0] == "Values:" && words.size() > 3) {
    // "100 bytes each (50 bytes after compression)", "100 avg bytes each (...".
    heading.value_bytes = stated_bytes(words[1]);
    const auto compressed = after(line, "(");
    heading.compressed_value_bytes = compressed ? stated_bytes(*compressed) : 0;
  } else if (words[0] == "Entries:" && words.size() == 2) {
    heading.entries = leading_number(words[1]).value_or(0);
  } else if (words[0] == "Compression:" && words.size() == 2) {
    heading.compression = std::string(words[1]);
  }
}

}  // namespace lsmlab::stores
