// SPDX-License-Identifier: BSD-3-Clause
// Heaps and virtual memory. malloc and its family are here too: they are the process heap under other names.
#include <algorithm>
#include <optional>

#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u32 kHeapZero = 8;
constexpr u32 kHeapInPlace = 0x10;
constexpr u32 kMemCommit = 0x1000, kMemReserve = 0x2000, kMemDecommit = 0x4000, kMemRelease = 0x8000,
              kMemFree = 0x10000;
constexpr u32 kMemPrivate = 0x20000;
constexpr u64 kFailed = ~0ull;
constexpr usize kMostHeaps = 4096;

Heap* heap_at(Win32Call& call, u64 handle) {
  const auto found = call.state.heaps.find(handle);
  if (found != call.state.heaps.end()) return &found->second;
  call.crash(hex(handle) + " is not a heap");
  return nullptr;
}

u64 allocate(Win32Call& call, Heap& heap, u64 size, bool zero) {
  const u64 address = heap.allocate(call.state.virtual_memory, size);
  if (address == 0) return call.fail(kErrorNotEnoughMemory);
  // If the program has changed the protection of heap pages, the block keeps its old contents.
  if (zero && !Heap::comes_zeroed(size) && !call.state.memory.fill(address, 0, size)) {
    return call.crash("the heap is not writable");
  }
  return address;
}

u64 free_block(Win32Call& call, Heap& heap, u64 address) {
  if (address == 0 || heap.free(call.state.virtual_memory, address)) return 1;
  return call.crash(hex(address) + " is not a block of this heap");
}

u64 reallocate(Win32Call& call, Heap& heap, u64 address, u64 size, u32 flags) {
  const std::optional<u64> before = heap.size_of(address);
  if (!before) return call.crash(hex(address) + " is not a block of this heap");
  if (flags & kHeapInPlace) return size <= *before ? address : call.fail(kErrorNotEnoughMemory);
  const u64 moved = allocate(call, heap, size, false);
  if (moved == 0) return 0;
  if (!call.state.memory.copy(moved, address, std::min(size, *before))) return call.crash("the heap is not writable");
  if ((flags & kHeapZero) && size > *before && !call.state.memory.fill(moved + *before, 0, size - *before)) {
    return call.crash("the heap is not writable");
  }
  (void)heap.free(call.state.virtual_memory, address);
  return moved;
}

u64 get_process_heap(Win32Call& call) {
  return call.state.process_heap;
}

u64 heap_create(Win32Call& call) {
  if (call.state.heaps.size() >= kMostHeaps) return call.fail(kErrorNotEnoughMemory);
  const u64 handle = call.state.virtual_memory.reserve(0, kPageSize);
  if (handle == 0) return call.fail(kErrorNotEnoughMemory);
  call.state.heaps.try_emplace(handle);
  return handle;
}

u64 heap_destroy(Win32Call& call) {
  Heap* const heap = heap_at(call, call.argument(0));
  if (heap == nullptr) return 0;
  if (call.argument(0) == call.state.process_heap) return call.fail(kErrorInvalidHandle);
  heap->destroy(call.state.virtual_memory);
  call.state.heaps.erase(call.argument(0));
  (void)call.state.virtual_memory.release(call.argument(0));
  return 1;
}

u64 heap_alloc(Win32Call& call) {
  Heap* const heap = heap_at(call, call.argument(0));
  return heap != nullptr ? allocate(call, *heap, call.argument(2), (call.argument32(1) & kHeapZero) != 0) : 0;
}

u64 heap_free(Win32Call& call) {
  Heap* const heap = heap_at(call, call.argument(0));
  return heap != nullptr ? free_block(call, *heap, call.argument(2)) : 0;
}

u64 heap_realloc(Win32Call& call) {
  Heap* const heap = heap_at(call, call.argument(0));
  return heap != nullptr ? reallocate(call, *heap, call.argument(2), call.argument(3), call.argument32(1)) : 0;
}

u64 heap_size(Win32Call& call) {
  Heap* const heap = heap_at(call, call.argument(0));
  return heap != nullptr ? heap->size_of(call.argument(2)).value_or(kFailed) : 0;
}

u64 heap_validate(Win32Call&) {
  return 1;
}

Heap& process_heap(Win32Call& call) {
  return call.state.heaps[call.state.process_heap];
}

u64 local_alloc(Win32Call& call) {
  constexpr u32 kZeroInit = 0x40;
  return allocate(call, process_heap(call), call.argument(1), (call.argument32(0) & kZeroInit) != 0);
}

