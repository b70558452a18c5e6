// SPDX-License-Identifier: BSD-3-Clause
// Capture + names → the profile of a sampling run: finds the modules' files, asks the symbolizer, disassembles and
// reads sources as far as the report will show them.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "diag/result.h"
#include "modules/code_bytes.h"
#include "modules/module_files.h"
#include "pipeline/sampled_program.h"
#include "pipeline/sampling.h"
#include "profile/sample_profile.h"
#include "profile/sample_profile_builder.h"
#include "request/request.h"
#include "symbols/disassembly/disassembler.h"

namespace wperf::pipeline {

// The samples of a capture, column by column.
class SampleColumnSet {
 public:
  explicit SampleColumnSet(const std::vector<raw::Sample>& samples);
  profile::SampleColumns view() const;

 private:
  std::vector<u64> time_ns, pc, lr;
  std::vector<u32> process, thread, events;
  std::vector<u16> core;
  std::vector<u8> exception_level;
};

// --symbol as a predicate; empty without one.
profile::NameFilter name_filter(const request::SampleDisplay& display);

// The process's module files, and what the profile says of it. `process` may be null: it was never seen.
const raw::Process* find_process(const std::vector<raw::Process>& processes, u32 pid);
profile::SampleTarget target_of(const SampledProgram& program, const raw::Process* process,
                                const std::vector<modules::LoadedModule>& loaded);
std::vector<profile::ProcessName> process_names(const std::vector<raw::Process>& processes);

struct CodeReader {
  std::function<std::optional<modules::CodeBytes>(u32 module, u32 begin, u32 end)> bytes;  // RVAs
  std::function<std::vector<profile::AddressAnswer>(u32 module, u32 rva)> name;            // of a branch's target
};
CodeReader code_of(const std::vector<modules::LoadedModule>& loaded, bool decorated);

// Instructions and source text, as far as the report will show them.
diag::Result<void> add_code_and_sources(profile::SampleProfile& profile, const CodeReader& code,
                                        const request::SampleDisplay& display);

// What is known of the target before the first sample: modules, sections, base address.
profile::SampleTarget target_before(device::Channel& machine, const SampledProgram& program,
                                    const modules::SymbolOptions& options);

diag::Result<profile::SampleProfile> build_sample_profile(const SamplingOutcome& outcome, const SampledProgram& program,
                                                          const modules::SymbolOptions& options);

}  // namespace wperf::pipeline
