// SPDX-License-Identifier: BSD-3-Clause
// The option string of a simulated machine, "key=value,key=value" (the keys are in sim/README.md) → MachineOptions.
// Called once per open; touches no disk.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "sim/machine/simulated_products.h"
#include "sim/nt/guest_files.h"

namespace wperf::sim {

enum class Pace : u8 { real, free };
enum class Rights : u8 { administrator, user };
enum class OverflowInterrupt : u8 { given, refused, not_again };
// The kind of machine that the firmware reports. On a trapping machine the registers of the PMU are not accessible
// either.
enum class MachineKind : u8 { real, virtual_machine, trapping };

struct RunOption {
  u32 core = 0;
  std::string image;      // path of the program
  std::string arguments;  // the whole command line, "IMAGE ARG…"
};

struct MachineOptions {
  std::vector<const Product*> cores;  // 0: each core has its product's number
  u32 counters = 0;                   // the rest belong to other owners; at most the smallest number of counters of a
                                      // core
  u32 free_counters = 0;              // not used by other owners; at most the smallest number of counters of a core
  u32 cluster_size = 2;               // 0 = no DSU
  u32 dsu_counters = 6;
  u32 dmc_channels = 2;
  bool spe = true;  // for the products that have SPE
  u32 mhz = 25;
  u64 seed = 1;
  Pace pace = Pace::real;
  Rights rights = Rights::administrator;  // rights of the measuring user; programs of run= belong to another user
  OverflowInterrupt interrupt = OverflowInterrupt::given;
  MachineKind kind = MachineKind::real;
  std::string instance = "default";
  std::vector<RunOption> programs;
  std::string system_folder;     // on the host: the DLLs of Windows for programs; if empty, those of the build
  Surroundings surroundings;     // for all programs
  bool console_shown = false;    // the programs' output appears in the output of the simulating process
  bool startup_counted = false;  // counts the code that a program on these DLLs executes before its entry point

  u32 counters_of(u32 core) const { return counters != 0 ? counters : cores[core]->counters; }
  u32 cluster_count() const {
    const auto count = static_cast<u32>(cores.size());
    return cluster_size == 0 ? 0 : (count + cluster_size - 1) / cluster_size;
  }
};

struct OptionError {
  std::string text;  // empty = fine; one sentence without a period
  std::string hint;
};

// instance_default: the value of WPERF_SIM_INSTANCE, or empty.
MachineOptions parse_options(std::string_view text, std::string_view instance_default, OptionError& error);

}  // namespace wperf::sim
