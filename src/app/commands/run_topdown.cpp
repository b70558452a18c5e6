// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "analysis/topdown/drill.h"
#include "analysis/topdown/topdown_cores.h"
#include "app/commands/commands.h"
#include "app/commands/measure_options_builder.h"
#include "app/commands/read_options.h"
#include "app/commands/report_options_builder.h"
#include "app/commands/topdown_functions.h"
#include "app/measure/measure_counts.h"
#include "app/measure/quiet_console.h"
#include "app/measure/recording_run.h"
#include "app/measure/spe_recording.h"
#include "app/output/outputs.h"
#include "app/show/named_samples.h"
#include "app/show/page_output.h"
#include "app/show/recorded_spe.h"
#include "formats/perf_data/aux_traces.h"
#include "ground/diag/result.h"
#include "ground/text/number_text.h"
#include "views/html/topdown_page.h"
#include "views/report/spe_notes.h"
#include "views/report/topdown_report.h"

namespace wperf::commands {
namespace {

constexpr u64 kWantedSamples = 5000;
// Half of the driver's limit on each core: sampled events may come twice as fast at times.
constexpr double kMostPerSecond = 30'000;
constexpr u64 kFewerSamples = 4;  // for a second attempt
constexpr u64 kLeastInterval = 100, kLeastIntervalOfWindows = 4096, kGreatestInterval = 0x7fffffff;

diag::Result<void> check_request(const request::Measurement& wanted) {
  if (wanted.program.has_value() || wanted.duration_ms() != 0) return {};
  return diag::Error{.text = "topdown needs to know when a run ends",
                     .hint = "wperf topdown -- PROGRAM, or set the length of each run with --timeout",
                     .code = diag::ExitCode::usage};
}

diag::Result<topdown::Wish> wish_of(const request::TopdownView& view, pmu::Product product) {
  topdown::Wish wish{.level = view.level, .node = topdown::kNone};
  if (view.node.empty()) return wish;
  const topdown::Method method = topdown::method_of(product);
  wish.node = method.find(view.node);
  if (wish.node != topdown::kNone) return wish;
  std::string names;
  for (const topdown::Node& node : method.nodes) names += (names.empty() ? "" : ", ") + std::string(node.metric.name);
  return diag::Error{.text = fmt::format("the top-down tree of {1} has no node '{0}'", view.node, product.title()),
                     .hint = "nodes: " + names,
                     .code = diag::ExitCode::usage};
}

// The events of one run in the form of -e: one group if all are counted at once.
request::Request request_of(const request::Request& asked, const topdown::Step& step, bool at_once, bool with_cycles) {
  request::Request request = asked;
  request.command = request::Command::stat;
  request::EventList list;
  const auto add = [&](std::string_view event) {
    list.tokens.push_back({.event_class = EventClass::core,
                           .text = std::string(event),
                           .number = {},
                           .group = at_once ? std::optional<u32>(0) : std::nullopt});
  };
  if (with_cycles) add(topdown::kCycles);
  for (const std::string_view event : step.events) add(event);
  request.items = {std::move(list)};
  return request;
}

u64 added(u64 left, u64 right) {
  return left > std::numeric_limits<u64>::max() - right ? std::numeric_limits<u64>::max() : left + right;
}

void add_row(const answers::CountRow& row, std::string_view name, std::vector<topdown::EventCount>& counts) {
  auto found = std::find_if(counts.begin(), counts.end(),
                            [name](const topdown::EventCount& count) { return count.name == name; });
  if (found == counts.end()) {
    counts.push_back({.name = std::string(name)});
    found = counts.end() - 1;
  }
  found->value = added(found->value, row.scaled);
  found->low = added(found->low, row.has_interval ? text::whole_count(row.low) : 0);
  found->high = added(found->high, row.has_interval ? text::whole_count(row.high) : 0);
  found->bounded = found->bounded && row.has_interval;
  found->counted = found->counted && row.counted();
}

// Sums over the cores of this kind; counts of other kinds are in none of its formulas.
std::vector<topdown::EventCount> counts_of(const answers::CountProfile& profile, const plan::Capabilities& machine,
                                           pmu::Product product, u64& cycles_elsewhere) {
  std::vector<topdown::EventCount> counts;
  for (const answers::CountUnit& unit : profile.classes[index_of(EventClass::core)].units) {
    const bool own = profile.by_kernel || plan::product_of_core(machine, unit.number) == product;
    for (const answers::CountRow& row : unit.rows) {
      const bool is_cycles = !row.code.has_value() || row.name == topdown::kCycles;
      // The fixed counter, if it counted as the events did, and not an event of the same name.
      if (!row.code.has_value() && unit.cycle_row != answers::CycleRow::as_events) continue;
      if (!own) {
        if (is_cycles) cycles_elsewhere = added(cycles_elsewhere, row.scaled);
        continue;
      }
      add_row(row, is_cycles ? topdown::kCycles : std::string_view(row.name), counts);
    }
  }
  return counts;
}

bool took_turns(const answers::CountProfile& profile) {
  return profile.classes[index_of(EventClass::core)].multiplexed;
}

// In addition to cycles. The cycles of wperf's driver come from an ordinary counter if they exclude the kernel: the
// cycle counter belongs to Windows.
u32 counters_for_events(bool with_kernel, const plan::Capabilities& machine) {
  u32 free = machine.counters_free[index_of(EventClass::core)];
  // If every counted event takes a counter, cycles do, too.
  if (machine.counted_at_once > 1) free = std::min(free, machine.counted_at_once - 1);
  const bool takes_one = machine.kernel == nullptr && !with_kernel;
  return takes_one && free > 1 ? free - 1 : free;
}

// The results for one kind of core.
struct Search {
  request::Request request;  // with the cores of this kind
  measure::Machine& machine;
  diag::Console& console;
  pmu::Product product;
  report::Topdown found;
};

// Samples come from the cores that were counted, and without a program from everything that runs there.
request::Request sampling_request(const Search& search) {
  request::Request request = search.request;
  request.command = request::Command::record;
  request.outputs = {};
  request.outputs.quiet = true;
  if (!request.program.has_value() && !request.process.has_value()) {
    request.sampling.whole_machine = true;
    request.sampling.cores = std::exchange(request.cores, {});
  }
  return request;
}

// One run; false: Ctrl-C ended it.
diag::Result<bool> count_step(Search& search, diag::Console& heard) {
  topdown::Drill& drill = search.found.drill;
  report::TopdownAnswer& answer = search.found.answer;
  const topdown::Step& step = *drill.step();
  // A kernel finds a counter for cycles by itself; wperf's driver counts them like the events as long as one is free.
  const bool by_kernel = search.machine.capabilities.kernel != nullptr;
  const measure::MeasureOptions options =
      measure_options(request_of(search.request, step, drill.fits(step), by_kernel || !drill.fits(step)));
  WPERF_TRY(plan::CountPlan plan, measure::plan_counts(options.wanted, search.machine));
  measure::SpawnedProgram program(search.machine.device->programs());
  WPERF_CHECK_OK(measure::start_program(options, plan, search.machine, program, heard));
  WPERF_TRY(const measure::MeasuredCount count, measure::measure_count(options, plan, search.machine, program, heard));
  if (count.trouble.has_value()) return *count.trouble;
  u64 elsewhere = 0;
  const auto counts = counts_of(count.profile, search.machine.capabilities, search.product, elsewhere);
  if (drill.runs() == 0) {
    answer.seconds = count.profile.elapsed_seconds;
    if (elsewhere != 0) {
      answer.notes.push_back(fmt::format("{} cycles on cores of another kind are left out; choose cores with -c",
                                         text::with_commas(elsewhere)));
    }
  }
  answer.took_turns = answer.took_turns || took_turns(count.profile);
  drill.take(counts);
  return !search.console.interrupted();
}

// Which event says where the node happens, and how often it did.
std::string_view sampled_event(const topdown::Drill& drill) {
  for (u32 node = drill.worst(); node != topdown::kNone; node = drill.method().nodes[node].parent) {
    const std::vector<std::string_view>& events = drill.method().nodes[node].events;
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
      if (drill.count_of(*event) != 0) return *event;
    }
  }
  return {};
}

// Enough samples to be significant, and no more than the device can take: otherwise it would keep only those of slow
// parts.
u64 interval_of(const Search& search, u64 count) {
  const auto& kernel = search.machine.capabilities.kernel;
  const u64 least = kernel != nullptr && kernel->is_windows() ? kLeastIntervalOfWindows : kLeastInterval;
  const double taken = std::max(search.found.answer.seconds * kMostPerSecond, 1.0);
  const u64 wanted = std::max(count / kWantedSamples, static_cast<u64>(static_cast<double>(count) / taken));
  return std::clamp<u64>(wanted, least, kGreatestInterval);
}

diag::Result<void> sample_event(Search& search, std::string_view event, u64 interval) {
  report::TopdownSamples& where = search.found.answer.where;
  request::Request request = sampling_request(search);
  request.sampling.events = {
      {.text = std::string(event), .number = {}, .interval = static_cast<u32>(interval), .interval_error = {}}};
  measure::QuietConsole quiet(search.console);
  WPERF_TRY(measure::Recording recording, measure::record_samples(measure_options(request), search.machine, quiet));
  if (!recording.trace.empty()) WPERF_CHECK_OK(measure::read_trace(recording));
  recording::ReadOptions wanted = plain_read_options(request);
  wanted.lines = true;
  WPERF_TRY(const recording::RecordedSamples recorded,
            show::read_named_samples(recording.file, wanted, naming_options(request), quiet));
  where = {.event = std::string(event), .interval = interval, .functions = {}};
  add_functions(recorded.profile, where);
  note_nameless(recorded.profile, search.found.answer.notes);
  const stacks::StackLosses& losses = recorded.profile.losses;
  where.missing = losses.lost_records + losses.lost_samples + losses.held_back;
  return {};
}

diag::Result<void> sample_node(Search& search) {
  const topdown::Drill& drill = search.found.drill;
  const std::string_view event = sampled_event(drill);
  if (event.empty()) return {};
  const u64 interval = interval_of(search, drill.count_of(event));
  WPERF_CHECK_OK(sample_event(search, event, interval));
  const report::TopdownSamples& where = search.found.answer.where;
  if (where.missing <= (where.samples + where.missing) / 100 || search.console.interrupted()) return {};
  return sample_event(search, event, std::min(interval * kFewerSamples, kGreatestInterval));
}

// Does data that is late hold the program back?
bool waits_for_memory(const topdown::Drill& drill) {
  const std::string_view likely = drill.likely_group();
  const bool by_misses = likely.starts_with("L1D") || likely.starts_with("L2") || likely.starts_with("LL") ||
                         likely.starts_with("L3") || likely.starts_with("DTLB");
  bool in_backend = false, in_memory = false;
  for (u32 node = drill.worst(); node != topdown::kNone; node = drill.method().nodes[node].parent) {
    const std::string_view name = drill.method().nodes[node].metric.name;
    in_backend |= name.starts_with("backend");
    in_memory |= name == "backend_mem_bound";
  }
  return in_memory || (in_backend && by_misses);
}

// SPE records for each load where its data came from, and how long it took.
diag::Result<void> sample_memory(Search& search) {
  measure::Machine& machine = search.machine;
  const bool has_spe = machine.capabilities.kernel != nullptr || (machine.capabilities.id_aa64dfr0 >> 32 & 0xf) != 0;
  if (!has_spe) return {};
  WPERF_TRY(machine.capabilities, machine.device->capabilities(device::Device::Spe::asked_for));
  if (!machine.capabilities.why_no_spe.empty()) {
    return diag::Error{.text = machine.capabilities.why_no_spe, .hint = {}, .code = diag::ExitCode::no_device};
  }
  request::Request request = sampling_request(search);
  request.sampling.display.memory = true;
  request.sampling.keeps_spe_bytes = false;
  request.sampling.spe = request::SpeList{{{"load_filter", 1}, {"store_filter", 1}}};
  measure::QuietConsole quiet(search.console);
  WPERF_TRY(const measure::Recording recording, measure::record_spe(measure_options(request), machine, quiet));
  const perf_data::AuxTraces traces = perf_data::AuxTraces::collect(recording.file);
  WPERF_TRY(show::ReadSpe read, show::read_recorded_spe(recording.file, traces, report_options(request, quiet), quiet));
  for (const std::string& note : report::spe_notes(read.profile)) search.found.answer.notes.push_back("SPE: " + note);
  search.found.answer.memory = std::move(read.profile);
  return {};
}

// Counts until the bottleneck of these cores is known, then samples the functions. Returns false if Ctrl-C ended it.
diag::Result<bool> search_kind(Search& search) {
  topdown::Drill& drill = search.found.drill;
  std::vector<std::string>& notes = search.found.answer.notes;
  measure::QuietConsole quiet(search.console);
  bool goes_on = true;
  while (goes_on && drill.step() != nullptr) {
    WPERF_TRY(goes_on, count_step(search, quiet));
  }
  if (goes_on && search.request.topdown.sampled) {
    if (const auto sampled = sample_node(search); !sampled.has_value()) {
      notes.push_back("functions are not shown: " + sampled.error().text);
    }
    if (waits_for_memory(drill) && !search.console.interrupted()) {
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

diag::Result<void> show(const request::Request& request, std::span<const report::Topdown> found,
                        diag::Console& console) {
  const request::Outputs& outputs = request.outputs;
  const usize width = console.animated() ? console.width() : 0;
  if (!output::silent(outputs)) {
    for (usize i = 0; i < found.size(); ++i) {
      console.out((i == 0 ? "" : "\n") + report::topdown_text(found[i], {.width = width}));
    }
  }
  diag::FirstFailure written;
  if (request.recording.html_file.has_value()) {
    written.add(show::write_page(*request.recording.html_file, html::topdown_page(found), outputs, console));
  }
  if (output::wants_json(outputs)) written.add(output::deliver_json(outputs, report::topdown_json(found), console));
  return std::move(written).result();
}

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

diag::Result<Search> begin_search(const request::Request& request, const topdown::KindOfCore& kind,
                                  bool is_one_of_several, measure::Machine& machine, diag::Console& console) {
  WPERF_TRY(const topdown::Wish wish, wish_of(request.topdown, kind.product));
  const plan::Capabilities& capabilities = machine.capabilities;
  topdown::Drill drill(kind.product, counters_for_events(request.kernel, capabilities), wish);
  if (const u32 limit = capabilities.counted_at_once; limit != 0 && !drill.fits(*drill.step())) {
    return diag::Error{.text = fmt::format("level 1 needs {} events at once, and this device can count {}",
                                           drill.step()->events.size(), limit),
                       .hint = "a driver can count more; `wperf doctor` says what is missing",
                       .code = diag::ExitCode::no_device};
  }
  Search search{request, machine, console, kind.product, {.drill = std::move(drill)}};
  report::TopdownAnswer& answer = search.found.answer;
  answer.core = kind.product.title();
  if (is_one_of_several) {
    search.request.cores = kind.cores;
    answer.cores = topdown::text_of(search.request.cores);
  }
  if (request.program.has_value()) answer.program = base_name(request.program->path);
  if (request.process.has_value()) answer.program = fmt::format("process {}", *request.process);
  return search;
}

}  // namespace

diag::Result<int> run_topdown(const request::Request& request, diag::Console& console) {
  WPERF_CHECK_OK(check_request(request));
  WPERF_TRY(measure::Machine machine, measure::open_machine(request, console));
  std::vector<std::string> left_out;
  WPERF_TRY(const std::vector<topdown::KindOfCore> kinds,
            topdown::kinds_with_method(request, machine.capabilities, left_out));
  const bool are_several = plan::kinds_of_cores(machine.capabilities).size() > 1;
  std::vector<Search> searches;
  for (const topdown::KindOfCore& kind : kinds) {
    WPERF_TRY(Search search, begin_search(request, kind, are_several, machine, console));
    searches.push_back(std::move(search));
  }
  std::vector<report::Topdown> found;
  bool goes_on = true;
  for (Search& search : searches) {
    if (!goes_on) {
      left_out.push_back(
          fmt::format("cores {} ({}) were not measured", search.found.answer.cores, search.found.answer.core));
      continue;
    }
    WPERF_TRY(goes_on, search_kind(search));
    found.push_back(std::move(search.found));
  }
  auto& notes = found.back().answer.notes;
  notes.insert(notes.end(), left_out.begin(), left_out.end());
  const std::vector<readings::Process> programs = machine.device->programs().processes();
  const bool has_threads = std::any_of(programs.begin(), programs.end(),
                                       [](const readings::Process& program) { return program.threads.size() > 1; });
  const bool is_on_one_core = machine.capabilities.kernel == nullptr && request.program.has_value();
  const std::string other_kinds = topdown::note_of_other_kinds(kinds.front(), machine.capabilities);
  if (is_on_one_core && !other_kinds.empty()) {
    notes.push_back(other_kinds);
  } else if (is_on_one_core && has_threads) {
    notes.push_back(fmt::format(
        "only core {}, where the program was started, was measured; threads on other cores are not included",
        topdown::text_of(kinds.front().cores)));
  }
  WPERF_CHECK_OK(show(request, found, console));
  return 0;
}

}  // namespace wperf::commands
