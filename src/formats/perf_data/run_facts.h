// SPDX-License-Identifier: BSD-3-Clause
// What wperf says of a run of its own in a recording, beside what perf.data has words for: a feature section that perf
// passes over (a number it does not know). Pairs of texts, key and value, each ended by a zero byte. Written by devices
// and measure, read by recording.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/format.h"

namespace wperf::perf_data {

inline constexpr u32 kRunFactsFeature = 250;
// Dumps of code that was made at run time, as jit-PID.dump files are: each a u64 with its size, then its bytes.
inline constexpr u32 kMadeCodeFeature = 251;
// How the PDBs of Windows images are called: pairs of texts, the build id in hexadecimal digits and the name.
inline constexpr u32 kPdbNamesFeature = 252;

// What the sampler said of itself on one core. taken = delivered + lost.
struct CoreFacts {
  u32 core = 0;
  u64 taken = 0;
  u64 lost_ring_full = 0, lost_filtered = 0, held_back = 0, register_losses = 0;
};

// Stacks that were unwound while recording and end early.
struct StackFacts {
  u64 cut = 0, without_table = 0, damaged = 0, of_32_bits = 0;
  u64 by_pointers = 0;  // not unwound for want of time: as the kernel followed the frame pointers
  bool any() const { return (cut | without_table | damaged | of_32_bits) != 0; }
};

// What the driver says of one core's buffer of SPE, and what core it was.
struct SpeCoreFacts {
  u32 core = 0;
  u64 midr = 0;
  u64 full = 0, stopped_ns = 0;
  u64 collisions = 0, data_losses = 0;
  bool faulted = false;
};

// Events of cores that were counted beside the recording, as they were read: numbers whose order is known to who wrote
// them.
struct CountedFacts {
  bool kernel = false;      // counted, too
  bool has_cycles = false;  // there is a counter for cycles alone
  u32 cores = 0;            // how many were chosen
  u32 counters = 0;         // that events took turns on
  u64 start_ns = 0, end_ns = 0;
  std::string vendor;
  std::vector<std::vector<u64>> units;
};

struct RunFacts {
  bool windows = false;    // programs are Windows', sampled by a driver of ours or on the simulated machine
  std::string image_name;  // of the program that was looked at, as its files were named by the user
  std::string pe_file, pdb_file;
  u32 process = 0;
  u32 recorder = 0;               // wperf's own process; 0: not known
  u64 start_ns = 0, end_ns = 0;   // when sampling began and ended; equal: not known
  u64 begun_unix_ns = 0;          // start_ns by the clock on the wall; 0: not known
  std::optional<u64> cpu_ns;      // that the program, and what it started, had of the cores meanwhile
  std::optional<u64> program_ns;  // that the program ran, where more than it was recorded
  std::optional<u32> exit_code;   // of a program that ended by itself
  std::string note;
  u64 switch_cost_ns = 0;  // that recording a switch took of a thread's time, measured; 0: not known
  std::vector<CoreFacts> cores;
  StackFacts stacks;
  std::vector<SpeCoreFacts> spe_cores;
  std::optional<CountedFacts> counted;
};

std::string run_facts_bytes(const RunFacts& facts);
// Nothing: somebody else's recording. What makes no sense is left out.
std::optional<RunFacts> read_run_facts(Bytes section);

void append_pdb_name(std::string& section, Bytes build_id, std::string_view name);
// Empty: the section does not say.
std::string_view pdb_name_of(Bytes section, Bytes build_id);

}  // namespace wperf::perf_data
