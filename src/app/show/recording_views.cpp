// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/run_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/recording/opened_recording.h"
#include "analysis/recording/recorded_code.h"
#include "analysis/recording/recorded_losses.h"
#include "analysis/recording/recorded_samples.h"
#include "analysis/recording/trace_recording.h"
#include "analysis/waits/latency_weights.h"
#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/foreign_report.h"
#include "app/commands/page_output.h"
#include "app/commands/read_options.h"
#include "app/commands/recorded_compat.h"
#include "app/commands/recorded_spe.h"
#include "app/commands/recording_choice.h"
#include "app/commands/run_export.h"
#include "app/commands/run_providers.h"
#include "app/commands/run_spans.h"
#include "app/commands/script_output.h"
#include "app/commands/timed_samples.h"
#include "app/commands/trace_losses.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "code/modules/symbol_folders.h"
#include "formats/perf_data/run_facts.h"
#include "ground/text/number_text.h"
#include "machine/plan/sample_plan.h"
#include "views/compat/code_and_sources.h"
#include "views/report/sample_report.h"
#include "views/report/spe_report.h"
#include "views/report/stack_report.h"

namespace wperf::commands {
namespace {

void warn_of_damage(u64 places, u64 bytes, u64 records_about, diag::Console& console) {
  const std::string text = report::damage_text(places, bytes, records_about);
  if (!text.empty()) console.warn("warning: " + text);
}

stacks::SortKey key_of(request::SortBy key) {
  switch (key) {
    case request::SortBy::comm:
      return stacks::SortKey::comm;
    case request::SortBy::pid:
      return stacks::SortKey::pid;
    case request::SortBy::tid:
      return stacks::SortKey::tid;
    case request::SortBy::core:
      return stacks::SortKey::core;
    case request::SortBy::core_kind:
      return stacks::SortKey::core_kind;
    case request::SortBy::module:
      return stacks::SortKey::module;
    case request::SortBy::symbol:
      return stacks::SortKey::symbol;
    case request::SortBy::line:
      return stacks::SortKey::line;
  }
  return stacks::SortKey::symbol;
}

void add_breakdown(request::Breakdown kind, report::StackOptions& options) {
  using stacks::SortKey;
  switch (kind) {
    case request::Breakdown::process:
      return options.tables.push_back({SortKey::comm, SortKey::pid});
    case request::Breakdown::thread:
      return options.tables.push_back({SortKey::comm, SortKey::tid});
    case request::Breakdown::module:
      return options.tables.push_back({SortKey::module});
    case request::Breakdown::core:
      return options.tables.push_back({SortKey::core});
    case request::Breakdown::caller:
      options.callers = true;
  }
}

report::StackOptions stack_options(const request::Request& request, const diag::Console& console) {
  const request::RecordingView& view = request.recording;
  const request::SampleDisplay& display = request.sampling.display;
  report::StackOptions options;
  for (const request::SortBy key : view.sort) options.sort.push_back(key_of(key));
  options.filter = sample_filter(request);
  options.is_part = view.time.has_value() || view.parallelism.has_value();
  options.rows = display.rows;
  options.children = view.children;
  if (view.percent_limit.has_value()) options.percent_limit = *view.percent_limit;
  options.relative = view.relative;
  options.tree = view.tree;
  options.callers = view.callers;
  options.callees = view.callees;
  options.verbose = request.outputs.verbose;
  options.width = console.animated() ? console.width() : 0;
  options.coloured = console.coloured();
  for (const request::Breakdown kind : display.by) add_breakdown(kind, options);
  return options;
}

// In a file with SPE data: its samples of other events. nullopt if there are none.
std::optional<stacks::StackProfile> samples_beside(const perf_data::PerfFile& file, const request::Request& request) {
  modules::FunctionFiles functions({});
  recording::ReadOptions wanted = read_options(request);
  wanted.functions = &functions;
  wanted.rows = wanted.code = wanted.code_lines = false;
  stacks::StackProfile profile = recording::read_recorded_samples(file, wanted).profile;
  if (profile.samples.empty()) return std::nullopt;
  return profile;
}

diag::Result<void> report_spe(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                              const request::Request& request, diag::Console& console) {
  const perf_data::ReadStatistics& statistics = traces.statistics();
  warn_of_damage(statistics.damaged_places(), statistics.damaged_bytes(),
                 recording::records_in_damage(file, statistics), console);
  if (const u64 missing = traces.missing(); missing != 0) {
    console.warn(fmt::format("warning: {} bytes of SPE data are missing from the file", missing));
  }
  WPERF_TRY(const ReadSpe read, read_recorded_spe(file, traces, request, console));
  const answers::CountProfile* const counting = read.counting.has_value() ? &*read.counting : nullptr;
  const report::SpeOptions options{.samples = sample_report_options(request, console),
                                   .memory = request.sampling.display.memory,
                                   .width = console.animated() ? console.width() : 0};
  const std::optional<stacks::StackProfile> beside = samples_beside(file, request);
  const report::StackOptions tables = stack_options(request, console);
  if (!output::silent(request.outputs)) {
    console.out(report::spe_text(read.profile, read.view, counting, options));
    if (beside.has_value()) console.out('\n' + report::stack_text(*beside, tables));
  }
  if (wants_spe_json(request)) {
    report::WriteMembers more;
    if (beside.has_value()) more = [&](text::JsonWriter& json) { write_stack(json, *beside, tables); };
    WPERF_CHECK_OK(output::deliver_json(request.outputs,
                                        report::spe_json(read.profile, read.view, counting, options, more), console));
  }
  if (read.trouble.has_value()) return *read.trouble;
  return {};
}

// Do options ask for a view that WindowsPerf's text and JSON do not have?
bool wants_views(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  return plan::wanted_call_stacks(request.sampling, view).wanted() || view.time.has_value() || !view.sort.empty() ||
         !view.comms.empty() || !view.modules.empty() || !view.pids.empty() || !view.tids.empty() || view.folded ||
         view.tree || view.callers || view.callees || view.children || view.relative || view.inlined ||
         view.wants_page() || view.needs_switches() || view.export_format.has_value() ||
         request.sampling.records_file.has_value();
}

diag::Result<void> show_compat(const perf_data::PerfFile& file, const request::Request& request,
                               diag::Console& console) {
  WPERF_TRY(const compat::CompatView view, recorded_compat(file, request, download_progress(console)));
  const report::SampleOptions options = sample_report_options(request, console);
  return output::show(
      request.outputs, console, [&] { return report::sample_text(view, options); },
      [&] { return report::sample_json(view, options); });
}

// Data that is shown together with samples.
struct Companions {
  const operations::SpeProfile* spe = nullptr;
  const html::WaitsOfPage* waits = nullptr;
  std::string clients_json;  // see show_profile()
};

// If no page can be written, the measurement is shown nevertheless.
diag::Result<void> show_pages(const stacks::StackProfile& profile, const PageContent& content,
                              const report::StackOptions& options, const request::Request& request,
                              diag::Console& console) {
  auto written = write_pages(profile, content, request, console);
  if (!written.has_value() && !output::silent(request.outputs)) console.out(report::stack_text(profile, options));
  return written;
}

// As tables, trees, lines of samples, or JSON.
diag::Result<void> show_samples(const perf_data::PerfFile& file, recording::RecordedSamples recorded,
                                const recording::ReadOptions& wanted, const request::Request& request,
                                diag::Console& console, const Companions& companions = {}) {
  const report::StackOptions options = stack_options(request, console);
  // The warning comes before the tables.
  const stacks::StackLosses& losses = recorded.profile.losses;
  if (wanted.rows || request.recording.folded || output::silent(request.outputs)) {
    warn_of_damage(losses.damaged_places, losses.damaged_bytes, losses.damaged_records_about, console);
  }
  if (wanted.rows) return write_sample_lines(file, recorded, wanted.weights, options.filter, request, console);
  if (wanted.code) {
    const recording::CodeRequest code{.filter = options.filter,
                                      .most_functions = options.rows,
                                      .disassemble = request.sampling.display.disassemble,
                                      .with_calls = recorded.profile.has_callers,
                                      .decorated = request.sampling.display.decorated_names,
                                      .folders = modules::symbol_folders(request)};
    WPERF_CHECK_OK(recording::add_function_code(recorded.files, code, recorded.profile));
  }
  if (request.recording.wants_page())
    return show_pages(recorded.profile,
                      {options.filter, &recorded.moments, &recorded.about, companions.spe, companions.waits}, options,
                      request, console);
  return show_profile(recorded.profile, recorded.moments, &recorded.about, request, console, {},
                      companions.clients_json);
}

// For a run on a machine that WindowsPerf's clients know: what they read. They know no filters.
diag::Result<std::string> clients_json(const perf_data::PerfFile& file, const request::Request& request,
                                       diag::Console& console) {
  const request::RecordingView& view = request.recording;
  const bool filters =
      view.time.has_value() || !view.comms.empty() || !view.modules.empty() || !view.pids.empty() || !view.tids.empty();
  const auto run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  if (!output::wants_json(request.outputs) || filters || !run.has_value() || !run->windows) return std::string();
  WPERF_TRY(const compat::CompatView clients_view, recorded_compat(file, request, download_progress(console)));
  return report::sampling_value(clients_view, sample_report_options(request, console));
}

// The headline names the caller of the hottest function, in each view, if that costs little: callers were recorded, and
// need no unwinding.
bool tells_callers_soon(const perf_data::PerfFile& file) {
  constexpr usize kSoon = usize{64} << 20;  // bytes of records
  const auto has = [&file](u64 field) {
    return std::any_of(file.attrs().begin(), file.attrs().end(),
                       [field](const perf_data::Event& event) { return event.attributes.has(field); });
  };
  return file.record_bytes().size() <= kSoon && has(perf_data::kSampleCallchain) && !has(perf_data::kSampleUserStack);
}

// When threads ran, with samples of it, from a trace or from the file. `own`: keeps the latter.
diag::Result<const recording::RecordedSwitches*> switches_for_weights(const perf_data::PerfFile& file,
                                                                      const Beside& beside,
                                                                      const request::RecordingView& view,
                                                                      std::optional<recording::RecordedSwitches>& own) {
  const std::string option = view.latency ? "--latency" : view.parallelism.has_value() ? "--parallelism" : "--span";
  const auto refused = [&](std::string_view why) {
    return diag::Error{.text = option + std::string(why),
                       .hint =
                           "`wperf record --latency -- PROGRAM` records both; so do `wperf waits --on-off`, `perf "
                           "record --switch-events`, and Windows traces with samples and context switches"};
  };
  const recording::RecordedSwitches* switches = beside.switches;
  if (switches == nullptr) {
    auto read = recording::read_switches(file);
    if (read.has_value()) switches = &own.emplace(std::move(read).value());
  }
  if (view.needs_switches() && (switches == nullptr || switches->switches.empty())) {
    return refused(" needs to know when threads ran, and this recording has no context switches");
  }
  if (switches == nullptr || switches->running_samples.empty()) {
    return refused(" needs samples of running threads, and this recording has none");
  }
  return switches;
}

waits::LatencyOptions latency_options(const request::RecordingView& view) {
  waits::LatencyOptions options{.by_time = view.latency, .running = {}};
  if (view.parallelism.has_value()) options.running = {.from = view.parallelism->from, .to = view.parallelism->to};
  return options;
}

// A part of one event's samples: weighted by elapsed time, or with so many running threads, or in spans.
diag::Result<void> report_chosen(const perf_data::PerfFile& file, const Beside& beside, const request::Request& request,
                                 diag::Console& console) {
  std::optional<recording::RecordedSwitches> own;
  WPERF_TRY(const recording::RecordedSwitches* const switches,
            switches_for_weights(file, beside, request.recording, own));
  const bool by_switches = request.recording.needs_switches();
  waits::LatencyWeights made = by_switches ? waits::latency_weights(*switches, latency_options(request.recording))
                                           : waits::recorded_weights(*switches);
  if (beside.spans != nullptr) waits::keep_spans(*beside.spans, *switches, made);
  const bool any = std::any_of(made.weights.begin(), made.weights.end(), [](u64 weight) { return weight != 0; });
  if (!any) console.warn("note: no samples are left; 100 % is " + made.whole);
  return report_weighted(file,
                         {.event = {},
                          .things = {},
                          .whole = std::move(made.whole),
                          .weights = made.weights,
                          .time_origin = by_switches ? std::optional(switches->begin) : std::nullopt,
                          .parallel_ns = std::move(made.parallel_ns)},
                         request, console);
}

diag::Result<void> report_samples(const perf_data::PerfFile& file, const Beside& beside,
                                  const request::Request& request, diag::Console& console, const ExportSink& sink) {
  if (request.sampling.display.memory) {
    return diag::Error{.text = "--mem needs SPE data, and " + *request.data_file + " has none",
                       .hint =
                           "record on an Arm core that has SPE with -e arm_spe_0//; on x86, wperf can show neither "
                           "which memory accesses wait nor false sharing",
                       .code = diag::ExitCode::usage};
  }
  if (request.recording.needs_switches() || beside.spans != nullptr)
    return report_chosen(file, beside, request, console);
  if (request.recording.export_format.has_value()) {
    return export_samples(file, beside, stack_options(request, console), request, console, sink);
  }
  recording::ReadOptions wanted = read_options(request);
  wanted.traces = beside.operations;
  wanted.callers = wanted.callers || tells_callers_soon(file);
  if (request.recording.html_file.has_value()) {
    WPERF_TRY(recording::RecordedSamples timed, read_timed_samples(file, beside, request, wanted, console));
    std::optional<ReadSpe> spe;
    if (beside.operations != nullptr) {
      request::Request of_memory = request;
      of_memory.sampling.display.memory = true;
      WPERF_TRY(spe, read_recorded_spe(file, *beside.operations, of_memory, console));
      const auto& clock = beside.operations->time();
      // Their times are unknown, so they belong to no slice.
      if (!clock.has_value() || !clock->has_zero) timed.profile.slice_counts = {};
    }
    return show_samples(file, std::move(timed), wanted, request, console,
                        {.spe = spe.has_value() ? &spe->profile : nullptr, .clients_json = {}});
  }
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, request, wanted, console));
  if (beside.trace != nullptr) recorded.profile.trace = *beside.trace;
  Companions companions;
  WPERF_TRY(companions.clients_json, clients_json(file, request, console));
  return show_samples(file, std::move(recorded), wanted, request, console, companions);
}

}  // namespace

