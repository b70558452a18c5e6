// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "machine/plan/plan.h"

namespace wperf::plan {
namespace {

diag::Result<void> check_one_core_of_sample(const NamedCores& cores, u32 core_count) {
  const bool by_default = cores.measured.empty() && cores.sampled.empty();
  if (by_default ? core_count <= 1 : cores.measured.size() <= 1) return {};
  return diag::contract_error("sampling: you can specify 1 core with -c option");
}

}  // namespace

diag::Result<std::vector<u32>> expand_cores(const std::vector<request::CoreRange>& ranges, u32 core_count,
                                            const request::CoreOption& option) {
  std::vector<u32> cores;
  for (const request::CoreRange& range : ranges) {
    if (range.last >= core_count) {
      const u32 first_bad = std::max(range.first, core_count);
      return diag::contract_error(
          core_count == 0 ? fmt::format("core index {} not allowed, see option {} <n>", first_bad, option.name)
                          : fmt::format("core index {} not allowed. Use 0-{}, see option {} <n>", first_bad,
                                        core_count - 1, option.name));
    }
    for (u32 core = range.first; core <= range.last; ++core) cores.push_back(core);
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

diag::Result<NamedCores> name_cores(const request::Measurement& wanted, u32 core_count) {
  NamedCores cores;
  WPERF_TRY(cores.measured, expand_cores(wanted.cores, core_count, request::kMeasuredCores));
  WPERF_TRY(cores.sampled, expand_cores(wanted.sampling.cores, core_count, request::kSampledCores));
  if (wanted.sampling.all_cores) {
    cores.sampled.clear();
    for (u32 core = 0; core < core_count; ++core) cores.sampled.push_back(core);
  }
  return cores;
}

diag::Result<void> check_no_counting_list(const std::vector<request::CountItem>& items) {
  for (const request::CountItem& item : items) {
    if (!std::holds_alternative<request::EventList>(item)) continue;
    return diag::usage_error("-e before the command names events to count, not to sample",
                             "put sample or record before -e");
  }
  return {};
}

diag::Result<SampledCores> place_on_cores(NamedCores named, const request::Measurement& wanted, u32 core_count) {
  if (wanted.command == request::Command::sample) WPERF_CHECK_OK(check_one_core_of_sample(named, core_count));
  const bool of_machine = wanted.sampling.whole_machine && !wanted.program.has_value();
  if (!wanted.pe_file.has_value() && !of_machine) {
    diag::Error error = diag::contract_error("no pid or process name specified, sample address are not de-ASLRed");
    if (wanted.image_name.has_value())
      error.hint = "--pe_file FILE is needed, too; without --image_name, the process has the name of that file";
    return error;
  }
  if (of_machine && named.measured.empty() && named.sampled.empty()) {
    for (u32 core = 0; core < core_count; ++core) named.sampled.push_back(core);
  }
  if (named.measured.size() > 1) return diag::contract_error("you can specify only one core for sampling");
  SampledCores placed;
  if (named.sampled.empty()) {
    placed.cores = named.measured.empty() ? std::vector<u32>{0} : std::move(named.measured);
    placed.program_core = placed.cores.front();
    return placed;
  }
  placed.cores = std::move(named.sampled);
  placed.program_core = named.measured.empty() ? placed.cores.front() : named.measured.front();
  if (std::binary_search(placed.cores.begin(), placed.cores.end(), placed.program_core)) return placed;
  return diag::usage_error(
      fmt::format("the program starts on core {} (-c), which is not among --cores", placed.program_core),
      "add it to --cores");
}

diag::Result<SampledCores> place_by_kernel(NamedCores named, bool starts_program, u32 core_count) {
  if (starts_program && named.measured.size() > 1) {
    return diag::contract_error("you can specify only one core for process spawn");
  }
  SampledCores placed;
  placed.program_core = named.measured.empty() ? kAnyCore : named.measured.front();
  placed.cores = named.sampled.empty() ? std::move(named.measured) : std::move(named.sampled);
  if (placed.cores.empty()) {
    for (u32 core = 0; core < core_count; ++core) placed.cores.push_back(core);
  }
  return placed;
}

}  // namespace wperf::plan
