#include "sim/ranges/range_reader.h"

#include <algorithm>
#include <cmath>

#include "models/base/check.h"
#include "models/execution/lookup_path.h"
#include "sim/ranges/placed_keys.h"

namespace lsmlab {
namespace {

constexpr double kWholeSpace = 0x1p64;
// Purposes of draws for a key and a file.
constexpr std::uint64_t kDrawsPlace = 0;
constexpr std::uint64_t kDrawsPass = 1;
constexpr std::uint64_t kReaderStream = 2'000'002;

double entries_of(FixedCount count) { return static_cast<double>(count) / kCountUnits; }

bool is_below(std::uint64_t random, double chance) {
  return static_cast<double>(random >> 11) * 0x1p-53 < chance;
}

// The part of a class that as many new versions of its keys replace. `keys`: of the class.
double replaced(double updates, double keys) {
  return updates <= 0 ? 0 : updates >= keys ? 1 : updates / keys;
}

BlockReads times(BlockReads reads, std::uint64_t weight) {
  reads.blocks_fetched *= weight;
  reads.blocks_read *= weight;
  reads.bytes_read *= weight;
  return reads;
}

LookupFigures times(LookupFigures figures, std::uint64_t weight) {
  for (std::uint64_t* member : {&figures.count, &figures.memtable_hits, &figures.runs_touched,
                                &figures.filter_checks, &figures.false_positives}) {
    *member *= weight;
  }
  figures.blocks = times(figures.blocks, weight);
  return figures;
}

}  // namespace

RangeReader::RangeReader(TreeState& tree, RangeTables& tables, const Setup& setup)
    : tree_(tree),
      tables_(tables),
      setup_(setup),
      cache_(setup.cache),
      random_(derive_seed(setup.seed, kReaderStream)) {}

void RangeReader::show_memtable(ClassList memtable, const KeyRange& keys) {
  memtable_ = std::move(memtable);
  memtable_keys_ = keys;
}

auto RangeReader::Source::of(std::size_t c) const -> Density {
  if (has_one_class) c = 0;
  if (c >= classes->size()) return {};
  const RangeContents& contents = *table->contents;
  if (!contents.classes_below.empty()) {
    const ClassCounts inside = contents.class_in(c, cell);
    return {entries_of(inside.entries) * cell_scale, entries_of(inside.oldest) * cell_scale,
            entries_of(inside.tombstones) * cell_scale};
  }
  const ClassCounts& counts = (*classes)[c];
  return {entries_of(counts.entries) * scale.entries, entries_of(counts.oldest) * scale.oldest,
          entries_of(counts.tombstones) * scale.tombstones};
}

double RangeReader::Source::entries() const {
  return entries_of(total_entries(*classes)) * scale.entries;
}

auto RangeReader::source_of(const RangeTables::Table& table, const FileLocation& at,
                            std::uint64_t key) const -> Source {
  const RangeContents& contents = *table.contents;
  const std::size_t cell = contents.cell_of(key);
  const KindShares before = contents.shares_before(cell);
  const KindShares after = contents.shares_before(cell + 1);
  const std::uint64_t width =
      std::max<std::uint64_t>(1, contents.cell_begin(cell + 1) - contents.cell_begin(cell));
  const double scale = kWholeSpace / static_cast<double>(width) / static_cast<double>(kWholeShare);
  return {&table,
          at,
          &contents.classes,
          {static_cast<double>(after.entries - before.entries) * scale,
           static_cast<double>(after.oldest - before.oldest) * scale,
           static_cast<double>(after.tombstones - before.tombstones) * scale},
          cell,
          kWholeSpace / static_cast<double>(width),
          setup_.are_keys_placed};
}

auto RangeReader::memtable_density(std::size_t c, std::uint64_t key) const -> Density {
  if (c >= memtable_.size()) return {};
  if (!setup_.are_keys_placed && !holds(memtable_keys_, key)) return {};
  auto width = static_cast<double>(
      std::max<std::uint64_t>(1, memtable_keys_.largest - memtable_keys_.smallest));
  if (setup_.are_keys_placed) {
    width = std::max(1.0, targets_->keys(c)) * kWholeSpace / targets_->density();
  }
  const double scale = kWholeSpace / width;
  const ClassCounts& counts = memtable_[c];
  return {entries_of(counts.entries) * scale, entries_of(counts.oldest) * scale,
          entries_of(counts.tombstones) * scale};
}

void RangeReader::gather(std::uint64_t key) {
  sources_.clear();
  is_weighed_ = false;
  const auto ask = [&](const FileLocation& at, FileId id) {
    const RangeTables::Table& table = tables_.table(id);
    sources_.push_back(source_of(table, at, key));
    return false;
  };
  static_cast<void>(walk_lookup(
      tree_, key, [](const FileLocation&) {}, ask));
}

std::uint64_t RangeReader::drawn(FileId file, std::uint64_t key, std::uint64_t purpose) const {
  return derive_seed(derive_seed(setup_.seed ^ key, file.value()), purpose);
}

bool RangeReader::is_buffered(const ReadKey& key) {
  if (key.is_absent) return false;
  const std::size_t c = *key.key_class;
  const bool is_in_files = std::any_of(sources_.begin(), sources_.end(), [&](const Source& source) {
    return source.of(c).puts() > 0;
  });
  // A live key is somewhere.
  if (!is_in_files) return true;
  if (setup_.are_keys_even) return !memtable_.empty() && holds(memtable_keys_, key.key);
  if (c >= memtable_.size()) return false;
  double puts = entries_of(memtable_[c].entries) - entries_of(memtable_[c].tombstones);
  if (setup_.are_keys_placed) {
    if (holds(memtable_keys_, key.key)) return true;
    puts -= entries_of(memtable_[c].oldest);  // inserts lie where memtable_keys_ says
  }
  return is_below(random_.next(), replaced(puts, targets_->keys(c)));
}

void RangeReader::place(const ReadKey& key) {
  has_key_.assign(sources_.size(), false);
  if (!key.key_class) return;
  double keys = 0;
  for (const Source& source : sources_) keys += source.of(*key.key_class).new_keys();
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Density density = sources_[i].of(*key.key_class);
    if (density.puts() <= 0) continue;
    last = i;
    const std::uint64_t random =
        drawn(sources_[i].table->id, key.key & ~std::uint64_t{1}, kDrawsPlace);
    has_key_[i] = is_below(random, replaced(density.puts(), keys));
    if (setup_.is_age_ordered) {
      if (has_key_[i]) return;
      keys -= density.new_keys();
    }
  }
  const bool is_placed = std::find(has_key_.begin(), has_key_.end(), true) != has_key_.end();
  if (!is_placed && last) has_key_[*last] = true;
}

