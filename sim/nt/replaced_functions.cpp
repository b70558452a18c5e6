// SPDX-License-Identifier: BSD-3-Clause
// Functions of the DLLs that have no effect in Wine's builds, or that need a service that the machine lacks. Their code
// is replaced with a call of this layer, which answers as Windows does.
#include <algorithm>
#include <array>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kBadHandle = 6, kBadParameter = 87;  // errors of Windows

// The functions return a BOOL.
u64 fail(Call& call, u32 error) {
  constexpr u64 kLastError = 0x68;
  (void)call.state.guest.write(call.thread.teb + kLastError, &error, sizeof error);
  return 0;
}

// The DLL's function reports success but creates no link. On Windows, ordinary users may not create links either.
u64 make_symbolic_link(Call& call) {
  constexpr u32 kPrivilegeNotHeld = 1314;
  return fail(call, kPrivilegeNotHeld);
}

// Programs on the machine are never started as a service.
u64 start_service(Call& call) {
  constexpr u32 kNotAService = 1063;  // ERROR_FAILED_SERVICE_CONTROLLER_CONNECT
  return fail(call, kNotAService);
}

// arguments: thread, where its cycles are put
u64 query_thread_cycles(Call& call) {
  constexpr u32 kNoAccess = 998;
  const ObjectPointer object = call.object_of(call.argument(0));
  if (object == nullptr || object->kind != Object::Kind::thread) return fail(call, kBadHandle);
  const u32 id = static_cast<const ThreadObject&>(*object).id;
  for (const State* const process : call.state.system->processes) {
    if (find_thread(*process, id) == nullptr) continue;
    const u64 cycles = cycles_of(*call.state.system, process->process_id, id);
    return call.state.guest.write(call.argument(1), &cycles, sizeof cycles) ? 1 : fail(call, kNoAccess);
  }
  return fail(call, kBadHandle);
}

// arguments: node, where the mask of its cores is put. The machine has one node.
u64 query_node_mask(Call& call) {
  const u64 mask = (call.argument32(0) & 0xff) == 0 ? all_processors(call.state) : 0;
  return mask != 0 && call.put(call.argument(1), mask) ? 1 : fail(call, kBadParameter);
}

// arguments: node, where its GROUP_AFFINITY is put
u64 query_node_group(Call& call) {
  const u64 affinity[2] = {all_processors(call.state), 0};
  const bool is_there = (call.argument32(0) & 0xffff) == 0;
  return is_there && call.write(call.argument(1), affinity, sizeof affinity) ? 1 : fail(call, kBadParameter);
}

// arguments: node, where the bytes of its free memory are put
u64 query_node_memory(Call& call) {
  u64 used = 0;
  for (const State* const process : call.state.system->processes) used += process->memory.committed();
  const u64 free = kMemoryBytes - std::min(used, kMemoryBytes);
  return (call.argument32(0) & 0xff) == 0 && call.put(call.argument(1), free) ? 1 : fail(call, kBadParameter);
}

// arguments: PROCESSOR_NUMBER, where its node is put
u64 query_node_of(Call& call) {
  struct {
    u16 group;
    u8 number, reserved;
  } processor{};
  if (!call.get(call.argument(0), processor)) return fail(call, kBadParameter);
  const bool is_there = processor.group == 0 && processor.number < call.state.processor_count;
  const u16 node = is_there ? 0 : 0xffff;
  return call.put(call.argument(1), node) && is_there ? 1 : fail(call, kBadParameter);
}

// arguments: process, where the number of its groups is, where their numbers are put
u64 query_groups(Call& call) {
  constexpr u32 kTooSmall = 122;
  u16 room = 0;
  constexpr u16 kCount = 1, kGroup = 0;
  if (call.process_object_of(call.argument(0)) == nullptr) return fail(call, kBadHandle);
  if (!call.get(call.argument(1), room) || !call.put(call.argument(1), kCount)) return fail(call, kBadParameter);
  if (room < kCount) return fail(call, kTooSmall);
  return call.put(call.argument(2), kGroup) ? 1 : fail(call, kBadParameter);
}

// The DLL's function leaves out the private bytes. arguments: process, counters, their size
u64 query_memory(Call& call) {
  constexpr u32 kTooSmall = 122, kBasicSize = 72;
  const State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return fail(call, kBadHandle);
  const u32 room = call.argument32(2);
  if (room < kBasicSize) return fail(call, kTooSmall);
  const std::array<u64, 12> known = memory_counters(*process);
  // PROCESS_MEMORY_COUNTERS_EX begins with its own size, and lacks the sizes of the address space.
  std::array<u64, 10> counters{};
  const u64 size = room < sizeof counters ? kBasicSize : sizeof counters;
  counters[0] = size | known[2] << 32;
  std::copy(known.begin() + 3, known.end(), counters.begin() + 1);
  return call.write(call.argument(1), counters.data(), size) ? 1 : fail(call, kBadParameter);
}

struct Replaced {
  std::string_view dll;
  Service service;
};
constexpr Replaced kReplaced[] = {
    {"kernel32.dll", {"CreateSymbolicLinkA", make_symbolic_link}},
    {"kernelbase.dll", {"CreateSymbolicLinkW", make_symbolic_link}},
    {"kernelbase.dll", {"GetNumaNodeProcessorMaskEx", query_node_group}},
    {"kernelbase.dll", {"GetProcessGroupAffinity", query_groups}},
    {"kernelbase.dll", {"K32GetProcessMemoryInfo", query_memory}},
    {"kernelbase.dll", {"QueryThreadCycleTime", query_thread_cycles}},
    {"iphlpapi.dll", {"GetAdaptersAddresses", list_adapters}},
    {"kernel32.dll", {"GetNumaAvailableMemoryNode", query_node_memory}},
    {"kernel32.dll", {"GetNumaNodeProcessorMask", query_node_mask}},
    {"kernel32.dll", {"GetNumaProcessorNodeEx", query_node_of}},
    {"sechost.dll", {"StartServiceCtrlDispatcherA", start_service}},
    {"sechost.dll", {"StartServiceCtrlDispatcherW", start_service}},
};
constexpr u32 kFirstNumber = 0x4000;  // above the numbers of system calls, which have 14 bits

}  // namespace

void replace_functions(State& state, std::string_view dll, const ImageContents& image, u64 base) {
  for (u32 index = 0; index < std::size(kReplaced); ++index) {
    const auto& [owner, service] = kReplaced[index];
    if (!same_ignoring_case(dll, owner)) continue;
    const u64 address = export_of(image, base, service.name);
    if (address == 0) continue;
    constexpr u32 kCall = 0xd4000001, kReturn = 0xd65f03c0;  // svc #N, ret
    const u32 number = kFirstNumber + index, code[2] = {kCall | number << 5, kReturn};
    state.space.write(address, code, sizeof code);
    state.services[number] = &service;
    state.service_names[number] = service.name;
  }
}

const Service* find_replaced(std::string_view name) {
  for (const Replaced& one : kReplaced)
    if (one.service.name == name) return &one.service;
  return nullptr;
}

}  // namespace wperf::sim::nt
