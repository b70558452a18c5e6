// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/commands.h"
#include "app/commands/live_screen.h"
#include "app/commands/run_report.h"
#include "app/measure/opened_machine.h"
#include "app/output/outputs.h"
#include "views/report/top_report.h"

namespace wperf::commands {
namespace {

diag::Result<int> look_once(LiveLook& look, diag::Console& console) {
  const request::Request& request = look.request();
  WPERF_CHECK_OK(look.start());
  WPERF_TRY(const measure::LiveStretch stretch, look.next(request.live.period_ms, [] {}));
  WPERF_TRY(const LiveLook::Seen seen, look.seen(stretch));
  const stacks::StackProfile& profile = seen.profile;
  const report::LookFacts facts{.of = look.of(),
                                .seconds = static_cast<double>(stretch.end_ns - stretch.begin_ns) / 1e9,
                                .has_ended = stretch.end == measure::WaitEnd::program_ended,
                                .waits = request.live.waits ? &seen.waits : nullptr,
                                .counters = request.live.counters.has_value() ? &seen.counters : nullptr};
  report::StackOptions options;
  options.filter = look.filter();
  options.rows = request.sampling.display.rows;
  options.width = console.animated() ? console.width() : 0;
  options.coloured = console.coloured();
  options.tables = {{stacks::SortKey::comm, stacks::SortKey::tid}, {stacks::SortKey::core}};
  WPERF_CHECK_OK(output::show(
      request.outputs, console, [&] { return report::top_text(profile, facts, options); },
      [&] { return report::top_json(profile, facts, options); }));
  if (stretch.trouble.has_value()) return *stretch.trouble;
  return look.status(stretch);
}

}  // namespace

diag::Result<int> run_top(const request::Request& request, diag::Console& console) {
  if (request.sampling.spe.has_value()) {
    return diag::Error{.text = "top samples events; it does not support SPE",
                       .hint = "use `wperf record -e arm_spe_0//`",
                       .code = diag::ExitCode::usage};
  }
  WPERF_TRY(measure::Machine machine, measure::open_machine(request, console));
  if (request.live.once) {
    LiveLook look(request, std::move(machine), console);
    return look_once(look, console);
  }
  WorkerConsole worker_console(console);
  LiveLook look(request, std::move(machine), worker_console);
  return show_live(look, worker_console, console);
}

}  // namespace wperf::commands
