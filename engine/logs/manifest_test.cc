#include "engine/logs/manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>

#include "engine/files/file_names.h"
#include "engine/logs/manifest_codec.h"
#include "engine/logs/record_log.h"
#include "engine/sstable/entry_view.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/manifest_samples.h"

namespace lsmlab::engine::manifest_test {
namespace {

using testing::make_all_edits;
using testing::make_edits;
using testing::make_file;
using testing::make_snapshot;

constexpr LossMode kLossModes[] = {LossMode::kNothing, LossMode::kPrefix, LossMode::kReordered,
                                   LossMode::kEverything};

// A text of the whole tree, for comparison.
std::string text_of(const RecoveredManifest& manifest) {
  const ManifestSnapshot snapshot{manifest.identity, manifest.tree.image(), manifest.last_sequence,
                                  manifest.first_wal};
  return fmt::format(
      "{} edits {}", manifest.edits,
      to_json(json_of(snapshot)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

RecoveredManifest recover(FileSystem& files) {
  auto found = read_manifest(files, "db");
  INFO((found ? std::string() : found.error().message));
  REQUIRE(found);
  REQUIRE(found.value());
  return std::move(*found.value());
}

std::string path_of(std::uint64_t number) { return join_path("db", manifest_name(number)); }

// What recovery returns after 0, 1, ... edits.
std::vector<std::string> make_texts(std::vector<std::uint64_t>* ends, std::string* bytes) {
  FaultFileSystem files;
  REQUIRE(files.create_directory("db"));
  auto writer = ManifestWriter::create(files, "db", 4, make_snapshot(), true);
  REQUIRE(writer);
  std::vector<std::string> texts{text_of(recover(files))};
  *ends = {0, writer.value()->size()};
  for (const ManifestEdit& edit : make_all_edits()) {
    REQUIRE(writer.value()->append(edit));
    texts.push_back(text_of(recover(files)));
    ends->push_back(writer.value()->size());
  }
  *bytes = files.read_file(path_of(4)).value();
  return texts;
}

void put_manifest(FaultFileSystem& files, std::string bytes) {
  files.put_file("db/CURRENT", manifest_name(4) + "\n");
  files.put_file(path_of(4), std::move(bytes));
}

std::string message_of(std::string bytes) {
  FaultFileSystem files;
  put_manifest(files, std::move(bytes));
  const auto found = read_manifest(files, "db");
  REQUIRE(!found);
  REQUIRE(found.error().kind == ErrorKind::kMachine);
  return found.error().message;
}

template <class Record>
std::string record_bytes(const Record& record) {
  std::string bytes;
  append_record(bytes, cbor_of(json_of(record)));
  return bytes;
}

// The bytes that another implementation writes.
std::string library_cbor_of(const nlohmann::json& json) {
  std::string cbor;
  nlohmann::json::to_cbor(json, cbor);
  return cbor;
}

TEST_CASE("manifest codec: numbers, texts and lists of any size are written as a library does") {
  for (const std::uint64_t number : {0ULL, 23ULL, 24ULL, 255ULL, 256ULL, 65'535ULL, 65'536ULL,
                                     (1ULL << 32) - 1, 1ULL << 32, ~0ULL}) {
    CborValue list = CborValue::array();
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(number, 300); ++i) list.push_back(i);
    const CborValue value{{"text", std::string(number % 70'001, 't')},
                          {"number", number},
                          {"list", list},
                          {"flag", number % 2 == 0},
                          {"", CborValue::object()}};
    REQUIRE(cbor_of(value) == library_cbor_of(to_json(value)));
    REQUIRE(json_of_cbor(cbor_of(value)).value() == value);
  }
}

TEST_CASE("manifest codec: records come back exactly") {
  const CborValue snapshot = json_of(make_snapshot());
  const auto read_back = json_of_cbor(cbor_of(snapshot));
  REQUIRE(read_back);
  REQUIRE(read_back.value() == snapshot);
  REQUIRE(cbor_of(snapshot) == library_cbor_of(to_json(snapshot)));
  const auto record = record_of(read_back.value());
  REQUIRE(record);
  REQUIRE(json_of(std::get<ManifestSnapshot>(record.value())) == snapshot);
  const auto& file = std::get<ManifestSnapshot>(record.value()).tree.levels[1].runs[0].files[0];
  REQUIRE(file.seeks == 7003);
  REQUIRE(file.oldest_ancestor == Instant(3503));
  REQUIRE(file.marked);
  REQUIRE(file.zeroed == static_cast<Zeroed>(file.id.value() % 3));
  REQUIRE(!std::get<ManifestSnapshot>(record.value()).tree.levels[1].runs[0].files[1].marked);
  REQUIRE(!file.oldest_tombstone);
  REQUIRE(file.slices.size() == 1);
  REQUIRE(file.slices[0].bytes == Bytes(77));
  for (const ManifestEdit& edit : make_all_edits()) {
    const std::string cbor = cbor_of(json_of(edit));
    REQUIRE(cbor == library_cbor_of(to_json(json_of(edit))));
    const auto json = json_of_cbor(cbor);
    REQUIRE(json);
    const auto again = record_of(json.value());
    REQUIRE(again);
    REQUIRE(json_of(std::get<ManifestEdit>(again.value())) == json_of(edit));
  }
}

TEST_CASE("manifest: files of an older store have no oldest ancestor but themselves") {
  nlohmann::json json = to_json(json_of(make_snapshot()));
  for (auto& level : json["snapshot"]["tree"]["levels"]) {
    for (auto& run : level["runs"]) {
      for (auto& file : run["files"]) REQUIRE(file.erase("oldest_ancestor") == 1);
    }
  }
  const std::string cbor = library_cbor_of(json);
  const auto old = json_of_cbor(cbor);
  REQUIRE(old);
  const auto record = record_of(old.value());
  REQUIRE(record);
  const auto& tree = std::get<ManifestSnapshot>(record.value()).tree;
  REQUIRE(tree.levels[0].runs[0].files[0].oldest_ancestor == Instant(4001));
  REQUIRE(tree.frozen_files[0].oldest_ancestor == Instant(3505));
}

TEST_CASE("manifest: nothing without CURRENT, then the snapshot and the edits since") {
  FaultFileSystem files;
  REQUIRE(files.create_directory("db"));
  REQUIRE(!read_manifest(files, "db").value());
  auto writer = ManifestWriter::create(files, "db", 4, make_snapshot(), true);
  REQUIRE(writer);
  REQUIRE(files.list("db").value() == std::vector<std::string>{"CURRENT", "MANIFEST-000004"});
  REQUIRE(json_of(ManifestSnapshot{make_snapshot().identity, recover(files).tree.image(),
                                   kSequenceMax, 17}) == json_of(make_snapshot()));
  for (const ManifestEdit& edit : make_edits()) REQUIRE(writer.value()->append(edit));
  const RecoveredManifest found = recover(files);
  REQUIRE(found.number == 4);
  REQUIRE(found.edits == 4);
  REQUIRE(found.last_sequence == 1000);
  REQUIRE(found.first_wal == 18);
  REQUIRE(found.tree.traffic() == Traffic{50, 60});
  REQUIRE(found.tree.flush_count() == 3);
  REQUIRE(found.tree.last_merge_flush() == 3);
  REQUIRE(found.tree.now() == Instant(20003));
  REQUIRE(found.tree.levels()[2].cursor == ~std::uint64_t{0});
  REQUIRE(found.tree.file_at(*found.tree.find_file(FileId(1))).level_since == Instant(20001));
  REQUIRE(found.dropped_bytes == 0);
  REQUIRE(files.counters().of(WriteKind::kManifest) ==
          files.file_size(path_of(4)) + manifest_name(4).size() + 1);
}

TEST_CASE("manifest: every truncation gives the edits before it, or an error in the snapshot") {
  std::vector<std::uint64_t> ends;
  std::string bytes;
  const auto texts = make_texts(&ends, &bytes);
  for (std::uint64_t size = 0; size < bytes.size(); ++size) {
    INFO("size " << size);
    if (size < ends[1]) {
      REQUIRE(message_of(bytes.substr(0, size)).starts_with(path_of(4) + ": "));
      continue;
    }
    FaultFileSystem files;
    put_manifest(files, bytes.substr(0, size));
    const RecoveredManifest found = recover(files);
    REQUIRE(text_of(found) == texts[found.edits]);
    REQUIRE(ends[found.edits + 1] + found.dropped_bytes == size);
    REQUIRE(ends[found.edits + 2] > size);
  }
}

TEST_CASE("manifest: every flipped bit is an error with its place, or drops the last edit") {
  std::vector<std::uint64_t> ends;
  std::string bytes;
  const auto texts = make_texts(&ends, &bytes);
  for (std::uint64_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    INFO("bit " << bit);
    FaultFileSystem files;
    put_manifest(files, bytes);
    files.flip_bit(path_of(4), bit);
    const auto found = read_manifest(files, "db");
    if (bit / 8 >= ends[texts.size() - 1]) {
      REQUIRE(found);
      REQUIRE(text_of(*found.value()) == texts[texts.size() - 2]);
      continue;
    }
    std::size_t record = 0;
    while (ends[record + 1] <= bit / 8) ++record;
    REQUIRE(!found);
    REQUIRE(found.error().message.starts_with(
        fmt::format("{}: the record at byte {} is ", path_of(4), ends[record])));
  }
}

// Makes a first manifest, then appends to it or switches to a second one; `done` counts reported
// successes.
void work(FaultFileSystem& files, bool is_synced, std::size_t* done) {
  *done = 0;
  if (!files.create_directory("db")) return;
  auto writer = ManifestWriter::create(files, "db", 4, make_snapshot(), is_synced);
  if (!writer) return;
  ++*done;
  for (const ManifestEdit& edit : make_all_edits()) {
    if (!writer.value()->append(edit)) return;
    ++*done;
  }
  ManifestSnapshot second = make_snapshot();
  second.first_wal = 1000;
  if (!ManifestWriter::create(files, "db", 5, second, is_synced)) return;
  ++*done;
}

TEST_CASE("manifest: a crash at any call finds what was reported, or the step under way") {
  std::vector<std::uint64_t> ends;
  std::string bytes;
  std::vector<std::string> texts = make_texts(&ends, &bytes);
  texts.insert(texts.begin(), "none");
  std::size_t done = 0;
  FaultFileSystem whole;
  work(whole, true, &done);
  texts.push_back(text_of(recover(whole)));
  REQUIRE(done + 1 == texts.size());
  for (const LossMode mode : kLossModes) {
    for (std::uint64_t call = 1; call <= whole.calls() + 1; ++call) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        INFO("mode " << static_cast<int>(mode) << " call " << call << " seed " << seed);
        FaultFileSystem files(seed);
        files.crash_at(call);
        work(files, true, &done);
        files.restart(seed, mode);
        const auto found = read_manifest(files, "db");
        INFO((found ? std::string() : found.error().message));
        REQUIRE(found);
        const std::string text = found.value() ? text_of(*found.value()) : "none";
        REQUIRE((text == texts[done] || (done + 1 < texts.size() && text == texts[done + 1])));
      }
    }
  }
}

TEST_CASE("manifest: an unsynced one survives the process at any call") {
  std::size_t done = 0;
  FaultFileSystem whole;
  work(whole, false, &done);
  for (std::uint64_t call = 1; call <= whole.calls(); ++call) {
    INFO("call " << call);
    FaultFileSystem files;
    files.crash_at(call);
    work(files, false, &done);
    files.restart(call, LossMode::kNothing);
    const auto found = read_manifest(files, "db");
    REQUIRE(found);
    REQUIRE((done == 0 || found.value()));
  }
}

TEST_CASE("manifest: a switch that fails at any call leaves the old manifest in force, alone") {
  for (const Failure failure : {Failure::kIoError, Failure::kShortWrite}) {
    for (std::uint64_t step = 1;; ++step) {
      INFO("step " << step);
      FaultFileSystem files;
      REQUIRE(files.create_directory("db"));
      auto old = ManifestWriter::create(files, "db", 4, make_snapshot(), true);
      REQUIRE(old);
      REQUIRE(old.value()->append(make_edits()[0]));
      const std::string before = text_of(recover(files));
      files.fail_call(files.calls() + step, failure);
      const auto next = ManifestWriter::create(files, "db", 5, make_snapshot(), true);
      if (next) {
        REQUIRE(step > 8);
        break;
      }
      REQUIRE(text_of(recover(files)) == before);
      REQUIRE(files.list("db").value() == std::vector<std::string>{"CURRENT", "MANIFEST-000004"});
      files.restart(step, LossMode::kEverything);
      REQUIRE(text_of(recover(files)) == before);
    }
  }
}

TEST_CASE("manifest: errors of appending stick") {
  FaultFileSystem files;
  REQUIRE(files.create_directory("db"));
  auto writer = ManifestWriter::create(files, "db", 4, make_snapshot(), true);
  REQUIRE(writer);
  files.fail_matching(Op::kSync, "MANIFEST", 1);
  REQUIRE(!writer.value()->append(make_edits()[0]));
  REQUIRE(writer.value()->append(make_edits()[0]).error().message ==
          "db/MANIFEST-000004: fdatasync: Input/output error");
}

TEST_CASE("manifest: CURRENT must name a manifest that is there") {
  for (const std::string name : {"", "\n", "MANIFEST-000004", "000001.wal\n",
                                 "../MANIFEST-000004\n", "MANIFEST-4\n", "MANIFEST-000004\n\n"}) {
    FaultFileSystem files;
    put_manifest(files, record_bytes(make_snapshot()));
    files.put_file("db/CURRENT", name);
    REQUIRE(read_manifest(files, "db").error().message == "db/CURRENT: does not name a manifest");
  }
  FaultFileSystem files;
  files.put_file("db/CURRENT", "MANIFEST-000004\n");
  REQUIRE(read_manifest(files, "db").error().message ==
          "db/CURRENT: names MANIFEST-000004, but there is no such file");
}

TEST_CASE("manifest: whole records that make no sense are errors with their place") {
  const std::string snapshot = record_bytes(make_snapshot());
  const std::string at_second =
      fmt::format("{}: the record at byte {} ", path_of(4), snapshot.size());
  const auto edits = make_edits();
  REQUIRE(message_of("") == path_of(4) + ": is empty; expected a snapshot");
  REQUIRE(message_of(record_bytes(edits[0])) ==
          path_of(4) + ": the record at byte 0 is not a snapshot");
  REQUIRE(message_of(snapshot + snapshot) == at_second + "is a second snapshot");
  REQUIRE(message_of(snapshot + record_bytes(edits[3]).substr(1) + record_bytes(edits[0])) ==
          at_second + "is torn: it is longer than the file, but whole records follow");

  const auto edited = [&](const auto& change) {
    ManifestEdit edit;
    change(edit.edit);
    return message_of(snapshot + record_bytes(edit));
  };
  const std::string unfit = at_second + "does not fit the tree: ";
  REQUIRE(edited([](TreeEdit& edit) { edit.removed = {FileId(50)}; }) ==
          unfit + "file 50 is not in the tree");
  REQUIRE(edited([](TreeEdit& edit) {
            edit.linked.push_back({FileId(5), FileId(4), {FileId(9), {21, 30}, Bytes(1)}});
          }) == unfit + "a slice of file 9 is linked as a slice of file 5");
  REQUIRE(edited([](TreeEdit& edit) {
            File file = make_file(9, 40, 50);
            file.slices.push_back({FileId(9), {40, 50}, Bytes(1)});
            edit.added.push_back({{2, std::nullopt}, {file}});
          }) == unfit + "the new file 9 already has slices");
  const std::string damaged = at_second + "is damaged: ";
  REQUIRE(edited([](TreeEdit& edit) {
            edit.cursors = {{1u << 16, 1}};
          }) == damaged + "\"level\" is above 65535");
  REQUIRE(edited([](TreeEdit& edit) {
            edit.added.push_back({{2, std::nullopt}, {make_file(9, 5, 4)}});
          }) == damaged + "\"keys\" end before they begin");
  REQUIRE(edited([](TreeEdit& edit) { edit.removed = {FileId(~std::uint64_t{0})}; }) ==
          damaged + "\"removed\" is above 4611686018427387904");
  ManifestSnapshot hollow = make_snapshot();
  hollow.tree.frozen_files.clear();
  REQUIRE(message_of(record_bytes(hollow))
              .starts_with(path_of(4) +
                           ": the record at byte 0 is not a valid tree: a slice of file 5"));
}

TEST_CASE("manifest codec: every missing or odd member is an error") {
  const nlohmann::json edits = [] {
    nlohmann::json all = nlohmann::json::array(
        {to_json(json_of(make_snapshot())), to_json(json_of(testing::make_virtual_snapshot()))});
    for (const ManifestEdit& edit : make_all_edits()) all.push_back(to_json(json_of(edit)));
    return all;
  }();
  for (const nlohmann::json& whole : edits) {
    const nlohmann::json flat = whole.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      for (const nlohmann::json& odd :
           {nlohmann::json("text"), nlohmann::json(-1), nlohmann::json(1.5), nlohmann::json(),
            nlohmann::json::object(), nlohmann::json::array()}) {
        if (odd.type() == value.type()) continue;
        nlohmann::json changed = whole;
        changed[nlohmann::json::json_pointer(pointer)] = odd;
        // In the flat form, empty lists and empty objects look alike.
        if (changed == whole) continue;
        INFO(pointer << " = " << odd.dump());
        if (value.is_null()) continue;
        const auto read = json_of_cbor(library_cbor_of(changed));
        REQUIRE((!read || !record_of(read.value())));
      }
    }
  }
}

TEST_CASE("manifest codec: bytes that are no CBOR of ours are refused, however deep") {
  REQUIRE(!json_of_cbor(""));
  REQUIRE(!json_of_cbor(std::string(1 << 20, '\x81')));
  REQUIRE(!json_of_cbor(std::string(1 << 20, '\x7f')));
  REQUIRE(!json_of_cbor(std::string(1 << 20, '\xc1')));
  REQUIRE(!json_of_cbor("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"));
  REQUIRE(!json_of_cbor("\xbb\x80"));
  REQUIRE(!json_of_cbor("\x20"));
  REQUIRE(!json_of_cbor("\xf6"));
  REQUIRE(!json_of_cbor(std::string("\x80\x80", 2)));
  REQUIRE(json_of_cbor("\x80"));
  REQUIRE(json_of_cbor("\xa1\x61z\x01"));
  REQUIRE(!json_of_cbor("\xa1\x01\x01"));            // no name
  REQUIRE(!json_of_cbor("\xa2\x61z\x01\x61z\x01"));  // a name twice
}

TEST_CASE("manifest: records are shown with their places") {
  std::vector<std::uint64_t> ends;
  std::string bytes;
  make_texts(&ends, &bytes);
  FaultFileSystem files;
  put_manifest(files, bytes + "torn");
  std::vector<std::uint64_t> offsets;
  REQUIRE(visit_manifest(files, path_of(4), [&](std::uint64_t offset, const nlohmann::json& json) {
    REQUIRE(json.contains(offsets.empty() ? "snapshot" : "edit"));
    offsets.push_back(offset);
  }));
  ends.pop_back();
  REQUIRE(offsets == ends);
}

}  // namespace
}  // namespace lsmlab::engine::manifest_test
