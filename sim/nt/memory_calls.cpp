// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kCommit = 0x1000, kReserve = 0x2000, kReset = 0x80000, kTopDown = 0x100000, kDecommit = 0x4000,
              kRelease = 0x8000, kWriteWatch = 0x200000;
constexpr u32 kReservePlaceholder = 0x40000, kCoalescePlaceholders = 1;

// The highest address that the argument for zero bits allows: below 32 the argument is the number of zero bits,
// otherwise a mask of the bits that may be set.
u64 highest_for(u64 zero_bits) {
  if (zero_bits == 0) return kHighestAddress;
  if (zero_bits < 32) return (u64{1} << (32 - zero_bits)) - 1;
  u64 mask = zero_bits;
  for (u32 shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  return mask;
}

u64 allocate(Call& call, u64 size_at, u32 type, u32 protection, Memory::ReserveOptions options) {
  State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  State& state = *process;
  const u64 base_at = call.argument(1);
  if (!call.get(base_at, options.address) || !call.get(size_at, options.size)) return 0;
  if (!Memory::is_protection(protection)) return kInvalidPageProtection;
  if (options.size == 0 || options.size > kHighestAddress || (type & (kCommit | kReserve | kReset)) == 0)
    return kInvalidParameter;
  options.watches = (type & kWriteWatch) != 0;
  if (options.watches && (type & kReserve) == 0) return kInvalidParameter;
  options.protection = protection;
  options.downwards |= (type & kTopDown) != 0;
  options.placeholder = (type & kReservePlaceholder) != 0;
  options.replaces_placeholder = (type & kReplacePlaceholder) != 0;
  u64 base = page_down(options.address), size = page_up(options.address - base + options.size);
  if ((type & kReserve) != 0 || options.address == 0) {
    base = state.memory.reserve(options);
    if (base == 0) return options.address != 0 ? kConflictingAddresses : kNoMemory;
    const auto reserved = state.memory.reservation_of(base);
    size = reserved->size;
  }
  if ((type & kCommit) != 0) {
    if (const Status status = commit_pages(state, base, size, protection); status != kSuccess) return status;
  }
  return call.put(base_at, base) && call.put(size_at, size) ? kSuccess : kAccessViolation;
}

// arguments: process, address, zero bits, size, type, protection
u64 allocate_memory(Call& call) {
  Memory::ReserveOptions options;
  options.highest = highest_for(call.argument(2));
  return allocate(call, call.argument(3), call.argument32(4), call.argument32(5), options);
}

// arguments: process, address, size, type, protection, extended parameters, their count
u64 allocate_memory_ex(Call& call) {
  constexpr u64 kAddressRequirements = 1, kType = 0xff, kMost = 16;
  Memory::ReserveOptions options;
  const u64 count = std::min<u64>(call.argument32(6), kMost);
  for (u64 index = 0; index < count; ++index) {
    u64 parameter[2] = {};
    if (!call.read(call.argument(5) + index * sizeof parameter, parameter, sizeof parameter)) return 0;
    if ((parameter[0] & kType) != kAddressRequirements) continue;
    u64 requirements[3] = {};
    if (!call.read(parameter[1], requirements, sizeof requirements)) return 0;
    options.lowest = requirements[0];
    if (requirements[1] != 0) options.highest = requirements[1];
    options.alignment = requirements[2];
  }
  return allocate(call, call.argument(2), call.argument32(3), call.argument32(4), options);
}

// arguments: process, address, size, type
u64 free_memory(Call& call) {
  u64 base = 0, size = 0;
  State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  if (!call.get(call.argument(1), base) || !call.get(call.argument(2), size)) return 0;
  Memory& memory = process->memory;
  const auto reserved = memory.reservation_of(base);
  if (!reserved || reserved->type != MemoryType::private_pages) return kUnableToFreeVm;
  const u64 begin = page_down(base);
  Status status = kInvalidParameter;
  const u32 type = call.argument32(3);
  if (type == kDecommit) {
    status = memory.decommit(base, size);
    if (size == 0) size = reserved->size;
  } else if (type == (kRelease | kPreservePlaceholder)) {
    status = memory.preserve_placeholder(base, size);
    if (size == 0) size = reserved->size;
  } else if (type == (kRelease | kCoalescePlaceholders)) {
    status = memory.coalesce_placeholders(base, size);
  } else if (type == kRelease) {
    if (size != 0 && page_up(size) != reserved->size)
      return call.refuse("parts of a reservation cannot be released on the simulated machine");
    status = memory.release(begin);
    size = reserved->size;
  }
  if (status != kSuccess) return status;
  return call.put(call.argument(1), begin) && call.put(call.argument(2), page_up(size)) ? kSuccess : kAccessViolation;
}

// arguments: process, address, size, protection, previous protection
u64 protect_memory(Call& call) {
  u64 base = 0, size = 0;
  u32 before = 0;
  State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  if (!call.get(call.argument(1), base) || !call.get(call.argument(2), size)) return 0;
  if (!Memory::is_protection(call.argument32(3))) return kInvalidPageProtection;
  const u64 begin = page_down(base);
  const Status status = process->memory.protect(base, size, call.argument32(3), before);
  if (status != kSuccess) return status;
  return call.put(call.argument(1), begin) && call.put(call.argument(2), page_up(base + size) - begin) &&
                 call.put(call.argument(4), before)
             ? kSuccess
             : kAccessViolation;
}

u64 basic_information(Call& call, const State& process, u64 buffer, u64 room, u64 size_at) {
  constexpr u32 kStateCommit = 0x1000, kStateReserve = 0x2000, kStateFree = 0x10000;
  const Memory::Area area = process.memory.query(call.argument(1));
  struct {
    u64 base, allocation;
    u32 allocation_protection, partition;
    u64 size;
    u32 state, protection, type, padding;
  } basic{area.base, area.allocation, area.allocation_protection, 0, area.size, 0, area.protection, 0, 0};
  static_assert(sizeof basic == 48);
  basic.state = area.protection != 0 ? kStateCommit : kStateReserve;
  basic.type = static_cast<u32>(area.type);
  if (area.allocation == 0) {
    basic.state = kStateFree;
    basic.protection = kPageNoAccess;
    basic.type = 0;
  }
  if (room < sizeof basic) return kInfoLengthMismatch;
  const u64 size = sizeof basic;
  return call.put(buffer, basic) && call.put_if_wanted(size_at, size) ? kSuccess : kAccessViolation;
}

// Returns the program's name of the file that is mapped at this address: "C:\work\a.txt". Returns an empty text if no
// file is.
std::string path_of_mapped(const State& process, u64 address) {
  for (const Module& module : process.modules) {
    if (address - module.base >= module.size) continue;
    const auto known = process.guest_paths.find(module.base);
    return known != process.guest_paths.end() ? known->second : module.name;
  }
  const auto view = process.views.find(process.memory.reservation_of(address).value_or(Memory::Reservation{}).base);
  if (view == process.views.end() || view->second.section->file == nullptr) return {};
  return view->second.section->file->path.substr(kNtPrefix.size());
}

u64 mapped_file_name(Call& call, const State& process, u64 buffer, u64 room, u64 size_at) {
  const std::string path = path_of_mapped(process, call.argument(1));
  if (path.empty()) return kInvalidParameter;
  const std::vector<u16> units = to_utf16(volume_path(path));
  const u64 size = Call::kUnicodeHeader + units.size() * 2 + 2;
  if (!call.put_if_wanted(size_at, size)) return 0;
  if (room < size) return kBufferOverflow;
  return call.put_unicode(buffer, units, true) ? kSuccess : kAccessViolation;
}

// Returns, for each address of a list, whether its page is in memory, how many processes share the page, and its
// protection.
u64 answer_working_set(Call& call, const State& process, u64 buffer, u64 room) {
  constexpr u64 kValid = 1, kMost = 1 << 20;
  constexpr u32 kProtectionAt = 4;
  struct {
    u64 address, facts;
  } entry{};
  if (room < sizeof entry) return kInfoLengthMismatch;
  for (u64 at = 0; at + sizeof entry <= std::min(room, kMost); at += sizeof entry) {
    if (!call.get(buffer + at, entry)) return 0;
    const u32 protection = process.memory.query(entry.address).protection;
    entry.facts = protection == 0 ? 0 : kValid | u64{protection & 0x7ff} << kProtectionAt;
    if (!call.put(buffer + at, entry)) return 0;
  }
  return kSuccess;
}

// arguments: process, address, class, buffer, its size, size used
u64 query_memory(Call& call) {
  constexpr u32 kBasic = 0, kWorkingSet = 1, kMappedFile = 2, kRegion = 3, kWorkingSetEx = 4, kHostPart = 1000;
  const State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  const u64 buffer = call.argument(3), room = call.argument(4), size_at = call.argument(5);
  if (call.argument(1) > kHighestAddress) return kInvalidParameter;
  switch (call.argument32(2)) {
    case kBasic:
      return basic_information(call, *process, buffer, room, size_at);
    case kMappedFile:
      return mapped_file_name(call, *process, buffer, room, size_at);
    case kHostPart: {
      // A DLL asks for the handle of its host part. It gets a handle, but calls through that handle are refused
      // (answer_host_call).
      const u64 base = call.argument(1), size = sizeof base;
      return call.put(buffer, base) && call.put_if_wanted(size_at, size) ? kSuccess : kAccessViolation;
    }
    case kWorkingSetEx:
      return answer_working_set(call, *process, buffer, room);
    case kWorkingSet:
    case kRegion:
    default:
      return kInvalidInfoClass;
  }
}

bool copy_between(GuestMemory& to_memory, u64 to, GuestMemory& from_memory, u64 from, u64 size) {
  constexpr u64 kPiece = 64 << 10;
  if (&to_memory == &from_memory) return to_memory.copy(to, from, size);
  if (!from_memory.allows(from, size, kRead) || !to_memory.allows(to, size, kWrite)) return false;
  std::vector<std::byte> piece(std::min(size, kPiece));
  for (u64 done = 0; done < size; done += piece.size()) {
    piece.resize(std::min(size - done, kPiece));
    if (!from_memory.read(from + done, piece.data(), piece.size()) ||
        !to_memory.write(to + done, piece.data(), piece.size()))
      return false;
  }
  return true;
}

// arguments: process, address, buffer, size, size done
template <bool writes>
u64 copy_memory(Call& call) {
  State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  constexpr u64 kPartialCopy = 0x8000000d;
  const u64 there = call.argument(1), here = call.argument(2), size = call.argument(3);
  GuestMemory& own = call.state.guest;
  const bool done = writes ? copy_between(process->guest, there, own, here, size)
                           : copy_between(own, here, process->guest, there, size);
  if (!call.put_if_wanted(call.argument(4), done ? size : u64{0})) return 0;
  return done ? u64{kSuccess} : kPartialCopy;
}

u64 nothing_to_do(Call&) {
  return kSuccess;
}

// The cores must see the code that the program wrote. Without an address, all code may be new.
u64 flush_code(Call& call) {
  const u64 address = call.argument(1), size = call.argument(2);
  State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  process->space.code_written(address, address == 0 ? ~u64{0} : size);
  return kSuccess;
}

// arguments: process, flags, address, size, where the addresses of pages are put, their number, the size of a page
u64 get_write_watch(Call& call) {
  constexpr u32 kResets = 1;
  u64 count = 0;
  State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  if (!call.get(call.argument(5), count)) return 0;
  if (call.argument(3) == 0 || count == 0 || (call.argument32(1) & ~kResets) != 0) return kInvalidParameter;
  const auto pages = process->memory.written(call.argument(2), call.argument(3), count);
  if (!pages.has_value()) return kInvalidParameter;
  count = pages->size();
  if (!call.write(call.argument(4), pages->data(), count * sizeof(u64)) || !call.put(call.argument(5), count) ||
      !call.put(call.argument(6), static_cast<u32>(kPageSize)))
    return 0;
  if ((call.argument32(1) & kResets) != 0) process->memory.forget_writes(*pages);
  return kSuccess;
}

// arguments: process, address, size
u64 reset_write_watch(Call& call) {
  State* const process = call.process_of(call.argument(0));
  if (process == nullptr) return kInvalidHandle;
  if (call.argument(2) == 0) return kInvalidParameter;
  const auto pages = process->memory.written(call.argument(1), call.argument(2), ~usize{0});
  if (!pages.has_value()) return kInvalidParameter;
  process->memory.forget_writes(*pages);
  return kSuccess;
}

constexpr Service kMemory[] = {
    {"NtAllocateVirtualMemory", allocate_memory},  {"NtAllocateVirtualMemoryEx", allocate_memory_ex},
    {"NtFreeVirtualMemory", free_memory},          {"NtProtectVirtualMemory", protect_memory},
    {"NtQueryVirtualMemory", query_memory},        {"NtReadVirtualMemory", copy_memory<false>},
    {"NtWriteVirtualMemory", copy_memory<true>},   {"NtFlushInstructionCache", flush_code},
    {"NtFlushProcessWriteBuffers", nothing_to_do}, {"NtLockVirtualMemory", nothing_to_do},
    {"NtUnlockVirtualMemory", nothing_to_do},      {"NtSetInformationVirtualMemory", nothing_to_do},
    {"NtGetWriteWatch", get_write_watch},          {"NtResetWriteWatch", reset_write_watch},
};

}  // namespace

std::span<const Service> memory_services() {
  return kMemory;
}

}  // namespace wperf::sim::nt
