// SPDX-License-Identifier: BSD-3-Clause
// The objects that a program's handles refer to, in addition to its standard streams and threads: files, folders,
// searches, mappings. Part of a process's state.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "sim/windows/guest_files.h"

namespace wperf::sim {

// Closed with its last handle.
class OpenFile {
 public:
  OpenFile(GuestFiles& files, u32 number, std::string name, bool removed_at_end)
      : number_(number), files_(files), name_(std::move(name)), removed_at_end_(removed_at_end) {}
  ~OpenFile() {
    (void)files_.close(number_);
    if (removed_at_end_) (void)files_.remove(name_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  u32 number() const { return number_; }  // number in GuestFiles
  GuestFiles& files() { return files_; }

 private:
  u32 number_;
  GuestFiles& files_;
  std::string name_;
  bool removed_at_end_;
};

struct GuestHandle {
  enum class Kind : u8 { free, file, folder, search, mapping };
  Kind kind = Kind::free;
  std::shared_ptr<OpenFile> file = {};  // of a file or a file mapping
  std::string name = {};                // the program's full name for it; for a search that of its folder
  std::vector<std::string> found = {};  // names found by a search, in order
  usize next = 0;                       // index into `found`
};

class GuestHandles {
 public:
  static constexpr u64 kFirst = 0x8000, kStep = 4;
  static constexpr usize kMost = 4096;

  // Returns 0 if there are too many.
  u64 add(GuestHandle handle) {
    usize index = 0;
    while (index < handles_.size() && handles_[index].kind != GuestHandle::Kind::free) ++index;
    if (index == kMost) return 0;
    if (index == handles_.size()) handles_.emplace_back();
    handles_[index] = std::move(handle);
    return kFirst + index * kStep;
  }
  // Null if it is not a handle, or if the handle is of another kind.
  GuestHandle* at(u64 handle) {
    const u64 index = (handle - kFirst) / kStep;
    if (handle < kFirst || (handle - kFirst) % kStep != 0 || index >= handles_.size()) return nullptr;
    return handles_[index].kind != GuestHandle::Kind::free ? &handles_[index] : nullptr;
  }
  GuestHandle* at(u64 handle, GuestHandle::Kind kind) {
    GuestHandle* const found = at(handle);
    return found != nullptr && found->kind == kind ? found : nullptr;
  }
  bool close(u64 handle) {
    GuestHandle* const found = at(handle);
    if (found != nullptr) *found = {};
    return found != nullptr;
  }

 private:
  std::vector<GuestHandle> handles_;
};

}  // namespace wperf::sim
