// A node of a tree whose copies share nodes until one of them changes (copy on write).
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

namespace lsmlab {

/// Threads may share a node at the same time, as long as none changes it. A copy of a node is
/// shared by nobody.
struct CountedNode : boost::intrusive_ref_counter<CountedNode, boost::thread_safe_counter> {
  explicit CountedNode(bool leaf) : is_leaf(leaf) {}
  CountedNode(const CountedNode& other) = default;
  CountedNode& operator=(const CountedNode&) = delete;
  virtual ~CountedNode() = default;

  const bool is_leaf;
};

using CountedNodePtr = boost::intrusive_ptr<CountedNode>;

/// The node as one that nobody else sees: itself, or a copy put in its place. REQUIRES: it is of
/// this kind.
template <class Kind>
Kind& own(CountedNodePtr& node) {
  if (node->use_count() > 1) node = new Kind(static_cast<const Kind&>(*node));
  return static_cast<Kind&>(*node);
}

}  // namespace lsmlab
