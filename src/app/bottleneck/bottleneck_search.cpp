// SPDX-License-Identifier: BSD-3-Clause
#include "app/bottleneck/bottleneck_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/topdown/drill.h"
#include "analysis/topdown/topdown_cores.h"
#include "app/measure/measure_counts.h"
#include "app/measure/recording_run.h"
#include "app/measure/spe_recording.h"
#include "app/measure/warnings_only_console.h"
#include "app/show/named_samples.h"
#include "app/show/recorded_spe.h"
#include "formats/perf_data/aux_traces.h"
#include "ground/text/base_name.h"
#include "ground/text/number_text.h"
#include "model/stacks/stack_rows.h"
#include "views/report/spe_tables.h"

namespace wperf::bottleneck {
namespace {

constexpr u64 kWantedSamples = 5000;
// Half of the driver's limit for each core, because events may temporarily be twice as frequent.
constexpr double kMostPerSecond = 30'000;
constexpr u64 kFewerSamples = 4;  // for a second attempt
constexpr u64 kLeastInterval = 100, kLeastIntervalOfWindows = 4096, kGreatestInterval = 0x7fffffff;

// The search for the cores of one kind.
struct Search {
  SearchOptions options;  // for the cores of this kind
  measure::OpenedMachine& machine;
  diag::Console& console;
  pmu::Product product;
  report::Topdown found;
};

diag::Result<topdown::DrillOptions> drill_options_of(const request::TopdownView& view, pmu::Product product) {
  topdown::DrillOptions drill_options{.level = view.level, .node = topdown::kNone};
  if (view.node.empty()) return drill_options;
  const topdown::Method method = topdown::method_of(product);
  drill_options.node = method.find(view.node);
  if (drill_options.node != topdown::kNone) return drill_options;
  std::string names;
  for (const topdown::Node& node : method.nodes) names += (names.empty() ? "" : ", ") + std::string(node.metric.name);
  return diag::usage_error(fmt::format("the top-down tree of {1} has no node '{0}'", view.node, product.title()),
                           "nodes: " + names);
}

// The counters that are left after counting cycles. If cycles exclude the kernel, wperf's driver counts them with an
// ordinary counter, because the cycle counter belongs to Windows.
u32 counters_for_events(bool with_kernel, const plan::Capabilities& machine) {
  u32 free = machine.counters_free[index_of(EventClass::core)];
  // If the number of counted events is limited, cycles are one of them.
  if (machine.counted_at_once > 1) free = std::min(free, machine.counted_at_once - 1);
  const bool takes_one = machine.kernel == nullptr && !with_kernel;
  return takes_one && free > 1 ? free - 1 : free;
}

// The events of a run in the form of -e: one group if all are counted at the same time.
request::EventList events_of(const topdown::Step& step, bool at_once, bool with_cycles) {
  request::EventList list;
  const auto add = [&](std::string_view event) {
    list.tokens.push_back({.event_class = EventClass::core,
                           .text = std::string(event),
                           .number = {},
                           .group = at_once ? std::optional<u32>(0) : std::nullopt});
  };
  if (with_cycles) add(topdown::kCycles);
  for (const std::string_view event : step.events) add(event);
  return list;
}

// Adds the functions, each with the line that has the most samples.
void add_functions(const stacks::StackProfile& profile, report::TopdownSamples& where) {
  using stacks::SortKey;
  if (profile.events.empty()) return;
  const stacks::StackRows functions = stacks::make_rows(profile, 0, {SortKey::module, SortKey::symbol}, {}, false);
  const stacks::StackRows lines = stacks::make_rows(profile, 0, {SortKey::symbol, SortKey::line}, {}, false);
  where.samples = functions.samples;
  for (const stacks::StackRow& row : functions.rows) {
    report::TopdownFunction function;
    function.function = profile.functions[row.function].name;
    function.module = profile.modules[row.module].name;
    function.samples = row.self_samples;
    for (const stacks::StackRow& line : lines.rows) {
      if (line.function != row.function || line.line == stacks::kNothing) continue;
      function.line = profile.lines[line.line];
      function.line_samples = line.self_samples;
      break;  // sorted, the largest first
    }
    where.functions.push_back(std::move(function));
  }
}

void note_nameless(const stacks::StackProfile& profile, std::vector<std::string>& notes) {
  for (const stacks::StackSample& sample : profile.samples) {
    const stacks::StackFunction& function = profile.functions[profile.function_of(sample.node)];
    const stacks::StackModule& module = profile.modules[function.module];
    if (function.has_name() || module.reason.empty()) continue;
    std::string note = fmt::format("functions of {} have no names: {}", module.name, module.reason);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
}

// Does one run; returns false if Ctrl-C ended it.
diag::Result<bool> count_step(Search& search, diag::Console& heard) {
  topdown::Drill& drill = search.found.drill;
  report::TopdownAnswer& answer = search.found.answer;
  const topdown::Step& step = *drill.step();
  // A kernel chooses a counter for cycles by itself. wperf's driver counts cycles like events while a counter is free.
  const bool by_kernel = search.machine.capabilities.kernel != nullptr;
  measure::MeasureOptions options = search.options.counting;
  options.wanted.items = {events_of(step, drill.fits(step), by_kernel || !drill.fits(step))};
  WPERF_TRY(plan::CountPlan plan, measure::plan_counts(options.wanted, search.machine));
  measure::SpawnedProgram program(search.machine.device->programs());
  WPERF_CHECK_OK(measure::start_program(options, plan, search.machine, program, heard));
  WPERF_TRY(const measure::MeasuredCount count, measure::measure_count(options, plan, search.machine, program, heard));
  if (count.error.has_value()) return *count.error;
  const topdown::KindCounts counts = topdown::counts_of(count.profile, search.machine.capabilities, search.product);
  if (drill.runs() == 0) {
    answer.seconds = count.profile.elapsed_seconds;
    if (counts.cycles_elsewhere != 0) {
      answer.notes.push_back(fmt::format("{} cycles on cores of another kind are left out; choose cores with -c",
                                         text::with_commas(counts.cycles_elsewhere)));
    }
  }
  answer.took_turns = answer.took_turns || count.profile.classes[index_of(EventClass::core)].multiplexed;
  drill.take(counts.events);
  return !search.console.interrupted();
}

// The interval gives enough samples for significant results, but not more than the device can store. Otherwise the
// device would drop samples, mainly in parts of the program with frequent events.
u64 interval_of(const Search& search, u64 count) {
  const auto& kernel = search.machine.capabilities.kernel;
  const u64 least = kernel != nullptr && kernel->is_windows() ? kLeastIntervalOfWindows : kLeastInterval;
  const double taken = std::max(search.found.answer.seconds * kMostPerSecond, 1.0);
  const u64 wanted = std::max(count / kWantedSamples, static_cast<u64>(static_cast<double>(count) / taken));
  return std::clamp<u64>(wanted, least, kGreatestInterval);
}

// Samples the cores that were counted. Without a program, samples all programs on these cores.
measure::MeasureOptions sampling_options(const Search& search) {
  measure::MeasureOptions options = search.options.sampling;
  if (!options.wanted.of_program()) {
    options.wanted.sampling.whole_machine = true;
    options.wanted.sampling.cores = std::exchange(options.wanted.cores, {});
  }
  return options;
}

diag::Result<void> sample_event(Search& search, std::string_view event, u64 interval) {
  report::TopdownSamples& where = search.found.answer.where;
  measure::MeasureOptions options = sampling_options(search);
  options.wanted.sampling.events = {
      {.text = std::string(event), .number = {}, .interval = static_cast<u32>(interval), .interval_error = {}}};
  measure::WarningsOnlyConsole quiet(search.console);
  WPERF_TRY(measure::Recording recording, measure::record_samples(options, search.machine, quiet));
  if (!recording.trace.empty()) WPERF_CHECK_OK(measure::read_trace(recording));
  WPERF_TRY(const recording::RecordedSamples recorded,
            show::read_named_samples(recording.file, search.options.read, search.options.naming, quiet));
  where = {.event = std::string(event), .interval = interval, .functions = {}};
  add_functions(recorded.profile, where);
  note_nameless(recorded.profile, search.found.answer.notes);
  const stacks::StackLosses& losses = recorded.profile.losses;
  where.missing = losses.lost_records + losses.lost_samples + losses.held_back;
  return {};
}

diag::Result<void> sample_node(Search& search) {
  const topdown::Drill& drill = search.found.drill;
  const std::string_view event = drill.event_of_worst();
  if (event.empty()) return {};
  const u64 interval = interval_of(search, drill.count_of(event));
  WPERF_CHECK_OK(sample_event(search, event, interval));
  const report::TopdownSamples& where = search.found.answer.where;
  if (where.missing <= (where.samples + where.missing) / 100 || search.console.interrupted()) return {};
  return sample_event(search, event, std::min(interval * kFewerSamples, kGreatestInterval));
}

// For each load, SPE records where its data came from, and how long it took.
diag::Result<void> sample_memory(Search& search) {
  measure::OpenedMachine& machine = search.machine;
  const bool has_spe = machine.capabilities.kernel != nullptr || (machine.capabilities.id_aa64dfr0 >> 32 & 0xf) != 0;
  if (!has_spe) return {};
  WPERF_TRY(machine.capabilities, machine.device->capabilities(device::Device::Spe::asked_for));
  if (!machine.capabilities.why_no_spe.empty()) {
    return diag::Error{.text = machine.capabilities.why_no_spe, .hint = {}, .code = diag::ExitCode::no_device};
  }
  measure::MeasureOptions options = sampling_options(search);
  options.wanted.sampling.display.memory = true;
  options.wanted.sampling.keeps_spe_bytes = false;
  options.wanted.sampling.spe = request::SpeList{{{"load_filter", 1}, {"store_filter", 1}}};
  measure::WarningsOnlyConsole quiet(search.console);
  WPERF_TRY(const measure::Recording recording, measure::record_spe(options, machine, quiet));
  const perf_data::AuxTraces traces = perf_data::AuxTraces::collect(recording.file);
  WPERF_TRY(show::ReadSpe read, show::read_recorded_spe(recording.file, traces, search.options.memory, quiet));
  for (const std::string& note : report::spe_notes(read.profile)) search.found.answer.notes.push_back("SPE: " + note);
  search.found.answer.memory = std::move(read.profile);
  return {};
}

// Counts until the bottleneck of these cores is known, then samples the functions. Returns false if Ctrl-C ended it.
diag::Result<bool> search_kind(Search& search) {
  topdown::Drill& drill = search.found.drill;
  std::vector<std::string>& notes = search.found.answer.notes;
  measure::WarningsOnlyConsole quiet(search.console);
  bool goes_on = true;
  while (goes_on && drill.step() != nullptr) {
    WPERF_TRY(goes_on, count_step(search, quiet));
  }
  if (goes_on && search.options.view.sampled) {
    if (const auto sampled = sample_node(search); !sampled.has_value()) {
      notes.push_back("functions are not shown: " + sampled.error().text);
    }
    if (drill.waits_for_memory() && !search.console.interrupted()) {
      if (const auto profiled = sample_memory(search); !profiled.has_value()) {
        notes.push_back("data sources are not shown: " + profiled.error().text);
      }
    }
    goes_on = !search.console.interrupted();
  }
  if (drill.adds_stall_slot()) {
    notes.emplace_back(
        "stall_slot is computed as stall_slot_frontend + stall_slot_backend, as Arm defines it, so that all events of "
        "level 1 can be counted at once");
  }
  if (!goes_on) notes.emplace_back("interrupted by Ctrl-C; these are the results until then");
  return goes_on;
}

diag::Result<Search> begin_search(const SearchOptions& options, const topdown::KindOfCore& kind,
                                  measure::OpenedMachine& machine, diag::Console& console) {
  WPERF_TRY(const topdown::DrillOptions drill_options, drill_options_of(options.view, kind.product));
  const plan::Capabilities& capabilities = machine.capabilities;
  const request::Measurement& wanted = options.counting.wanted;
  topdown::Drill drill(kind.product, counters_for_events(wanted.kernel, capabilities), drill_options);
  if (const u32 limit = capabilities.counted_at_once; limit != 0 && !drill.fits(*drill.step())) {
    return diag::Error{.text = fmt::format("level 1 needs {} events at once, and this device can count {}",
                                           drill.step()->events.size(), limit),
                       .hint = "a driver can count more; `wperf doctor` says what is missing",
                       .code = diag::ExitCode::no_device};
  }
  Search search{options, machine, console, kind.product, {.drill = std::move(drill)}};
  report::TopdownAnswer& answer = search.found.answer;
  answer.core = kind.product.title();
  if (plan::kinds_of_cores(capabilities).size() > 1) {
    search.options.counting.wanted.cores = search.options.sampling.wanted.cores = kind.cores;
    answer.cores = topdown::text_of(kind.cores);
  }
  if (wanted.program.has_value()) answer.program = text::base_name(wanted.program->path);
  if (wanted.process.has_value()) answer.program = fmt::format("process {}", *wanted.process);
  return search;
}

// The note that a driver measures a program only on the core where it was started. Empty if there was no other
// activity.
std::string note_of_one_core(const topdown::KindOfCore& measured, const measure::OpenedMachine& machine) {
  const std::string other_kinds = topdown::note_of_other_kinds(measured, machine.capabilities);
  if (!other_kinds.empty()) return other_kinds;
  const std::vector<readings::Process> programs = machine.device->programs().processes();
  const bool has_threads = std::any_of(programs.begin(), programs.end(),
                                       [](const readings::Process& program) { return program.threads.size() > 1; });
  if (!has_threads) return {};
  return fmt::format(
      "only core {}, where the program was started, was measured; threads on other cores are not included",
      topdown::text_of(measured.cores));
}

}  // namespace

diag::Result<std::vector<report::Topdown>> find_bottlenecks(const SearchOptions& options,
                                                            measure::OpenedMachine& machine, diag::Console& console) {
  std::vector<std::string> notes;
  WPERF_TRY(const std::vector<topdown::KindOfCore> kinds,
            topdown::kinds_with_method(options.counting.wanted, machine.capabilities, notes));
  std::vector<Search> searches;
  for (const topdown::KindOfCore& kind : kinds) {
    WPERF_TRY(Search search, begin_search(options, kind, machine, console));
    searches.push_back(std::move(search));
  }
  std::vector<report::Topdown> found;
  bool goes_on = true;
  for (Search& search : searches) {
    if (!goes_on) {
      notes.push_back(
          fmt::format("cores {} ({}) were not measured", search.found.answer.cores, search.found.answer.core));
      continue;
    }
    WPERF_TRY(goes_on, search_kind(search));
    found.push_back(std::move(search.found));
  }
  if (machine.capabilities.kernel == nullptr && options.counting.wanted.program.has_value()) {
    if (std::string note = note_of_one_core(kinds.front(), machine); !note.empty()) notes.push_back(std::move(note));
  }
  auto& last = found.back().answer.notes;
  last.insert(last.end(), notes.begin(), notes.end());
  return found;
}

}  // namespace wperf::bottleneck
