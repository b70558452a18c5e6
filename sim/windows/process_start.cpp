// SPDX-License-Identifier: BSD-3-Clause
// The state of a 64-bit Windows process when its first instruction runs: stack, TEB, PEB, parameters, static TLS.
#include <algorithm>
#include <cstring>

#include "sim/windows/crt_call.h"
#include "sim/windows/placement.h"
#include "sim/windows/process_state.h"
#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kStackArea = 0x0090'0000'0000;
constexpr u64 kEnvironmentArea = 0x00a0'0000'0000;
constexpr u64 kDefaultStack = 1 << 20;
constexpr u64 kLargestStack = 8 << 20;
constexpr u64 kTebSize = 0x2000;
constexpr u64 kPebSize = 0x1000;
constexpr u64 kProcessAttach = 1;

template <class T>
void put(AddressSpace& space, u64 address, T value) {
  space.write(address, &value, sizeof value);
}

struct UnicodeString {
  u16 length, capacity;
  u32 padding;
  u64 text;
};

bool map_stack(ProcessState& state) {
  const u64 wanted = state.loaded.images[0].pe.stack_reserve;
  const u64 size = page_up(wanted == 0 ? kDefaultStack : std::clamp<u64>(wanted, 64 << 10, kLargestStack));
  const u64 low = kStackArea + random_offset(state.seed, PlacedThing::stack, 0, 0x1000);
  // The page below stays unmapped, so that running out of stack is a fault there.
  state.current->stack_limit = low + kPageSize;
  state.current->stack_base = state.current->stack_limit + size;
  return state.space.map(state.current->stack_limit, size, kRead | kWrite);
}

// Process parameters, both command lines and an empty environment in one region; TEB and PEB in another.
bool map_parameters(ProcessState& state) {
  const u64 area = kEnvironmentArea + random_offset(state.seed, PlacedThing::environment, 0, 0x1000);
  std::vector<u16> wide = to_utf16(state.command_line);
  wide.push_back(0);
  const u64 text_size = page_up(0x1000 + wide.size() * sizeof(u16) + state.command_line.size() + 16);
  state.current->teb = area;
  state.peb = area + kTebSize;
  const u64 parameters = area + kAllocationGranularity;
  if (!state.space.map(area, kTebSize + kPebSize, kRead | kWrite) ||
      !state.space.map(parameters, text_size, kRead | kWrite)) {
    return false;
  }
  state.environment_w = parameters + 0x800;
  state.command_line_w = parameters + 0x1000;
  state.command_line_a = state.command_line_w + wide.size() * 2;
  state.space.write(state.command_line_w, wide.data(), wide.size() * 2);
  state.space.write(state.command_line_a, state.command_line.c_str(), state.command_line.size() + 1);
  const auto length = static_cast<u16>((wide.size() - 1) * 2);
  put(state.space, parameters, static_cast<u32>(0x440));
  put(state.space, parameters + 0x70, UnicodeString{length, static_cast<u16>(length + 2), 0, state.command_line_w});
  put(state.space, parameters + 0x80, state.environment_w);
  put(state.space, state.peb + 0x20, parameters);
  return true;
}

// KUSER_SHARED_DATA is at the same place in every process. Its clocks stand still; programs get the time from
// functions.
bool map_shared_data(ProcessState& state) {
  constexpr u64 kAddress = 0x7ffe0000, kSystemRoot = 0x30, kBuild = 0x260, kVersion = 0x26c, kFeatures = 0x274;
  if (!state.space.map(kAddress, kPageSize, kRead)) return false;
  const std::vector<u16> root = to_utf16("C:\\Windows");
  state.space.write(kAddress + kSystemRoot, root.data(), root.size() * sizeof(u16));
  put(state.space, kAddress + kBuild, u32{26100});
  put(state.space, kAddress + kVersion, u32{10});
  for (const u32 feature : kProcessorFeatures) put(state.space, kAddress + kFeatures + feature, u8{1});
  return true;
}

