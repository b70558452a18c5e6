// SPDX-License-Identifier: BSD-3-Clause
// Data of the page about samples: each row has one thread, event, core, stack and time slice. Rows are stored in
// groups.
#pragma once
#include <functional>
#include <vector>

#include "model/stacks/stack_profile.h"
#include "model/stacks/stack_rows.h"
#include "views/html/moment_columns.h"

namespace wperf::html {

// Without slices, all samples are in one slice.
inline bool has_slices(const stacks::StackProfile& profile) {
  return profile.slices.count != 0 && (!profile.slice_counts.empty() || profile.samples.empty());
}

class RowColumns {
 public:
  RowColumns(const stacks::StackProfile& profile, const stacks::StackFilter& filter, bool all_samples)
      : profile_(profile), filter_(filter), all_samples_(all_samples) {}

  // `number_of`: converts a node of the profile to the number of the written node. For a page with all samples, returns
  // the row of each entry of the profile's slice counts, for MomentColumns::add_samples().
  std::vector<u32> add(const std::function<u32(u32 node)>& number_of);
  std::vector<const Column*> columns() const;

 private:
  // The values in which rows of one slice differ.
  struct Key {
    u32 task = 0, event = 0, core = 0;
    u32 node = 0;  // number of the node in the page
  };

  std::vector<u32> add_slices(const std::vector<u32>& rows, const std::vector<Key>& keys);
  void add_row(const stacks::SliceCount& one, const Key& key);
  void end_row();
  void end_group();

  const stacks::StackProfile& profile_;
  const stacks::StackFilter& filter_;
  const bool all_samples_;
  // The row that is being summed up, and its group.
  stacks::SliceCount open_;
  Key open_key_;
  u32 node_before_ = 0, slice_before_ = 0;
  u64 open_size_ = 0;  // rows of the group so far
  u32 rows_ = 0;       // in the slice so far, without the open row
  Column slices_{"slice"}, tasks_{"task"}, events_{"event"}, cores_{"core"}, sizes_{"size"};
  Column nodes_{"node"}, counts_{"count"}, periods_{"period"};
};

}  // namespace wperf::html
