#include "sim/timed/range_files.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "models/tree/tree_query.h"
#include "sim/ranges/action_batches.h"
#include "sim/ranges/key_population.h"
#include "sim/ranges/memtable_fill.h"
#include "sim/ranges/memtable_keys.h"
#include "sim/ranges/range_tree.h"
#include "sim/ranges/read_targets.h"
#include "sim/ranges/simulate_ranges.h"
#include "sim/timed/range_operations.h"

namespace lsmlab {
namespace {

// Inserts and updates of a phase, as they mix.
EvenMix puts_of(const Phase& phase) {
  Phase puts = phase;
  for (const Action action :
       {Action::kDelete, Action::kGetPresent, Action::kGetAbsent, Action::kScan}) {
    puts.actions[action] = 0;
  }
  return EvenMix(puts);
}

class RangeFiles final : public TimedFiles {
 public:
  RangeFiles(const RunSetup& setup, const OperationWorkload& workload, const RangeSizes& sizes,
             KeyPopulation population)
      : workload_(workload),
        sizes_(sizes),
        buffer_(setup.policy.store.buffer.value()),
        replaces_entries_(setup.policy.store.replaces_entries()),
        seed_(setup.options.seed),
        put_bytes_max_(sizes.put_bytes_max()),
        are_puts_equal_(sizes.put_bytes(kManyPuts) == kManyPuts * put_bytes_max_),
        population_(std::move(population)),
        keys_(workload, seed_, setup.options.range_cells),
        files_(setup.policy, sizes, setup.options.range_cells, setup.options.seed, setup.log) {
    if (keys_.are_even()) files_.use_even_keys();
    if (keys_.placed() != nullptr) files_.use_placed_keys(*keys_.placed());
    bool has_reads = false;
    for (const Phase& phase : workload.phases) {
      puts_of_phases_.push_back(puts_of(phase));
      has_reads = has_reads || reads_of(phase).sum() > 0;
    }
    if (has_reads) files_.open_reader();
    if (setup.start == nullptr) return;
    population_.begin_phase(0);
    population_.insert(setup.start->records);
    files_.place(*setup.start, population_.take_memtable());
    next_sequence_ = files_.next_sequence();
  }

  [[nodiscard]] bool fills_memtable(const Operation& write) const override {
    if (charged_bytes_ + put_bytes_max_ < buffer_) return false;
    if (replaces_entries_) return true;
    const bool is_put = write.kind == OperationKind::kPut;
    return bytes_of(puts_ + (is_put ? 1 : 0), deletes_ + (is_put ? 0 : 1)) >= buffer_;
  }
  [[nodiscard]] Result<bool> write(const Operation& write) override {
    count(write, 1);
    return charged_bytes_ >= buffer_;
  }
  [[nodiscard]] std::uint64_t room_for_puts() const override {
    const std::uint64_t left = buffer_ - 1 - charged_bytes_;
    if (!replaces_entries_ || left < put_bytes_max_) return left / put_bytes_max_;
    return look_at_ - (puts_ + deletes_);
  }
  void put_more(const Operation& put, std::uint64_t puts) override { count(put, puts); }
  [[nodiscard]] bool is_memtable_empty() const override { return puts_ + deletes_ == 0; }
  [[nodiscard]] std::uint64_t memtable_bytes() const override { return bytes_of(puts_, deletes_); }

  [[nodiscard]] bool rotate(const Traffic& traffic, std::uint64_t now_ns) override {
    apply_writes();
    const std::uint64_t writes = puts_ + deletes_;
    Waiting waiting;
    waiting.full_ns = now_ns;
    if (keys_.placed() != nullptr) {
      waiting.classes = population_.memtable();
      waiting.inserts = keys_.open(writes, population_);
    }
    RangeMemtable& full = waiting.full;
    keys_.take(writes, population_, full.contents);
    full.sequences = {next_sequence_, next_sequence_ + writes - 1};
    full.oldest_tombstone = std::exchange(oldest_tombstone_, std::nullopt);
    full.first_write = std::exchange(first_write_, std::nullopt);
    full.traffic = traffic;
    next_sequence_ += writes;
    puts_ = deletes_ = charged_bytes_ = shown_bytes_ = 0;
    begin_fill();
    is_outdated_ = true;
    if (full.mix().entries() == 0) return false;
    waiting_.push_back(std::move(waiting));
    return true;
  }
  [[nodiscard]] std::size_t begin_flush() override {
    std::size_t taken = 1;
    while (files_.policy().flush_takes_all_waiting() && waiting_.size() > 1 &&
           files_.join(waiting_[1].full, waiting_[0].full)) {
      waiting_.erase(waiting_.begin() + 1);
      ++taken;
    }
    const Waiting& first = waiting_.front();
    files_.begin_flush(first.full, first.full_ns);
    return taken;
  }
  [[nodiscard]] std::size_t waiting_flushes() const override { return waiting_.size(); }
  [[nodiscard]] PendingFlush flush_of(std::size_t waiting) const override {
    return files_.flush_of(waiting_[waiting].full);
  }
  void drop_memtables() override {
    waiting_.pop_front();
    is_outdated_ = true;
  }

