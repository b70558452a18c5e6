// SPDX-License-Identifier: BSD-3-Clause
// The rights with which a file of the host is open, and the rights that each handle leaves to other handles. All
// processes of a machine share them.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "sim/nt/guest_files.h"

namespace wperf::sim::nt {

namespace right {
inline constexpr u32 kReadData = 1, kWriteData = 2, kAppendData = 4, kExecute = 0x20, kDelete = 0x10000;
inline constexpr u32 kAll = 0x1f01ff;
}  // namespace right

// Bytes that one opened file has locked.
struct LockedRange {
  u64 begin = 0, size = 0;
  bool exclusive = false;
  const void* owner = nullptr;  // the opened file

  bool operator==(const LockedRange&) const = default;
  bool overlaps(const LockedRange& other) const {
    return begin < other.begin ? other.begin - begin < size : begin - other.begin < other.size;
  }
};

class FileUses {
 public:
  // Sets of uses, with the bits of ShareAccess.
  static constexpr u32 kRead = 1, kWrite = 2, kDelete = 4;

  // The uses for which a handle has rights. A handle that only queries attributes has no uses, and restricts no other
  // handle.
  static u32 of_rights(u32 rights);

  // Whether a file may be opened for these uses while others have the uses `shared`.
  bool allow(u32 uses, u32 shared) const;
  void add(u32 uses, u32 shared) { change(uses, shared, 1); }
  void remove(u32 uses, u32 shared) { change(uses, shared, ~0u); }
  bool is_used() const { return opened_ != 0; }

  bool allows_lock(const LockedRange& wanted) const;
  // Whether the opened file may read or write these bytes. Under a shared lock no handle may write.
  bool allows_read(const LockedRange& bytes) const;
  bool allows_write(const LockedRange& bytes) const;
  void unlock_all(const void* owner);

  std::vector<LockedRange> locks;
  u32 deletions = 0;  // handles that will delete the file when they are closed
  u32 sections = 0;   // sections that map the file, which then cannot become shorter

 private:
  static constexpr u32 kCount = 3;
  void change(u32 uses, u32 shared, u32 by);

  u32 opened_ = 0;  // handles
  std::array<u32, kCount> used_{}, shared_{};
};

// The uses of all open files. Files without handles are forgotten from time to time.
class OpenFiles {
 public:
  std::shared_ptr<FileUses> of(const FileFacts& file);

 private:
  std::map<std::pair<u64, u64>, std::weak_ptr<FileUses>> files_;  // by device and index
  usize most_ = 1024;                                             // entries before expired ones are removed
};

}  // namespace wperf::sim::nt
