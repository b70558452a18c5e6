// SPDX-License-Identifier: BSD-3-Clause
// Samples as captured + what the symbolizer knows of their addresses → SampleProfile. Pure functions; called by
// pipeline, in this order:
//
//   addresses_to_name() ── ask the symbolizer ──→ make_sample_profile() ── code_to_disassemble(): fill profile.code
//                                                                       └─ files_to_read(): fill files[].text
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/ints.h"
#include "profile/sample_profile.h"

namespace wperf::profile {

// One entry per sample in each column. `lr` may be empty: callers are not known then.
struct SampleColumns {
  std::span<const u64> time_ns, pc, lr;
  std::span<const u32> process, thread;
  std::span<const u32> events;  // bit n: event n of SampleRun::events passed its interval
  std::span<const u16> core;
  std::span<const u8> exception_level;  // 0: user, else kernel
};

struct EventRequest {
  std::string name;
  u16 code = 0;
  bool fixed = false;
  u32 interval = 0;
};

struct ProcessName {
  u32 process = 0;
  std::string name;
};

// Everything about the run but its samples.
struct SampleRun {
  SampleTarget target;
  std::vector<EventRequest> events;  // in the order of the bits
  std::vector<CoreSamples> cores;
  std::vector<ProcessName> processes;
  u64 start_ns = 0, end_ns = 0;
  u64 slice_ns = 0;            // length of the time slices; 0: none
  bool callers = false;        // wanted
  bool all_processes = false;  // the samples of every process were moved to one address space, that of the target
  std::optional<u32> exit_code;
};

struct AddressFrame {
  std::string function, file;
  u32 line = 0;  // 0: no line information
  bool inlined = false;
};

struct AddressAnswer {
  u32 rva = 0;
  std::string function;                      // empty: nobody knows
  u32 function_begin = 0, function_end = 0;  // equal: not known
  std::vector<AddressFrame> frames;          // innermost inlined first, the function itself last
  u32 line_begin = 0, line_end = 0;          // code of the function's line at rva; equal: not known
  bool return_address_saved = true;          // at rva lr is free for other use: its value may be the caller or not
  bool is_call = false;                      // the instruction at rva is a call
};

// Per module of the target, in its order: the RVAs somebody should name, sorted and unique. With callers wanted the
// call before each return address is among them.
std::vector<std::vector<u32>> addresses_to_name(const SampleColumns& samples, const SampleRun& run);

// answers: per module, sorted by RVA. An address without answer counts as unknown.
SampleProfile make_sample_profile(const SampleColumns& samples, SampleRun run,
                                  const std::vector<std::vector<AddressAnswer>>& answers);

// The code behind the lines of the rows that choose_rows() answers: blocks without instructions, in the order of
// SampleProfile::code. The caller fills in the instructions and stores them there.
std::vector<CodeBlock> code_to_disassemble(const SampleProfile& profile, u32 rows, const NameFilter& filter = {});

// Indices of the files that the lines of these rows are from, ascending.
std::vector<u32> files_to_read(const SampleProfile& profile, u32 rows, const NameFilter& filter = {});

}  // namespace wperf::profile