stacks::StackFilter sample_filter(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  const std::optional<request::SymbolFilter>& asked = request.sampling.display.symbol;
  return {.comms = view.comms,
          .modules = view.modules,
          .pids = view.pids,
          .tids = view.tids,
          .symbol = compat::name_filter(request.sampling.display),
          .symbol_text = asked.has_value() ? asked->text : std::string()};
}

diag::Result<void> show_profile(const stacks::StackProfile& profile, const stacks::Moments& moments,
                                const stacks::RecordingAbout* about, const request::Request& request,
                                diag::Console& console, const ExportSink& sink, std::string_view clients_json) {
  report::StackOptions options = stack_options(request, console);
  options.about = about;
  const auto deliver = [&]() {
    report::WriteMembers first;
    if (!clients_json.empty()) first = [&](text::JsonWriter& json) { json.written("sampling", clients_json); };
    return output::deliver_json(request.outputs, report::stack_json(profile, options, first), console);
  };
  if (request.recording.wants_page())
    return show_pages(profile, {.filter = options.filter, .moments = &moments, .about = about}, options, request,
                      console);
  if (request.recording.export_format.has_value())
    return export_profile(profile, moments, options, request, console, sink);
  if (request.recording.folded) {
    write_first_folded(profile, options, console, [&](std::string_view part) { console.document(part); });
    if (request.outputs.json_file.has_value()) return deliver();
    return {};
  }
  if (!output::silent(request.outputs)) console.out(report::stack_text(profile, options));
  if (output::wants_json(request.outputs)) return deliver();
  return {};
}

