#include "stack_oracle.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lsmlab::oracle {
namespace {

constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);
// A tree of this size is a mistake in the test's parameters, not a case to wait for.
constexpr std::size_t kTreeNodesMax = std::size_t{1} << 24;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

void ensure(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// C(n, r), by the product formula; every partial product is itself a binomial coefficient.
Wide choose(std::uint64_t n, std::uint64_t r) {
  if (r > n) return 0;
  r = std::min(r, n - r);
  Wide result = 1;
  for (std::uint64_t i = 1; i <= r; ++i) result = result * (n - r + i) / i;
  return result;
}

// T_k(m) = sum over i = 1..m of C(i + min(i, k) - 1, i).
Wide binomial_threshold(std::uint64_t m, std::uint64_t k) {
  Wide sum = 0;
  for (std::uint64_t i = 1; i <= m; ++i) sum += choose(i + std::min(i, k) - 1, i);
  return sum;
}

// A contiguous window of tables, as exploring looks at it.
struct Window {
  std::size_t first;
  std::vector<std::uint64_t> sizes;

  std::size_t count() const { return sizes.size(); }
  Wide total() const {
    Wide sum = 0;
    for (const std::uint64_t size : sizes) sum += size;
    return sum;
  }
};

// The largest table is at most lambda times the sum of the others.
bool in_ratio(const Window& window, const Decimal& lambda) {
  const Wide largest = *std::max_element(window.sizes.begin(), window.sizes.end());
  return largest * lambda.denominator <= lambda.numerator * (window.total() - largest);
}

std::vector<Window> all_windows(const std::vector<OracleTable>& tables, std::uint64_t files_min,
                                std::uint64_t files_max) {
  std::vector<Window> windows;
  for (std::size_t first = 0; first < tables.size(); ++first) {
    Window window{first, {}};
    for (std::size_t last = first; last < tables.size(); ++last) {
      window.sizes.push_back(tables[last].bytes);
      if (window.count() >= files_min && window.count() <= files_max) windows.push_back(window);
    }
  }
  return windows;
}

// The orders of exploring: true if a comes before b.
bool longer(const Window& a, const Window& b) {
  if (a.count() != b.count()) return a.count() > b.count();
  if (a.total() != b.total()) return a.total() < b.total();
  return a.first < b.first;
}

bool smaller_average(const Window& a, const Window& b) {
  const Wide left = a.total() * b.count();
  const Wide right = b.total() * a.count();
  if (left != right) return left < right;
  if (a.count() != b.count()) return a.count() > b.count();
  return a.first < b.first;
}

bool smaller_total(const Window& a, const Window& b) {
  if (a.total() != b.total()) return a.total() < b.total();
  return a.first < b.first;
}

std::vector<std::size_t> positions(std::size_t first, std::size_t last) {
  std::vector<std::size_t> result;
  for (std::size_t position = first; position <= last; ++position) result.push_back(position);
  return result;
}

}  // namespace

StackOracle::StackOracle(std::string policy, OracleParameters parameters)
    : parameters_(parameters) {
  const std::pair<const char*, Rule> rules[] = {
      {"none", &StackOracle::run_none},
      {"bigtable", &StackOracle::run_bigtable},
      {"constant", &StackOracle::run_constant},
      {"exploring", &StackOracle::run_exploring},
      {"min-latency", &StackOracle::run_min_latency},
      {"binomial", &StackOracle::run_binomial},
      {"tiered", &StackOracle::run_tiered},
      {"leveled-full", &StackOracle::run_leveled_full},
      {"prefix", &StackOracle::run_prefix},
      {"ratio-based-hbase", &StackOracle::run_ratio_based_hbase},
      {"accumulo", &StackOracle::run_accumulo},
  };
  for (const auto& [name, rule] : rules) {
    if (policy == name) rule_ = rule;
  }
  require(rule_ != nullptr, "unknown policy");
  validate();
}