  [[nodiscard]] Lookup get(const Operation& lookup) override {
    if (!show(lookup)) return {};
    const RangeReader::Lookup found = files_.reader().get(draw(RangeAction::of(lookup).action), 1);
    return {found.figures, found.searched_in_vain};
  }
  [[nodiscard]] ScanFigures scan(const Operation& scan) override {
    if (!show(scan)) return {};
    const ReadKey first = targets_.draw_present();
    return files_.reader().scan(first, targets_.draw_limit(first.key), 1);
  }

  void look_at_copies() override {}  // no reads: none is cached
  [[nodiscard]] std::unique_ptr<PlanJob> start(const Plan& plan) override {
    return std::make_unique<RangeJob>(files_.start(plan));
  }
  PlanOutcome finish(std::unique_ptr<PlanJob> job, bool ran_beside_others,
                     std::uint64_t now_ns) override {
    files_.set_clock(now_ns);
    return files_.finish(std::move(static_cast<RangeJob&>(*job)), ran_beside_others);
  }

  [[nodiscard]] TreeState& state() override { return files_.state(); }
  [[nodiscard]] const Policy& policy() const override { return files_.policy(); }
  [[nodiscard]] Bytes block_size() const override { return files_.store().block_size; }
  [[nodiscard]] MeteredStore& metered() override { return files_; }

 private:
  // So many puts have the fractions of their mean sizes in whole numbers.
  static constexpr std::uint64_t kManyPuts = std::uint64_t{1} << MeanBytes::kBits;
  // Reads see the open memtable anew when it has grown by half, or by such a part of a full one.
  static constexpr std::uint64_t kPartsOfMemtable = 64;

  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t puts, std::uint64_t deletes) const {
    const std::uint64_t put_bytes =
        are_puts_equal_ ? puts * put_bytes_max_ : sizes_.put_bytes(puts);
    return deletes == 0 ? put_bytes : put_bytes + sizes_.delete_bytes(deletes);
  }

  void count(const Operation& write, std::uint64_t writes) {
    enter_phase(RangeAction::of(write).phase);
    if (!first_write_) first_write_ = files_.tree().now();
    if (write.kind == OperationKind::kPut) {
      puts_ += writes;
      new_puts_ += writes;
      all_puts_ += writes;
    } else {
      deletes_ += writes;
      new_deletes_ += writes;
      all_deletes_ += writes;
      if (!oldest_tombstone_) oldest_tombstone_ = files_.tree().now();
    }
    charge();
    files_.set_writes(all_puts_, all_deletes_);
  }
  void charge() {
    if (!replaces_entries_) {
      charged_bytes_ = bytes_of(puts_, deletes_);
    } else if (puts_ + deletes_ < look_at_) {
      charged_bytes_ = fill_.bytes_max(puts_ + deletes_);
    } else {
      apply_writes();
      look();
    }
  }
  // Counts the keys of a memtable that replaces entries.
  void look() {
    charged_bytes_ = bytes_in_place(sizes_, population_);
    fill_.look(puts_ + deletes_, charged_bytes_);
    plan_look();
  }
  void begin_fill() {
    if (!replaces_entries_) return;
    charged_bytes_ = bytes_in_place(sizes_, population_);
    fill_.begin(puts_ + deletes_, charged_bytes_);
    plan_look();
  }
  // The next look is due when one more write may fill the memtable.
  void plan_look() {
    look_at_ = puts_ + deletes_ + 1;
    if (charged_bytes_ + put_bytes_max_ < buffer_) {
      look_at_ = std::max(look_at_, fill_.writes_to(buffer_ - 1 - put_bytes_max_));
    }
  }
  // With several clients, the last operations of a phase may come after the first of the next one.
  void enter_phase(std::size_t phase) {
    if (phase_ == phase) return;
    if (phase_) apply_writes();
    const bool is_new = !phase_ || *phase_ < phase;
    phase_ = phase;
    population_.begin_phase(phase);
    begin_fill();
    is_outdated_ = true;
    if (reads_of(workload_.phases[phase]).sum() == 0) return;
    targets_.begin_phase(workload_.phases[phase], keys_.are_in_order(), seed_);
    if (is_new) files_.reader().begin_phase();
  }
  // Tells the population about the writes since the last call.
  void apply_writes() {
    if (new_puts_ + new_deletes_ == 0) return;
    EvenMix& mix = puts_of_phases_[*phase_];
    ActionBatch batch;
    if (new_puts_ > 0) batch = mix.take(std::exchange(new_puts_, 0));
    population_.write(batch.inserts, batch.updates, std::exchange(new_deletes_, 0));
  }

