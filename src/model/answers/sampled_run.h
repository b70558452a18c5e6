// SPDX-License-Identifier: BSD-3-Clause
// Facts about a sampling run, without its samples: the program, the losses of each core, how the run ended. Independent
// of OS and output format.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::answers {

inline constexpr u32 kNone = ~u32{0};  // an index that refers to nothing

struct ProcessName {
  u32 process = 0;
  std::string name;
};

struct AddressFrame {
  std::string function, file;
  u32 line = 0;  // 0: no line information
  bool inlined = false;
};

// A code address that SPE recorded.
struct AddressAnswer {
  u32 rva = 0;
  std::string function;              // empty: unknown
  std::vector<AddressFrame> frames;  // the innermost inlined function first, the function itself last
  u32 line_begin = 0, line_end = 0;  // the code of the source line at rva, within this function; equal if not known
};

struct ModuleSection {
  std::string name;
  u32 rva = 0, virtual_size = 0;
};

struct SampleModule {
  std::string name;  // base name of the loaded file
  std::string path;
  std::string pdb_file;  // the PDB with its names; may be empty
  u64 base = 0;          // its address in memory
  u32 size = 0;
  u64 image_base = 0;  // the preferred address of its file
  std::vector<ModuleSection> sections;
  bool main = false;    // this is the program itself: its functions are shown without a module name
  bool kernel = false;  // in the kernel's address space
  std::string reason;   // why there are no better names; empty if there is no reason
  u64 samples = 0;      // for all events; set by the view
};

// The sampled program; known before the first sample.
struct SampleTarget {
  std::string image_name;  // base name of the program
  u32 process = 0;
  std::string pe_file, pdb_file;
  u64 base_address = 0;   // the entry point's address at run time
  u64 runtime_delta = 0;  // base_address - (image base + entry RVA), modulo 2^64
  std::vector<SampleModule> modules;
};

// The driver's totals for one core, including lost samples.
struct CoreSamples {
  u32 core = 0;
  u64 generated = 0;
  u64 lost_ring_full = 0;   // the tool did not read the ring fast enough
  u64 lost_filtered = 0;    // from an unwanted exception level, or from another program
  u64 held_back = 0;        // intervals without a sample, because samples came too fast
  u64 throttled = 0;        // times the system stopped sampling because it took too much time
  u64 unreadable = 0;       // records that could not be understood
  u64 register_losses = 0;  // times the counters' registers were found wiped and were set up again
};

// The number of samples of a thread on a core.
struct OwnerCount {
  u32 event = 0;  // index into the profile's events
  u32 core = 0;
  std::optional<u64> thread;  // process << 32 | thread
  u64 count = 0;
};

struct SampledRun {
  SampleTarget target;  // includes the known modules of the program
  std::vector<CoreSamples> cores;
  std::vector<ProcessName> processes;
  bool callers = false;        // callers were requested
  bool all_processes = false;  // false: samples of other processes become "other process"
  // True if SPE sampled kinds of operations. Then the modules are the target's modules, in the same order. The samples
  // have only places of code; `owners` has the threads and cores.
  bool of_operations = false;
  std::vector<OwnerCount> owners;
  std::optional<u32> exit_code;  // the program's exit code, if it ended on its own
  double elapsed_seconds = 0;
  std::string note;  // why this event was chosen if the user named none; otherwise empty

  u64 samples_generated() const {
    u64 sum = 0;
    for (const CoreSamples& core : cores) sum += core.generated;
    return sum;
  }
  u64 samples_dropped() const {
    u64 sum = 0;
    for (const CoreSamples& core : cores) sum += core.lost_ring_full + core.lost_filtered;
    return sum;
  }
};

}  // namespace wperf::answers
