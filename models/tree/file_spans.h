// Files of a tree that follow each other in a run, in a list of places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/tree/tree.h"

namespace lsmlab {

/// Calls `visit(first, last)` for each span of neighbours: where its first file stands, and the
/// index behind that of its last one. REQUIRES: `places` rise.
template <class Visit>
void for_each_span(const std::vector<FileLocation>& places, const Visit& visit) {
  for (std::size_t i = 0; i < places.size();) {
    std::size_t end = i + 1;
    while (end < places.size() && places[end].level == places[i].level &&
           places[end].run == places[i].run && places[end].file == places[i].file + (end - i)) {
      ++end;
    }
    visit(places[i], places[i].file + (end - i));
    i = end;
  }
}

/// The same from the last span to the first.
template <class Visit>
void for_each_span_from_behind(const std::vector<FileLocation>& places, const Visit& visit) {
  std::vector<std::pair<FileLocation, std::size_t>> spans;
  for_each_span(places, [&](const FileLocation& first, std::size_t last) {
    spans.emplace_back(first, last);
  });
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) visit(span->first, span->second);
}

}  // namespace lsmlab