void StackOracle::validate() const {
  const OracleParameters& p = parameters_;
  const auto rule_is = [this](Rule rule) { return rule_ == rule; };
  require(p.lambda.denominator > 0 && p.ratio.denominator > 0, "denominator of 0");
  for (const Rule bounded :
       {&StackOracle::run_bigtable, &StackOracle::run_constant, &StackOracle::run_exploring,
        &StackOracle::run_min_latency, &StackOracle::run_binomial}) {
    require(!rule_is(bounded) || p.k >= 1, "k must be at least 1");
  }
  // A merge takes two tables or more, or the repeated rules would never end.
  if (rule_is(&StackOracle::run_exploring) || rule_is(&StackOracle::run_ratio_based_hbase)) {
    require(p.min_files >= 2 && p.max_files >= p.min_files, "2 <= min_files <= max_files");
  }
  if (rule_is(&StackOracle::run_tiered) || rule_is(&StackOracle::run_leveled_full)) {
    require(p.size_ratio >= 2, "size_ratio must be at least 2");
  }
  if (rule_is(&StackOracle::run_prefix)) {
    require(p.max_tolerance_files >= 2, "max_tolerance_files must be at least 2");
  }
  if (rule_is(&StackOracle::run_accumulo)) {
    require(p.max_files >= 2, "max_files must be at least 2");
    require(p.ratio.numerator >= p.ratio.denominator, "ratio must be at least 1");
  }
}

void StackOracle::flush(std::uint64_t bytes) {
  ++flushes_;
  tables_.push_back({bytes, 0, 1});
  flush_in_memory_ = true;
  (this->*rule_)();
  if (flush_in_memory_) {
    bytes_written_ += tables_.back().bytes;
    flush_in_memory_ = false;
  }
}

void StackOracle::keep_oldest(std::uint64_t keep) {
  ensure(keep < tables_.size(), "a policy keeps more tables than there are");
  if (keep + 1 < tables_.size()) merge_range(keep, tables_.size() - 1, 0);
}

void StackOracle::merge_range(std::size_t first, std::size_t last, std::uint32_t tier) {
  merge(positions(first, last), tier);
}

void StackOracle::merge(const Positions& inputs, std::uint32_t tier) {
  ensure(inputs.size() >= 2, "a merge takes two tables or more");
  OracleTable output{0, tier, 0};
  for (const std::size_t position : inputs) {
    output.bytes += tables_[position].bytes;
    output.flushes += tables_[position].flushes;
    bytes_read_ += tables_[position].bytes;
  }
  if (flush_in_memory_) {
    const std::uint64_t flush_bytes = tables_.back().bytes;
    if (inputs.back() + 1 == tables_.size()) {
      bytes_read_ -= flush_bytes;
    } else {
      bytes_written_ += flush_bytes;
    }
    flush_in_memory_ = false;
  }
  bytes_written_ += output.bytes;
  ++merges_;

  std::vector<OracleTable> rest;
  for (std::size_t position = 0; position < tables_.size(); ++position) {
    if (position == inputs.back()) {
      rest.push_back(output);
    } else if (!std::binary_search(inputs.begin(), inputs.end(), position)) {
      rest.push_back(tables_[position]);
    }
  }
  tables_ = std::move(rest);
}

Wide StackOracle::total_bytes(std::size_t first, std::size_t last) const {
  Wide sum = 0;
  for (std::size_t position = first; position < last; ++position) sum += tables_[position].bytes;
  return sum;
}

// With k tables before the flush: merge the fewest newest tables such that each table exceeds the
// sum of all newer ones and no more than k remain.
void StackOracle::run_bigtable() {
  const std::size_t before = tables_.size() - 1;
  if (before < parameters_.k) return;
  for (std::size_t merged = 1; merged <= before; ++merged) {
    const std::size_t keep = before - merged;
    if (keep + 1 > parameters_.k) continue;
    std::vector<Wide> after;
    for (std::size_t position = 0; position < keep; ++position) {
      after.push_back(tables_[position].bytes);
    }
    after.push_back(total_bytes(keep, tables_.size()));
    bool each_exceeds = true;
    for (std::size_t position = 0; position < after.size(); ++position) {
      Wide newer = 0;
      for (std::size_t j = position + 1; j < after.size(); ++j) newer += after[j];
      if (after[position] <= newer) each_exceeds = false;
    }
    if (each_exceeds) return keep_oldest(keep);
  }
  // Reached only if every byte count is 0: then nothing exceeds anything, and the bound still
  // holds.
  keep_oldest(0);
}

