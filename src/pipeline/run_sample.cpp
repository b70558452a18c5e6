// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_sample.h"

#include <algorithm>
#include <cctype>

#include "pipeline/counting.h"
#include "pipeline/machine.h"
#include "pipeline/outputs.h"
#include "pipeline/sample_profile_input.h"
#include "pipeline/sampling.h"
#include "plan/sample_plan.h"
#include "report/sample_report.h"
#include "request/sample_target.h"

namespace wperf::pipeline {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

std::string base_name(const std::string& path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The running program that `sample` was asked to look at.
diag::Result<u32> find_running(device::Channel& machine, const std::string& image_name) {
  std::string running;
  for (const raw::Process& process : machine.processes()) {
    if (!process.running || process.modules.empty()) continue;
    const std::string& name = process.modules.front().name;
    if (same_name(name, base_name(image_name))) return process.pid;
    running += (running.empty() ? "" : ", ") + name;
  }
  return diag::Error{.text = "no program named '" + base_name(image_name) + "' is running",
                     .hint = running.empty() ? "`wperf record` starts one" : "running are: " + running};
}

report::SampleOptions report_options(const request::Request& request, const diag::Console& console) {
  const request::SampleDisplay& display = request.sampling.display;
  report::SampleOptions options;
  options.rows = display.rows;
  options.symbol = name_filter(display);
  options.verbose = request.outputs.verbose;
  options.annotate = display.annotate;
  options.disassemble = display.disassemble;
  for (const request::Breakdown kind : display.by) options.by.push_back(static_cast<report::SampleBreakdown>(kind));
  options.source = display.annotate && console.animated();
  options.colour = console.animated();
  options.most_bytes = request.outputs.json_file.has_value() ? 0 : report::kMostBytesForClients;
  return options;
}

SymbolOptions symbol_options(const request::Request& request) {
  SymbolOptions options;
  options.pdb_files = request.sampling.more_pdb_files;
  if (request.pdb_file.has_value()) options.pdb_files.push_back(*request.pdb_file);
  options.symbol_path = request.sampling.symbol_path.value_or("");
  options.decorated = request.sampling.display.decorated_names;
  return options;
}

diag::Result<void> let_start_up(const request::Request& request, Machine& machine, u32 pid) {
  if (request.spawn_delay_ms.value_or(0) == 0) return {};
  return machine.device->machine().wait(u64{*request.spawn_delay_ms} * 1'000'000, pid);
}

}  // namespace

diag::Result<void> run_sample(const request::Request& request, diag::Console& console) {
  if (request.sampling.perf_data) {
    return diag::Error{.text = "this wperf does not write perf.data yet", .hint = "leave --export_perf_data out"};
  }
  if (request.outputs.verbose) console.out(request::deduced_text(request));
  WPERF_TRY(Machine machine, open_machine(request, console));
  WPERF_TRY(const plan::SamplePlan plan, plan::make_sample_plan(request, machine.capabilities, machine.vocabulary));

  const request::SampleTarget target = request::sample_target(request);
  SampledProgram sampled{
      .pid = 0, .image_name = base_name(target.image_name), .pe_file = target.pe_file, .pdb_file = target.pdb_file};
  SpawnedProgram program(machine.device->machine());
  if (request.command == request::Command::record && request.program.has_value()) {
    WPERF_CHECK_OK(program.start(*request.program, plan.program_core));
    sampled.pid = program.pid();
    WPERF_CHECK_OK(let_start_up(request, machine, program.pid()));
  } else {
    WPERF_TRY(sampled.pid, find_running(machine.device->machine(), target.image_name));
  }
  const SymbolOptions symbols = symbol_options(request);
  console.out(report::sample_start_text(target_before(machine.device->machine(), sampled, symbols), target.pe_file,
                                        request.outputs.verbose));

  const u64 duration_ms = request.timeout.value_or(request::Duration{}).milliseconds;
  WPERF_TRY(const SamplingOutcome outcome, sample_once(machine, plan, duration_ms, sampled.pid, console));
  WPERF_TRY(const profile::SampleProfile profile, build_sample_profile(outcome, sampled, symbols));
  const report::SampleOptions options = report_options(request, console);
  if (!silent(request.outputs)) console.out(report::sample_text(profile, options));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::sample_json(profile, options), console);
  if (outcome.trouble.has_value()) return *outcome.trouble;
  return {};
}

}  // namespace wperf::pipeline
