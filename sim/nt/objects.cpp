// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/objects.h"

#include <algorithm>

namespace wperf::sim::nt {

File::~File() {
  if (type == Type::disk) (void)files->close(number);
  if (type == Type::pipe) pipe->is_open[end] = false;
  if (removed_at_end) (void)(type == Type::folder ? files->remove_folder(host_name) : files->remove(host_name));
}

u64 Handles::add(ObjectPointer object, bool inherits) {
  while (lowest_free_ < entries_.size() && entries_[lowest_free_].object != nullptr) ++lowest_free_;
  if (lowest_free_ == kMost) return 0;
  if (lowest_free_ == entries_.size()) entries_.emplace_back();
  entries_[lowest_free_] = {std::move(object), inherits};
  return (lowest_free_ + 1) * kStep;
}

// The lowest two bits of a handle are free for the program's use.
ObjectPointer Handles::at(u64 handle) const {
  const u64 index = handle / kStep - 1;
  return index < entries_.size() ? entries_[index].object : nullptr;
}

bool Handles::close(u64 handle) {
  const u64 index = handle / kStep - 1;
  if (index >= entries_.size() || entries_[index].object == nullptr) return false;
  const ObjectPointer last = std::move(entries_[index].object);  // it may be destroyed at the end of this scope
  entries_[index] = {};
  lowest_free_ = index < lowest_free_ ? index : lowest_free_;
  return true;
}

Handles Handles::inherited(const std::vector<u64>& only) const {
  Handles copy;
  copy.entries_ = entries_;
  for (usize index = 0; index < entries_.size(); ++index) {
    const auto is_this = [&](u64 handle) { return handle / kStep == index + 1; };
    if (!entries_[index].inherits || (!only.empty() && std::ranges::none_of(only, is_this))) copy.entries_[index] = {};
  }
  return copy;
}

bool Handles::inherits(u64 handle) const {
  const u64 index = handle / kStep - 1;
  return index < entries_.size() && entries_[index].inherits;
}

void Handles::set_inherits(u64 handle, bool inherits) {
  const u64 index = handle / kStep - 1;
  if (index < entries_.size()) entries_[index].inherits = inherits;
}

}  // namespace wperf::sim::nt
