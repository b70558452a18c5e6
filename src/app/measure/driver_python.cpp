// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/driver_python.h"

#include <algorithm>
#include <string_view>

#include "app/measure/python_host.h"
#include "formats/perf_data/process_history.h"

namespace wperf::measure {
namespace {

bool starts_programs(std::string_view module) {
  return module == "ntdll.dll" || module == "kernel32.dll" || module == "kernelbase.dll" || module == "ucrtbase.dll" ||
         (module.starts_with("python") && module.ends_with(".exe"));
}

}  // namespace

DriverPython::DriverPython(request::PythonFrames frames, device::Programs& programs)
    : programs_(programs), python_(frames, make_python_host(programs)) {
  code_at_ = [this](u64 address) { return module_at(address); };
  is_start_of_programs_ = [this](u32 module) {
    const auto& modules = modules_of(process_);
    return module < modules.size() && starts_programs(modules[module].name);
  };
  programs_.watch_samples(this);
}

void DriverPython::see(const Moment& moment) {
  constexpr u64 kStill = ~u64{0};
  const perf_data::SampleOwner owner{.pid = moment.process, .tid = moment.thread, .time = moment.time_ns};
  // The machine is stopped, so there is time to search for an interpreter before copying.
  if (python_.copies().note(owner.pid)) python_.open_new();
  python_.copies().copy(owner, kStill);
}

void DriverPython::end_drain() {
  python_.copies().drop_before(drained_ns_);
  drained_ns_ = programs_.now_ns();
}

const std::vector<readings::Module>& DriverPython::modules_of(u32 pid) {
  const auto [known, is_new] = modules_.try_emplace(pid);
  if (is_new) known->second = modules_of_program(programs_, pid);
  return known->second;
}

u32 DriverPython::module_at(u64 address) {
  const auto& modules = modules_of(process_);
  const auto found =
      std::ranges::find_if(modules, [address](const readings::Module& one) { return address - one.base < one.size; });
  return found != modules.end() ? static_cast<u32>(found - modules.begin()) : perf_data::kNoCode;
}

// Does the chain end at the outermost function? It does not if the stack was cut, or if its frame records end early.
bool DriverPython::is_whole(const std::vector<u64>& chain) {
  return is_start_of_programs_(module_at(chain.back()));
}

void DriverPython::join(const readings::DrainedSample& sample, const recording::PythonCopy* copy, usize user,
                        std::vector<u64>& chain, u64& link) {
  if (copy == nullptr) return python_.miss(sample.process);
  if (copy->process == nullptr || user >= chain.size()) return;
  process_ = sample.process;
  // Checks for a function called by the interpreter's function that has no frame record yet, or has already removed it.
  const auto evaluates = [&](u64 address) { return copy->process->evaluates_at(address); };
  const bool is_user = sample.exception_level == 0;
  const bool has_leaf =
      is_user && evaluates(link) && !evaluates(chain[user]) && (chain.size() == user + 1 || chain[user + 1] != link);
  const auto leaf_caller = static_cast<std::ptrdiff_t>(user) + 1;
  if (has_leaf) chain.insert(chain.begin() + leaf_caller, link);
  python_.begin_stack(copy);
  for (usize i = user; i < chain.size(); ++i) python_.see(chain[i], {});
  perf_data::Sample of;
  of.pid = sample.process;
  of.tid = sample.thread;
  of.time = sample.time_ns;
  const bool is_joined = python_.join({of, *copy, chain, user, is_whole(chain), true, code_at_, is_start_of_programs_});
  if (!is_joined) {
    if (has_leaf) chain.erase(chain.begin() + leaf_caller);
  } else if (is_user && (evaluates(link) || chain[user] != sample.pc)) {
    link = 0;
  }
}

}  // namespace wperf::measure
