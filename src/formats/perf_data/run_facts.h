// SPDX-License-Identifier: BSD-3-Clause
// Facts about a run for which perf.data has no place. They are in a feature section whose number perf does not know, so
// perf skips it. The section has pairs of texts, key and value, each ended by a zero byte.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_data/format.h"
#include "model/stacks/python_samples.h"

namespace wperf::perf_data {

inline constexpr u32 kRunFactsFeature = 250;
// Dumps of code that was generated at run time, as in jit-PID.dump files: for each, a u64 with its size, then its
// bytes.
inline constexpr u32 kJitCodeFeature = 251;
// The names of the PDBs of Windows images: pairs of texts, the build id in hexadecimal digits and the PDB's name.
inline constexpr u32 kPdbNamesFeature = 252;

// The sampler's statistics of one core. taken = delivered + lost.
struct CoreFacts {
  u32 core = 0;
  u64 taken = 0;
  u64 lost_ring_full = 0, lost_filtered = 0, held_back = 0, register_losses = 0;
};

// Statistics of stacks that were unwound while recording.
struct StackFacts {
  u64 cut = 0, without_table = 0, damaged = 0, of_32_bits = 0;
  u64 by_pointers = 0;  // not unwound because there was no time; the kernel's frame pointers are used instead
  bool any() const { return (cut | without_table | damaged | of_32_bits) != 0; }
};

// The driver's statistics of one core's SPE buffer, and the kind of core.
struct SpeCoreFacts {
  u32 core = 0;
  u64 midr = 0;
  u64 full = 0, stopped_ns = 0;
  u64 collisions = 0, data_losses = 0;
  bool faulted = false;
};

// Core events that were counted during the recording: their numbers, in the order in which they were written.
struct CountedFacts {
  bool kernel = false;      // the kernel is counted, too
  bool has_cycles = false;  // cycles have a separate counter
  u32 cores = 0;            // number of chosen events
  u32 counters = 0;         // the number of counters that the events shared
  u64 start_ns = 0, end_ns = 0;
  std::string vendor;
  std::vector<std::vector<u64>> units;
};

// A mapped file that its path does not identify, because the recorder found another file at the path, or several files
// had the path.
struct MappedFileFacts {
  u64 inode = 0, inode_generation = 0;  // as in the records of its mappings
  std::string build_id;                 // bytes; empty if the file was replaced, so that its build is not known
  std::string path;
};

struct RunFacts {
  bool windows = false;    // Windows programs, sampled by wperf's driver or on the simulated machine
  std::string image_name;  // the files of the measured program, as the user wrote their names
  std::string pe_file, pdb_file;
  u32 process = 0;
  u32 recorder = 0;               // wperf's own process; 0 if not known
  u64 start_ns = 0, end_ns = 0;   // when sampling began and ended; equal if not known
  u64 begun_unix_ns = 0;          // start_ns as wall-clock time; 0 if not known
  std::optional<u64> cpu_ns;      // CPU time of the program and its children during the recording
  std::optional<u64> program_ns;  // the program's run time, if it was longer than the recording
  std::optional<u32> exit_code;   // exit code, if the program ended by itself
  std::string note;
  u64 switch_cost_ns = 0;  // measured cost of recording a context switch, which is part of the threads' time; 0 if not
                           // known
  std::vector<CoreFacts> cores;
  StackFacts stacks;
  stacks::PythonSamples python;
  std::vector<SpeCoreFacts> spe_cores;
  std::optional<CountedFacts> counted;
  std::vector<MappedFileFacts> mapped_files;
};

std::string run_facts_bytes(const RunFacts& facts);
// Returns nullopt for a recording of another program. Malformed entries are left out.
std::optional<RunFacts> read_run_facts(Bytes section);

void append_pdb_name(std::string& section, Bytes build_id, std::string_view name);
// Returns an empty name if the section does not have the build id.
std::string_view pdb_name_of(Bytes section, Bytes build_id);

}  // namespace wperf::perf_data