// A key that was drawn between two files is not there: no file has keys of its class on its path.
// Another one takes its place, always the same; where keys are placed, the next one.
ReadKey RangeReader::gather_present(ReadKey key) {
  constexpr int kTries = 4;
  for (int i = 0; i < kTries; ++i) {
    gather(key.key);
    const bool is_in_files =
        std::any_of(sources_.begin(), sources_.end(),
                    [&](const Source& source) { return source.of(*key.key_class).puts() > 0; });
    if (is_in_files) break;
    if (!setup_.are_keys_placed) {
      key.key = mix_bits(key.key) & ~std::uint64_t{1};
    } else if (holds(memtable_keys_, key.key)) {
      break;
    } else {
      key.key += PlacedKeys::kStep;
    }
  }
  return key;
}

// How often a read uses the block for the key or for the absent one after it, if the read at hand
// fetches it for one of these. Filters pass either always or never.
double RangeReader::own_rate(const ReadKey& key, const RangeTables::Table& table, bool is_held) {
  const bool is_fetched_for_key = !key.is_absent || is_held || !table.has_filter;
  const bool is_fetched_for_absent = key.is_absent || !table.has_filter;
  return key.scan_rate + (is_fetched_for_key ? key.get_rate : 0) +
         (is_fetched_for_absent ? key.absent_rate : 0);
}

auto RangeReader::get(const ReadKey& asked_key, std::uint64_t weight) -> Lookup {
  cache_.pass(weight);
  ReadKey key = asked_key;
  if (!key.is_absent && !setup_.are_keys_even) {
    key = gather_present(key);
  } else {
    gather(key.key);
  }
  Lookup lookup;
  LookupFigures& figures = lookup.figures;
  figures.count = 1;
  if (is_buffered(key)) {
    figures.memtable_hits = 1;
  } else {
    place(key);
    std::size_t asked = 0;
    const auto ask = [&](const FileLocation&, FileId id) {
      const std::size_t i = asked++;
      CHECK(sources_[i].table->id == id);
      const RangeTables::Table& table = *sources_[i].table;
      ++figures.runs_touched;
      figures.filter_checks += table.has_filter;
      const bool is_found = has_key_[i] && !key.is_absent;
      if (table.has_filter && !is_found) {
        if (drawn(id, key.key, kDrawsPass) >= table.pass_bound) return false;
        ++figures.false_positives;
      }
      fetch(sources_[i], i, {key, own_rate(key, table, has_key_[i]), has_key_[i]}, figures.blocks);
      return is_found && setup_.is_age_ordered;
    };
    lookup.searched_in_vain = walk_lookup(
        tree_, key.key, [this](const FileLocation& at) { tree_.touch(at); }, ask);
  }
  (key.is_absent ? figures_.gets_absent : figures_.gets_found) += times(figures, weight);
  return lookup;
}

