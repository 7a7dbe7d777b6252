// Merges sorted inputs, and keeps only the newest version of each key. Pairs of inputs are merged
// into small buffers, and pairs of these again, so that every step is one tight loop without
// branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/keys/entry.h"
#include "sim/keys/entry_list.h"

namespace lsmlab {

/// A stream of entries that rise by key. Those that are merged have each key once.
class EntryStream {
 public:
  EntryStream() = default;
  EntryStream(const EntryStream&) = delete;
  EntryStream& operator=(const EntryStream&) = delete;
  virtual ~EntryStream() = default;
  /// Returns the next entries, at least one, or none at the end. Valid until the next call on this
  /// stream.
  [[nodiscard]] virtual std::span<const Entry> peek() = 0;
  /// REQUIRES: count <= peek().size().
  virtual void skip(std::size_t count) = 0;
};

/// Parts of entry lists, one after another.
class ListStream : public EntryStream {
 public:
  /// Adds the entries with indexes from `first` to before `last`. REQUIRES: their keys are above
  /// all keys added before.
  void add(EntryList& list, std::size_t first, std::size_t last, bool release_when_passed);
  [[nodiscard]] std::uint64_t entries() const { return entries_; }

  [[nodiscard]] std::span<const Entry> peek() override;
  void skip(std::size_t count) override;

 private:
  struct Part {
    EntryList* list;
    std::size_t next;
    std::size_t last;
    bool release_when_passed;
  };
  std::vector<Part> parts_;
  std::size_t current_ = 0;
  std::uint64_t entries_ = 0;
};

/// Contiguous entries that another object owns: a sorted memtable.
class SpanStream : public EntryStream {
 public:
  explicit SpanStream(std::span<const Entry> entries) : entries_(entries) {}
  [[nodiscard]] std::span<const Entry> peek() override { return entries_; }
  void skip(std::size_t count) override { entries_ = entries_.subspan(count); }

 private:
  std::span<const Entry> entries_;
};

/// The newest version of each key of a stream. `has_overwritten`: the stream has several versions
/// of some key, the newest first; if not, it is returned as it is.
[[nodiscard]] std::unique_ptr<EntryStream> newest_of(std::unique_ptr<EntryStream> stream,
                                                     bool has_overwritten);

struct MergeInput {
  std::unique_ptr<EntryStream> stream;
  std::uint64_t entries = 0;
};

/// All inputs as one stream with the newest version of each key. Small inputs are paired first, so
/// that only few entries pass through many steps.
[[nodiscard]] std::unique_ptr<EntryStream> merged_stream(std::vector<MergeInput> inputs);

}  // namespace lsmlab
