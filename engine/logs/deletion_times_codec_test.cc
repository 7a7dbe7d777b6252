// When the tombstones of files were written, as a manifest keeps it.
#include "engine/logs/manifest_codec.h"
#include "testing/catch.h"

namespace lsmlab::engine::deletion_times_codec_test {
namespace {

using Blocks = std::vector<DeletionTimes::Block>;

ManifestEdit edit_with(std::shared_ptr<const DeletionTimes> times) {
  File file;
  file.id = FileId(9);
  file.keys = {1, 2};
  file.deletion_times = std::move(times);
  ManifestEdit edit;
  edit.edit.added.push_back({{0, std::nullopt}, {file}});
  return edit;
}

Result<ManifestEdit> read_back(std::uint32_t shift, const Blocks& blocks) {
  const ManifestEdit edit = edit_with(std::make_shared<const DeletionTimes>(shift, blocks));
  const auto json = json_of_cbor(cbor_of(json_of(edit)));
  REQUIRE(json);
  auto record = BOOST_OUTCOME_TRYX(record_of(json.value()));
  return std::get<ManifestEdit>(std::move(record));
}

TEST_CASE("manifest codec: a file's deletion times come back") {
  for (const auto& [shift, blocks] :
       {std::pair{0U, Blocks{{7, 1}}}, std::pair{5U, Blocks{{0, 2}, {3, 1}, {4, 90}}},
        std::pair{63U, Blocks{{0, 1}, {1, 2}}}}) {
    const auto read = read_back(shift, blocks);
    REQUIRE(read);
    const File& file = read.value().edit.added.front().files.front();
    REQUIRE(*file.deletion_times == DeletionTimes(shift, blocks));
  }
  const auto record = record_of(json_of_cbor(cbor_of(json_of(edit_with(nullptr)))).value());
  REQUIRE(record);
  const auto& edit = std::get<ManifestEdit>(record.value());
  REQUIRE(edit.edit.added.front().files.front().deletion_times == nullptr);
}

TEST_CASE("manifest codec: deletion times that no file has are damage") {
  Blocks many;
  for (std::uint64_t i = 0; i <= DeletionTimes::kBlocksMax; ++i) many.push_back({i, 1});
  for (const auto& [shift, blocks] :
       {std::pair{3U, Blocks{{2, 1}, {1, 1}}}, std::pair{3U, Blocks{{2, 0}}},
        std::pair{64U, Blocks{{0, 1}}}, std::pair{63U, Blocks{{2, 1}}}, std::pair{0U, many}}) {
    REQUIRE(!read_back(shift, blocks));
  }
}

}  // namespace
}  // namespace lsmlab::engine::deletion_times_codec_test
