// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/objects.h"

#include <algorithm>
#include <utility>

namespace wperf::sim::nt {

File::~File() {
  File::last_handle_closed();
  if (type == Type::disk) (void)files->close(number);
  if (type == Type::pipe) pipe->is_open[end] = false;
}

void File::remove_it() {
  FileFacts own, named;
  if (type == Type::folder) {
    (void)files->remove_folder(host_name);
    return;
  }
  // Another handle may have given the name to a different file.
  if (files->facts(number, own) != FileProblem::none || files->facts(host_name, named) != FileProblem::none) return;
  if (own.device == named.device && own.index == named.index) (void)files->remove(host_name);
}

void File::last_handle_closed() {
  const bool removed = removed_at_end;
  announce_removal(false);
  if (removed) remove_it();
  if (uses == nullptr) return;
  uses->unlock_all(this);
  std::exchange(uses, nullptr)->remove(FileUses::of_rights(rights), shared);
}

void File::restrict_others(std::shared_ptr<FileUses> of_file) {
  uses = std::move(of_file);
  uses->add(FileUses::of_rights(rights), shared);
}

void File::announce_removal(bool removed) {
  removed_at_end = removed;
  if (uses == nullptr || removed == announced) return;
  announced = removed;
  uses->deletions += removed ? 1u : ~0u;
}

Section::~Section() {
  if (uses != nullptr) --uses->sections;
  sums->bytes -= charged;
  if (reserves) sums->reserved -= size;
}

u64 Handles::add(ObjectPointer object, bool inherits) {
  while (lowest_free_ < entries_.size() && entries_[lowest_free_].object() != nullptr) ++lowest_free_;
  if (lowest_free_ == kMost) return 0;
  if (lowest_free_ == entries_.size()) entries_.emplace_back();
  entries_[lowest_free_] = {HandleReference(std::move(object)), inherits, false};
  return (lowest_free_ + 1) * kStep;
}

// The lowest two bits of a handle are free for the program's use.
ObjectPointer Handles::at(u64 handle) const {
  const u64 index = handle / kStep - 1;
  return index < entries_.size() ? entries_[index].object() : nullptr;
}

bool Handles::close(u64 handle) {
  const u64 index = handle / kStep - 1;
  if (index >= entries_.size() || entries_[index].object() == nullptr) return false;
  const ObjectPointer last = entries_[index].object();  // it may be destroyed at the end of this scope
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

bool Handles::is_protected(u64 handle) const {
  const u64 index = handle / kStep - 1;
  return index < entries_.size() && entries_[index].is_protected;
}

void Handles::set_protected(u64 handle, bool is_protected) {
  const u64 index = handle / kStep - 1;
  if (index < entries_.size()) entries_[index].is_protected = is_protected;
}

void Handles::set_inherits(u64 handle, bool inherits) {
  const u64 index = handle / kStep - 1;
  if (index < entries_.size()) entries_[index].inherits = inherits;
}

}  // namespace wperf::sim::nt
