// SPDX-License-Identifier: BSD-3-Clause
// Locks of a file's bytes. A thread that waits for a lock is woken by the thread that unlocks or closes the file.
#include <algorithm>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

bool put_lock_status(Call& call, u64 address) {
  return address == 0 || call.put_io_status(address, kSuccess, 0);
}

u64 wait_for_unlock(Call& call, const File& file, const LockedRange& wanted) {
  const u64 result = wait_for_host(call, 0);
  Wait& wait = call.thread.wait;
  wait.wake_ns = kNever;
  wait.locks = file.uses;
  wait.wanted = wanted;
  return result;
}

// arguments: file, event, APC routine, its context, I/O status, offset, size, key, whether it fails at once, whether
// exclusive
u64 lock_file(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->uses == nullptr) return kInvalidDeviceRequest;
  LockedRange wanted{.exclusive = (call.argument32(9) & 0xff) != 0, .owner = file.get()};
  if (!call.get(call.argument(5), wanted.begin) || !call.get(call.argument(6), wanted.size)) return 0;
  constexpr usize kMost = 65536;
  std::vector<LockedRange>& locks = file->uses->locks;
  if (locks.size() == kMost) return kInsufficientResources;
  if (!file->uses->allows_lock(wanted))
    return (call.argument32(8) & 0xff) != 0 ? u64{kLockNotGranted} : wait_for_unlock(call, *file, wanted);
  locks.push_back(wanted);
  return put_lock_status(call, call.argument(4)) ? kSuccess : kAccessViolation;
}

// arguments: file, I/O status, offset, size, key
u64 unlock_file(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->uses == nullptr) return kInvalidDeviceRequest;
  u64 begin = 0, size = 0;
  if (!call.get(call.argument(2), begin) || !call.get(call.argument(3), size)) return 0;
  std::vector<LockedRange>& locks = file->uses->locks;
  const auto find = [&](bool exclusive) {
    return std::ranges::find(locks, LockedRange{begin, size, exclusive, file.get()});
  };
  auto locked = find(true);
  if (locked == locks.end()) locked = find(false);
  if (locked == locks.end()) return kRangeNotLocked;
  locks.erase(locked);
  go_on_with_locks(*call.state.system, call.now_ns);
  return put_lock_status(call, call.argument(1)) ? kSuccess : kAccessViolation;
}

constexpr Service kLocks[] = {
    {"NtLockFile", lock_file},
    {"NtUnlockFile", unlock_file},
};

}  // namespace

void go_on_with_locks(const System& system, u64 now_ns, const void* closed) {
  for (State* const process : system.processes) {
    for (const auto& thread : process->threads) {
      Wait& wait = thread->wait;
      if (wait.locks == nullptr) continue;
      if (wait.wanted.owner == closed || wait.locks->allows_lock(wait.wanted)) wait.wake_ns = now_ns;
    }
  }
}

std::span<const Service> lock_services() {
  return kLocks;
}

}  // namespace wperf::sim::nt
