// Flips bits of a store's files. Every later read is right, or an error names the damaged file.
// LSMLAB_FLIP_STEP=1 flips every bit.
#include "engine/files/file_names.h"
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::corruption_test {
namespace {

using testing::kDirectory;
using testing::RandomBatches;
using testing::StoreModel;
using testing::StoreState;

struct Sample {
  std::map<std::string, std::string> files;
  StoreModel model;
  // States after a batch that may be lost with the end of a log.
  StoreState newest;
};

StoreSetup setup_of(FileSystem& disk, Compression compression) {
  // A policy that makes frozen files and slices.
  StoreSetup setup = testing::small_setup("ldc:slice_threshold=2", disk);
  setup.policy.store.compression.levels = {{compression}};
  return setup;
}

// A store with a few SSTables, some edits in its manifest, and a log.
Sample make_sample(Compression compression) {
  Sample sample;
  FaultFileSystem disk;
  RandomBatches random(5);
  const auto write = [&](Store& store, int count) {
    for (int i = 0; i < count; ++i) {
      REQUIRE(testing::write_and_note(store, sample.model, random.batch(), false));
    }
  };
  {
    const auto store = Store::open(kDirectory, setup_of(disk, compression)).value();
    write(*store, 150);
    REQUIRE(store->flush());
    REQUIRE(store->close());
  }
  const auto store = Store::open(kDirectory, setup_of(disk, compression)).value();
  write(*store, 30);
  REQUIRE(store->flush());
  sample.model.make_durable();
  write(*store, 7);
  REQUIRE(store->close());
  const auto names = disk.list(kDirectory).value();
  for (const std::string& name : names) {
    sample.files[name] = disk.read_file(join_path(kDirectory, name)).value();
  }
  sample.newest = sample.model.newest();
  return sample;
}

std::string mentions(const Error& error, const std::string& name) {
  const bool is_named = error.message.find(name) != std::string::npos;
  return is_named ? std::string() : "an error that does not name the file: " + error.message;
}

// Compares every answer of the store with the expected state; empty if none is wrong.
std::string answers_fault(Store& store, const StoreState& state, const std::string& name) {
  for (const auto& [key, value] : state) {
    const auto found = store.get(key);
    if (!found) {
      const std::string fault = mentions(found.error(), name);
      if (!fault.empty()) return fault;
    } else if (found.value() != value) {
      return fmt::format("get({}) is wrong", key);
    }
  }
  for (const char* const absent : {"0!", "key/", "same8byt", "zz"}) {
    const auto found = store.get(absent);
    if (found && found.value()) return fmt::format("get({}) is wrong", absent);
  }
  // A scan shows a correct prefix, perhaps followed by an error.
  const auto cursor = store.scan({});
  for (auto expected = state.begin();; ++expected) {
    const auto next = cursor->next();
    if (!next) return mentions(next.error(), name);
    if (!next.value()) return expected == state.end() ? "" : "a scan ends too early";
    if (expected == state.end()) return "a scan shows too much";
    if (cursor->key() != expected->first) return "a scan shows a wrong key";
    if (cursor->value() != expected->second) return "a scan shows a wrong value";
  }
}

// Outcomes of one kind of damage.
struct Outcomes {
  std::uint64_t flips = 0;
  std::uint64_t refused = 0;  // open() failed
  std::uint64_t shortened = 0;
};

// A damaged last edit of a manifest looks like an unfinished one.
std::string flip_fault(const Sample& sample, Compression compression, const std::string& name,
                       std::uint64_t bit, Outcomes& outcomes) {
  FaultFileSystem disk;
  for (const auto& [file, bytes] : sample.files) disk.put_file(join_path(kDirectory, file), bytes);
  disk.flip_bit(join_path(kDirectory, name), bit);
  ++outcomes.flips;
  const auto opened = Store::open(kDirectory, setup_of(disk, compression));
  if (!opened) {
    ++outcomes.refused;
    // A manifest that lost an edit names removed files.
    const bool is_manifest = name.starts_with("MANIFEST");
    return mentions(opened.error(), is_manifest ? std::string(kDirectory) : name);
  }
  Store& store = *opened.value();
  StoreState state = sample.newest;
  const FileKind kind = parse_name(name)->kind;
  if (kind == FileKind::kWal) {
    const auto found = testing::scan_all(store);
    if (!found) return found.error().message;
    if (!sample.model.batches_of(found.value(), StoreModel::Kept::kDurable)) {
      return "not a prefix of what was written";
    }
    const RecoveryReport& report = store.recovery();
    if (found.value() != state && report.log_dropped_bytes == 0) return "a loss is not reported";
    outcomes.shortened += found.value() != state;
    state = found.value();
  }
  std::string fault = answers_fault(store, state, name);
  if (!fault.empty()) return fault;
  // Merges read the damaged file too.
  RandomBatches random(bit);
  for (int i = 0; i < 30; ++i) {
    const testing::ModelBatch batch = random.batch();
    const Result<void> written = testing::write_batch(store, batch);
    if (!written) return mentions(written.error(), name);
    for (const auto& [key, value] : batch) {
      if (value) state[key] = *value;
      if (!value) state.erase(key);
    }
  }
  return answers_fault(store, state, name);
}

TEST_CASE("corruption: a bit that flips in any file is told or does no harm") {
  const std::uint64_t step = testing::number_from("LSMLAB_FLIP_STEP", 331);
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    const Sample sample = make_sample(compression);
    std::map<FileKind, Outcomes> outcomes;
    std::uint64_t tables = 0;
    for (const auto& [name, bytes] : sample.files) {
      const FileKind kind = parse_name(name)->kind;
      tables += kind == FileKind::kSstable;
      const std::uint64_t stride = kind == FileKind::kCurrent ? 1 : step;
      for (std::uint64_t bit = tables % stride; bit < 8 * bytes.size(); bit += stride) {
        const std::string fault = flip_fault(sample, compression, name, bit, outcomes[kind]);
        if (fault.empty()) continue;
        INFO(name << ", bit " << bit << " of " << 8 * bytes.size() << ": " << fault);
        REQUIRE(fault.empty());
      }
    }
    REQUIRE(tables > 5);
    REQUIRE(outcomes[FileKind::kManifest].refused > 0);
    REQUIRE(outcomes[FileKind::kWal].refused > 0);
    REQUIRE(outcomes[FileKind::kWal].shortened == 0);
    for (const auto& [kind, sums] : outcomes) {
      if (step > 3) break;
      WARN("kind " << static_cast<int>(kind) << ": " << sums.flips << " flips, " << sums.refused
                   << " openings refused, " << sums.shortened << " logs shortened");
    }
  }
}

TEST_CASE("corruption: a flush whose edit is damaged is not taken for one that never was") {
  std::map<std::string, std::string> files;
  std::uint64_t edit_begin = 0;
  std::string manifest;
  {
    FaultFileSystem disk;
    const auto store = Store::open(kDirectory, testing::small_setup("tiered", disk)).value();
    const auto names = disk.list(kDirectory).value();
    for (const std::string& name : names) {
      if (name.starts_with("MANIFEST")) manifest = name;
    }
    edit_begin = disk.file_size(join_path(kDirectory, manifest));
    REQUIRE(store->put("key", "value"));
    REQUIRE(store->flush());
    REQUIRE(store->put("other", "value"));
    const auto names_now = disk.list(kDirectory).value();
    for (const std::string& name : names_now) {
      files[name] = disk.read_file(join_path(kDirectory, name)).value();
    }
  }
  REQUIRE(files[manifest].size() > edit_begin);
  for (std::uint64_t byte = edit_begin; byte < files[manifest].size(); ++byte) {
    FaultFileSystem disk;
    for (const auto& [name, bytes] : files) disk.put_file(join_path(kDirectory, name), bytes);
    disk.flip_bit(join_path(kDirectory, manifest), 8 * byte + byte % 8);
    const auto opened = Store::open(kDirectory, testing::small_setup("tiered", disk));
    INFO("byte " << byte << " of " << files[manifest].size());
    REQUIRE(!opened);
    REQUIRE(opened.error().message.find(manifest + ": the last edit") != std::string::npos);
    const auto left = disk.list(kDirectory).value();
    REQUIRE(left.size() == files.size());
  }
}

}  // namespace
}  // namespace lsmlab::engine::corruption_test
