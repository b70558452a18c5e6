// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/read_options.h"

#include <algorithm>

#include "code/modules/symbol_folders.h"
#include "views/compat/code_and_sources.h"

namespace wperf::commands {

recording::RecordingFiles recording_files(const request::Request& request) {
  return {.name = *request.data_file, .further = request.further_files};
}

recording::ReadOptions plain_read_options(const request::Request& request) {
  recording::ReadOptions wanted;
  if (request.data_file_is_kept) wanted.file = request.data_file.value_or("");
  wanted.time = request.recording.time;
  wanted.symbols = modules::symbol_options(request);
  return wanted;
}

recording::ReadOptions read_options(const request::Request& request) {
  const request::RecordingView& view = request.recording;
  recording::ReadOptions wanted = plain_read_options(request);
  // Lines are shown with the code that they call.
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

}  // namespace wperf::commands
