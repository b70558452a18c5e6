// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/read_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "code/modules/elf_caches.h"
#include "code/modules/symbol_folders.h"

namespace wperf::commands {

recording::RecordingFiles recording_files(const request::Request& request) {
  return {.name = *request.data_file, .further = request.further_files};
}

recording::ReadOptions plain_read_options(const request::Request& request) {
  recording::ReadOptions wanted;
  if (request.data_file_is_kept) wanted.file = request.data_file.value_or("");
  if (const auto& time = request.recording.time; time.has_value()) {
    wanted.time = recording::TimeLimits{.from = time->from, .to = time->to};
  }
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

modules::DownloadProgress download_progress(diag::Console& console) {
  if (!console.shows_progress()) return {};
  return [&console](std::string_view address, usize received) {
    if (!console.progress_due()) return;
    constexpr usize kMegabyte = 1'000'000;
    const std::string size =
        received < kMegabyte ? std::string() : fmt::format("{:.1f} MB of ", static_cast<double>(received) / kMegabyte);
    console.progress(fmt::format("downloading {}{}", size, address));
  };
}

diag::Result<recording::RecordedSamples> read_named_samples(const perf_data::PerfFile& file,
                                                            const request::Request& request,
                                                            recording::ReadOptions wanted, diag::Console& console) {
  std::optional<modules::DebugDownloads> downloads;
  if (request.recording.debuginfod) {
    auto servers = modules::DebugDownloads::servers_of_environment();
    if (!servers.has_value()) {
      return diag::Error{.text = "--debuginfod needs servers, and DEBUGINFOD_URLS is not set",
                         .hint = "DEBUGINFOD_URLS=\"https://debuginfod.debian.net\" wperf report --debuginfod",
                         .code = diag::ExitCode::usage};
    }
    downloads.emplace(
        *std::move(servers),
        [&](std::string_view line) {
          console.out("debuginfod: " + std::string(line) + "\n");
          console.progress("waiting for " + std::string(line));
        },
        [&](std::string_view line) { console.warn(line); });
    wanted.downloads = &*downloads;
  }
  modules::FunctionFiles functions([&](std::string_view line) {
    if (request.outputs.verbose) console.warn(line);
  });
  wanted.functions = &functions;
  wanted.tell_naming = [&](usize done, usize all) {
    if (console.progress_due()) console.progress(fmt::format("naming code: {} of {} files", done, all));
  };
  wanted.symbols.tell_download = download_progress(console);
  return recording::read_recorded_samples(file, wanted);
}

}  // namespace wperf::commands