void StackOracle::run_constant() {
  if (tables_.size() - 1 >= parameters_.k) keep_oldest(0);
}

void StackOracle::run_exploring() {
  const bool above_k = tables_.size() > parameters_.k;
  auto* first_in_order = above_k ? smaller_average : longer;
  std::vector<Window> candidates =
      all_windows(tables_, parameters_.min_files, parameters_.max_files);
  std::erase_if(candidates,
                [this](const Window& window) { return !in_ratio(window, parameters_.lambda); });
  if (candidates.empty() && above_k) {
    candidates = all_windows(tables_, parameters_.min_files, parameters_.min_files);
    first_in_order = smaller_total;
  }
  if (candidates.empty()) return;
  const Window best = *std::min_element(candidates.begin(), candidates.end(), first_in_order);
  merge_range(best.first, best.first + best.count() - 1, 0);
}

// Grows every node that depth allows: a left child adds one to the merge depth (at most m - 1), a
// right child one to the stack depth (at most k - 1). No other tree within these depths has as many
// nodes, hence "the unique tree". Returns its root in tree_, kNoNode for an empty tree.
std::size_t StackOracle::grow_full_tree(std::uint64_t m, std::uint64_t k) {
  if (m == 0 || k == 0) return kNoNode;
  const Wide nodes = choose(m + k, k) - 1;
  require(nodes + tree_.size() <= kTreeNodesMax, "the search tree would be too large");
  const std::size_t root = tree_.size();
  tree_.push_back({kNoNode, kNoNode, 0, 0, 0});
  for (std::size_t at = root; at < tree_.size(); ++at) {
    const std::uint64_t stack_depth = tree_[at].stack_depth;
    const std::uint64_t merge_depth = tree_[at].merge_depth;
    if (merge_depth + 1 < m) {
      tree_[at].left = tree_.size();
      tree_.push_back({kNoNode, kNoNode, stack_depth, merge_depth + 1, 0});
    }
    if (stack_depth + 1 < k) {
      tree_[at].right = tree_.size();
      tree_.push_back({kNoNode, kNoNode, stack_depth + 1, merge_depth, 0});
    }
  }
  ensure(tree_.size() - root == nodes, "tau*(m, k) has C(m + k, k) - 1 nodes");
  return root;
}

// Numbers the nodes 1.. in search order. A loop, since a tree for k = 1 is as deep as it is large.
void StackOracle::number_tree() {
  std::uint64_t number = 0;
  std::vector<std::size_t> path;
  std::size_t at = tree_root_;
  while (at != kNoNode || !path.empty()) {
    for (; at != kNoNode; at = tree_[at].left) path.push_back(at);
    at = path.back();
    path.pop_back();
    tree_[at].number = ++number;
    at = tree_[at].right;
  }
}

// How many ancestors of the node are smaller than it: those where the search turns right.
std::uint64_t StackOracle::stack_depth_of(std::uint64_t number) const {
  std::uint64_t smaller_ancestors = 0;
  std::size_t at = tree_root_;
  while (at != kNoNode && tree_[at].number != number) {
    if (tree_[at].number < number) {
      ++smaller_ancestors;
      at = tree_[at].right;
    } else {
      at = tree_[at].left;
    }
  }
  ensure(at != kNoNode, "the flush has no node in the tree");
  return smaller_ancestors;
}

