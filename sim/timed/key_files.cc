#include "sim/timed/key_files.h"

#include <deque>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "models/sizes/sstable_size.h"
#include "sim/keys/key_tree.h"
#include "sim/keys/starting_records.h"

namespace lsmlab {
namespace {

class KeyFiles final : public TimedFiles {
 public:
  KeyFiles(const ConfiguredPolicy& policy, const PlanLogSink& log)
      : files_(policy, KeyTree::Inputs::kKept, log, nullptr, memtables_), active_(make_memtable()) {
    memtables_.push_back(active_.get());
  }

  [[nodiscard]] Result<void> place(const StartingTree& start, OperationSource& source,
                                   std::uint64_t seed) {
    return place_records(start, source, seed, files_);
  }

  [[nodiscard]] bool fills_memtable(const Operation& write) const override {
    constexpr std::uint64_t kOverheadBytesMax = 20;  // per entry: two varints, tag, offset
    const StoreOptions& store = files_.store();
    const MemtableSize& size = active_->size();
    const std::uint32_t key_bytes = write.key_bytes;
    const std::uint32_t value_bytes = written_value_bytes(write);
    const std::uint64_t most = size.charged_bytes() + key_bytes + value_bytes + kOverheadBytesMax;
    if (store.layout == SstableLayout::kLsmlab && most < store.buffer.value()) return false;
    return size.is_full_after(files_.next_sequence(), key_bytes, value_bytes,
                              buffered_entry_bytes(key_bytes, value_bytes), !waiting_.empty());
  }
  [[nodiscard]] Result<bool> write(const Operation& write) override {
    const Entry entry =
        BOOST_OUTCOME_TRYX(files_.accept(write.key, write.key_bytes, written_value_bytes(write),
                                         write.kind == OperationKind::kDelete));
    active_->add(entry, files_.sizes(), files_.tree().now());
    return active_->size().is_full(!waiting_.empty());
  }
  [[nodiscard]] bool is_memtable_empty() const override { return active_->empty(); }
  [[nodiscard]] std::uint64_t memtable_bytes() const override {
    return active_->size().added_bytes();
  }
  [[nodiscard]] bool rotate(const Traffic& traffic, std::uint64_t now_ns) override {
    static_cast<void>(active_->sort());
    waiting_.push_back({std::move(active_), traffic, now_ns});
    if (spare_.empty()) {
      active_ = make_memtable();
    } else {
      active_ = std::move(spare_.back());
      spare_.pop_back();
    }
    memtables_.insert(memtables_.begin(), active_.get());
    return true;
  }
  [[nodiscard]] std::size_t begin_flush() override {
    std::size_t taken = 1;
    while (files_.policy().flush_takes_all_waiting() && waiting_.size() > 1) {
      Waiting& first = waiting_[0];
      Waiting& next = waiting_[1];
      first.memtable->join(*next.memtable);
      first.traffic.add(next.traffic);
      memtables_.erase(memtables_.end() - 2);
      let_go(std::move(next.memtable));
      waiting_.erase(waiting_.begin() + 1);
      ++taken;
    }
    const Waiting& first = waiting_.front();
    files_.begin_flush(*first.memtable, first.traffic, first.full_ns);
    return taken;
  }
  [[nodiscard]] std::size_t waiting_flushes() const override { return waiting_.size(); }
  [[nodiscard]] PendingFlush flush_of(std::size_t waiting) const override {
    return files_.flush_of(*waiting_[waiting].memtable, waiting_[waiting].traffic);
  }
  void drop_memtables() override {
    CHECK(memtables_.back() == waiting_.front().memtable.get());
    memtables_.pop_back();
    let_go(std::move(waiting_.front().memtable));
    waiting_.pop_front();
  }

  [[nodiscard]] Lookup get(const Operation& lookup) override {
    KeyReader::Lookup found = files_.reader().get(lookup.key);
    return {found.figures, found.searched_in_vain};
  }
  [[nodiscard]] ScanFigures scan(const Operation& scan) override {
    const ScanFigures before = files_.reader().figures().scans;
    files_.reader().scan({scan.key, scan.scan_last_key, scan.scan_entries_max}, {});
    const ScanFigures& after = files_.reader().figures().scans;
    ScanFigures cost;
    cost.count = 1;
    cost.entries = after.entries - before.entries;
    cost.runs_touched = after.runs_touched - before.runs_touched;
    cost.blocks.blocks_fetched = after.blocks.blocks_fetched - before.blocks.blocks_fetched;
    cost.blocks.blocks_read = after.blocks.blocks_read - before.blocks.blocks_read;
    cost.blocks.bytes_read = after.blocks.bytes_read - before.blocks.bytes_read;
    return cost;
  }

  void look_at_copies() override { files_.look_at_copies(); }
  [[nodiscard]] std::unique_ptr<PlanJob> start(const Plan& plan) override {
    return std::make_unique<KeyJob>(files_.start(plan));
  }
  PlanOutcome finish(std::unique_ptr<PlanJob> job, bool ran_beside_others,
                     std::uint64_t now_ns) override {
    files_.set_clock(now_ns);
    return files_.finish(std::move(static_cast<KeyJob&>(*job)), ran_beside_others);
  }

  [[nodiscard]] TreeState& state() override { return files_.state(); }
  [[nodiscard]] const Policy& policy() const override { return files_.policy(); }
  [[nodiscard]] Bytes block_size() const override { return files_.store().block_size; }
  [[nodiscard]] MeteredStore& metered() override { return files_; }

 private:
  void let_go(std::unique_ptr<KeyMemtable> memtable) {
    memtable->clear();
    spare_.push_back(std::move(memtable));
  }
  [[nodiscard]] std::unique_ptr<KeyMemtable> make_memtable() const {
    return std::make_unique<KeyMemtable>(files_.store(),
                                         flush_keeps_overwritten(files_.policy(), files_.store()));
  }

  struct Waiting {
    std::unique_ptr<KeyMemtable> memtable;
    Traffic traffic;
    std::uint64_t full_ns = 0;
  };
  std::vector<KeyMemtable*> memtables_;  // newest first; the first one takes writes
  KeyTree files_;
  std::unique_ptr<KeyMemtable> active_;
  std::deque<Waiting> waiting_;
  std::vector<std::unique_ptr<KeyMemtable>> spare_;
};

}  // namespace

Result<std::unique_ptr<TimedFiles>> make_key_files(const RunSetup& setup, OperationSource& source) {
  auto files = std::make_unique<KeyFiles>(setup.policy, setup.log);
  if (setup.start != nullptr) {
    BOOST_OUTCOME_TRYV(files->place(*setup.start, source, setup.options.seed));
  }
  return std::unique_ptr<TimedFiles>(std::move(files));
}

}  // namespace lsmlab
