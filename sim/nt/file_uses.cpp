// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/file_uses.h"

#include <algorithm>

namespace wperf::sim::nt {

u32 FileUses::of_rights(u32 rights) {
  u32 uses = 0;
  if ((rights & (right::kReadData | right::kExecute)) != 0) uses |= kRead;
  if ((rights & (right::kWriteData | right::kAppendData)) != 0) uses |= kWrite;
  if ((rights & right::kDelete) != 0) uses |= kDelete;
  return uses;
}

bool FileUses::allows_lock(const LockedRange& wanted) const {
  return std::ranges::none_of(locks, [&](const LockedRange& one) {
    return one.overlaps(wanted) && (wanted.exclusive || (one.exclusive && one.owner != wanted.owner));
  });
}

bool FileUses::allows_read(const LockedRange& bytes) const {
  return bytes.size == 0 || std::ranges::none_of(locks, [&](const LockedRange& one) {
           return one.exclusive && one.owner != bytes.owner && one.overlaps(bytes);
         });
}

bool FileUses::allows_write(const LockedRange& bytes) const {
  return bytes.size == 0 || std::ranges::none_of(locks, [&](const LockedRange& one) {
           return (!one.exclusive || one.owner != bytes.owner) && one.overlaps(bytes);
         });
}

void FileUses::unlock_all(const void* owner) {
  std::erase_if(locks, [&](const LockedRange& one) { return one.owner == owner; });
}

bool FileUses::allow(u32 uses, u32 shared) const {
  if (uses == 0) return true;
  for (u32 index = 0; index < kCount; ++index) {
    if ((uses >> index & 1) != 0 && shared_[index] < opened_) return false;
    if ((shared >> index & 1) == 0 && used_[index] != 0) return false;
  }
  return true;
}

void FileUses::change(u32 uses, u32 shared, u32 by) {
  if (uses == 0) return;
  opened_ += by;
  for (u32 index = 0; index < kCount; ++index) {
    used_[index] += (uses >> index & 1) * by;
    shared_[index] += (shared >> index & 1) * by;
  }
}

std::shared_ptr<FileUses> OpenFiles::of(const FileFacts& file) {
  if (files_.size() >= most_) {
    std::erase_if(files_, [](const auto& one) { return one.second.expired(); });
    most_ = std::max<usize>(most_, 2 * files_.size());
  }
  std::weak_ptr<FileUses>& known = files_[{file.device, file.index}];
  std::shared_ptr<FileUses> uses = known.lock();
  if (uses == nullptr) known = uses = std::make_shared<FileUses>();
  return uses;
}

}  // namespace wperf::sim::nt