// The stack after flush t is the t-th node's smaller ancestors and the node itself, so the stack
// depth is how many tables stay as they are.
void StackOracle::run_min_latency() {
  std::uint64_t m = std::max<std::uint64_t>(tree_m_, 1);
  while (choose(m + parameters_.k, m) <= flushes_) ++m;
  if (m != tree_m_) {
    tree_.clear();
    tree_root_ = grow_full_tree(m, parameters_.k);
    number_tree();
    tree_m_ = m;
  }
  keep_oldest(stack_depth_of(flushes_));
}

// Block m of the flushes is a root that takes all earlier blocks as its left subtree (it merges
// everything there is), and tau*(m, min(m, k) - 1) on top of it as its right subtree.
void StackOracle::run_binomial() {
  while (tree_.size() < flushes_) {
    const std::size_t older = tree_.empty() ? kNoNode : tree_root_;
    ++tree_m_;
    const std::size_t newer = grow_full_tree(tree_m_, std::min(tree_m_, parameters_.k) - 1);
    tree_root_ = tree_.size();
    // Here the depths of a node are those in its own subtree; the search counts the true ones.
    tree_.push_back({older, newer, 0, 0, 0});
    number_tree();
    ensure(tree_.size() == binomial_threshold(tree_m_, parameters_.k), "T_k(m) counts the nodes");
    ensure(tree_[tree_root_].number == binomial_threshold(tree_m_ - 1, parameters_.k) + 1,
           "block m starts after T_k(m - 1)");
  }
  keep_oldest(stack_depth_of(flushes_));
}

void StackOracle::run_tiered() {
  bool merged = true;
  while (merged) {
    merged = false;
    for (std::uint32_t tier = 0; !merged && tier <= tables_.front().tier; ++tier) {
      Positions members;
      for (std::size_t position = 0; position < tables_.size(); ++position) {
        if (tables_[position].tier == tier) members.push_back(position);
      }
      if (members.size() < parameters_.size_ratio) continue;
      merge(members, tier + 1);
      merged = true;
    }
  }
}

void StackOracle::run_leveled_full() {
  const std::size_t newest = tables_.size() - 1;
  if (newest > 0 && tables_[newest - 1].tier == 0) merge_range(newest - 1, newest, 0);
  // Oldest first is deepest first: the table of the next level is the previous one.
  Wide flushes_full = 1;
  for (std::uint32_t level = 0; level <= tables_.front().tier; ++level) {
    flushes_full *= parameters_.size_ratio;
    if (flushes_full > flushes_) return;
    std::size_t at = 0;
    while (at < tables_.size() && tables_[at].tier != level) ++at;
    if (at == tables_.size() || tables_[at].flushes < flushes_full) continue;
    if (at > 0 && tables_[at - 1].tier == level + 1) {
      merge_range(at - 1, at, level + 1);
    } else {
      tables_[at].tier = level + 1;
      ++moves_;
    }
  }
}

StackOracle::Positions StackOracle::find_prefix_set() const {
  const Wide cap = parameters_.max_mergeable_bytes;
  const std::size_t count = tables_.size();
  // size < ratio * rest, exactly.
  const auto below_ratio = [this](Wide size, Wide rest) {
    return size * parameters_.ratio.denominator < rest * parameters_.ratio.numerator;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Wide start = tables_[i].bytes;
    if (start > cap) continue;
    bool in_ratio_at_end = true;  // a lone last table passes
    std::size_t j = i + 1;
    for (; j < count; ++j) {
      const Wide size = tables_[j].bytes;
      if (size > cap) break;
      const Wide younger = total_bytes(i + 1, j + 1);
      in_ratio_at_end = below_ratio(start, younger);
      if (start + younger > cap && in_ratio_at_end) return positions(i, j);
      if (!below_ratio(start, younger + size * (count - j - 1))) break;
    }
    if (j != count) continue;
    if (count - i < parameters_.max_tolerance_files) return {};
    if (in_ratio_at_end) return positions(i, count - 1);
  }
  return {};
}

void StackOracle::run_prefix() {
  for (Positions set = find_prefix_set(); !set.empty(); set = find_prefix_set()) merge(set, 0);
}

