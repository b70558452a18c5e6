// SPDX-License-Identifier: BSD-3-Clause
// The notes after the tables: why code has no names, and names that filters could use.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ground/text/number_text.h"
#include "views/report/stack_report.h"

namespace wperf::report {
namespace {

using stacks::StackProfile;

constexpr usize kMostNotes = 8;

// The reason why a module with a file on this machine has no names, and the remedy.
std::string why_nameless(const stacks::StackModule& module) {
  if (!module.reason.empty()) return module.reason;
  if (!module.path.starts_with('/')) return "its code has no symbols";
  return "it is stripped: install its debug package (-dbgsym, -debuginfo), or try --debuginfod, with the servers of "
         "the distribution in DEBUGINFOD_URLS";
}

bool lacks_pdb(const stacks::StackModule& module) {
  return module.pdb_path.empty() && module.reason.find("PDB") != std::string::npos;
}

// The samples of each requested name, and the requested names without samples.
class NamesAsked {
 public:
  void add(std::string name, u64 samples) { there_[std::move(name)] += samples; }
  // Notes "no thread is called nosuch; there are work, sh"
  void note_missing_names(const std::vector<std::string>& asked, std::string_view what,
                          std::vector<std::string>& out) const {
    std::string missing;
    for (const std::string& name : asked) {
      if (!there_.contains(name)) missing += (missing.empty() ? "" : ", ") + name;
    }
    if (missing.empty() || there_.empty()) return;
    std::vector<std::pair<u64, std::string>> most;
    for (const auto& [name, samples] : there_) most.emplace_back(samples, name);
    std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string names;
    for (usize i = 0; i < std::min(most.size(), kMostNotes); ++i) names += (i == 0 ? "" : ", ") + most[i].second;
    if (most.size() > kMostNotes) names += fmt::format(" and {} more", text::with_commas(most.size() - kMostNotes));
    out.push_back(fmt::format("no samples of the {} {}; available: {}", what, missing, names));
  }

 private:
  std::map<std::string, u64> there_;
};

// The period of the samples that have such a function on their stacks, in percent.
double percent_with(const StackProfile& profile, const std::function<bool(std::string_view name)>& is_it) {
  std::vector<bool> is_requested, is_in(profile.nodes.size());
  for (const stacks::StackFunction& one : profile.functions) is_requested.push_back(is_it(one.name));
  for (u32 node = 0; node < is_in.size(); ++node) {
    const u32 function = profile.function_of(node), parent = profile.nodes[node].parent;
    is_in[node] =
        (function != stacks::kNothing && is_requested[function]) || (parent != stacks::kNothing && is_in[parent]);
  }
  u64 with = 0, whole = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    whole += sample.period;
    if (sample.node != stacks::kNothing && is_in[sample.node]) with += sample.period;
  }
  return text::percent_of(with, whole);
}

// If the requested function has no samples, adds a note that it only calls other functions, or lists functions with
// samples.
void note_missing_function(const StackProfile& profile, const stacks::StackFilter& filter,
                           std::vector<std::string>& notes) {
  if (!filter.symbol || filter.symbol_text.empty()) return;
  NamesAsked functions;
  for (const stacks::StackSample& sample : profile.samples) {
    const auto& function = profile.functions[profile.function_of(sample.node)];
    if (filter.symbol(function.name)) return;
    if (function.is_known) functions.add(function.name, sample.count);
  }
  const auto is_it = [&](const stacks::StackFunction& function) { return filter.symbol(function.name); };
  if (filter.in_callers && std::any_of(profile.functions.begin(), profile.functions.end(), is_it)) return;
  if (const double percent = percent_with(profile, filter.symbol); percent != 0) {
    notes.push_back(fmt::format("no sample is in {} itself ({} % including callees): use --children or --callees",
                                filter.symbol_text, text::fixed(percent, 2)));
    return;
  }
  functions.note_missing_names({filter.symbol_text}, "function", notes);
}

std::vector<std::string> as_texts(const std::vector<u32>& numbers) {
  std::vector<std::string> texts;
  for (const u32 number : numbers) texts.push_back(std::to_string(static_cast<int>(number)));
  return texts;
}

}  // namespace

