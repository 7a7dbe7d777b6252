// scylla-ics against figures that ScyllaDB's own tool reports (test/perf/
// perf_compaction_efficiency.cc, pull request 30135): rows of partitions are written, rewritten and
// deleted, a memtable is flushed after 100 to 2000 operations, and the tool waits until nothing is
// merged. Nothing is fitted: sizes are those of ScyllaDB's format, without compression.
//
// The tool's write amplification leaves flushes out, and counts only SSTables that are there when
// merging has ended: not what a merge writes and another one reads after the same flush.
#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <map>
#include <tuple>

#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::scylla_ics_figures_test {
namespace {

constexpr std::uint64_t kOperations = 1'000'000;
constexpr std::uint64_t kWarmup = 100'000;
constexpr std::int64_t kPartitionsMax = 100'000;
// Operations that a segment of the commit log has (32 MiB; some 134 bytes an operation).
constexpr std::uint64_t kSegmentOperations = 250'000;

struct Row {
  std::int64_t partition = 0;
  std::int64_t row = 0;
  std::uint64_t time = 0;
  bool is_tombstone = false;
};

struct Sstable {
  std::vector<Row> rows;                 // by partition and row
  std::vector<std::int64_t> partitions;  // rising
  std::uint64_t oldest_live = ~std::uint64_t{0};
  std::uint64_t data_bytes = 0;
  std::uint64_t bytes = 0;

  void finish() {
    for (const Row& row : rows) {
      if (partitions.empty() || partitions.back() != row.partition) {
        partitions.push_back(row.partition);
        data_bytes += 23;  // key, deletion time and end of a partition
      }
      data_bytes += row.is_tombstone ? 18 : 25;
      if (!row.is_tombstone) oldest_live = std::min(oldest_live, row.time);
    }
    // Index and filter by partition; statistics and other components of one size.
    bytes = data_bytes + partitions.size() * 15 + 6000;
  }
  [[nodiscard]] bool has(std::int64_t partition) const {
    return std::binary_search(partitions.begin(), partitions.end(), partition);
  }
};

class Tool {
 public:
  Tool(const Policy& policy, std::uint64_t seed) : policy_(policy), random_(seed) {
    until_flush_ = interval();
  }

  void run() {
    for (std::uint64_t i = 0; i < kWarmup + kOperations; ++i) {
      if (i == kWarmup) flushed_ = merged_ = probes_ = hits_ = 0;
      operate();
      if (--until_flush_ > 0) continue;
      flush();
      const std::int64_t partition = existing();
      ++probes_;
      for (const auto& [id, table] : tables_) {
        if (table.has(partition)) ++hits_;
      }
      until_flush_ = interval();
    }
    flush();
  }
  /// Bytes of all SSTables over those that a major compaction then leaves.
  [[nodiscard]] double space_amplification() const {
    std::uint64_t bytes = 0;
    Sstable major;
    for (const auto& [id, table] : tables_) {
      bytes += table.bytes;
      major.rows.insert(major.rows.end(), table.rows.begin(), table.rows.end());
    }
    sort(major.rows);
    drop_dead(major.rows, {});
    major.finish();
    return ratio(bytes, major.bytes);
  }
  [[nodiscard]] double write_amplification() const { return ratio(merged_, flushed_); }
  [[nodiscard]] double sstables_of_a_partition() const { return ratio(hits_, probes_); }

 private:
  static double ratio(std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
  int interval() { return boost::random::uniform_int_distribution<int>(100, 2000)(random_); }
  double share() { return boost::random::uniform_01<double>()(random_); }
  std::int64_t existing() {
    const auto count = static_cast<double>(rows_.size());
    boost::random::normal_distribution<double> normal(count / 2, std::max(1.0, count / 6));
    const auto drawn = static_cast<std::int64_t>(std::round(normal(random_)));
    return std::clamp<std::int64_t>(drawn, 0, static_cast<std::int64_t>(rows_.size()) - 1);
  }
  std::int64_t& last_row(std::int64_t partition) {
    return rows_[static_cast<std::size_t>(partition)];
  }

  void operate() {
    const double kind = rows_.empty() ? 1 : share();
    Row row{0, 0, ++time_, kind >= 0.25 && kind < 0.5};
    if (kind < 0.5) {
      row.partition = existing();
      row.row = boost::random::uniform_int_distribution<std::int64_t>(
          0, last_row(row.partition))(random_);
    } else if (rows_.empty() || (share() < 0.5 && std::ssize(rows_) < kPartitionsMax)) {
      row.partition = std::ssize(rows_);
      rows_.push_back(0);
    } else {
      row.partition = existing();
      row.row = ++last_row(row.partition);
    }
    memtable_[{row.partition, row.row}] = row;
  }

  void flush() {
    Sstable table;
    for (const auto& [key, row] : memtable_) table.rows.push_back(row);
    memtable_.clear();
    ++flushes_;
    flushed_ += add(std::move(table), {flushes_, flushes_}, {});
    const std::uint64_t last_before = tables_.rbegin()->first;
    while (const std::optional<Plan> plan = policy_.pick(tree_)) merge(*plan);
    for (auto at = tables_.upper_bound(last_before); at != tables_.end(); ++at) {
      merged_ += at->second.bytes;
    }
  }

  void merge(const Plan& plan) {
    Sstable output;
    std::vector<FileId> inputs;
    FlushSpan span{~std::uint64_t{0}, 0};
    for (const PlanInput& input : plan_inputs(plan)) {
      const FileId id = input.files.front();
      const File& file = tree_.file_at(*tree_.find_file(id));
      span = {std::min(span.first, file.flushes.first), std::max(span.last, file.flushes.last)};
      const std::vector<Row>& rows = tables_.at(id.value()).rows;
      output.rows.insert(output.rows.end(), rows.begin(), rows.end());
      tables_.erase(id.value());
      inputs.push_back(id);
    }
    sort(output.rows);
    drop_dead(output.rows, tables_);
    add(std::move(output), span, std::move(inputs));
  }

  static void sort(std::vector<Row>& rows) {
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return std::tie(a.partition, a.row, b.time) < std::tie(b.partition, b.row, a.time);
    });
  }

