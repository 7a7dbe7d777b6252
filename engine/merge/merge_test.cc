// Compares merges of random sources with a literal reading of the rules: every entry goes into a
// sorted map, is filtered, and a plain loop cuts the files. Sources are lists, a memtable and
// SSTables; outputs are SSTables in memory, read back.
#include "engine/merge/merge.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "engine/files/memory_file.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::engine::merge_test {
namespace {

using testing::MemoryReadableFile;
using testing::MemoryWritableFile;

struct Version {
  std::string key;
  std::string value;
  std::uint64_t tag = 0;
  [[nodiscard]] EntryView view() const { return {key, value, tag}; }
  friend bool operator==(const Version&, const Version&) = default;
};
using Versions = std::vector<Version>;

Version copy_of(const EntryView& entry) {
  return {std::string(entry.key), std::string(entry.value), entry.tag};
}

// An entry is freed when the source moves on, as with blocks of a file.
class ListSource final : public MergeSource {
 public:
  ListSource(Versions versions, const KeyWindow& window)
      : versions_(std::move(versions)), window_(window) {}
  Result<bool> next() override {
    if (next_ == versions_.size()) return false;
    shown_ = std::make_unique<Version>(versions_[next_++]);
    entry_ = shown_->view();
    return true;
  }
  const EntryView& entry() const override { return entry_; }
  std::uint64_t window() const override { return window_.of(entry_.key); }

 private:
  Versions versions_;
  const KeyWindow& window_;
  std::size_t next_ = 0;
  std::unique_ptr<Version> shown_;
  EntryView entry_;
};

class FailingSource final : public MergeSource {
 public:
  Result<bool> next() override { return machine_error("the source fails"); }
  const EntryView& entry() const override { return entry_; }
  std::uint64_t window() const override { return 0; }

 private:
  EntryView entry_;
};

class MemoryOutputs final : public OutputFiles {
 public:
  explicit MemoryOutputs(std::uint64_t files_max = ~std::uint64_t{0}) : files_max_(files_max) {}
  Result<Opened> open() override {
    if (opened_ == files_max_) return machine_error("no more files");
    return Opened{FileId(++opened_), std::make_unique<MemoryWritableFile>()};
  }
  Result<void> close(Opened& opened) override {
    contents_[opened.id] = static_cast<MemoryWritableFile&>(*opened.file).contents();
    return success();
  }
  [[nodiscard]] std::uint64_t opened() const { return opened_; }
  [[nodiscard]] std::uint64_t closed() const { return contents_.size(); }
  [[nodiscard]] const std::string& contents(FileId id) const { return contents_.at(id); }

