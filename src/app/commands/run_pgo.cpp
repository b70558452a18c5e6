// SPDX-License-Identifier: BSD-3-Clause
// `pgo`: makes a sample profile for a compiler from recordings, and judges it.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "analysis/pgo/chosen_binary.h"
#include "analysis/pgo/made_profile.h"
#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/options_builder.h"
#include "app/output/outputs.h"
#include "app/show/pgo_recordings.h"
#include "code/modules/symbol_folders.h"
#include "ground/os/files.h"
#include "ground/os/output_file.h"
#include "views/report/pgo_report.h"

namespace wperf::commands {
namespace {

diag::Result<void> check_pgo_options(const request::Request& request) {
  if (!request.data_file.has_value()) {
    return diag::usage_error("pgo needs a recording", "wperf pgo perf.data --format llvm -o FILE");
  }
  if (!request.pgo.format.has_value()) {
    return diag::usage_error("pgo needs --format", request::kPgoFormatHint);
  }
  if (!request.outputs.json_file.has_value()) {
    return diag::usage_error("pgo needs -o FILE for the profile",
                             "wperf prints its judgement to stdout, with --json as JSON");
  }
  return {};
}

// The places to search: first the named binary, even if it had another name while it was recorded, then its folder.
std::vector<std::string> places_of(const std::optional<pgo::NamedBinary>& binary) {
  if (!binary.has_value() || binary->path.empty()) return {};
  const std::string folder = binary->path.substr(0, binary->path.size() - binary->name.size());
  return {binary->path, folder.empty() ? "." : folder};
}

diag::Result<pgo::ProfileCounts> read_counts(const request::Request& request,
                                             const std::vector<std::string>& first_places, diag::Console& console) {
  pgo::ProfileCounts counts;
  show::ReportOptions options = report_options(request, console);
  options.read.symbols.first_places = first_places;
  // This format needs no code files, and has call stacks.
  options.read.rvas = options.read.callers = request.pgo.format == request::PgoFormat::spt;
  options.read.files_with_lines = request::has_lines(*request.pgo.format);
  std::vector<std::string> files = {*request.data_file};
  files.insert(files.end(), request.further_files.begin(), request.further_files.end());
  for (const std::string& file : files) {
    options.file = file;
    WPERF_CHECK_OK(show::add_pgo_recording(options, counts, console));
  }
  return counts;
}

// Checks that no module's file would be overwritten. These files are found through the recording, so check_files() does
// not have them.
diag::Result<void> check_modules_stay(const pgo::ProfileCounts& counts, const std::string& output) {
  for (const pgo::Binary& binary : counts.binaries) {
    if (!os::is_same_file(output, binary.path)) continue;
    return diag::usage_error(fmt::format("-o would overwrite {}, which was recorded", binary.path),
                             "use a different file for the profile");
  }
  return {};
}

diag::Result<void> write_profile(const std::string& path, const std::string& bytes) {
  WPERF_TRY(os::OutputFile written, os::OutputFile::create(path));
  written.write(bytes);
  return written.close();
}

}  // namespace

diag::Result<void> run_pgo(const request::Request& asked, diag::Console& console) {
  WPERF_CHECK_OK(check_pgo_options(asked));
  request::Request request = asked;
  pgo::ProfileOrder order;
  order.format = *request.pgo.format;
  order.file = output::output_path(request.outputs, *std::exchange(request.outputs.json_file, std::nullopt));
  std::optional<pgo::NamedBinary> named;
  if (request.pgo.binary.has_value()) {
    WPERF_TRY(named, pgo::open_named_binary(*request.pgo.binary));
    order.binary = named->path;
  }
  modules::SymbolOptions symbols = modules::symbol_options(request);
  symbols.first_places = places_of(named);
  order.folders = modules::symbol_folders(symbols);
  WPERF_TRY(const pgo::ProfileCounts counts, read_counts(request, symbols.first_places, console));
  WPERF_CHECK_OK(check_modules_stay(counts, order.file));
  const pgo::Binary* binary = nullptr;
  if (order.format != request::PgoFormat::spt || named.has_value()) {
    WPERF_TRY(binary, pgo::choose_binary(counts, pgo::chosen_events(counts), named));
    if (binary->build_id.empty() && named.has_value()) {
      console.warn(fmt::format("warning: the recording does not say which build of {} ran", binary->name));
    }
  }
  WPERF_TRY(const pgo::MadeProfile profile, pgo::make_profile(counts, binary, order));
  WPERF_CHECK_OK(write_profile(order.file, profile.bytes));
  return output::show(
      request.outputs, console, [&] { return report::pgo_text(profile.facts); },
      [&] { return report::pgo_json(profile.facts); });
}

}  // namespace wperf::commands
