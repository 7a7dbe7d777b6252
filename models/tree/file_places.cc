#include "models/tree/file_places.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

const FilePlace* FilePlaces::find(FileId id) const {
  if (!covers(id)) return nullptr;
  const Node* node = root_.get();
  for (unsigned shift = root_shift_; node != nullptr && !node->is_leaf; shift -= kBits) {
    node = static_cast<const Inner*>(node)->children[child_index(id, shift)].get();
  }
  if (node == nullptr) return nullptr;
  for (const FilePlace& place : static_cast<const Leaf*>(node)->places) {
    if (place.file == id) return &place;
  }
  return nullptr;
}

bool FilePlaces::covers(FileId id) const { return id.value() >> root_shift_ < kFanout; }

// Makes the root cover an id.
void FilePlaces::grow_to(FileId id) {
  while (!covers(id)) {
    root_shift_ += kBits;
    if (!root_ || root_->is_leaf) continue;
    const NodePtr below = root_;
    root_ = new Inner;
    Inner& root = static_cast<Inner&>(*root_);
    root.count = static_cast<const Inner&>(*below).count;
    root.children[0] = below;
  }
}

void FilePlaces::insert(const FilePlace& place) {
  grow_to(place.file);
  NodePtr* node = &root_;
  for (unsigned shift = root_shift_;; shift -= kBits) {
    if (!*node) *node = new Leaf;
    if ((*node)->is_leaf) {
      auto& places = own<Leaf>(*node).places;
      if (places.size() < kLeafPlaces) {
        places.push_back(place);
        return;
      }
      split(*node, shift);
    }
    Inner& inner = own<Inner>(*node);
    ++inner.count;
    node = &inner.children[child_index(place.file, shift)];
  }
}

void FilePlaces::split(NodePtr& node, unsigned shift) {
  const NodePtr full = node;
  node = new Inner;
  Inner& inner = static_cast<Inner&>(*node);
  for (const FilePlace& place : static_cast<const Leaf&>(*full).places) {
    NodePtr& child = inner.children[child_index(place.file, shift)];
    if (!child) child = new Leaf;
    static_cast<Leaf&>(*child).places.push_back(place);
    ++inner.count;
  }
}

void FilePlaces::gather(const Node& node, Leaf& into) {
  if (node.is_leaf) {
    for (const FilePlace& place : static_cast<const Leaf&>(node).places) {
      into.places.push_back(place);
    }
    return;
  }
  for (const NodePtr& child : static_cast<const Inner&>(node).children) {
    if (child) gather(*child, into);
  }
}

void FilePlaces::erase(FileId id) {
  CHECK(covers(id));
  NodePtr* node = &root_;
  for (unsigned shift = root_shift_;; shift -= kBits) {
    CHECK(*node);
    if ((*node)->is_leaf) break;
    Inner& inner = own<Inner>(*node);
    // So few that a removal does not soon undo the next split.
    if (--inner.count < kLeafPlaces / 4) {
      NodePtr leaf(new Leaf);
      gather(inner, static_cast<Leaf&>(*leaf));
      *node = leaf;
      break;
    }
    node = &inner.children[child_index(id, shift)];
  }
  auto& places = own<Leaf>(*node).places;
  const auto place = std::find_if(places.begin(), places.end(),
                                  [&](const FilePlace& other) { return other.file == id; });
  CHECK(place != places.end());
  *place = places.back();
  places.pop_back();
  if (places.empty()) node->reset();
}

}  // namespace lsmlab
