// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/unicorn_cpu.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace wperf::sim {
namespace {

constexpr u64 kOwnPage = 0x10000;

bool same_memory(const Region& a, const Region& b) {
  return a.base == b.base && a.size == b.size && a.host == b.host;
}

// `regions` are in ascending order.
const Region* find(const std::vector<Region>& regions, const Region& wanted) {
  const auto found = std::lower_bound(regions.begin(), regions.end(), wanted.base,
                                      [](const Region& region, u64 base) { return region.base < base; });
  return found != regions.end() && same_memory(*found, wanted) ? &*found : nullptr;
}

}  // namespace

UnicornCpu::UnicornCpu(const UnicornLibrary& library) : library_(library) {
  if (!check(library_.open(UC_ARCH_ARM64, UC_MODE_ARM, &handle_), "create a CPU")) return;
  // The model with LSE atomics, cryptography and half-precision arithmetic.
  const int model = UC_CPU_ARM64_MAX;
  if (!check(library_.ctl(handle_, UC_CTL_WRITE(UC_CTL_CPU_MODEL, 1), model), "choose the CPU model")) return;
  if (become_user()) find_monitor();
}

UnicornCpu::~UnicornCpu() {
  if (context_ != nullptr) library_.context_free(context_);
  if (handle_ != nullptr) library_.close(handle_);
}

bool UnicornCpu::check(uc_err error, const char* what) {
  if (error == UC_ERR_OK) return true;
  failure_ = std::string("Unicorn could not ") + what + ": " + library_.strerror(error);
  return false;
}

void UnicornCpu::write_system_register(u32 op0, u32 op1, u32 crn, u32 crm, u32 op2, u64 value) {
  uc_arm64_cp_reg target{crn, crm, op0, op1, op2, value};
  library_.reg_write(handle_, UC_ARM64_REG_CP_REG, &target);
}

// Executes the first instruction of `words`, which lie on a separate page for that time.
bool UnicornCpu::execute_first(std::span<const u32> words) {
  return check(library_.mem_map(handle_, kOwnPage, kPageSize, UC_PROT_ALL), "map memory") &&
         check(library_.mem_write(handle_, kOwnPage, words.data(), words.size_bytes()), "write memory") &&
         check(library_.emu_start(handle_, kOwnPage, kOwnPage + 4, 0, 0), "execute an instruction") &&
         check(library_.mem_unmap(handle_, kOwnPage, kPageSize), "unmap memory");
}

// Unicorn starts at EL1, and only an ERET takes it to EL0 permanently.
bool UnicornCpu::become_user() {
  constexpr u32 kCode[] = {0xd69f03e0, 0xd503201f};                  // ERET, NOP
  constexpr u64 kSctlr = 0xc50838 | 1U << 26 | 1U << 15 | 1U << 14;  // reset value + UCI, UCT, DZE: as on Windows
  write_system_register(3, 0, 1, 0, 0, kSctlr);
  write_system_register(3, 0, 1, 0, 2, 3U << 20);      // CPACR_EL1: SIMD and floating point allowed
  write_system_register(3, 0, 4, 0, 0, 0);             // SPSR_EL1: EL0, AArch64
  write_system_register(3, 0, 4, 0, 1, kOwnPage + 4);  // ELR_EL1
  return execute_first(kCode);
}

// Unicorn has no register for the monitor, but its saved state has the address and the value, one after the other. So
// this function executes an exclusive load, and searches the saved state for its address and value.
bool UnicornCpu::find_monitor() {
  constexpr u32 kCode[] = {0xc85f7ca3, 0xd503201f, 0x1e2f4a6b, 0x9a5b7c3d};  // ldxr x3, [x5]; NOP; the value
  const ExclusiveMonitor known{kOwnPage + 8, u64{kCode[3]} << 32 | kCode[2]};
  const u64 nothing = 0;
  library_.reg_write(handle_, UC_ARM64_REG_X5, &known.address);
  if (!execute_first(kCode) || !check(library_.context_alloc(handle_, &context_), "save its state") ||
      !check(library_.context_save(handle_, context_), "save its state")) {
    return false;
  }
  for (const int changed : {UC_ARM64_REG_X3, UC_ARM64_REG_X5}) library_.reg_write(handle_, changed, &nothing);
  const auto* const state = reinterpret_cast<const char*>(context_);
  const std::string_view bytes(state, library_.context_size(handle_));
  const std::string_view wanted(reinterpret_cast<const char*>(&known), sizeof known);
  const usize at = bytes.find(wanted);
  if (at != bytes.npos && bytes.find(wanted, at + 1) == bytes.npos) monitor_offset_ = at;
  if (knows_monitor()) set_monitor({});
  return true;
}

ExclusiveMonitor UnicornCpu::monitor() {
  ExclusiveMonitor result;
  library_.context_save(handle_, context_);
  std::memcpy(&result, reinterpret_cast<const char*>(context_) + monitor_offset_, sizeof result);
  return result;
}

void UnicornCpu::set_monitor(const ExclusiveMonitor& monitor) {
  library_.context_save(handle_, context_);
  std::memcpy(reinterpret_cast<char*>(context_) + monitor_offset_, &monitor, sizeof monitor);
  library_.context_restore(handle_, context_);
}

// Drops the translations of the executable regions in this range.
bool UnicornCpu::drop_translations(u64 base, u64 size) {
  const u64 end = base + size;
  auto region = std::upper_bound(mapped_.begin(), mapped_.end(), base,
                                 [](u64 address, const Region& one) { return address < one.base + one.size; });
  for (; region != mapped_.end() && region->base < end; ++region) {
    if ((region->permissions & kExecute) == 0) continue;
    const u64 first = std::max(base, region->base), last = std::min(end, region->base + region->size);
    if (!check(library_.ctl(handle_, UC_CTL_WRITE(UC_CTL_TB_REMOVE_CACHE, 2), first, last), "drop translated code")) {
      return false;
    }
  }
  return true;
}

bool UnicornCpu::refresh(const AddressSpace& space) {
  const auto changes = space.changes_since(generation_);
  generation_ = space.generation();
  const MemoryChange everything{0, ~u64{0}, true};
  for (const MemoryChange& change : changes ? *changes : std::span(&everything, 1)) {
    if (change.code && !drop_translations(change.base, change.size)) return false;
  }
  const std::vector<Region>& wanted = space.regions();
  std::vector<Region> kept;
  for (const Region& region : mapped_) {
    if (find(wanted, region) != nullptr) {
      kept.push_back(region);
    } else if (!check(library_.mem_unmap(handle_, region.base, region.size), "unmap memory")) {
      return false;
    }
  }
  mapped_ = std::move(kept);
  for (const Region& region : wanted) {
    const Region* const known = find(mapped_, region);
    if (known == nullptr) {
      if (!check(library_.mem_map_ptr(handle_, region.base, region.size, region.permissions, region.host),
                 "map memory")) {
        return false;
      }
    } else if (known->permissions != region.permissions &&
               !check(library_.mem_protect(handle_, region.base, region.size, region.permissions), "protect memory")) {
      return false;
    }
  }
  mapped_ = wanted;
  return true;
}

bool UnicornCpu::add_hook(int type, void* callback, void* user, int instruction) {
  uc_hook hook = 0;
  // begin > end: every address
  return check(library_.hook_add(handle_, &hook, type, callback, user, u64{1}, u64{0}, instruction), "add a hook");
}

}  // namespace wperf::sim