 private:
  std::uint64_t files_max_;
  std::uint64_t opened_ = 0;
  std::map<FileId, std::string> contents_;
};

std::shared_ptr<const SstableReader> opened(const std::string& contents, FileId id,
                                            const KeyWindow& window) {
  auto reader =
      SstableReader::open(std::make_unique<MemoryReadableFile>("a table", contents), id, window);
  REQUIRE(reader.has_value());
  return reader.value();
}

// A key is a number's eight bytes, so its window is the number, and a rest that separates keys of
// one window.
std::string key_of(std::uint64_t number, const std::string& rest) {
  std::string key;
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(number >> shift & 0xff);
  return key + rest;
}

constexpr std::uint64_t kNumbers = 1'500;

// Random sources; newer sources hold newer versions, as levels do.
std::vector<Versions> drawn_sources(std::mt19937_64& random, bool has_equal_windows) {
  const std::uint64_t keys = 20 + random() % kNumbers;
  const std::uint64_t tombstone_share = 2 + random() % 8;
  std::vector<Versions> sources(1 + random() % 9);
  std::uint64_t sequence = 0;
  for (std::size_t i = sources.size(); i-- > 0;) {
    const std::uint64_t count = random() % 8 == 0 ? 0 : random() % 600;
    const std::uint64_t first = random() % kNumbers;
    for (std::uint64_t j = 0; j < count; ++j) {
      const std::uint64_t number = (first + random() % keys) % kNumbers;
      const std::string rest =
          has_equal_windows ? std::string(random() % 3, 'r') + std::to_string(random() % 9) : "";
      const bool is_tombstone = random() % tombstone_share == 0;
      sources[i].push_back({key_of(has_equal_windows ? number / 8 : number, rest),
                            is_tombstone ? "" : std::string(random() % 90, 'v'),
                            make_tag(++sequence, is_tombstone)});
    }
    std::sort(sources[i].begin(), sources[i].end(),
              [](const Version& a, const Version& b) { return precedes(a.view(), b.view()); });
  }
  return sources;
}

// The merge, and a tree with files below its output.
struct DrawnMerge {
  DrawnTree tree;
  MergePlan plan;
};

DrawnMerge drawn_merge(std::mt19937_64& random) {
  std::vector<DrawnFile> files{{1, 1, 0, kNumbers, 1}};
  const std::uint64_t step = 1 + random() % 200;
  std::uint64_t id = 10;
  for (std::uint64_t key = random() % step; key < kNumbers && random() % 40 > 0;) {
    const std::uint64_t last = key + random() % step;
    files.push_back({2, ++id, key, last, random() % 20'000});
    key = last + 1 + (random() % 2) * (random() % step);
  }
  DrawnMerge merge{DrawnTree(files), {}};
  const SortedRun* run = newest_run(merge.tree.view(), 1);
  merge.plan.inputs = {input_of(1, *run, run->files)};
  merge.plan.target = {1, run->id};
  merge.plan.drops_tombstones = random() % 4 > 0;
  OutputCut& cut = merge.plan.cut;
  cut.grandparents = static_cast<GrandparentRule>(random() % 4);
  cut.measure = random() % 2 == 0 ? CutMeasure::kEntries : CutMeasure::kStoredBlocks;
  if (random() % 4 > 0) cut.file_bytes = Bytes(1 + random() % 8'000);
  cut.grandparent_bytes_max = Bytes(random() % 60'000);
  if (random() % 2 == 0) cut.split_key = 1 + random() % kNumbers;
  return merge;
}

struct Expected {
  std::vector<Versions> files;
  std::vector<std::uint64_t> dropped_sequences;
};

Expected cut_plainly(const Versions& kept, OutputCutter cutter, const SstableFormat& format,
                     const KeyWindow& window) {
  Expected expected;
  bool is_open = false;
  bool is_put_off = false;
  SstableSize size(format);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::uint64_t key = window.of(kept[i].key);
    const bool is_first_of_window = i == 0 || window.of(kept[i - 1].key) != key;
    const bool is_last_of_window = i + 1 == kept.size() || window.of(kept[i + 1].key) != key;
    if (is_first_of_window && cutter.ends_before(key, is_open ? size : SstableSize(format))) {
      is_open = false;
    }
    if (!is_open) {
      expected.files.emplace_back();
      size = SstableSize(format);
      is_open = true;
    }
    expected.files.back().push_back(kept[i]);
    size.add(kept[i].key.size(), kept[i].value.size());
    if (cutter.ends_after(size)) is_put_off = true;
    if (is_put_off && is_last_of_window) {
      is_open = false;
      is_put_off = false;
    }
  }
  return expected;
}

Expected merge_plainly(const std::vector<Versions>& sources, const DrawnMerge& merge,
                       const SstableFormat& format, const KeyWindow& window) {
  std::map<std::string, Version> newest;
  for (const Versions& source : sources) {
    for (const Version& version : source) {
      Version& kept = newest[version.key];
      if (version.tag > kept.tag) kept = version;
    }
  }
  TombstoneRule rule(merge.tree.view(), merge.plan);
  Versions kept;
  std::vector<std::uint64_t> dropped;
  for (const auto& [key, version] : newest) {
    if (version.view().is_tombstone() && rule.drops(window.of(key))) {
      dropped.push_back(version.view().sequence());
    } else {
      kept.push_back(version);
    }
  }
  Expected expected =
      cut_plainly(kept, OutputCutter(merge.tree.view(), merge.plan), format, window);
  expected.dropped_sequences = std::move(dropped);
  return expected;
}

Versions contents_of(const SstableReader& table) {
  SstableScanner scanner(table, {}, 4'096);
  Versions versions;
  for (;;) {
    const auto more = scanner.next();
    REQUIRE(more.has_value());
    if (!more.value()) return versions;
    versions.push_back(copy_of(scanner.entry()));
  }
}

void require_file(const File& file, const std::string& contents, const Versions& versions,
                  const SstableFormat& format, std::optional<Instant> oldest_tombstone) {
  const KeyWindow window;
  const auto table = opened(contents, file.id, window);
  REQUIRE(contents_of(*table) == versions);
  REQUIRE(verify_sstable(*table).has_value());
  SstableSize size(format);
  std::uint64_t tombstones = 0;
  std::uint64_t key_bytes = 0;
  std::uint64_t value_bytes = 0;
  SequenceSpan sequences{kSequenceMax, 0};
  for (const Version& version : versions) {
    size.add(version.key.size(), version.value.size());
    tombstones += version.view().is_tombstone();
    key_bytes += version.key.size();
    value_bytes += version.value.size();
    sequences.first = std::min(sequences.first, version.view().sequence());
    sequences.last = std::max(sequences.last, version.view().sequence());
  }
  REQUIRE(file.bytes == size.file_bytes());
  REQUIRE(file.bytes.value() == contents.size());
  REQUIRE(file.entries == Entries(versions.size()));
  REQUIRE(file.tombstones == Entries(tombstones));
  REQUIRE(file.key_bytes == Bytes(key_bytes));
  REQUIRE(file.value_bytes == Bytes(value_bytes));
  REQUIRE(file.sequences == sequences);
  REQUIRE(file.keys == KeyRange{window.of(versions.front().key), window.of(versions.back().key)});
  REQUIRE(file.oldest_tombstone == (tombstones > 0 ? oldest_tombstone : std::nullopt));
}

std::shared_ptr<const SstableReader> table_of(const Versions& versions, FileId id,
                                              const KeyWindow& window) {
  MemoryWritableFile file;
  SstableWriter writer(file, {}, window);
  for (const Version& version : versions) {
    REQUIRE(writer.add(version.view(), window.of(version.key)).has_value());
  }
  REQUIRE(writer.finish(Instant(7)).has_value());
  return opened(file.contents(), id, window);
}

// The versions as a run of files, cut where the window changes; some parts are slices.
std::unique_ptr<MergeSource> as_tables(const Versions& versions, std::mt19937_64& random,
                                       const KeyWindow& window) {
  std::vector<TablePart> parts;
  Versions part;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    part.push_back(versions[i]);
    const std::uint64_t key = window.of(versions[i].key);
    const bool is_last = i + 1 == versions.size();
    if (!is_last && (window.of(versions[i + 1].key) == key || random() % 50 > 0)) continue;
    const auto table = [made = table_of(part, FileId(100 + parts.size()), window)] {
      return Result<std::shared_ptr<const SstableReader>>(made);
    };
    const std::uint64_t middle = window.of(part[part.size() / 2].key);
    if (random() % 2 == 0 && middle < key) {
      parts.push_back({table, {0, middle}});
      parts.push_back({table, {middle + 1, key}});
    } else {
      parts.push_back({table, {}});
    }
    part.clear();
  }
  return table_source(std::move(parts), 1 + random() % 20'000);
}

std::unique_ptr<Memtable> memtable_of(Versions versions, const KeyWindow& window) {
  std::sort(versions.begin(), versions.end(),
            [](const Version& a, const Version& b) { return a.tag < b.tag; });
  auto memtable = std::make_unique<Memtable>(window, Bytes(1 << 20));
  for (const Version& version : versions) {
    memtable->add(version.view(), Instant(version.view().sequence() * 10));
  }
  return memtable;
}

TEST_CASE("merge: files are those of the rules as they read", "[merge]") {
  const KeyWindow window;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::vector<Versions> sources = drawn_sources(random, seed % 2 == 0);
    const DrawnMerge merge = drawn_merge(random);
    const SstableFormat format{static_cast<std::uint32_t>(64 + random() % 1'000), 10'000};
    const Expected expected = merge_plainly(sources, merge, format, window);

    const auto memtable = memtable_of(sources[0], window);
    MergeJob job;
    std::vector<std::uint64_t> counts;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (i == 0) {
        job.sources.push_back(memtable_source({memtable.get()}));
      } else if (i % 2 == 1) {
        job.sources.push_back(as_tables(sources[i], random, window));
      } else {
        job.sources.push_back(std::make_unique<ListSource>(sources[i], window));
      }
      counts.push_back(sources[i].size());
      total += sources[i].size();
    }
    job.format = format;
    job.cutter.emplace(merge.tree.view(), merge.plan);
    job.tombstones.emplace(merge.tree.view(), merge.plan);
    if (random() % 2 == 0) job.oldest_tombstone = Instant(3);
    const std::optional<Instant> oldest = job.oldest_tombstone;

    MemoryOutputs outputs;
    const auto outcome = run_merge(std::move(job), window, outputs);
    REQUIRE(outcome.has_value());
    REQUIRE(outcome.value().source_entries == counts);
    REQUIRE(outcome.value().entries_in == total);
    REQUIRE(outcome.value().dropped_sequences == expected.dropped_sequences);
    REQUIRE(outcome.value().files.size() == expected.files.size());
    REQUIRE(outputs.opened() == expected.files.size());
    for (std::size_t i = 0; i < expected.files.size(); ++i) {
      const File& file = outcome.value().files[i];
      REQUIRE(file.id == FileId(i + 1));
      require_file(file, outputs.contents(file.id), expected.files[i], format, oldest);
    }
  }
}

TEST_CASE("merge: a flush is one file with every tombstone, as summarised", "[merge]") {
  const KeyWindow window;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Versions versions;
    for (const Versions& source : drawn_sources(random, seed % 2 == 0)) {
      versions.insert(versions.end(), source.begin(), source.end());
    }
    if (versions.empty()) continue;
    const auto memtable = memtable_of(versions, window);
    const bool keeps_overwritten = seed % 4 < 2;
    Versions kept = versions;
    std::sort(kept.begin(), kept.end(), [](const Version& a, const Version& b) {
      return a.key != b.key ? a.key < b.key : a.tag > b.tag;
    });
    if (!keeps_overwritten) {
      kept.erase(std::unique(kept.begin(), kept.end(),
                             [](const Version& a, const Version& b) { return a.key == b.key; }),
                 kept.end());
    }
    std::optional<Instant> oldest;
    for (const Version& version : kept) {
      const Instant written(version.view().sequence() * 10);
      if (version.view().is_tombstone() && (!oldest || written < *oldest)) oldest = written;
    }

    const SstableFormat format;
    const MemtableSummary summary = summarize({memtable.get()}, format, keeps_overwritten);
    REQUIRE(summary.oldest_tombstone == oldest);
    MergeJob job;
    job.sources.push_back(memtable_source({memtable.get()}));
    job.format = format;
    job.keeps_overwritten = keeps_overwritten;
    job.oldest_tombstone = summary.oldest_tombstone;
    MemoryOutputs outputs;
    const auto outcome = run_merge(std::move(job), window, outputs);
    REQUIRE(outcome.has_value());
    REQUIRE(outcome.value().dropped_sequences.empty());
    REQUIRE(outcome.value().files.size() == 1);
    const File& file = outcome.value().files.front();
    require_file(file, outputs.contents(file.id), kept, format, oldest);
    REQUIRE(summary.pending.bytes == file.bytes);
    REQUIRE(summary.pending.entries == file.entries);
    REQUIRE(summary.pending.tombstones == file.tombstones);
    REQUIRE(summary.pending.keys == file.keys);
    REQUIRE(summary.pending.traffic == Traffic{});
  }
}

TEST_CASE("merge: nothing goes in, no file comes out", "[merge]") {
  const KeyWindow window;
  MergeJob job;
  job.sources.push_back(std::make_unique<ListSource>(Versions{}, window));
  MemoryOutputs outputs;
  const auto outcome = run_merge(std::move(job), window, outputs);
  REQUIRE(outcome.has_value());
  REQUIRE(outcome.value().files.empty());
  REQUIRE(outputs.opened() == 0);
}

TEST_CASE("merge: of keys of one window none stands in a file of its own", "[merge]") {
  const KeyWindow window;
  MergePlan plan;
  plan.cut.file_bytes = Bytes(1);
  const DrawnTree tree({});
  MergeJob job;
  job.sources.push_back(std::make_unique<ListSource>(
      Versions{
          {key_of(1, "a"), "", 3 << 8}, {key_of(1, "b"), "", 2 << 8}, {key_of(2, ""), "", 1 << 8}},
      window));
  job.cutter.emplace(tree.view(), plan);
  MemoryOutputs outputs;
  const auto outcome = run_merge(std::move(job), window, outputs);
  REQUIRE(outcome.has_value());
  REQUIRE(outcome.value().files.size() == 2);
  REQUIRE(outcome.value().files[0].entries == Entries(2));
}

TEST_CASE("merge: errors and stops end it, with the open file dropped", "[merge]") {
  const KeyWindow window;
  const DrawnTree tree({});
  MergePlan plan;
  plan.cut.file_bytes = Bytes(1);
  const Versions versions{{key_of(1, ""), "", 1 << 8}, {key_of(2, ""), "", 2 << 8}};
  const auto message_of = [&](bool has_failing, std::uint64_t files_max, bool is_stopped) {
    MergeJob job;
    job.sources.push_back(std::make_unique<ListSource>(versions, window));
    if (has_failing) job.sources.push_back(std::make_unique<FailingSource>());
    job.cutter.emplace(tree.view(), plan);
    const std::atomic<bool> stop = is_stopped;
    job.stop = &stop;
    MemoryOutputs outputs(files_max);
    const auto outcome = run_merge(std::move(job), window, outputs);
    REQUIRE(outputs.closed() <= files_max);
    return outcome.has_value() ? "none" : outcome.error().message;
  };
  REQUIRE(message_of(false, 2, false) == "none");
  REQUIRE(message_of(true, 2, false) == "the source fails");
  REQUIRE(message_of(false, 1, false) == "no more files");
  REQUIRE(message_of(false, 0, false) == "no more files");
  REQUIRE(message_of(false, 2, true) == "stopped");
}

}  // namespace
}  // namespace lsmlab::engine::merge_test
