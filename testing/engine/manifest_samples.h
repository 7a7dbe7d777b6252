// A snapshot and edits for tests of manifests. They have every member that a manifest can hold.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/logs/manifest.h"
#include "engine/sstable/entry_view.h"
#include "models/base/check.h"

namespace lsmlab::engine::testing {

/// Every field has a different value.
inline File make_file(std::uint64_t id, std::uint64_t smallest, std::uint64_t largest) {
  File file;
  file.id = FileId(id);
  file.keys = {smallest, largest};
  file.bytes = Bytes(1000 + id);
  file.entries = Entries(100 + id);
  file.tombstones = Entries(10 + id);
  file.key_bytes = Bytes(2000 + id);
  file.value_bytes = Bytes(3000 + id);
  if (id % 2 == 0) file.oldest_tombstone = Instant(id);
  file.sequences = {id, 2 * id};
  file.zeroed = static_cast<Zeroed>(id % 3);
  file.created = Instant(4000 + id);
  file.oldest_ancestor = Instant(3500 + id);
  file.level_since = Instant(5000 + id);
  file.last_access = Instant(6000 + id);
  file.seeks = 7000 + id;
  file.flushes = {1, 2};
  file.marked = id % 3 == 0;
  const DeletionTimes times(2, {{id, 3}, {id + 1, 9}});
  if (id % 3 == 1) file.deletion_times = std::make_shared<const DeletionTimes>(times);
  return file;
}

/// Two levels; file 5 is frozen and linked to file 3.
inline ManifestSnapshot make_snapshot() {
  ManifestSnapshot snapshot;
  snapshot.identity = {{"policy", "lo+1 size_ratio=10"}, {"key_prefix", std::string("\0\xff", 2)}};
  File lower = make_file(3, 10, 20);
  lower.slices.push_back({FileId(5), {0, 15}, Bytes(77)});
  Level first{
      {{RunId(1), {1, 2}, {make_file(1, 0, 5), make_file(2, 6, ~std::uint64_t{0})}}}, 99, {}};
  Level second{{{RunId(2), {1, 2}, {lower, make_file(4, 21, 30)}}}, std::nullopt, {}};
  snapshot.tree.levels = {first, second};
  snapshot.tree.frozen_files = {make_file(5, 0, 15)};
  snapshot.tree.flush_count = 2;
  snapshot.tree.last_merge_flush = 1;
  snapshot.tree.now = Instant(12345);
  snapshot.tree.traffic = {8, 9};
  snapshot.tree.next_file_id = 6;
  snapshot.tree.next_run_id = 3;
  snapshot.last_sequence = kSequenceMax;
  snapshot.first_wal = 17;
  return snapshot;
}

/// A flush, a move, a freeze with a link, and a merge; each edit fits the tree that the previous
/// one left.
inline std::vector<ManifestEdit> make_edits() {
  ManifestEdit flush;
  flush.edit.takes_memtable = true;
  flush.edit.added.push_back({{0, std::nullopt}, {make_file(6, 0, 100)}});
  flush.now = Instant(20000);
  flush.traffic = {50, 60};
  flush.last_sequence = 1000;
  flush.first_wal = 18;
  ManifestEdit move;
  move.edit.moved.push_back({{FileId(1), FileId(2)}, {2, std::nullopt}});
  move.edit.cursors = {{1, 7}, {2, ~std::uint64_t{0}}};
  move.now = Instant(20001);
  ManifestEdit link;
  link.edit.frozen = {FileId(6)};
  link.edit.linked.push_back({FileId(6), FileId(4), {FileId(6), {21, 100}, Bytes(5)}});
  link.edit.linked.push_back({FileId(6), FileId(3), {FileId(6), {0, 20}, Bytes(6)}});
  link.now = Instant(20002);
  ManifestEdit merge;
  merge.edit.is_merge = true;
  merge.edit.slice_entries = Entries(40);
  merge.edit.removed = {FileId(3)};
  merge.edit.added.push_back({{1, RunId(2)}, {make_file(7, 0, 20)}});
  merge.now = Instant(20003);
  return {flush, move, link, merge};
}

inline File make_virtual_file(std::uint64_t id, const KeyRange& keys, std::vector<Slice> slices) {
  File file;
  file.id = FileId(id);
  file.keys = keys;
  file.is_virtual = true;
  file.flushes = {1, 2};
  file.slices = std::move(slices);
  return file;
}

/// Edits that follow those of make_edits(). Two virtual files of three slices take the place of two
/// files. The newest slice of one is merged. A drop takes the other. A flush makes two files, and
/// sets what its policy decided.
inline std::vector<ManifestEdit> make_virtual_edits() {
  constexpr std::uint64_t kEnd = ~std::uint64_t{0};
  const RunId run(5);  // the next new one
  ManifestEdit refer;
  refer.edit.frozen = {FileId(1), FileId(2)};
  refer.edit.added.push_back(
      {{2, std::nullopt},
       {make_virtual_file(8, {0, 99},
                          {{FileId(1), {0, 5}, Bytes(81)}, {FileId(2), {6, 99}, Bytes(82)}}),
        make_virtual_file(9, {100, kEnd}, {{FileId(2), {100, kEnd}, Bytes(83)}})}});
  refer.now = Instant(20004);
  ManifestEdit newest;
  newest.edit.is_merge = true;
  newest.edit.slice_entries = Entries(12);
  newest.edit.taken_slices = {{FileId(8), 1}};
  newest.edit.added.push_back({{2, run}, {make_file(10, 7, 98)}, FileId(8)});
  newest.now = Instant(20005);
  ManifestEdit drop;
  drop.edit.removed = {FileId(9)};
  drop.now = Instant(20006);
  ManifestEdit flush;
  flush.edit.takes_memtable = true;
  File ranged = make_file(11, 40, 50);
  ranged.range_bytes = Bytes(4096);
  flush.edit.added.push_back({{0, std::nullopt}, {ranged, make_file(12, 51, 60)}});
  flush.edit.tuning = Tuning{4, 100'000, 12'500, Bytes(4096), "L10:T4"};
  flush.traffic = {70, 80, 5, 6};
  flush.now = Instant(20007);
  flush.last_sequence = 2000;
  flush.first_wal = 19;
  return {refer, newest, drop, flush};
}

inline std::vector<ManifestEdit> make_all_edits() {
  std::vector<ManifestEdit> edits = make_edits();
  for (ManifestEdit& edit : make_virtual_edits()) edits.push_back(std::move(edit));
  return edits;
}

/// What the tree of make_snapshot() is after some of these edits.
inline TreeState tree_after(std::size_t edits) {
  TreeState tree = TreeState::restore(make_snapshot().tree).value();
  const std::vector<ManifestEdit> all = make_all_edits();
  CHECK(edits <= all.size());
  for (std::size_t i = 0; i < edits; ++i) {
    tree.advance_now(all[i].now);
    if (all[i].edit.takes_memtable) {
      tree.begin_flush({Bytes(), Entries(), {}, Entries(), all[i].traffic});
    }
    CHECK(tree.apply(all[i].edit).has_value());
  }
  return tree;
}

/// A tree with virtual files, of which one holds the output of a merge as its newest slice.
inline ManifestSnapshot make_virtual_snapshot() {
  ManifestSnapshot snapshot = make_snapshot();
  snapshot.tree = tree_after(make_all_edits().size()).image();
  return snapshot;
}

}  // namespace lsmlab::engine::testing
