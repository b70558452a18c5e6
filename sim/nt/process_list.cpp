// SPDX-License-Identifier: BSD-3-Clause
// The list of the running processes and their threads (SYSTEM_PROCESS_INFORMATION).
#include <cstring>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr usize kProcessSize = 0x100, kThreadSize = 0x50;

template <class T>
void put(std::vector<std::byte>& bytes, usize offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

void put_thread(const State& process, const Thread& thread, usize at, std::vector<std::byte>& out) {
  constexpr u32 kRunning = 2, kWaits = 5, kUserRequest = 6;
  const std::array<u64, 4> times = times_of(*process.system, process.process_id, thread.id);
  const bool waits = thread.wait.kind != Wait::Kind::none;
  put(out, at + 0x00, times[2]);
  put(out, at + 0x08, times[3]);
  put(out, at + 0x10, times[0]);
  put(out, at + 0x28, u64{process.process_id});
  put(out, at + 0x30, u64{thread.id});
  put(out, at + 0x38, 8 + thread.priority);
  put(out, at + 0x3c, std::int32_t{8});
  put(out, at + 0x44, waits ? kWaits : kRunning);
  put(out, at + 0x48, waits ? kUserRequest : u32{0});
}

// `address`: the address of the list in the program's memory.
void add_process(const State& process, u64 address, std::vector<std::byte>& out) {
  const usize begin = out.size();
  std::vector<const Thread*> threads;
  for (const auto& thread : process.threads)
    if (!thread->ended) threads.push_back(thread.get());
  std::vector<u16> name = to_utf16(process.modules.front().name);
  name.push_back(0);
  const usize name_at = begin + kProcessSize + threads.size() * kThreadSize;
  out.resize((name_at + name.size() * 2 + 7) & ~usize{7});
  put(out, begin + 0x04, static_cast<u32>(threads.size()));
  const std::array<u64, 4> times = times_of(*process.system, process.process_id, 0);
  put(out, begin + 0x20, times[0]);
  put(out, begin + 0x28, times[3]);
  put(out, begin + 0x30, times[2]);
  put(out, begin + 0x38, static_cast<u16>((name.size() - 1) * 2));
  put(out, begin + 0x3a, static_cast<u16>(name.size() * 2));
  put(out, begin + 0x40, address + name_at);
  put(out, begin + 0x48, std::int32_t{8});
  put(out, begin + 0x50, u64{process.process_id});
  u32 handles = 0;
  process.handles.for_each([&](Object&) { ++handles; });
  put(out, begin + 0x60, handles);
  put(out, begin + 0x64, u32{1});
  for (const usize offset : {0x70, 0x78, 0x88, 0x90, 0xb8, 0xc0, 0xc8})
    put(out, begin + offset, process.memory.committed());
  for (usize index = 0; index < threads.size(); ++index)
    put_thread(process, *threads[index], begin + kProcessSize + index * kThreadSize, out);
  std::memcpy(out.data() + name_at, name.data(), name.size() * 2);
}

}  // namespace

u64 answer_processes(Call& call, u64 buffer, u64 room, u64 size_at) {
  std::vector<std::byte> bytes;
  usize last = 0;
  for (const State* const process : call.state.system->processes) {
    if (process->modules.empty()) continue;
    if (!bytes.empty()) put(bytes, last, static_cast<u32>(bytes.size() - last));
    last = bytes.size();
    add_process(*process, buffer, bytes);
  }
  return call.answer_with(buffer, room, bytes.data(), bytes.size(), size_at);
}

}  // namespace wperf::sim::nt