diag::Result<void> report_profile(const perf_data::PerfFile& file, recording::RecordedSamples recorded,
                                  const request::Request& request, diag::Console& console,
                                  const html::WaitsOfPage* waits) {
  return show_samples(file, std::move(recorded), {}, request, console, {.waits = waits, .clients_json = {}});
}

diag::Result<void> report_weighted(const perf_data::PerfFile& file, const WeightedSamples& weighted,
                                   const request::Request& request, diag::Console& console) {
  recording::ReadOptions wanted = read_options(request);
  wanted.weights = &weighted.weights;
  wanted.time_origin = weighted.time_origin;
  WPERF_TRY(recording::RecordedSamples recorded, read_named_samples(file, request, wanted, console));
  for (stacks::StackEvent& event : recorded.profile.events) {
    if (event.samples == 0) continue;
    if (!weighted.event.empty()) event.name = weighted.event;
    event.things = weighted.things;
    event.whole = weighted.whole;
    event.parallel_ns = weighted.parallel_ns;
  }
  // Folded stacks have one number only.
  if (request.recording.folded) {
    for (stacks::StackSample& sample : recorded.profile.samples) sample.count = sample.period;
  }
  return show_samples(file, std::move(recorded), wanted, request, console);
}

report::SampleOptions sample_report_options(const request::Request& request, const diag::Console& console) {
  const request::SampleDisplay& display = request.sampling.display;
  report::SampleOptions options;
  options.rows = display.rows;
  options.symbol = compat::name_filter(display);
  options.verbose = request.outputs.verbose;
  options.annotate = display.annotate;
  options.disassemble = display.disassemble;
  options.by = display.by;
  options.source = display.annotate && console.animated();
  options.colour = console.coloured();
  options.most_bytes = request.outputs.json_file.has_value() ? 0 : report::kMostBytesForClients;
  return options;
}

