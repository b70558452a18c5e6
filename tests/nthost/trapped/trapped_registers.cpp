// SPDX-License-Identifier: BSD-3-Clause
// SPE's registers, which this QEMU lacks. An access is undefined at EL1, and the kernel's exception handler calls these
// functions. Records do not appear by themselves: a scenario tells the simulated hardware which records to write.
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/trapped/trapped.h"

namespace wperf::nthost {
namespace {

// op1, CRn, CRm, op2 of "mrs/msr S3_op1_CRn_CRm_op2" as encoded in the instruction from bit 5 on.
constexpr u32 key_of(u32 op1, u32 crn, u32 crm, u32 op2) {
  return (1u << 14) | (op1 << 11) | (crn << 7) | (crm << 3) | op2;
}

constexpr u32 kPmsidr = key_of(0, 9, 9, 7), kPmbidr = key_of(0, 9, 10, 7);
constexpr u32 kKeys[kSpeRegisters] = {
    // in the order of SpeRegister; without PMSNEVFR_EL1, because PMSVer is 1
    key_of(0, 9, 9, 0), key_of(0, 9, 9, 2),  key_of(0, 9, 9, 3),  key_of(0, 9, 9, 4),  key_of(0, 9, 9, 5),
    key_of(0, 9, 9, 6), key_of(0, 9, 10, 0), key_of(0, 9, 10, 1), key_of(0, 9, 10, 3),
};

constexpr u64 kProfiles = 3, kEnabled = 1, kService = 1u << 17, kFilled = 1, kPage = 4096;
constexpr u32 kLongestRecord = 64;

struct Spe {
  u64 values[kSpeRegisters];
  SpeWrites written;

  u64& operator[](SpeRegister reg) { return values[static_cast<u32>(reg)]; }
};

SpinLock lock;
Spe spes[kMostCpus];
bool undefined_for_all;  // atomic

void write(Spe& spe, SpeRegister reg, u64 value) {
  spe[reg] = reg == SpeRegister::pmsevfr ? value & kTrappedSpeEvents : value;
  if (spe.written.count < kMostSpeWrites) {
    spe.written.writes[spe.written.count] = {reg, value};
  }
  ++spe.written.count;
}

}  // namespace

bool trapped_undefined(u32 instruction, u64* x) {
  if (!started_at_el2() || __atomic_load_n(&undefined_for_all, __ATOMIC_RELAXED) ||
      (instruction & 0xffd0'0000u) != 0xd510'0000u) {
    return false;
  }
  const bool reads = ((instruction >> 21) & 1) != 0;
  const u32 rt = instruction & 31;
  const u32 key = (instruction >> 5) & 0x7fff;
  u64 unused = 0;
  u64& target = rt == 31 ? unused : x[rt];
  if (key == kPmsidr || key == kPmbidr) {
    target = key == kPmsidr ? kTrappedPmsidr : kTrappedPmbidr;
    return reads;
  }
  const Guard guard(lock);
  Spe& spe = spes[current_cpu()];
  for (u32 i = 0; i < kSpeRegisters; ++i) {
    if (kKeys[i] != key) {
      continue;
    }
    if (reads) {
      target = spe.values[i];
    } else {
      write(spe, static_cast<SpeRegister>(i), rt == 31 ? 0 : x[rt]);
    }
    return true;
  }
  return false;
}

u64 trapped_spe(u32 core, SpeRegister reg) {
  const Guard guard(lock);
  return spes[core][reg];
}

void set_trapped_spe(u32 core, SpeRegister reg, u64 value) {
  const Guard guard(lock);
  spes[core][reg] = value;
}

void make_spe_undefined(bool undefined) {
  __atomic_store_n(&undefined_for_all, undefined, __ATOMIC_RELAXED);
}

const SpeWrites& trapped_spe_writes(u32 core) {
  return spes[core].written;
}

void forget_trapped_spe_writes() {
  const Guard guard(lock);
  for (Spe& spe : spes) {
    spe.written.count = 0;
  }
}

bool trapped_profile(u32 core, const u8* record, u32 size) {
  const Guard guard(lock);
  Spe& spe = spes[core];
  const bool profiling = (spe[SpeRegister::pmscr] & kProfiles) != 0 && (spe[SpeRegister::pmblimitr] & kEnabled) != 0 &&
                         (spe[SpeRegister::pmbsr] & kService) == 0;
  if (!profiling) {
    return false;
  }
  u64& pointer = spe[SpeRegister::pmbptr];
  memcpy(reinterpret_cast<void*>(pointer), record, size);
  pointer += size;
  if ((spe[SpeRegister::pmblimitr] & ~(kPage - 1)) - pointer < kLongestRecord) {
    spe[SpeRegister::pmbsr] |= kService | kFilled;
  }
  return true;
}

}  // namespace wperf::nthost