void RangeReader::fetch(const Source& source, std::size_t index, const Fetch& fetch,
                        BlockReads& reads) {
  const RangeTables::Table& table = *source.table;
  reads.blocks_fetched += fetch.blocks;
  std::uint64_t missed = fetch.blocks;
  if (cache_.can_hold(table.block_bytes)) {
    const double rate = fetch.own_rate + rate_of_others(source, index, fetch);
    const CacheWindow::Block block{rate, static_cast<double>(cache_.reads() - table.reads_before),
                                   table.block_bytes};
    const double chance = cache_.chance_of(block);
    missed = std::min(missed, static_cast<std::uint64_t>(
                                  whole(static_cast<double>(fetch.blocks) * (1 - chance))));
    cache_.note(block, fetch.blocks);
  }
  reads.blocks_read += missed;
  reads.bytes_read += Uint128{missed} * table.block_bytes;
}

double RangeReader::whole(double mean) {
  const double floor = std::floor(mean);
  return floor + (is_below(random_.next(), mean - floor) ? 1 : 0);
}

void RangeReader::weigh_sources(std::uint64_t key) {
  if (is_weighed_) return;
  is_weighed_ = true;
  const std::size_t classes = targets_->rates().size();
  const std::size_t count = sources_.size();
  kept_.resize((count + 1) * classes);
  older_keys_.resize((count + 1) * classes);
  for (std::size_t c = 0; c < classes; ++c) {
    double keys = 0;
    older_keys_[count * classes + c] = 0;
    if (!is_near(c, key)) continue;
    for (std::size_t i = count; i-- > 0;) {
      keys += sources_[i].of(c).new_keys();
      older_keys_[i * classes + c] = keys;
    }
    double kept = 1 - replaced(memtable_density(c, key).updates(), keys);
    kept_[c] = kept;
    for (std::size_t i = 0; i < count; ++i) {
      kept *= 1 - replaced(sources_[i].of(c).updates(), older_keys_[(i + 1) * classes + c]);
      kept_[(i + 1) * classes + c] = kept;
    }
  }
}

double RangeReader::rate_of_others(const Source& source, std::size_t index, const Fetch& fetch) {
  weigh_sources(fetch.key.key);
  const RangeTables::Table& table = *source.table;
  const std::vector<ReadTargets::Rates>& rates = targets_->rates();
  const std::size_t classes = rates.size();
  const double* const kept = &kept_[index * classes];
  const double* const all_keys = older_keys_.data();
  const double* const keys_here = &older_keys_[index * classes];
  const double* const keys_below = index < sources_.size() ? keys_here + classes : keys_here;
  const double entries = source.entries();
  const double width = std::min(1.0, table.block_keys / std::max(entries, 1.0));
  // A scan reaches one entry further than it needs.
  const double reach = width * (1 + 1 / table.block_keys) + fetch.gap;
  double scan_width = targets_->scan_share();
  if (targets_->scan_entries() > 0) scan_width = targets_->scan_entries() / targets_->density();
  const double others = std::max(0.0, table.block_keys - (fetch.is_held ? 1 : 0));
  double rate = targets_->absent_anywhere() * width * table.passes;
  for (std::size_t c = 0; c < classes; ++c) {
    const ReadTargets::Rates& of = rates[c];
    if (!is_near(c, fetch.key.key)) continue;
    if (of.get > 0) {
      const double share = entries > 0 ? source.of(c).entries / entries : 0;
      rate += whole(others * share) * kept[c] * of.get;
      const double not_here = keys_below[c] * width;
      rate += (table.has_filter ? not_here * table.passes : whole(not_here)) * kept[c] * of.get;
    }
    if (of.get_absent > 0) rate += keys_here[c] * width * table.passes * of.get_absent;
    if (of.scan > 0) rate += whole(all_keys[c] * (reach + scan_width)) * of.scan;
  }
  return rate;
}