namespace {

// The error names the contents of the trace instead.
diag::Error no_samples(const recording::TraceRecording& recorded, const std::string& name) {
  const bool idle = recorded.idle_samples != 0;
  const std::string switches = recorded.switches_were_on
                                   ? fmt::format("show its context switches with `wperf waits {}`; ", name)
                                   : std::string();
  return {
      .text = fmt::format("{} has no samples: {}", name,
                          idle                       ? "every sample was taken on an idle core"
                          : recorded.samples_were_on ? "none was taken while it was recorded"
                                                     : "sampling was not enabled while it was recorded"),
      .hint = idle ? switches + "--idle shows the samples of idle cores"
                   : fmt::format("{}list the events of the trace with `wperf report {} --providers`", switches, name)};
}

// `--idle` is for traces: recordings of Linux contain idle cores like any others.
diag::Result<void> report_trace(const etl::Trace& trace, const request::Request& request, diag::Console& console,
                                const ExportSink& sink) {
  // Waits are a part of pages and exports; a perf.data file cannot hold a trace's switches.
  const auto format = request.recording.export_format;
  const bool exports = format.has_value() && *format != request::ExportFormat::perf_data;
  const recording::TraceWishes wishes{
      .switches = exports || request.recording.html_file.has_value() || request.recording.needs_switches(),
      .running = request.recording.span.has_value(),
      .idle = request.recording.idle,
      .cores = request.recording.trace_cores};
  auto converted = recording::recording_of_trace(trace, measure::tool_version(), wishes);
  if (!converted.has_value()) return recording::in_file(*request.data_file, std::move(converted).error());
  const recording::TraceRecording& recorded = converted.value();
  stacks::TraceFacts facts = recording::trace_facts(trace, recorded);
  facts.idle_samples = recorded.idle_samples;
  add_lost_over_time(recorded.lost_over_time, facts);
  tell_trace_losses(facts, request, console);
  if (!wishes.cores.empty()) {
    console.warn(
        fmt::format("note: Windows samples all cores; {} samples are left out because they were taken on cores not "
                    "chosen by -c or --cores",
                    text::with_commas(recorded.samples_of_other_cores)));
  }
  // Waits are something to hand on, too.
  const bool has_waits = exports && has_place_for_waits(*format) && !recorded.switches.switches.empty();
  if (recorded.samples == 0 && !has_waits) {
    const diag::Error none =
        no_samples(recorded, request.data_file_is_kept ? *request.data_file : std::string("the recording"));
    // A temporary recording was just made for this report and has no older parts.
    if (exports || !request.data_file_is_kept) return none;
    console.warn(fmt::format("note: {}; {}", none.text, none.hint));
  }
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(recorded.file.openable_path()));
  WPERF_TRY(const perf_data::PerfFile file, perf_data::PerfFile::open(mapped.bytes()));
  if (format == request::ExportFormat::perf_data) {
    return export_recording(mapped, request, console);
  }
  std::optional<recording::ChosenSpans> spans;
  if (request.recording.span.has_value()) {
    WPERF_TRY(spans, choose_spans(trace, *request.recording.span, console));
  }
  return report_samples(
      file, {.trace = &facts, .switches = &recorded.switches, .spans = spans.has_value() ? &*spans : nullptr}, request,
      console, sink);
}

