// Copies of merged files in a simulated store: what they save reads after merges, and what they
// cost in space.
#include <string>

#include "sim/keys/key_store.h"
#include "testing/catch.h"
#include "testing/oracles/map_store.h"

namespace lsmlab::copies_test {
namespace {

struct Figures {
  std::uint64_t written = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t found = 0;
  std::uint64_t file_bytes_most = 0;
  std::uint64_t copies_most = 0;
};

// Fills a store with keys in a fixed order; after each write, lookups of a few hot keys follow.
Figures run(const std::string& options) {
  const ConfiguredPolicy policy = testing::configured(
      "lsbm:buffer=8KiB,block_size=512,file_size=8KiB,l0_size=32KiB,l0_compaction_trigger=16KiB,"
      "size_ratio=4,levels=4,block_cache=256KiB," +
      options);
  KeyStore store(policy, {}, nullptr);
  Figures figures;
  std::uint64_t operations = 0;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    store.advance_now(Instant(++operations));
    REQUIRE(store.write(i * 7'919 % 20'000, 16, 48, false).has_value());
    for (std::uint64_t hot = 0; hot < 3; ++hot) {
      store.advance_now(Instant(++operations));
      figures.found += store.get((i * 31 + hot) % 600).has_value() ? 1u : 0u;
    }
    figures.copies_most = std::max(figures.copies_most, store.tree().frozen_files().sums().bytes);
  }
  figures.written = static_cast<std::uint64_t>(store.totals().merge_bytes_written);
  figures.blocks_read = store.reads().gets_found.blocks.blocks_read;
  figures.file_bytes_most = static_cast<std::uint64_t>(store.files().ledger().disk().file_bytes);
  return figures;
}

TEST_CASE("copies save reads after merges, cost space, and write nothing") {
  const Figures off = run("compaction_buffer=off");
  const Figures on = run("compaction_buffer=on,hot_file_percent=1");
  INFO("blocks read: " << off.blocks_read << " without, " << on.blocks_read << " with copies");
  REQUIRE(off.copies_most == 0);
  REQUIRE(on.copies_most > 0);
  REQUIRE(on.written == off.written);
  REQUIRE(on.found == off.found);
  REQUIRE(on.blocks_read < off.blocks_read);
  REQUIRE(on.file_bytes_most > off.file_bytes_most);
}

}  // namespace
}  // namespace lsmlab::copies_test
