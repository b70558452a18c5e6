// SPDX-License-Identifier: BSD-3-Clause
// The abilities of a core's SPE, the check of a client's request against them, and the plan of the session. Pure.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/hardware_facts.h"

namespace wperf::driver {

// All buffers are in non-paged memory, so a client gets no more than this in total.
inline constexpr u64 kMostSpeBytes = 512ull << 20;

// Decoded PMSIDR_EL1 and PMBIDR_EL1.
struct SpeAbilities {
  bool usable = false;  // the core has an SPE, and this driver may program it
  bool filters_events = false, filters_types = false, filters_latency = false;
  bool filters_absent_events = false;
  u32 version = 0;       // ID_AA64DFR0_EL1.PMSVer
  u32 min_interval = 0;  // operations
  u32 latency_bits = 0;
  u32 alignment = 0;  // bytes
};
SpeAbilities spe_abilities(const CoreIdentity& identity);

// The register values for every chosen core while it profiles, and the size of its buffer.
struct SpePlan {
  u64 pmscr, pmsirr, pmsfcr, pmsevfr, pmsnevfr, pmslatfr;
  u32 half_bytes;  // a core's buffer has two halves
};

// Two steps: the checks that need no core, then the checks for one core.
[[nodiscard]] WperfStatus check_spe_request(const WperfSpeRequest& request, u32 core_count);
[[nodiscard]] WperfStatus check_spe_core(const WperfSpeRequest& request, const SpeAbilities& abilities);

// Only valid for a request that passed the checks.
SpePlan plan_of(const WperfSpeRequest& request);

}  // namespace wperf::driver