// SPE records: their own tables, or one of the views of samples.
diag::Result<void> report_operations(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                                     const request::Request& request, diag::Console& console, const ExportSink& sink) {
  const bool own = !wants_views(request) || request.sampling.records_file.has_value();
  if (own) return report_spe(file, traces, request, console);
  if (request.sampling.display.memory) {
    return diag::Error{.text = "--mem has tables of its own; --sort, filters and call trees do not apply to them",
                       .hint = "leave one of them out",
                       .code = diag::ExitCode::usage};
  }
  const bool has_times = traces.time().has_value() && traces.time()->has_zero;
  if (request.recording.time.has_value() && !has_times) {
    console.warn("warning: --time drops all SPE records: their clock cannot be related to the recording's");
  }
  return report_samples(file, {.operations = &traces}, request, console, sink);
}

// The first requested option that only traces can answer; empty if there is none.
std::string trace_option(const request::RecordingView& view) {
  return view.providers ? "--providers" : view.spans ? "--spans" : view.span.has_value() ? "--span" : "";
}

// As `wperf waits` and `perf sched` record them, with no other events.
bool is_of_switches(const perf_data::PerfFile& file) {
  return !file.attrs().empty() &&
         std::all_of(file.attrs().begin(), file.attrs().end(),
                     [](const perf_data::Event& event) { return event.name.starts_with("sched:"); });
}

}  // namespace

