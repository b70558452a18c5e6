// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <utility>
#include <vector>

#include "app/bottleneck/bottleneck_search.h"
#include "app/commands/commands.h"
#include "app/commands/options_builder.h"
#include "app/measure/opened_machine.h"
#include "app/measure/warnings_only_console.h"
#include "app/output/outputs.h"
#include "app/show/profile_views.h"
#include "ground/os/process.h"
#include "views/html/counter_pages.h"
#include "views/report/topdown_report.h"

namespace wperf::commands {
namespace {

diag::Result<void> check_request(const request::Measurement& wanted) {
  if (wanted.program.has_value() || wanted.duration_ms() != 0) return {};
  return diag::usage_error("topdown needs to know when a run ends",
                           "wperf topdown -- PROGRAM, or set the length of each run with --timeout");
}

bottleneck::SearchOptions search_options(const request::Request& asked, diag::Console& console) {
  request::Request counted = asked;
  counted.command = request::Command::stat;
  request::Request sampled = asked;
  sampled.command = request::Command::record;
  sampled.outputs = {};
  sampled.outputs.quiet = true;
  bottleneck::SearchOptions options{.counting = measure_options(counted),
                                    .sampling = measure_options(sampled),
                                    .view = asked.topdown,
                                    .read = plain_read_options(sampled),
                                    .naming = naming_options(sampled),
                                    .memory = report_options(sampled, measure::WarningsOnlyConsole(console))};
  options.read.lines = true;
  options.memory.display.memory = true;
  return options;
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
  if (outputs.brief.has_value())
    output::deliver_brief(outputs, brief::of_topdown(found, brief_commands(request)), console);
  diag::FirstFailure written;
  if (request.recording.html_file.has_value()) {
    written.add(show::write_page(*request.recording.html_file, html::topdown_page(found), outputs, console));
  }
  if (output::wants_json(outputs)) written.add(output::deliver_json(outputs, report::topdown_json(found), console));
  return std::move(written).result();
}

}  // namespace

diag::Result<int> run_topdown(const request::Request& request, diag::Console& console) {
  WPERF_CHECK_OK(check_request(request));
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(request, console));
  WPERF_TRY(const std::vector<report::Topdown> found,
            bottleneck::find_bottlenecks(search_options(request, console), machine, console));
  os::release_interrupt();
  WPERF_CHECK_OK(show(request, found, console));
  return 0;
}

}  // namespace wperf::commands
