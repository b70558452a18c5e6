// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/options_builder.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "app/commands/destinations.h"
#include "code/modules/symbol_folders.h"
#include "ground/os/files.h"
#include "ground/os/process.h"
#include "ground/text/shell_words.h"
#include "machine/plan/sample_plan.h"
#include "model/readings/samples.h"
#include "views/compat/code_and_sources.h"

namespace wperf::commands {
namespace {

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
      return options.tables.push_back({SortKey::process, SortKey::pid});
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
  if (view.time.has_value()) options.part = {.from = view.time->from, .to = view.time->to};
  if (view.parallelism.has_value()) {
    options.part.fewest_threads = view.parallelism->from;
    options.part.most_threads = view.parallelism->to;
  }
  options.rows = request.sampling.display_rows;
  options.children = view.children;
  options.filter.in_callers = view.children;
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

// Are views requested that are not in WindowsPerf's text and JSON?
bool wants_views(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  return plan::wanted_call_stacks(request.sampling, view).wanted() || view.time.has_value() || !view.sort.empty() ||
         !view.comms.empty() || !view.modules.empty() || !view.pids.empty() || !view.tids.empty() || view.folded ||
         view.tree || view.callers || view.callees || view.children || view.relative || view.inlined ||
         view.wants_page() || view.needs_switches() || view.export_format.has_value() ||
         request.outputs.brief.has_value() || request.sampling.records_file.has_value();
}

// The first given option that does not apply to a profile of another program; empty if every option applies.
std::string_view unanswered(const request::Request& request) {
  const request::SampleDisplay& display = request.sampling.display;
  if (display.disassemble) return "--disassemble";
  if (display.annotate) return "--annotate";
  if (display.memory) return "--mem";
  if (request.sampling.records_file.has_value()) return "--records";
  if (request.recording.providers) return "--providers";
  if (request.recording.branches) return "--branches";
  if (request.recording.latency) return "--latency";
  if (request.recording.parallelism.has_value()) return "--parallelism";
  if (request.recording.spans) return "--spans";
  if (request.recording.span.has_value()) return "--span";
  if (request.recording.idle) return "--idle";
  if (request.recording.debuginfod) return "--debuginfod";
  if (request.sampling.symbol_path.has_value()) return "--symbol-path";
  const auto wants_kind = [](request::SortBy key) { return key == request::SortBy::core_kind; };
  const auto& sort = request.recording.sort;
  return std::any_of(sort.begin(), sort.end(), wants_kind) ? "--sort cputype" : "";
}

// All views of samples can show waits: a wait becomes a sample weighted by its nanoseconds.
bool shows_waits_as_samples(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  const request::SampleDisplay& display = request.sampling.display;
  return view.tree || view.callers || view.callees || view.children || view.folded || !view.sort.empty() ||
         !view.modules.empty() || display.symbol.has_value() || view.wants_page() || !display.by.empty() ||
         display.annotate || display.timeline_ms.has_value() || request.sampling.records_file.has_value();
}

}  // namespace

brief::Commands brief_commands(const request::Request& request) {
  std::string recording = kept_recording(request);
  if (recording.empty() && request.data_file_is_kept) recording = request.data_file.value_or("");
  // wperf's own options come before the program.
  std::vector<std::string> words = {"wperf"}, program = request.arguments;
  const auto dashes = std::find(program.begin(), program.end(), "--");
  std::copy_if(program.begin(), dashes, std::back_inserter(words),
               [](const std::string& word) { return word != "--brief" && !word.starts_with("--brief="); });
  program.erase(program.begin(), dashes);
  const auto line_of = [&](std::vector<std::string> line) {
    line.insert(line.end(), program.begin(), program.end());
    return text::quoted_words(line);
  };
  std::vector<std::string> keeping = words;
  keeping.insert(keeping.end(), {"-o", "recording.data"});
  std::vector<std::string> with_functions = words;
  with_functions.insert(with_functions.end(), {"--record", "run"});
  const bool lacks_functions = request.command == request::Command::bench && !request.comparison.record_as.has_value();
  return {.recording = recording.empty() ? std::string() : text::quoted_word(recording),
          .program = request.program.has_value() && program.size() > 1
                         ? text::quoted_words(std::span(program).subspan(1))
                         : std::string(),
          .all = line_of(std::move(words)),
          .keeping = line_of(std::move(keeping)),
          .with_functions = lacks_functions ? line_of(std::move(with_functions)) : std::string()};
}

show::ReportOptions report_options(const request::Request& request, const diag::Console& console) {
  const request::RecordingView& view = request.recording;
  show::ReportOptions options{
      .file = request.data_file.value_or(""),
      .is_kept = request.data_file_is_kept,
      .outputs = request.outputs,
      .read = read_options(request),
      .display = request.sampling.display,
      .tables = stack_options(request, console),
      .shows_sources = request.sampling.display.annotate && console.animated(),
      .wants_views = wants_views(request),
      .folded = view.folded,
      .branches = view.branches,
      .pages = {.html_file = view.html_file, .svg_file = view.svg_file, .all_samples = view.html_all},
      .records_file = request.sampling.records_file,
      .parallel = {.by_time = view.latency, .running = view.parallelism},
      .naming = naming_options(request),
      .trace = {.idle = view.idle,
                .cores = view.trace_cores,
                .providers = view.providers,
                .spans = view.spans,
                .span = view.span},
      .refused_of_profile = unanswered(request)};
  if (request.outputs.brief.has_value()) options.brief = brief_commands(request);
  if (view.export_format.has_value()) {
    options.exported = show::ExportOptions{.format = *view.export_format, .labels = request.push.labels};
  }
  return options;
}

show::ComparisonOptions comparison_options(const request::Request& request, const diag::Console& console) {
  show::ComparisonOptions options{.report = report_options(request, console),
                                  .asked = request.comparison,
                                  .prints_text = prints_text(request),
                                  .stdout_is_document = stdout_is_document(request)};
  recording::ReadOptions& read = options.report.read;
  const bool lines = read.lines;
  read = plain_read_options(request);
  read.lines = lines;
  read.inlined = read.signatures = true;
  return options;
}

show::WaitOptions wait_options(const request::Request& request, show::ReportOptions& options) {
  const request::RecordingView& view = request.recording;
  show::WaitOptions waits{.on_off = request.waits.on_off, .as_samples = shows_waits_as_samples(request)};
  waits.chosen.processes.insert(view.pids.begin(), view.pids.end());
  waits.chosen.threads.insert(view.tids.begin(), view.tids.end());
  waits.chosen.names.insert(view.comms.begin(), view.comms.end());
  waits.chosen.critical_path = request.waits.critical_path;
  waits.chosen.min_ns = request.waits.min_ns;
  if (view.time.has_value()) {
    waits.chosen.timeline = true;
    if (view.time->from.has_value()) waits.chosen.from = static_cast<u64>(*view.time->from * 1e9);
    if (view.time->to.has_value()) waits.chosen.to = static_cast<u64>(*view.time->to * 1e9);
  }
  if (!waits.on_off) return waits;
  if (!view.folded && !view.callers && !view.callees) options.tables.tree = true;
  options.tables.relative = true;
  return waits;
}

request::Request shown_request(const request::Request& request, const measure::Recording& recording) {
  // A kept recording is shown with its name, as in `report`.
  request::Request shown = request;
  const std::string kept = kept_recording(request);
  if (os::file_exists(kept)) shown.data_file = kept;
  if (recording.trace.empty()) return shown;
  shown.data_file = recording.trace;
  shown.data_file_is_kept = !kept.empty();
  // A trace has all programs, so only the sampled program and its child processes are shown.
  if (recording.sampled.pid != 0 && !request.sampling.whole_machine && shown.recording.pids.empty()) {
    const std::set<u32> family = readings::with_children(recording.sampled.pid, recording.trace_children);
    shown.recording.pids.assign(family.begin(), family.end());
  }
  const request::Sampling& asked = request.sampling;
  if (!request.cores.empty() || (!asked.cores.empty() && !asked.all_cores)) {
    shown.recording.trace_cores = recording.plan.cores;
  }
  return shown;
}

recording::RecordingFiles recording_files(const request::Request& request) {
  return {.name = *request.data_file, .further = request.further_files};
}

recording::ReadOptions plain_read_options(const request::Request& request) {
  recording::ReadOptions wanted;
  if (request.data_file_is_kept) wanted.file = request.data_file.value_or("");
  wanted.time = request.recording.time;
  wanted.python_lines = request.recording.python_lines;
  wanted.symbols = modules::symbol_options(request);
  return wanted;
}

recording::ReadOptions read_options(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  recording::ReadOptions wanted = plain_read_options(request);
  // With --annotate, lines also show the code that they call.
  wanted.callers = view.children || view.tree || view.callers || view.callees || view.folded ||
                   request.sampling.display.annotate || request.sampling.records_file.has_value();
  const auto sorts_by = [&](request::SortBy key) {
    return std::find(view.sort.begin(), view.sort.end(), key) != view.sort.end();
  };
  wanted.lines = sorts_by(request::SortBy::line);
  wanted.inlined = view.inlined;
  wanted.signatures = !request.sampling.display.decorated_names;
  wanted.code = wanted.code_lines = request.sampling.display.annotate;
  wanted.rows = request.sampling.records_file.has_value();
  wanted.slice_ns = u64{request.sampling.display.timeline_ms.value_or(0)} * 1'000'000;
  const auto& by = request.sampling.display.by;
  wanted.core_kinds = sorts_by(request::SortBy::core_kind);
  wanted.cores = wanted.core_kinds || sorts_by(request::SortBy::core) ||
                 std::find(by.begin(), by.end(), request::Breakdown::core) != by.end();
  wanted.callers =
      wanted.callers || view.wants_page() || std::find(by.begin(), by.end(), request::Breakdown::caller) != by.end();
  if (view.html_file.has_value()) {
    wanted.cores = true;
    wanted.sample_times = view.html_all;
    if (wanted.slice_ns == 0) wanted.slice_ns = request::kPageSliceNs;
  }
  return wanted;
}

show::NamingOptions naming_options(const request::Request& request) {
  return {.debuginfod = request.recording.debuginfod, .verbose = request.outputs.verbose};
}

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

measure::MeasureOptions measure_options(const request::Request& request) {
  return {.wanted = request,
          .view = request.recording,
          .arguments = request.arguments,
          .kept_file = kept_recording(request),
          .output_folder = request.outputs.directory,
          .verbose = request.outputs.verbose,
          .stdout_is_document = stdout_is_document(request),
          .needs_program = request.push.url.has_value(),
          .live_waits = request.live.waits};
}

}  // namespace wperf::commands
