#include "sim/keys/stored_files.h"

#include "testing/catch.h"

namespace lsmlab::stored_files_test {
namespace {

StoredFile file_of(ChunkPool& pool, std::uint64_t key) {
  StoredFile file{EntryList(pool), {}, false};
  const Entry entry = Entry::make(key, 1, false, 0);
  file.entries.append(std::span(&entry, 1));
  return file;
}

TEST_CASE("Stored files are found by id, while they exist, and stay where they are") {
  ChunkPool pool;
  StoredFiles files;
  REQUIRE(files.find(FileId(7)) == nullptr);
  files.add(FileId(7), file_of(pool, 70));
  const StoredFile* const seventh = files.find(FileId(7));
  REQUIRE(seventh != nullptr);
  // On the same page, on the next one, and far away.
  for (const std::uint64_t id : {std::uint64_t{8}, std::uint64_t{64}, std::uint64_t{1'000'000}})
    files.add(FileId(id), file_of(pool, 10 * id));
  REQUIRE(files.find(FileId(7)) == seventh);
  REQUIRE(files.find(FileId(1'000'000))->entries[0].key == 10'000'000);
  REQUIRE(files.find(FileId(9)) == nullptr);
  REQUIRE(files.find(FileId(999'999)) == nullptr);
  REQUIRE(files.find(FileId(2'000'000)) == nullptr);
  files.erase(FileId(7));
  files.erase(FileId(7));  // it is gone already
  REQUIRE(files.find(FileId(7)) == nullptr);
  REQUIRE(files.find(FileId(8))->entries[0].key == 80);
  files.erase(FileId(8));
  files.add(FileId(7), file_of(pool, 71));  // its page was freed
  REQUIRE(files.find(FileId(7))->entries[0].key == 71);
}

}  // namespace
}  // namespace lsmlab::stored_files_test
