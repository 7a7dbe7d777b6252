#include "sim/keys/merge_streams.h"

#include <algorithm>
#include <array>
#include <optional>

namespace lsmlab {
namespace {

// How many entries one step passed in each piece and wrote.
struct Step {
  std::size_t from_a;
  std::size_t from_b;
  std::size_t written;
};

// Merges two pieces until a piece or the output ends. Of equal keys it takes the newer version and
// skips the other one. No branch depends on the keys.
Step merge_pieces(std::span<const Entry> a, std::span<const Entry> b, std::span<Entry> out) {
  const Entry* next_a = a.data();
  const Entry* next_b = b.data();
  const Entry* const end_a = next_a + a.size();
  const Entry* const end_b = next_b + b.size();
  Entry* next_out = out.data();
  // Each round passes at most one entry of each piece, so this many rounds need no check for an
  // end.
  for (;;) {
    const std::size_t rounds = std::min(
        {static_cast<std::size_t>(end_a - next_a), static_cast<std::size_t>(end_b - next_b),
         static_cast<std::size_t>(out.data() + out.size() - next_out)});
    if (rounds == 0) break;
    for (std::size_t i = 0; i < rounds; ++i) {
      const Entry entry_a = *next_a;
      const Entry entry_b = *next_b;
      const bool is_equal = entry_a.key == entry_b.key;
      const bool takes_a =
          (entry_a.key < entry_b.key) | (is_equal & (entry_a.version > entry_b.version));
      next_out->key = takes_a ? entry_a.key : entry_b.key;
      next_out->version = takes_a ? entry_a.version : entry_b.version;
      next_a += takes_a | is_equal;
      next_b += !takes_a | is_equal;
      ++next_out;
    }
  }
  return {static_cast<std::size_t>(next_a - a.data()), static_cast<std::size_t>(next_b - b.data()),
          static_cast<std::size_t>(next_out - out.data())};
}

class PairStream : public EntryStream {
 public:
  PairStream(std::unique_ptr<EntryStream> a, std::unique_ptr<EntryStream> b)
      : a_(std::move(a)), b_(std::move(b)) {}

  [[nodiscard]] std::span<const Entry> peek() override {
    if (first_ == last_) fill();
    return std::span(buffer_).subspan(first_, last_ - first_);
  }
  void skip(std::size_t count) override { first_ += count; }

 private:
  void fill() {
    first_ = last_ = 0;
    while (last_ < buffer_.size()) {
      const std::span<const Entry> a = a_->peek();
      const std::span<const Entry> b = b_->peek();
      const std::span<Entry> out = std::span(buffer_).subspan(last_);
      if (a.empty() || b.empty()) {
        if (a.empty() && b.empty()) return;
        copy(a.empty() ? *b_ : *a_, a.empty() ? b : a, out);
        continue;
      }
      const Step step = merge_pieces(a, b, out);
      a_->skip(step.from_a);
      b_->skip(step.from_b);
      last_ += step.written;
    }
  }

  void copy(EntryStream& stream, std::span<const Entry> piece, std::span<Entry> out) {
    const std::size_t count = std::min(piece.size(), out.size());
    std::copy_n(piece.begin(), count, out.begin());
    stream.skip(count);
    last_ += count;
  }

  std::unique_ptr<EntryStream> a_;
  std::unique_ptr<EntryStream> b_;
  std::array<Entry, 1024> buffer_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

class NewestStream : public EntryStream {
 public:
  explicit NewestStream(std::unique_ptr<EntryStream> versions) : versions_(std::move(versions)) {}

  [[nodiscard]] std::span<const Entry> peek() override {
    while (first_ == last_) {
      const std::span<const Entry> piece = versions_->peek();
      if (piece.empty()) return {};
      fill(piece.first(std::min(piece.size(), buffer_.size())));
    }
    return std::span(buffer_).subspan(first_, last_ - first_);
  }
  void skip(std::size_t count) override { first_ += count; }

 private:
  void fill(std::span<const Entry> piece) {
    first_ = last_ = 0;
    for (const Entry& entry : piece) {
      if (key_ == entry.key) continue;
      key_ = entry.key;
      buffer_[last_++] = entry;
    }
    versions_->skip(piece.size());
  }

  std::unique_ptr<EntryStream> versions_;
  std::optional<std::uint64_t> key_;  // of the last entry
  std::array<Entry, 1024> buffer_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<EntryStream> newest_of(std::unique_ptr<EntryStream> stream, bool has_overwritten) {
  if (!has_overwritten) return stream;
  return std::make_unique<NewestStream>(std::move(stream));
}

void ListStream::add(EntryList& list, std::size_t first, std::size_t last,
                     bool release_when_passed) {
  parts_.push_back({&list, first, last, release_when_passed});
  entries_ += last - first;
}

std::span<const Entry> ListStream::peek() {
  while (current_ < parts_.size() && parts_[current_].next == parts_[current_].last) ++current_;
  if (current_ == parts_.size()) return {};
  const Part& part = parts_[current_];
  const std::span<const Entry> piece = part.list->chunk_from(part.next);
  return piece.first(std::min(piece.size(), part.last - part.next));
}

void ListStream::skip(std::size_t count) {
  Part& part = parts_[current_];
  part.next += count;
  if (part.release_when_passed) part.list->release_before(part.next);
}

std::unique_ptr<EntryStream> merged_stream(std::vector<MergeInput> inputs) {
  if (inputs.empty()) return std::make_unique<SpanStream>(std::span<const Entry>());
  const auto has_more = [](const MergeInput& a, const MergeInput& b) {
    return a.entries > b.entries;
  };
  std::make_heap(inputs.begin(), inputs.end(), has_more);
  const auto take_smallest = [&] {
    std::pop_heap(inputs.begin(), inputs.end(), has_more);
    MergeInput input = std::move(inputs.back());
    inputs.pop_back();
    return input;
  };
  while (inputs.size() > 1) {
    MergeInput a = take_smallest();
    MergeInput b = take_smallest();
    const std::uint64_t entries = a.entries + b.entries;
    inputs.push_back(
        {std::make_unique<PairStream>(std::move(a.stream), std::move(b.stream)), entries});
    std::push_heap(inputs.begin(), inputs.end(), has_more);
  }
  return std::move(inputs.front().stream);
}

}  // namespace lsmlab
