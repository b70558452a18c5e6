// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/cluster_registers.h"

#include "base/bits.h"
#include "driver/arm64/registers.h"
#include "driver/nt/guarded_registers.h"

namespace wperf::driver {
namespace {

constexpr u64 kArm = 0x41;  // implementer

// Arm's cores that are built into a DSU (MIDR_EL1.PartNum, from their reference manuals). Neoverse N1, V1, N2 and V2
// are missing, because server chips connect them to the mesh without a DSU. Cores of other implementers are missing as
// well.
constexpr u32 kPartsInDsu[] = {
    0xd05,  // Cortex-A55
    0xd06,  // Cortex-A65
    0xd0a,  // Cortex-A75
    0xd0b,  // Cortex-A76
    0xd0d,  // Cortex-A77
    0xd0e,  // Cortex-A76AE
    0xd41,  // Cortex-A78
    0xd42,  // Cortex-A78AE
    0xd43,  // Cortex-A65AE
    0xd44,  // Cortex-X1
    0xd46,  // Cortex-A510
    0xd47,  // Cortex-A710
    0xd48,  // Cortex-X2
    0xd4b,  // Cortex-A78C
    0xd4c,  // Cortex-X1C
    0xd4d,  // Cortex-A715
    0xd4e,  // Cortex-X3
    0xd80,  // Cortex-A520
    0xd81,  // Cortex-A720
    0xd82,  // Cortex-X4
};

bool is_known_part(u64 midr) {
  if (bit_field(midr, 24, 8) != kArm) {
    return false;
  }
  for (const u32 part : kPartsInDsu) {
    if (bit_field(midr, 4, 12) == part) {
      return true;
    }
  }
  return false;
}

// The registers may still be missing, because a hypervisor may hide them from its guests.
constexpr Register kControl[] = {Register::clusterpmcr};

}  // namespace

bool core_is_in_a_dsu() {
  return is_known_part(read_system_register(Register::midr)) && registers_answer(kControl);
}

}  // namespace wperf::driver