std::vector<NamelessModule> nameless_modules(const StackProfile& profile) {
  // Only files with enough samples are listed, because a short report has no space for files with a single sample.
  constexpr u64 kLeastPermille = 5;
  std::vector<u64> nameless(profile.modules.size());
  u64 all = 0;
  for (const stacks::StackSample& sample : profile.samples) {
    const stacks::StackFunction& function = profile.functions[profile.function_of(sample.node)];
    all += sample.count;
    if (!function.has_name()) nameless[function.module] += sample.count;
  }
  std::vector<u32> order;
  for (u32 i = 0; i < nameless.size(); ++i) {
    if (nameless[i] * 1000 >= all * kLeastPermille && nameless[i] != 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return nameless[a] > nameless[b]; });
  if (order.size() > kMostNotes) order.resize(kMostNotes);
  std::vector<NamelessModule> modules;
  for (const u32 i : order) {
    const double percent = 100 * static_cast<double>(nameless[i]) / static_cast<double>(all);
    modules.push_back({i, percent, why_nameless(profile.modules[i])});
  }
  return modules;
}

std::vector<std::string> name_notes(const StackProfile& profile) {
  std::vector<std::string> notes;
  for (const NamelessModule& one : nameless_modules(profile)) {
    notes.push_back(fmt::format("{} % of samples without a function name in {}: {}", text::fixed(one.percent, 1),
                                profile.modules[one.module].name, one.reason));
  }
  usize noted = 0;
  for (const stacks::StackModule& module : profile.modules) {
    if (module.not_used.empty() || ++noted > kMostNotes) continue;
    notes.push_back(fmt::format("not all functions inlined in {} are known: {}", module.name, module.not_used));
  }
  // The symbol server of Microsoft has the PDBs of Windows modules.
  if (profile.trace.has_value() && std::any_of(profile.modules.begin(), profile.modules.end(), lacks_pdb)) {
    notes.emplace_back(
        "for the PDBs of Windows' own modules use --symbol-path "
        "\"srv*FOLDER*https://msdl.microsoft.com/download/symbols\"; -v lists all modules");
  }
  return notes;
}

std::vector<std::string> filter_notes(const StackProfile& profile, const stacks::StackFilter& filter) {
  std::vector<std::string> notes;
  note_missing_function(profile, filter, notes);
  if (filter.comms.empty() && filter.modules.empty() && filter.pids.empty() && filter.tids.empty()) return notes;
  std::vector<u64> of_task(profile.tasks.size()), of_module(profile.modules.size());
  for (const stacks::StackSample& sample : profile.samples) {
    of_task[sample.task] += sample.count;
    of_module[profile.functions[profile.function_of(sample.node)].module] += sample.count;
  }
  NamesAsked comms, pids, tids, modules;
  for (usize i = 0; i < of_task.size(); ++i) {
    if (of_task[i] == 0) continue;
    const stacks::StackTask& task = profile.tasks[i];
    comms.add(profile.names[task.name], of_task[i]);
    pids.add(std::to_string(static_cast<int>(task.pid)), of_task[i]);
    tids.add(std::to_string(static_cast<int>(task.tid)), of_task[i]);
  }
  for (usize i = 0; i < of_module.size(); ++i) {
    if (of_module[i] != 0) modules.add(profile.modules[i].name, of_module[i]);
  }
  std::vector<std::string> asked_modules;
  for (const std::string& name : filter.modules) {
    const auto is_it = [&](const stacks::StackModule& module) { return module.path == name; };
    if (std::none_of(profile.modules.begin(), profile.modules.end(), is_it)) asked_modules.push_back(name);
  }
  comms.note_missing_names(stacks::thread_names(profile, filter), "command", notes);
  pids.note_missing_names(as_texts(filter.pids), "process", notes);
  tids.note_missing_names(as_texts(filter.tids), "thread", notes);
  modules.note_missing_names(asked_modules, "module", notes);
  return notes;
}

}  // namespace wperf::report