auto RangeReader::span_of(std::uint64_t first, const ScanLimit& limit) const -> ScanSpan {
  const double keys = targets_->density();
  ScanSpan span{first, std::min(limit.last_key, targets_->last_key()), limit.last_key, 0};
  if (limit.entries_max > 0) {
    const double width = static_cast<double>(limit.entries_max) / keys * kWholeSpace;
    const std::uint64_t room = span.last - first;
    if (width < static_cast<double>(room)) {
      span.last = first + static_cast<std::uint64_t>(width);
      span.entries = limit.entries_max;
      return span;
    }
  }
  const double more = keys * static_cast<double>(span.last - first) / kWholeSpace;
  span.entries = 1 + static_cast<std::uint64_t>(std::floor(more + 0.5));
  return span;
}

ScanFigures RangeReader::scan(const ReadKey& key, const ScanLimit& limit, std::uint64_t weight) {
  cache_.pass(weight);
  gather(key.key);
  weigh_sources(key.key);
  place(key);
  ScanFigures figures;
  figures.count = 1;
  const ScanSpan span = span_of(key.key, limit);
  figures.entries = span.entries;
  const auto open_run = [&](FileLocation at) -> Result<void> {
    bool is_touched = false;
    for (;;) {
      const ScanOpening opening = BOOST_OUTCOME_TRYX(open_scanned_file(
          tree_, at, is_touched, span.last, [&](FileId id, const KeyRange& keys) -> Result<bool> {
            return open_table(id, keys, {span, key, at}, figures);
          }));
      if (opening.is_touched) tree_.touch(at);
      figures.runs_touched += opening.runs_touched;
      if (!opening.next) return success();
      at = opening.next->file;
      is_touched = opening.next->is_run_touched;
    }
  };
  const Result<void> opened = open_first_files(tree_, key.key, open_run);
  CHECK(opened.has_value());
  figures_.scans.count += weight;
  figures_.scans.entries += figures.entries * weight;
  figures_.scans.runs_touched += figures.runs_touched * weight;
  figures_.scans.blocks += times(figures.blocks, weight);
  return figures;
}

bool RangeReader::open_table(FileId id, const KeyRange& keys, const Scan& scan,
                             ScanFigures& figures) {
  const std::uint64_t first = std::max(keys.smallest, scan.span.first);
  if (first > std::min(keys.largest, scan.span.limit)) return false;
  const RangeTables::Table& table = tables_.table(id);
  const RangeContents& contents = *table.contents;
  const Source source = source_of(table, scan.at, first);
  const std::uint64_t end = std::min(keys.largest, scan.span.last);
  Fetch blocks{scan.key, scan.key.scan_rate};
  if (first > scan.span.first) {
    const RunFiles& files = tree_.levels()[scan.at.level].runs[scan.at.run].files;
    const std::uint64_t before = scan.at.file > 0 ? files[scan.at.file - 1].keys.largest : 0;
    blocks.gap = static_cast<double>(first - std::min(first, before)) / kWholeSpace;
  }
  if (first <= end) {
    const std::uint64_t share = contents.shares_below(end + (end < ~std::uint64_t{0})).entries -
                                contents.shares_below(first).entries;
    double passed = entries_of(part_of(total_entries(contents.classes), share));
    // A scan that begins inside a file begins anywhere in a block. At the end of a file no entry
    // follows.
    if (first > contents.keys.smallest) passed += random_.unit() * table.block_keys;
    if (end == contents.keys.largest) passed = std::max(0.0, passed - 1);
    blocks.blocks += static_cast<std::uint64_t>(std::floor(passed / table.block_keys));
    blocks.blocks = std::min(blocks.blocks, table.blocks);
  }
  std::size_t index = 0;
  while (index < sources_.size() && sources_[index].table != &table &&
         std::pair(sources_[index].at.level, sources_[index].at.run) <
             std::pair(scan.at.level, scan.at.run)) {
    ++index;
  }
  // Lookups of the key come here only if this table has its newest version.
  const bool is_on_path = index < sources_.size() && sources_[index].table == &table;
  if (is_on_path && has_key_[index]) {
    blocks.is_held = true;
    const std::size_t classes = targets_->rates().size();
    blocks.own_rate += scan.key.get_rate * kept_[index * classes + *scan.key.key_class];
  }
  fetch(source, index, blocks, figures.blocks);
  return true;
}

}  // namespace lsmlab