  // A tombstone goes if no other SSTable with its partition has live data as old as it, and if it
  // is older than the segment to which the commit log writes (tombstone_gc.cc, db/commitlog/
  // commitlog.cc). Older segments have flushed data only, and are gone.
  void drop_dead(std::vector<Row>& rows, const std::map<std::uint64_t, Sstable>& others) const {
    const std::uint64_t segment_begin = time_ - time_ % kSegmentOperations;
    std::vector<Row> kept;
    std::uint64_t oldest_live = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_new = i == 0 || rows[i - 1].partition != rows[i].partition;
      if (is_new) {
        oldest_live = ~std::uint64_t{0};
        for (const auto& [id, table] : others) {
          if (table.oldest_live < oldest_live && table.has(rows[i].partition)) {
            oldest_live = table.oldest_live;
          }
        }
      } else if (rows[i - 1].row == rows[i].row) {
        continue;
      }
      if (!rows[i].is_tombstone || rows[i].time >= std::min(oldest_live, segment_begin)) {
        kept.push_back(rows[i]);
      }
    }
    rows = std::move(kept);
  }

  std::uint64_t add(Sstable table, const FlushSpan& span, std::vector<FileId> removed) {
    table.finish();
    File file;
    file.id = tree_.allocate_file_id();
    file.keys = {1, 9};
    file.bytes = Bytes(table.data_bytes);
    file.flushes = span;
    TreeEdit edit;
    edit.is_merge = !removed.empty();
    edit.removed = std::move(removed);
    edit.added.push_back({{0, std::nullopt}, {file}});
    REQUIRE(tree_.apply(edit).has_value());
    const std::uint64_t bytes = table.bytes;
    tables_.emplace(file.id.value(), std::move(table));
    return bytes;
  }

  const Policy& policy_;
  boost::random::mt19937_64 random_;
  TreeState tree_;
  std::map<std::uint64_t, Sstable> tables_;  // by id of the file
  std::map<std::pair<std::int64_t, std::int64_t>, Row> memtable_;
  std::vector<std::int64_t> rows_;  // the last row of each partition
  std::uint64_t time_ = 0;
  std::uint64_t flushes_ = 0;
  int until_flush_ = 0;
  std::uint64_t flushed_ = 0;
  std::uint64_t merged_ = 0;
  std::uint64_t probes_ = 0;
  std::uint64_t hits_ = 0;
};

TEST_CASE("scylla-ics writes what ScyllaDB's tool reports of its buckets") {
  struct Reported {
    std::string buckets;
    double write = 0;
    double read = 0;
    double space = 0;
  };
  const Reported reported[] = {{"bucket_low=0.5,bucket_high=1.5", 3.43, 2.10, 1.26},
                               {"bucket_low=0.707,bucket_high=1.414", 3.27, 2.16, 1.35},
                               {"bucket_low=0.5,bucket_high=2", 4.21, 1.84, 1.15}};
  for (const auto& [buckets, write, read, space] : reported) {
    const auto policy =
        make_policy(parse_spec("scylla-ics:min_sstable_size=10000," + buckets).value());
    REQUIRE(policy.has_value());
    Tool tool(*policy.value().policy, 1);
    tool.run();
    CAPTURE(buckets);
    REQUIRE(tool.write_amplification() == Approx(write).epsilon(0.05));
    REQUIRE(tool.sstables_of_a_partition() == Approx(read).epsilon(0.1));
    // One value, at the end: after or before a merge of the largest runs.
    REQUIRE(tool.space_amplification() == Approx(space).epsilon(0.3));
  }
}

}  // namespace
}  // namespace lsmlab::scylla_ics_figures_test
