// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/operations/spe_cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "analysis/operations/spe_profile_builder.h"
#include "formats/spe/aggregator.h"
#include "machine/pmu/catalogue.h"

namespace wperf::operations {
namespace {

void add_losses(const perf_data::AuxTraces& traces, std::vector<SpeCore>& cores) {
  for (const perf_data::AuxChunk& chunk : traces.chunks()) {
    const u32 core = chunk.cpu == perf_data::kAnyCpu ? 0 : chunk.cpu;
    for (SpeCore& one : cores) {
      if (one.core != core) continue;
      one.data_losses += (chunk.flags & perf_data::kAuxTruncated) != 0 ? 1 : 0;
      one.collisions += (chunk.flags & perf_data::kAuxCollision) != 0 ? 1 : 0;
    }
  }
}

// Adds the driver's facts to the decoded cores.
void add_core_facts(const perf_data::RunFacts& facts, std::vector<SpeCore>& cores) {
  for (const perf_data::SpeCoreFacts& said : facts.spe_cores) {
    auto found = std::find_if(cores.begin(), cores.end(), [&](const auto& one) { return one.core == said.core; });
    if (found == cores.end()) {
      found = cores.insert(cores.end(), SpeCore{});
      found->core = said.core;
    }
    found->full = said.full;
    found->stopped_ns = said.stopped_ns;
    found->collisions = said.collisions;
    found->data_losses = said.data_losses;
    found->faulted = said.faulted;
  }
  std::sort(cores.begin(), cores.end(), [](const auto& a, const auto& b) { return a.core < b.core; });
}

}  // namespace

std::vector<u64> midr_of_cores(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                               const std::optional<perf_data::RunFacts>& facts) {
  u64 of_all = 0;
  std::string_view text = file.features().text(perf_data::Feature::cpu_id);
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::from_chars(text.data(), text.data() + text.size(), of_all, 16);
  constexpr u64 kMostCores = 4096;
  u64 cores = 0;
  for (const perf_data::AuxBuffer& buffer : traces.buffers()) {
    if (buffer.cpu != perf_data::kAnyCpu) cores = std::max<u64>(cores, u64{buffer.cpu} + 1);
  }
  std::vector<u64> midrs(std::max<u64>(1, std::min(cores, kMostCores)), of_all);
  for (const perf_data::AuxCpu& cpu : traces.info()->cpus) {
    if (cpu.cpu < midrs.size()) midrs[cpu.cpu] = cpu.midr;
  }
  if (!facts.has_value()) return midrs;
  for (const perf_data::SpeCoreFacts& core : facts->spe_cores) {
    if (core.core < midrs.size() && core.midr != 0) midrs[core.core] = core.midr;
  }
  return midrs;
}

std::vector<SpeCore> cores_of(const recording::DecodeStates& states, const perf_data::AuxTraces& traces,
                              const std::optional<perf_data::RunFacts>& facts) {
  std::vector<SpeCore> cores;
  for (const auto& [core, state] : states) {
    SpeCore& one = cores.emplace_back();
    one.core = core;
    add_damage(one, state);
  }
  add_losses(traces, cores);
  if (facts.has_value()) add_core_facts(*facts, cores);
  return cores;
}

std::vector<std::string> kinds_without_source_names(const recording::DecodeStates& states,
                                                    const std::vector<u64>& midrs) {
  std::vector<std::string> kinds;
  for (const auto& [core, state] : states) {
    const u64 midr = core < midrs.size() ? midrs[core] : 0;
    if (spe::find_data_source_family(midr) != nullptr) continue;
    const pmu::Product product = pmu::identify(midr);
    std::string kind = midr == 0                         ? "a core without details in the recording"
                       : product == pmu::architectural() ? fmt::format("the core with MIDR {:#x}", midr)
                                                         : std::string(product.title());
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace wperf::operations
