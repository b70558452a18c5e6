// SPDX-License-Identifier: BSD-3-Clause
// Watching folders: a call ends with the next changes that programs of the machine make. Changes by the host are not
// reported.
#include <algorithm>

#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

constexpr Status kNotifyCleanup = 0x10b, kNotifyEnumDir = 0x10c;
constexpr u64 kMostKept = 1 << 20;

// Ends the oldest call with the changes so far.
void end_oldest(System& system, FolderWatch& watch, u64 now_ns) {
  const PendingWatch call = watch.calls.front();
  watch.calls.pop_front();
  State* const process = find_process(system, call.process);
  if (process == nullptr) return;
  std::vector<std::byte> bytes;
  if (!take_changes(watch, call.length, bytes)) {
    end_io(system, call, kNotifyEnumDir, 0, now_ns);
    return;
  }
  const bool written = process->guest.write(call.buffer, bytes.data(), bytes.size());
  end_io(system, call, written ? kSuccess : kAccessViolation, written ? bytes.size() : 0, now_ns);
}

bool has_news(const FolderWatch& watch) {
  return watch.lost || !watch.changes.empty();
}

Status begin_watch(Call& call, const std::shared_ptr<File>& folder) {
  constexpr u32 kAllKinds = 0xfff;
  auto watch = std::make_shared<FolderWatch>();
  watch->file = folder;
  watch->key = FolderWatches::key_of(folder->files->identity(), folder->host_name);
  watch->about = call.argument32(7);
  watch->below = (call.argument32(8) & 0xff) != 0;
  watch->most = std::min<u64>(call.argument32(6), kMostKept);
  if (watch->about == 0 || (watch->about & ~kAllKinds) != 0) return kInvalidParameter;
  if (!call.state.system->watches.add(watch)) return kInsufficientResources;
  folder->watch = std::move(watch);
  return kSuccess;
}

// The first call on a handle decides which changes are of interest; they are kept from then on. arguments: folder,
// event, APC routine, its context, I/O status, buffer, its size, kinds of changes, whether subfolders as well
u64 watch_folder(Call& call) {
  constexpr usize kMostCalls = 4096;
  const auto folder = call.state.handles.at<File>(call.argument(0));
  if (folder == nullptr) return kInvalidHandle;
  if (folder->type != File::Type::folder) return kInvalidParameter;
  if ((folder->rights & right::kReadData) == 0) return kAccessDenied;
  if (folder->files == nullptr) return kNotSupported;
  const u64 length = call.argument32(6);
  if (!call.state.guest.allows(call.argument(5), length, kRead | kWrite)) return kAccessViolation;
  if (folder->watch == nullptr) {
    if (const Status status = begin_watch(call, folder); status != kSuccess) return status;
  }
  FolderWatch& watch = *folder->watch;
  if (watch.calls.size() == kMostCalls) return kInsufficientResources;
  PendingWatch pending;
  pending.buffer = call.argument(5);
  pending.length = length;
  if (const u64 status = begin_io(call, folder, pending); status != kPending) return status;
  watch.calls.push_back(std::move(pending));
  if (has_news(watch)) end_oldest(*call.state.system, watch, call.now_ns);
  return kPending;
}

void end_all(System& system, const std::shared_ptr<FolderWatch>& watch, u64 now_ns) {
  const auto calls = std::exchange(watch->calls, {});
  for (const PendingWatch& call : calls) end_io(system, call, kNotifyCleanup, 0, now_ns);
  system.watches.remove(*watch);
}

constexpr Service kWatches[] = {{"NtNotifyChangeDirectoryFile", watch_folder}};

}  // namespace

void report_changes(State& state, u64 now_ns) {
  System& system = *state.system;
  state.files.take_changes([&](const std::string& folder, const std::vector<FolderChange>& changes) {
    for (const auto& watch : system.watches.note(folder, changes))
      if (!watch->calls.empty() && has_news(*watch)) end_oldest(system, *watch, now_ns);
  });
}

usize cancel_watch_calls(Call& call, const File& folder, u64 status_at) {
  std::vector<PendingWatch> cancelled;
  if (folder.watch == nullptr) return 0;
  std::erase_if(folder.watch->calls, [&](const PendingWatch& one) {
    if (status_at != 0 && one.status_at != status_at) return false;
    cancelled.push_back(one);
    return true;
  });
  for (const PendingWatch& one : cancelled) end_io(*call.state.system, one, kCancelled, 0, call.now_ns);
  return cancelled.size();
}

void end_closed_watches(System& system, u64 now_ns) {
  for (const auto& watch : system.watches.all()) {
    const auto file = watch->file.lock();
    if (file == nullptr || file->handles == 0) end_all(system, watch, now_ns);
  }
}

std::span<const Service> watch_services() {
  return kWatches;
}

}  // namespace wperf::sim::nt
