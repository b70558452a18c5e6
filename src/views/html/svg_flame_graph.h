// SPDX-License-Identifier: BSD-3-Clause
// A flame graph as an image for documents and mails: no script, searchable text, a title on each frame. Frames that are
// too narrow to be visible are left out, and the image says how much is left out. Pure.
#pragma once
#include <string>

#include "analysis/compare/stack_changes.h"
#include "model/stacks/stack_rows.h"

namespace wperf::html {

// For the first event that has samples.
std::string svg_flame_graph(const stacks::StackProfile& profile, const stacks::StackFilter& filter);

// Shows growth and shrinkage from one side to the other.
struct Sides {
  std::string before, after;  // names of the sides in titles
};
std::string svg_difference(const compare::StackChanges& changes, const Sides& sides);

}  // namespace wperf::html
