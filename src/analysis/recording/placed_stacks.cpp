// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/placed_stacks.h"

#include <future>
#include <span>
#include <thread>

#include "analysis/recording/path_tree.h"

namespace wperf::recording {
namespace {

using stacks::AddressKind;
using stacks::kNothing;
using stacks::StackProfile;

constexpr u32 kRowsForTwo = 1 << 12;      // with fewer rows, starting a thread takes longer
constexpr u32 kByAddress = u32{1} << 31;  // marks an address in a node's key; 2^31 places would not fit into memory

class StackPlacer {
 public:
  StackPlacer(const stacks::StackAggregator& aggregator, const NamedAddresses& named, const RecordedJit& jit,
              StackProfile& profile)
      : aggregator_(aggregator), named_(named), jit_(jit), profile_(profile) {}

  void place_stacks(bool with_sites);
  stacks::LineStacks list_stacks();

 private:
  void list_frames(const stacks::AggregatedAddress& address, u32 asked);
  void list_sites(const PathTree& tree);

  const stacks::StackAggregator& aggregator_;
  const NamedAddresses& named_;
  const RecordedJit& jit_;
  StackProfile& profile_;
  stacks::LineStacks lists_;
};

// Stacks become paths in one tree, from the outermost caller down. If sites are not requested, all addresses of a place
// share a node. Inlined functions become nodes below the function that contains them. There are many more frames than
// nodes, so it is faster if two threads each make a tree.
void StackPlacer::place_stacks(bool with_sites) {
  std::vector<u32> place_of_address;
  place_of_address.reserve(named_.of_address.size());
  for (const u32 asked : named_.of_address) place_of_address.push_back(named_.names[asked].place);
  const auto place_rows = [&](u32 from, u32 to, PathTree& tree) {
    // The node of each frame of the previous stack; for a frame with inlined functions, its last node.
    std::vector<u32> path{PathTree::kRoot};
    aggregator_.for_each_stack(from, to, [&](u32 row, u32 depth, std::span<const u32> own) {
      path.resize(depth + 1);
      for (const u32 one : own) {
        const u32 place = place_of_address[one];
        u32 node = tree.insert(path.back(), with_sites ? kByAddress | one : place, place);
        if (!named_.inlined_places.empty()) {
          const NamedAddresses::Name& named = named_.names[named_.of_address[one]];
          for (const u32 inlined : std::span(named_.inlined_places).subspan(named.first_inlined, named.inlined)) {
            node = tree.insert(node, inlined, inlined);
          }
        }
        path.push_back(node);
      }
      profile_.samples[row].node = path.back();
    });
  };
  const u32 rows = aggregator_.stack_count();
  const bool is_shared = rows >= kRowsForTwo && std::thread::hardware_concurrency() > 1;
  const u32 middle = is_shared ? rows / 2 : rows;
  PathTree tree, others;
  std::future<void> other_half;
  if (is_shared) other_half = std::async(std::launch::async, [&] { place_rows(middle, rows, others); });
  place_rows(0, middle, tree);
  if (is_shared) {
    other_half.get();
    const std::vector<u32> here = tree.join(others);
    for (u32 row = middle; row < rows; ++row) profile_.samples[row].node = here[profile_.samples[row].node];
  }
  if (with_sites) list_sites(tree);
  profile_.nodes = tree.take_nodes();
}

// Inlined functions have the site of the function that contains them.
void StackPlacer::list_sites(const PathTree& tree) {
  profile_.site_of_node.assign(1, kNothing);
  profile_.address_of_node.assign(1, 0);
  for (u32 node = 1; node < tree.size(); ++node) {
    if ((tree.key(node) & kByAddress) == 0) {
      const u32 parent = tree.parent(node);
      profile_.site_of_node.push_back(profile_.site_of_node[parent]);
      profile_.address_of_node.push_back(profile_.address_of_node[parent]);
      continue;
    }
    const u32 number = tree.key(node) & ~kByAddress;
    const u32 asked = named_.of_address[number];
    const stacks::AggregatedAddress one = aggregator_.address(number);
    profile_.site_of_node.push_back(profile_.sites[asked].function != kNothing ? asked : kNothing);
    profile_.address_of_node.push_back(one.kind == AddressKind::made ? jit_.location(one.address).address
                                                                     : one.address);
  }
}

void StackPlacer::list_frames(const stacks::AggregatedAddress& address, u32 asked) {
  const NamedAddresses::Name& named = named_.names[asked];
  if (address.kind == AddressKind::made) {
    const u64 recorded = jit_.location(address.address).address + (address.is_caller ? 1 : 0);
    return lists_.frames.push_back({recorded, stacks::kNoOffset, named.place});
  }
  for (u32 i = named.inlined; i-- > 0;) {
    lists_.frames.push_back({address.address, stacks::kNoOffset, named_.inlined_places[named.first_inlined + i]});
  }
  const stacks::CodeSite& site = profile_.sites[asked];
  // For callers, the address before the return address was looked up, which is in the call.
  const u64 offset =
      site.begin == site.end ? stacks::kNoOffset : site.address - site.begin + (address.is_caller ? 1 : 0);
  lists_.frames.push_back({address.address, offset, named.place});
}

stacks::LineStacks StackPlacer::list_stacks() {
  profile_.nodes.assign(1, {});
  for (u32 place = 0; place < profile_.places.size(); ++place) profile_.nodes.push_back({0, place});
  lists_.frames.reserve(named_.of_address.size());
  lists_.frame_begins.reserve(named_.of_address.size() + 1);
  for (u32 i = 0; i < named_.of_address.size(); ++i) {
    lists_.frame_begins.push_back(static_cast<u32>(lists_.frames.size()));
    list_frames(aggregator_.address(i), named_.of_address[i]);
  }
  lists_.frame_begins.push_back(static_cast<u32>(lists_.frames.size()));
  u64 size = 0;
  lists_.stack_begins.reserve(profile_.samples.size() + 1);
  lists_.stack_begins.push_back(0);
  aggregator_.for_each_stack(0, aggregator_.stack_count(), [&](u32, u32 depth, std::span<const u32> own) {
    size += depth + own.size();
    lists_.stack_begins.push_back(size);
  });
  lists_.addresses.reserve(size);
  std::vector<u32> path;  // outermost first
  aggregator_.for_each_stack(0, aggregator_.stack_count(), [&](u32 row, u32 depth, std::span<const u32> own) {
    path.resize(depth);
    path.insert(path.end(), own.begin(), own.end());
    lists_.addresses.insert(lists_.addresses.end(), path.rbegin(), path.rend());
    profile_.samples[row].node = 1 + lists_.frames[lists_.frame_begins[path.back()]].place;
  });
  return std::move(lists_);
}

}  // namespace

void place_stacks(const stacks::StackAggregator& aggregator, const NamedAddresses& named, const RecordedJit& jit,
                  bool with_sites, StackProfile& profile) {
  StackPlacer(aggregator, named, jit, profile).place_stacks(with_sites);
}

stacks::LineStacks list_stacks(const stacks::StackAggregator& aggregator, const NamedAddresses& named,
                               const RecordedJit& jit, StackProfile& profile) {
  return StackPlacer(aggregator, named, jit, profile).list_stacks();
}

}  // namespace wperf::recording
