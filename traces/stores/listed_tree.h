// Collects a list of files into a tree: a Manifest with one edit for each column family, which adds
// all of its files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/stores/manifest.h"

namespace lsmlab::stores {

class ListedTree {
 public:
  /// Begins a list of the family, which replaces an earlier one.
  void begin(const std::string& family) { files_[family].clear(); }
  void set_comparator(const std::string& family, std::string_view name) {
    comparators_[family] = std::string(name);
  }
  void add(const std::string& family, std::uint32_t level, StoreFile file);
  [[nodiscard]] Manifest finish(StoreSystem system);

 private:
  struct Listed {
    std::uint32_t level = 0;
    StoreFile file;
  };
  std::map<std::string, std::map<std::uint64_t, Listed>> files_;  // by number
  std::map<std::string, std::string> comparators_;
};

}  // namespace lsmlab::stores