u64 local_free(Win32Call& call) {
  (void)free_block(call, process_heap(call), call.argument(0));
  return 0;
}

u64 crt_malloc(Win32Call& call) {
  return allocate(call, process_heap(call), call.argument(0), false);
}

u64 crt_calloc(Win32Call& call) {
  u64 size = 0;
  if (__builtin_mul_overflow(call.argument(0), call.argument(1), &size)) return call.fail(kErrorNotEnoughMemory);
  return allocate(call, process_heap(call), size, true);
}

u64 crt_realloc(Win32Call& call) {
  if (call.argument(0) == 0) return allocate(call, process_heap(call), call.argument(1), false);
  return reallocate(call, process_heap(call), call.argument(0), call.argument(1), 0);
}

// Blocks of the heap are aligned to 16. A block with a larger alignment lies inside a larger block, whose address is
// stored before it.
u64 crt_aligned_malloc(Win32Call& call) {
  const u64 alignment = std::max<u64>(call.argument(1), 16);
  u64 size = 0;
  if ((alignment & (alignment - 1)) != 0 || __builtin_add_overflow(call.argument(0), alignment, &size))
    return call.fail(kErrorInvalidParameter);
  const u64 block = allocate(call, process_heap(call), size, false);
  if (block == 0) return 0;
  const u64 aligned = (block + alignment) & ~(alignment - 1);
  return call.write_value(aligned - sizeof block, block) ? aligned : 0;
}

u64 crt_aligned_free(Win32Call& call) {
  u64 block = 0;
  if (call.argument(0) == 0 || !call.read_value(call.argument(0) - sizeof block, block)) return 0;
  (void)free_block(call, process_heap(call), block);
  return 0;
}

u64 crt_free(Win32Call& call) {
  (void)free_block(call, process_heap(call), call.argument(0));
  return 0;
}

// Converts PAGE_… constants. The guard flag makes pages inaccessible, because no handler would clear it.
std::optional<u32> permissions_of(u32 protection) {
  constexpr u32 kGuard = 0x100, kNoCache = 0x200, kWriteCombine = 0x400;
  u32 permissions = 0;
  switch (protection & ~(kGuard | kNoCache | kWriteCombine)) {
    case 0x01:
      break;
    case 0x02:
      permissions = kRead;
      break;
    case 0x04:
    case 0x08:
      permissions = kRead | kWrite;
      break;
    case 0x10:
      permissions = kExecute;
      break;
    case 0x20:
      permissions = kRead | kExecute;
      break;
    case 0x40:
    case 0x80:
      permissions = kRead | kWrite | kExecute;
      break;
    default:
      return std::nullopt;
  }
  return (protection & kGuard) != 0 ? 0 : permissions;
}

u32 protection_of(u32 permissions) {
  if (permissions & kExecute) {
    if (permissions & kWrite) return 0x40;
    return (permissions & kRead) != 0 ? 0x20 : 0x10;
  }
  if (permissions & kWrite) return 0x04;
  return (permissions & kRead) != 0 ? 0x02 : 0x01;
}

u64 virtual_alloc(Win32Call& call) {
  u64 address = call.argument(0);
  const u64 size = call.argument(1);
  const u32 type = call.argument32(2);
  const std::optional<u32> permissions = permissions_of(call.argument32(3));
  constexpr u32 kTopDown = 0x100000;
  const bool sensible =
      (type & ~(kMemCommit | kMemReserve | kTopDown)) == 0 && (type & (kMemCommit | kMemReserve)) != 0;
  if (size == 0 || !permissions || !sensible) return call.fail(kErrorInvalidParameter);
  VirtualMemory& memory = call.state.virtual_memory;
  if (address == 0 || (type & kMemReserve) != 0) {
    const u64 base = memory.reserve(address, size);
    if (base == 0) return call.fail(address != 0 ? kErrorInvalidAddress : kErrorNotEnoughMemory);
    if ((type & kMemCommit) == 0) return base;
    if (memory.commit(base, size + (address == 0 ? 0 : address - base), *permissions)) return base;
    (void)memory.release(base);
    return call.fail(kErrorNotEnoughMemory);
  }
  if (memory.query(address).reservation == 0) return call.fail(kErrorInvalidAddress);
  if (!memory.commit(address, size, *permissions)) return call.fail(kErrorNotEnoughMemory);
  return address & ~(kPageSize - 1);
}

