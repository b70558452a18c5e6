// SPDX-License-Identifier: BSD-3-Clause
#include "commands/topdown_cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plan/cores.h"
#include "request/core_list.h"

namespace wperf::commands {
namespace {

diag::Error no_method(pmu::Product product, const plan::Capabilities& machine) {
  std::string known;
  for (usize i = 0; i < pmu::product_count(); ++i) {
    const pmu::Product other = pmu::product_at(i);
    if (other.topdown_count() != 0) known += (known.empty() ? "" : ", ") + std::string(other.name());
  }
  std::string text = fmt::format("no top-down method is known for {}", product.title());
  if (machine.kernel != nullptr && !machine.kernel->has_counters()) {
    text = "top-down counts hardware events, and this machine shows no hardware counters (a virtual machine?)";
  } else if (machine.midr == 0) {
    text = "top-down is Arm's method, and this machine has no Arm cores";
  }
  return {
      .text = std::move(text),
      .hint = fmt::format("there is one for {}; `wperf topdown --device sim:cpu=neoverse-v3 -- PROGRAM.exe` shows an "
                          "ARM64 Windows program on a simulated one",
                          known),
      .code = diag::ExitCode::usage};
}

// A program runs on the first core that was chosen, or wherever the kernel puts it; a machine has all it has.
diag::Result<std::vector<KindOfCore>> kinds_of(const request::Request& request, const plan::Capabilities& machine) {
  WPERF_TRY(std::vector<u32> cores, plan::expand_cores(request.cores, machine.core_count, request::kMeasuredCores));
  if (cores.empty()) {
    cores.resize(request.program.has_value() ? 1 : machine.core_count);
    std::iota(cores.begin(), cores.end(), 0u);
  }
  std::vector<KindOfCore> kinds;
  for (const u32 core : cores) {
    const pmu::Product product = plan::product_of_core(machine, core);
    auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const KindOfCore& known) { return known.product == product; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), KindOfCore{.product = product});
    if (!kind->cores.empty() && kind->cores.back().last + 1 == core)
      kind->cores.back().last = core;
    else
      kind->cores.push_back({core, core});
  }
  return kinds;
}

}  // namespace

std::string text_of(const std::vector<request::CoreRange>& ranges) {
  std::string text;
  for (const request::CoreRange& range : ranges) {
    if (!text.empty()) text += ',';
    text += range.first == range.last ? std::to_string(range.first) : fmt::format("{}-{}", range.first, range.last);
  }
  return text;
}

diag::Result<std::vector<KindOfCore>> kinds_with_method(const request::Request& request,
                                                        const plan::Capabilities& machine,
                                                        std::vector<std::string>& notes) {
  WPERF_TRY(std::vector<KindOfCore> kinds, kinds_of(request, machine));
  const pmu::Product first = kinds.front().product;
  std::erase_if(kinds, [&](const KindOfCore& kind) {
    if (kind.product.topdown_count() != 0) return false;
    notes.push_back(fmt::format("cores {} are left out: no top-down method is known for {}", text_of(kind.cores),
                                kind.product.title()));
    return true;
  });
  if (kinds.empty()) return no_method(first, machine);
  return kinds;
}

}  // namespace wperf::commands
