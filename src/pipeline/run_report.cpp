// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/run_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/perf_data/byte_order.h"
#include "modules/symbol_folders.h"
#include "os/mapped_file.h"
#include "pipeline/outputs.h"
#include "pipeline/recorded_spe.h"
#include "pipeline/run_sample.h"
#include "pipeline/sample_lines_output.h"
#include "recording/packed_records.h"
#include "recording/recorded_code.h"
#include "recording/recorded_samples.h"
#include "report/spe_report.h"
#include "report/stack_report.h"

namespace wperf::pipeline {
namespace {

diag::Error in_file(const std::string& file, diag::Error error) {
  error.text = file + ": " + error.text;
  return error;
}

// What the file lacks, or what in it made no sense.
void tell_damage(const perf_data::PerfFile& file, diag::Console& console) {
  if (file.is_cut()) console.warn("warning: the file is shorter than it says: what is there is shown");
  if (file.is_unfinished()) console.warn("warning: the recording was not finished: what is there is shown");
}

diag::Result<void> report_spe(const perf_data::PerfFile& file, const perf_data::AuxTraces& traces,
                              const request::Request& request, diag::Console& console) {
  const request::RecordingView& view = request.recording;
  if (view.folded || view.tree || view.callers || view.callees || view.children || view.relative ||
      view.time.has_value() || !view.sort.empty() || !view.comms.empty() || !view.modules.empty() ||
      !view.pids.empty() || !view.tids.empty()) {
    return diag::Error{.text = "the views and filters of sample lists do not know SPE data, and " + *request.data_file +
                               " holds SPE data",
                       .hint = "--by, --symbol, --mem and --annotate show it",
                       .code = diag::ExitCode::usage};
  }
  if (const u64 missing = traces.missing(); missing != 0) {
    console.warn(fmt::format("warning: {} bytes of SPE data that the file names are not in it", missing));
  }
  WPERF_TRY(const profile::SpeProfile profile, read_recorded_spe(file, traces, request));
  const report::SpeOptions options{.samples = sample_report_options(request, console),
                                   .memory = request.sampling.display.memory};
  if (!silent(request.outputs)) console.out(report::spe_text(profile, nullptr, options));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::spe_json(profile, nullptr, options), console);
  return {};
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
  options.filter.comms = view.comms;
  options.filter.modules = view.modules;
  options.filter.pids = view.pids;
  options.filter.tids = view.tids;
  if (display.symbol.has_value() && !display.symbol->text.empty()) {
    options.filter.symbol = display.symbol->text;
    options.filter.open_start = display.symbol->open_start;
    options.filter.open_end = display.symbol->open_end;
  }
  options.rows = display.rows;
  options.children = view.children;
  options.relative = view.relative;
  options.tree = view.tree;
  options.callers = view.callers;
  options.callees = view.callees;
  options.verbose = request.outputs.verbose;
  options.width = console.animated() ? console.width() : 0;
  for (const request::Breakdown kind : display.by) add_breakdown(kind, options);
  return options;
}

// Folded stacks have no room for more than one event: the first that has samples.
void print_folded(const stacks::StackProfile& profile, const report::StackOptions& options, diag::Console& console) {
  const auto has_samples = [](const stacks::StackEvent& event) { return event.samples != 0; };
  const auto& events = profile.events;
  const auto first = std::find_if(events.begin(), events.end(), has_samples);
  if (first == events.end()) return console.warn("warning: no samples");
  if (std::count_if(events.begin(), events.end(), has_samples) > 1) {
    console.warn("warning: only the stacks of " + first->name + " are printed; there are other events, too");
  }
  console.document(report::folded_text(profile, static_cast<u32>(first - events.begin()), options));
}

}  // namespace