u64 virtual_free(Win32Call& call) {
  const u64 address = call.argument(0);
  const u64 size = call.argument(1);
  VirtualMemory& memory = call.state.virtual_memory;
  switch (call.argument32(2)) {
    case kMemRelease:
      if (size != 0) return call.fail(kErrorInvalidParameter);
      // Memory of a heap belongs to the heap: releasing it here would leave a hole in it.
      if (call.state.heaps.count(address) != 0) return call.fail(kErrorInvalidAddress);
      return memory.release(address) ? 1 : call.fail(kErrorInvalidAddress);
    case kMemDecommit:
      return memory.decommit(address, size) ? 1 : call.fail(kErrorInvalidAddress);
    default:
      return call.fail(kErrorInvalidParameter);
  }
}

u64 virtual_protect(Win32Call& call) {
  const std::optional<u32> permissions = permissions_of(call.argument32(2));
  if (!permissions) return call.fail(kErrorInvalidParameter);
  if (!call.state.memory.allows(call.argument(3), sizeof(u32), kWrite)) return call.fail(kErrorInvalidParameter);
  const auto before = call.state.virtual_memory.protect(call.argument(0), call.argument(1), *permissions);
  if (!before) return call.fail(kErrorInvalidAddress);
  const u32 old = protection_of(*before);
  // The kernel writes even if the page has just become read-only.
  call.state.space.write(call.argument(3), &old, sizeof old);
  return 1;
}

u64 virtual_query(Win32Call& call) {
  struct MemoryInformation {
    u64 base, allocation_base;
    u32 allocation_protect, partition;
    u64 size;
    u32 state, protect, type, padding;
  };
  static_assert(sizeof(MemoryInformation) == 48);
  if (call.argument(2) < sizeof(MemoryInformation)) return call.fail(kErrorInvalidParameter);
  const VirtualMemory::Area area = call.state.virtual_memory.query(call.argument(0));
  MemoryInformation out{};
  out.base = area.base;
  out.size = area.size;
  out.allocation_base = area.reservation;
  if (area.committed) {
    out.state = kMemCommit;
    out.protect = out.allocation_protect = protection_of(area.permissions);
    out.type = kMemPrivate;
    for (const Module& module : call.state.modules) {
      constexpr u32 kMemImage = 0x1000000;
      if (area.base - module.base >= module.size) continue;
      out.allocation_base = module.base;
      out.type = kMemImage;
    }
  } else {
    out.state = area.reservation != 0 ? kMemReserve : kMemFree;
  }
  return call.write_value(call.argument(1), out) ? sizeof out : 0;
}

constexpr Win32Function kMemory[] = {
    {"GetProcessHeap", kKernelDll, get_process_heap},
    {"HeapCreate", kKernelDll, heap_create},
    {"HeapDestroy", kKernelDll, heap_destroy},
    {"HeapAlloc", kKernelDll, heap_alloc},
    {"HeapFree", kKernelDll, heap_free},
    {"HeapReAlloc", kKernelDll, heap_realloc},
    {"HeapSize", kKernelDll, heap_size},
    {"HeapValidate", kKernelDll, heap_validate},
    {"HeapSetInformation", kKernelDll, heap_validate},
    {"RtlAllocateHeap", kNtDll, heap_alloc},
    {"RtlFreeHeap", kNtDll, heap_free},
    {"RtlReAllocateHeap", kNtDll, heap_realloc},
    {"RtlSizeHeap", kNtDll, heap_size},
    {"LocalAlloc", kKernelDll, local_alloc},
    {"LocalFree", kKernelDll, local_free},
    {"GlobalAlloc", kKernelDll, local_alloc},
    {"GlobalFree", kKernelDll, local_free},
    {"VirtualAlloc", kKernelDll, virtual_alloc},
    {"VirtualFree", kKernelDll, virtual_free},
    {"VirtualProtect", kKernelDll, virtual_protect},
    {"VirtualQuery", kKernelDll, virtual_query},
    {"malloc", kCrtDll, crt_malloc},
    {"calloc", kCrtDll, crt_calloc},
    {"realloc", kCrtDll, crt_realloc},
    {"free", kCrtDll, crt_free},
    {"_aligned_malloc", kCrtDll, crt_aligned_malloc},
    {"_aligned_free", kCrtDll, crt_aligned_free},
};

}  // namespace

std::span<const Win32Function> memory_functions() {
  return kMemory;
}

}  // namespace wperf::sim
