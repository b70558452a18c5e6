// SPDX-License-Identifier: BSD-3-Clause
// wperf's own facts about a run in a recording, for which perf.data has no place: a feature section with a number that
// perf does not know and skips. Pairs of texts, key and value, each ended by a zero byte.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/format.h"
#include "model/stacks/python_samples.h"

namespace wperf::perf_data {

inline constexpr u32 kRunFactsFeature = 250;
// Dumps of code that was made at run time, in the form of jit-PID.dump files: for each a u64 with its size, then its
// bytes.
inline constexpr u32 kMadeCodeFeature = 251;
// The names of the PDBs of Windows images: pairs of texts, the build id in hexadecimal digits and the name.
inline constexpr u32 kPdbNamesFeature = 252;

// The sampler's own statistics on one core. taken = delivered + lost.
struct CoreFacts {
  u32 core = 0;
  u64 taken = 0;
  u64 lost_ring_full = 0, lost_filtered = 0, held_back = 0, register_losses = 0;
};

// Stacks that were unwound while recording but end early.
struct StackFacts {
  u64 cut = 0, without_table = 0, damaged = 0, of_32_bits = 0;
  u64 by_pointers = 0;  // not unwound for lack of time: the kernel's frame pointers are used
  bool any() const { return (cut | without_table | damaged | of_32_bits) != 0; }
};

// The driver's statistics of one core's buffer of SPE, and the kind of core.
struct SpeCoreFacts {
  u32 core = 0;
  u64 midr = 0;
  u64 full = 0, stopped_ns = 0;
  u64 collisions = 0, data_losses = 0;
  bool faulted = false;
};

// Core events that were counted during the recording: only numbers, in the writer's order.
struct CountedFacts {
  bool kernel = false;      // counted, too
  bool has_cycles = false;  // there is a separate counter for cycles
  u32 cores = 0;            // number of chosen events
  u32 counters = 0;         // the counters that events shared in turns
  u64 start_ns = 0, end_ns = 0;
  std::string vendor;
  std::vector<std::vector<u64>> units;
};

struct RunFacts {
  bool windows = false;    // programs of Windows, sampled by wperf's driver or on the simulated machine
  std::string image_name;  // the files of the measured program, as the user named them
  std::string pe_file, pdb_file;
  u32 process = 0;
  u32 recorder = 0;               // wperf's own process; 0 if not known
  u64 start_ns = 0, end_ns = 0;   // when sampling began and ended; equal if not known
  u64 begun_unix_ns = 0;          // start_ns as wall-clock time; 0 if not known
  std::optional<u64> cpu_ns;      // the CPU time of the program and its children meanwhile
  std::optional<u64> program_ns;  // the program's time, if it was longer than the recording
  std::optional<u32> exit_code;   // exit code, if the program ended by itself
  std::string note;
  u64 switch_cost_ns = 0;  // the measured cost of recording a switch, as a part of a thread's time; 0 if not known
  std::vector<CoreFacts> cores;
  StackFacts stacks;
  stacks::PythonSamples python;
  std::vector<SpeCoreFacts> spe_cores;
  std::optional<CountedFacts> counted;
};

std::string run_facts_bytes(const RunFacts& facts);
// nullopt for a recording of another program. Malformed entries are left out.
std::optional<RunFacts> read_run_facts(Bytes section);

void append_pdb_name(std::string& section, Bytes build_id, std::string_view name);
// Empty if the section does not say.
std::string_view pdb_name_of(Bytes section, Bytes build_id);

}  // namespace wperf::perf_data
