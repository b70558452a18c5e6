// SPDX-License-Identifier: BSD-3-Clause
// SPE's registers, which this QEMU lacks: an access is undefined at EL1, and the kernel's exception handler asks here.
// Only registers: nothing is sampled.
#include "tests/nthost/machine/machine.h"
#include "tests/nthost/trapped/trapped.h"

namespace wperf::nthost {
namespace {

// op1, CRn, CRm, op2 of "mrs/msr S3_op1_CRn_CRm_op2" as they stand in the instruction from bit 5 on.
constexpr u32 key_of(u32 op1, u32 crn, u32 crm, u32 op2) {
  return (1u << 14) | (op1 << 11) | (crn << 7) | (crm << 3) | op2;
}

struct SpeRegister {
  u32 key;
  bool read_only;
  u64 values[kMostCpus];
};

SpeRegister registers[] = {
    {key_of(0, 9, 9, 0), false, {}},   // PMSCR_EL1
    {key_of(0, 9, 9, 2), false, {}},   // PMSICR_EL1
    {key_of(0, 9, 9, 3), false, {}},   // PMSIRR_EL1
    {key_of(0, 9, 9, 4), false, {}},   // PMSFCR_EL1
    {key_of(0, 9, 9, 5), false, {}},   // PMSEVFR_EL1
    {key_of(0, 9, 9, 6), false, {}},   // PMSLATFR_EL1
    {key_of(0, 9, 9, 7), true, {}},    // PMSIDR_EL1
    {key_of(0, 9, 10, 0), false, {}},  // PMBLIMITR_EL1
    {key_of(0, 9, 10, 1), false, {}},  // PMBPTR_EL1
    {key_of(0, 9, 10, 3), false, {}},  // PMBSR_EL1
    {key_of(0, 9, 10, 7), true, {}},   // PMBIDR_EL1
};

u64 read(const SpeRegister& reg) {
  if (reg.read_only) {
    return reg.key == key_of(0, 9, 9, 7) ? kTrappedPmsidr : kTrappedPmbidr;
  }
  return reg.values[current_cpu()];
}

}  // namespace

bool trapped_undefined(u32 instruction, u64* x) {
  if (!started_at_el2() || (instruction & 0xffd0'0000u) != 0xd510'0000u) {
    return false;
  }
  const bool reads = ((instruction >> 21) & 1) != 0;
  const u32 rt = instruction & 31;
  for (SpeRegister& reg : registers) {
    if (reg.key != ((instruction >> 5) & 0x7fff)) {
      continue;
    }
    if (reads) {
      if (rt != 31) {
        x[rt] = read(reg);
      }
    } else if (!reg.read_only) {
      reg.values[current_cpu()] = rt == 31 ? 0 : x[rt];
    } else {
      return false;
    }
    return true;
  }
  return false;
}

}  // namespace wperf::nthost