diag::Result<void> report_recording(const perf_data::PerfFile& file, const request::Request& request,
                                    diag::Console& console, const ExportSink& sink) {
  if (const auto traces = spe_traces(file)) return report_operations(file, *traces, request, console, sink);
  const auto run = perf_data::read_run_facts(file.features().section(perf_data::kRunFactsFeature));
  // Shown like `record` with the same options: with call stacks, in a table like those of all other recordings.
  const bool has_stacks = std::any_of(file.attrs().begin(), file.attrs().end(), [](const perf_data::Event& event) {
    return event.attributes.has(perf_data::kSampleCallchain);
  });
  const bool is_compat = run.has_value() && run->windows && !has_stacks && !wants_views(request);
  return is_compat ? show_compat(file, request, console) : report_samples(file, {}, request, console, sink);
}

namespace {

diag::Result<void> report_perf(const perf_data::PerfFile& file, const request::Request& request, diag::Console& console,
                               const ExportSink& sink) {
  if (request.recording.export_format == request::ExportFormat::perf_data) return export_file(request, console);
  if (!sink && is_of_switches(file)) {
    console.warn(
        fmt::format("note: this is a recording of context switches; `wperf waits {}` shows what threads waited for",
                    *request.data_file));
  }
  const std::string option = trace_option(request.recording);
  if (option.empty()) return report_recording(file, request, console, sink);
  return diag::Error{.text = option + " needs a Windows trace, and " + *request.data_file + " is not one",
                     .hint = {},
                     .code = diag::ExitCode::usage};
}

}  // namespace

diag::Result<void> run_report(const request::Request& asked, diag::Console& console) {
  return report_file(asked, console, {});
}

diag::Result<void> report_file(const request::Request& asked, diag::Console& console, const ExportSink& sink) {
  request::Request request = asked;
  if (request.recording.export_format.has_value() && !sink) WPERF_CHECK_OK(check_export(request, console));
  if (!request.recording.export_format.has_value() && !request.push.labels.empty()) {
    return diag::Error{.text = "--label works only with exports and with push",
                       .hint = "use it with --export csv, sql or otlp, or with `wperf push`",
                       .code = diag::ExitCode::usage};
  }
  WPERF_TRY(request.data_file, choose_recording(asked, console));
  WPERF_CHECK_OK(output::check_inputs_stay(files_of(request)));
  WPERF_TRY(const auto opened, recording::OpenedRecording::open(recording_files(request), console));
  if (opened.counts() != nullptr) return opened.refuse_counts();
  if (opened.profile() != nullptr) return report_foreign(*opened.profile(), request, console, sink);
  if (opened.perf() != nullptr) return report_perf(*opened.perf(), request, console, sink);
  const etl::Trace& trace = *opened.trace();
  return request.recording.providers ? report_providers(trace, request, console)
         : request.recording.spans   ? report_spans(trace, request, console)
                                     : report_trace(trace, request, console, sink);
}

}  // namespace wperf::commands