void StackOracle::run_ratio_based_hbase() {
  const OracleParameters& p = parameters_;
  const std::size_t count = tables_.size();
  std::size_t start = 0;
  while (count - start >= p.min_files) {
    const Wide size = tables_[start].bytes;
    const std::size_t next_end =
        static_cast<std::size_t>(std::min<Wide>(count, Wide{start} + p.max_files));
    const Wide next = total_bytes(start + 1, next_end);
    const bool above_ratio = size * p.ratio.denominator > next * p.ratio.numerator;
    if (size <= p.min_size_bytes || !above_ratio) break;
    ++start;
  }
  if (count - start >= p.min_files) {
    merge_range(start, start + std::min<std::size_t>(count - start, p.max_files) - 1, 0);
    return;
  }
  const bool stuck = p.k > 0 && count > p.k;
  if (stuck && count >= p.min_files) merge_range(count - p.min_files, count - 1, 0);
}

// The set to merge at this ratio, or nothing. Windows of the size order slide from the smallest up.
StackOracle::Positions StackOracle::find_accumulo_set(Wide ratio_numerator,
                                                      Wide ratio_denominator) const {
  Positions order;
  for (std::size_t position = 0; position < tables_.size(); ++position) order.push_back(position);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return tables_[a].bytes < tables_[b].bytes;
  });
  const std::size_t width = std::min<std::size_t>(order.size(), parameters_.max_files);
  for (std::size_t first = 0; first + width <= order.size(); ++first) {
    const auto window_size = [&](std::size_t c) { return Wide{tables_[order[first + c]].bytes}; };
    std::vector<bool> good(width + 1, false);  // one past the window is never good: ends the run
    std::vector<Wide> sum_through(width, window_size(0));
    for (std::size_t c = 1; c < width; ++c) {
      sum_through[c] = sum_through[c - 1] + window_size(c);
      good[c] = window_size(c) * ratio_numerator < sum_through[c] * ratio_denominator;
    }
    std::size_t chosen = 0;  // tables 0..chosen of the window; 0 = no candidate yet
    for (std::size_t end = 1; end < width; ++end) {
      if (!good[end] || good[end + 1]) continue;
      // A set whose output could not join the next one would block it: prefer the next one.
      if (chosen != 0 && sum_through[chosen] <= window_size(end)) break;
      chosen = end;
    }
    if (chosen == 0) continue;
    Positions inputs(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(first + chosen + 1));
    std::sort(inputs.begin(), inputs.end());
    return inputs;
  }
  return {};
}

// Binary search between 1 and the ratio for the highest ratio that merges enough.
StackOracle::Positions StackOracle::find_accumulo_set_below_ratio() const {
  const std::size_t count = tables_.size();
  std::size_t goal = count - static_cast<std::size_t>(parameters_.file_max) + 1;
  if (goal > parameters_.max_files) goal = 0;
  // low, high over one denominator, doubled at every step so that their middle is a whole number.
  Wide denominator = parameters_.ratio.denominator;
  Wide low = denominator;
  Wide high = parameters_.ratio.numerator;
  Positions found;
  while ((high - low) * 10 > denominator) {
    denominator *= 2;
    const Wide middle = low + high;
    low *= 2;
    high *= 2;
    const Positions inputs = find_accumulo_set(middle, denominator);
    if (inputs.empty() || inputs.size() < goal) {
      high = middle;
    } else {
      low = middle;
      found = inputs;
    }
  }
  return found;
}

void StackOracle::run_accumulo() {
  while (tables_.size() > 1) {
    Positions inputs =
        find_accumulo_set(parameters_.ratio.numerator, parameters_.ratio.denominator);
    if (inputs.empty() && tables_.size() > parameters_.file_max) {
      inputs = find_accumulo_set_below_ratio();
    }
    if (inputs.empty()) return;
    merge(inputs, 0);
  }
}

}  // namespace lsmlab::oracle