  // Shows the memtables to the reader. Returns whether there is a key to read.
  [[nodiscard]] bool show(const Operation& read) {
    enter_phase(RangeAction::of(read).phase);
    const std::uint64_t grown = std::max(buffer_ / kPartsOfMemtable, shown_bytes_ / 2);
    if (!is_outdated_ && targets_.has_keys() && charged_bytes_ - shown_bytes_ < grown) return true;
    is_outdated_ = false;
    shown_bytes_ = charged_bytes_;
    apply_writes();
    targets_.update(population_);
    ClassList classes = population_.memtable();
    KeyRange keys = keys_.open(puts_ + deletes_, population_);
    const bool are_placed = keys_.placed() != nullptr;
    for (const Waiting& each : waiting_) {
      const ClassList& more = are_placed ? each.classes : each.full.contents.classes;
      if (classes.size() < more.size()) classes.resize(more.size());
      for (std::size_t c = 0; c < more.size(); ++c) classes[c].add(more[c]);
      if (!are_placed) {
        keys.smallest = std::min(keys.smallest, each.full.contents.keys.smallest);
      } else if (each.inserts.smallest <= each.inserts.largest) {
        keys = keys.smallest <= keys.largest ? hull_of(keys, each.inserts) : each.inserts;
      }
    }
    files_.reader().use(targets_);
    files_.reader().show_memtable(std::move(classes), keys);
    return targets_.has_keys();
  }
  [[nodiscard]] ReadKey draw(Action action) {
    if (action == Action::kGetAbsent) return targets_.draw_absent();
    return action == Action::kReadModifyWrite ? targets_.draw_modified() : targets_.draw_present();
  }

  // A full memtable. Where keys are placed its file knows no classes, but reads ask for them.
  struct Waiting {
    RangeMemtable full;
    std::uint64_t full_ns = 0;
    ClassList classes;
    KeyRange inserts{1, 0};  // none
  };

  const OperationWorkload& workload_;
  const RangeSizes sizes_;
  const std::uint64_t buffer_;
  const bool replaces_entries_;
  const std::uint64_t seed_;
  const std::uint64_t put_bytes_max_;
  const bool are_puts_equal_;
  KeyPopulation population_;
  MemtableKeys keys_;
  RangeTree files_;
  std::vector<EvenMix> puts_of_phases_;
  std::optional<std::size_t> phase_;
  std::deque<Waiting> waiting_;
  // Of the open memtable.
  std::uint64_t puts_ = 0;
  std::uint64_t deletes_ = 0;
  std::uint64_t charged_bytes_ = 0;
  InPlaceFill fill_{sizes_};   // if it replaces entries
  std::uint64_t look_at_ = 0;  // writes after which its keys are counted next
  std::optional<Instant> oldest_tombstone_;
  std::optional<Instant> first_write_;
  // Writes that the population does not know of yet.
  std::uint64_t new_puts_ = 0;
  std::uint64_t new_deletes_ = 0;
  std::uint64_t all_puts_ = 0;
  std::uint64_t all_deletes_ = 0;
  std::uint64_t next_sequence_ = 1;
  ReadTargets targets_;
  bool is_outdated_ = true;        // the reader knows other memtables
  std::uint64_t shown_bytes_ = 0;  // of the open memtable, as the reader knows it
};

}  // namespace

Result<std::unique_ptr<TimedFiles>> make_range_files(const RunSetup& setup,
                                                     const OperationWorkload& workload) {
  BOOST_OUTCOME_TRYV(check_setup(setup, workload, true));
  const RangeSizes sizes = range_sizes_of(setup.policy.store, workload);
  auto population = BOOST_OUTCOME_TRYX(KeyPopulation::make(workload));
  std::unique_ptr<TimedFiles> files =
      std::make_unique<RangeFiles>(setup, workload, sizes, std::move(population));
  return files;
}

}  // namespace lsmlab
