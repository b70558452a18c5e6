// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/objects.h"

namespace wperf::sim::nt {

File::~File() {
  if (type == Type::disk) (void)files->close(number);
  if (removed_at_end) (void)(type == Type::folder ? files->remove_folder(host_name) : files->remove(host_name));
}

u64 Handles::add(ObjectPointer object) {
  while (lowest_free_ < objects_.size() && objects_[lowest_free_] != nullptr) ++lowest_free_;
  if (lowest_free_ == kMost) return 0;
  if (lowest_free_ == objects_.size()) objects_.emplace_back();
  objects_[lowest_free_] = std::move(object);
  return (lowest_free_ + 1) * kStep;
}

// The lowest two bits of a handle are the program's own.
ObjectPointer Handles::at(u64 handle) const {
  const u64 index = handle / kStep - 1;
  return index < objects_.size() ? objects_[index] : nullptr;
}

bool Handles::close(u64 handle) {
  const u64 index = handle / kStep - 1;
  if (index >= objects_.size() || objects_[index] == nullptr) return false;
  const ObjectPointer last = std::move(objects_[index]);  // its end may come with this scope
  objects_[index] = nullptr;
  lowest_free_ = index < lowest_free_ ? index : lowest_free_;
  return true;
}

}  // namespace wperf::sim::nt