diag::Result<void> report_samples(const perf_data::PerfFile& file, const request::Request& request,
                                  diag::Console& console) {
  if (request.sampling.display.memory) {
    return diag::Error{.text = "--mem of report is for SPE data, and " + *request.data_file + " holds none",
                       .hint = {},
                       .code = diag::ExitCode::usage};
  }
  recording::WantedDetail wanted = recording::wanted_detail(request);
  std::optional<modules::DebugDownloads> downloads;
  if (request.recording.debuginfod) {
    auto servers = modules::DebugDownloads::servers_of_environment();
    if (!servers.has_value()) {
      return diag::Error{.text = "--debuginfod needs servers, and DEBUGINFOD_URLS names none",
                         .hint = "DEBUGINFOD_URLS=\"https://debuginfod.debian.net\" wperf report --debuginfod",
                         .code = diag::ExitCode::usage};
    }
    downloads.emplace(
        *std::move(servers), [&](std::string_view line) { console.out("debuginfod: " + std::string(line) + "\n"); },
        [&](std::string_view line) { console.warn(line); });
    wanted.downloads = &*downloads;
  }
  modules::FunctionFiles functions([&](std::string_view line) {
    if (request.outputs.verbose) console.warn(line);
  });
  wanted.functions = &functions;
  recording::RecordedSamples recorded = recording::read_recorded_samples(file, request, wanted);
  const report::StackOptions options = stack_options(request, console);
  if (wanted.rows) return write_sample_lines(file, recorded, options.filter, request, console);
  if (wanted.code) {
    const recording::CodeRequest code{.filter = options.filter,
                                      .most_functions = options.rows,
                                      .disassemble = request.sampling.display.disassemble,
                                      .decorated = request.sampling.display.decorated_names,
                                      .folders = modules::symbol_folders(request)};
    WPERF_CHECK_OK(recording::add_function_code(recorded.sites, code, recorded.profile));
  }
  const stacks::StackProfile& profile = recorded.profile;
  if (request.recording.folded) {
    print_folded(profile, options, console);
    if (request.outputs.json_file.has_value()) {
      write_output_file(request.outputs, *request.outputs.json_file, report::stack_json(profile, options), console);
    }
    return {};
  }
  if (!silent(request.outputs)) console.out(report::stack_text(profile, options));
  if (wants_json(request.outputs)) deliver_json(request.outputs, report::stack_json(profile, options), console);
  return {};
}

diag::Result<void> run_report(const request::Request& request, diag::Console& console) {
  if (!request.data_file.has_value()) {
    return diag::Error{.text = "report needs the name of a perf.data file",
                       .hint = "wperf report perf.data",
                       .code = diag::ExitCode::usage};
  }
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(*request.data_file));
  std::vector<std::byte> turned;
  if (perf_data::is_of_other_byte_order(mapped.bytes())) turned = perf_data::in_native_order(mapped.bytes());
  auto opened = perf_data::PerfFile::open(turned.empty() ? mapped.bytes() : perf_data::Bytes(turned));
  if (!opened.has_value()) return in_file(*request.data_file, std::move(opened).error());
  perf_data::PerfFile& file = opened.value();
  recording::UnpackedRecords unpacked;
  if (recording::has_packed_records(file)) {
    auto done = recording::unpack_records(
        file, mapped.bytes().size(), turned.empty() ? recording::PackedOrder::native : recording::PackedOrder::other);
    if (!done.has_value()) return in_file(*request.data_file, std::move(done).error());
    unpacked = std::move(done).value();
    if (!unpacked.trouble.empty()) console.warn("warning: " + unpacked.trouble + ": what came before is shown");
    file.replace_records(unpacked.bytes);
  } else {
    file.tell_what_is_passed([&mapped](u64 begin, u64 end) { mapped.release(begin, end); });
  }
  tell_damage(file, console);
  // Most recordings have no AUX data at all, and then one look at their events is enough.
  const auto has_own_pmu = [](const perf_data::Event& event) { return event.attributes.type > 5; };
  if (file.came_through_pipe() || std::any_of(file.attrs().begin(), file.attrs().end(), has_own_pmu)) {
    const auto traces = perf_data::AuxTraces::collect(file);
    if (has_spe_data(traces)) return report_spe(file, traces, request, console);
  }
  return report_samples(file, request, console);
}

}  // namespace wperf::pipeline
