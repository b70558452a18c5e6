// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/named_samples.h"

#include <fmt/format.h>

#include "code/modules/elf_caches.h"

namespace wperf::show {

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
                                                            recording::ReadOptions wanted, const NamingOptions& naming,
                                                            diag::Console& console) {
  std::optional<modules::DebugDownloads> downloads;
  if (naming.debuginfod) {
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
    if (naming.verbose) console.warn(line);
  });
  wanted.functions = &functions;
  wanted.tell_naming = [&](usize done, usize all) {
    if (console.progress_due()) console.progress(fmt::format("naming code: {} of {} files", done, all));
  };
  wanted.symbols.tell_download = download_progress(console);
  return recording::read_recorded_samples(file, wanted);
}

}  // namespace wperf::show
