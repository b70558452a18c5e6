// SPDX-License-Identifier: BSD-3-Clause
#include "sim/cpu/unicorn_cpu.h"

#include <algorithm>

namespace wperf::sim {
namespace {

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
  become_user();
}

UnicornCpu::~UnicornCpu() {
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

// Unicorn starts at EL1, and only an ERET takes it to EL0 permanently. So an ERET is executed on a separate page.
bool UnicornCpu::become_user() {
  constexpr u64 kPage = 0x10000;
  constexpr u32 kCode[] = {0xd69f03e0, 0xd503201f};                  // ERET, NOP
  constexpr u64 kSctlr = 0xc50838 | 1U << 26 | 1U << 15 | 1U << 14;  // reset value + UCI, UCT, DZE: as Windows has them
  write_system_register(3, 0, 1, 0, 0, kSctlr);
  write_system_register(3, 0, 1, 0, 2, 3U << 20);   // CPACR_EL1: SIMD and floating point allowed
  write_system_register(3, 0, 4, 0, 0, 0);          // SPSR_EL1: EL0, AArch64
  write_system_register(3, 0, 4, 0, 1, kPage + 4);  // ELR_EL1
  return check(library_.mem_map(handle_, kPage, kPageSize, UC_PROT_ALL), "map memory") &&
         check(library_.mem_write(handle_, kPage, kCode, sizeof kCode), "write memory") &&
         check(library_.emu_start(handle_, kPage, kPage + 4, 0, 0), "leave EL1") &&
         check(library_.mem_unmap(handle_, kPage, kPageSize), "unmap memory");
}

bool UnicornCpu::drop_translations(const Region& region) {
  return check(library_.ctl(handle_, UC_CTL_WRITE(UC_CTL_TB_REMOVE_CACHE, 2), region.base, region.base + region.size),
               "drop translated code");
}

bool UnicornCpu::refresh(const AddressSpace& space) {
  const std::vector<Region>& wanted = space.regions();
  const bool code_changed = space.code_generation() != code_generation_;
  code_generation_ = space.code_generation();
  std::vector<Region> kept;
  for (const Region& region : mapped_) {
    // The code may have been changed from outside, or different code may be there now.
    if (code_changed && (region.permissions & kExecute) != 0 && !drop_translations(region)) return false;
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