void fill_blocks(ProcessState& state) {
  put(state.space, state.current->teb + 0x08, state.current->stack_base);
  put(state.space, state.current->teb + 0x10, state.current->stack_limit);
  put(state.space, state.current->teb + 0x30, state.current->teb);
  put(state.space, state.current->teb + 0x60, state.peb);
  put(state.space, state.current->teb + 0x1478, state.current->stack_limit - kPageSize);
  put(state.space, state.peb + 0x10, state.loaded.images[0].module.base);
  put(state.space, state.peb + 0x30, state.process_heap);
  put(state.space, state.peb + 0x118, u32{10});
  put(state.space, state.peb + 0x120, u16{26100});
}

// An array with one block for each image that has a TLS directory; the block's index goes into the image.
}  // namespace

bool map_static_tls(ProcessState& state, GuestThread& thread) {
  constexpr u64 kAlignment = 16;
  std::vector<usize> users;
  u64 size = 0;
  for (usize index = 0; index < state.loaded.images.size(); ++index) {
    const PeTls& tls = state.loaded.images[index].pe.tls;
    if (!tls.present) continue;
    users.push_back(index);
    size += (u64{tls.data_size} + tls.zero_fill + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (users.empty()) return true;
  const u64 array_size = (users.size() * sizeof(u64) + kAlignment - 1) / kAlignment * kAlignment;
  const u64 array = state.virtual_memory.allocate(array_size + size, kRead | kWrite);
  if (array == 0) return false;
  u64 block = array + array_size;
  for (u32 slot = 0; slot < users.size(); ++slot) {
    const LoadedImage& image = state.loaded.images[users[slot]];
    const PeTls& tls = image.pe.tls;
    std::vector<std::byte> bytes(tls.data_size);
    if (!state.space.read(image.module.base + tls.data_rva, bytes.data(), bytes.size()) ||
        !state.space.write(block, bytes.data(), bytes.size()) ||
        !state.space.write(image.module.base + tls.index_rva, &slot, sizeof slot)) {
      return false;
    }
    put(state.space, array + slot * sizeof(u64), block);
    block += (u64{tls.data_size} + tls.zero_fill + kAlignment - 1) / kAlignment * kAlignment;
  }
  put(state.space, thread.teb + 0x58, array);
  return true;
}

namespace {

void queue_starts(ProcessState& state) {
  std::vector<usize> order = state.loaded.start_order;
  order.push_back(0);
  for (usize index : order) {
    const LoadedImage& image = state.loaded.images[index];
    const u64 base = image.module.base;
    for (u32 rva : image.pe.tls.callback_rvas) state.starts.push_back({base + rva, base, index, false});
    if (index != 0 && image.module.entry != 0) state.starts.push_back({image.module.entry, base, index, true});
  }
}

}  // namespace

void go_to_next_start(ProcessState& state) {
  ThreadState& thread = state.current->registers;
  thread.sp = state.current->stack_base - 0x40;
  thread.x[18] = state.current->teb;
  thread.x[29] = 0;
  state.starting_entry = false;
  if (state.starts.empty()) {
    thread.pc = state.loaded.images[0].module.entry;
    thread.x[0] = state.peb;
    thread.x[30] = state.system.stub(kThreadReturnNumber);
    return;
  }
  const PendingStart start = state.starts.front();
  state.starts.pop_front();
  state.starting_entry = start.is_entry;
  state.starting_image = start.image;
  thread.pc = start.address;
  thread.x[0] = start.module_base;
  thread.x[1] = kProcessAttach;
  thread.x[2] = 1;  // loaded with the process, not by LoadLibrary
  thread.x[30] = state.system.stub(kNextStartNumber);
}

bool prepare_start(ProcessState& state, LoadError& error) {
  state.process_heap = 0;
  if (!map_stack(state) || !map_parameters(state) || !map_shared_data(state)) {
    error.text = "not enough address space for the stack of " + state.loaded.images[0].module.name;
    return false;
  }
  // A heap's handle is a reserved address, as on Windows, so that it cannot equal any other handle.
  state.process_heap = state.virtual_memory.reserve(0, kAllocationGranularity);
  state.heaps.try_emplace(state.process_heap);
  fill_blocks(state);
  if (!map_static_tls(state, *state.current)) {
    error.text = "not enough address space for the thread-local storage of " + state.loaded.images[0].module.name;
    return false;
  }
  prepare_crt(state);
  queue_starts(state);
  go_to_next_start(state);
  return true;
}

}  // namespace wperf::sim
