// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/commands.h"
#include "app/commands/options_builder.h"
#include "app/live/worker.h"
#include "app/measure/opened_machine.h"
#include "app/output/outputs.h"
#include "views/report/top_report.h"

namespace wperf::commands {
namespace {

// If the user names no cores, all cores are measured; wperf's driver needs a list of them.
request::Request with_all_cores(request::Request request) {
  if (request.cores.empty() && request.sampling.cores.empty()) request.sampling.all_cores = true;
  if (!request.pe_file.has_value()) request.pe_file = request.image_name;
  request.sampling.whole_machine =
      request.sampling.whole_machine || (!request.pe_file.has_value() && !request.of_program());
  return request;
}

live::LiveOptions live_options(const request::Request& asked) {
  const request::Request request = with_all_cores(asked);
  return {.measured = measure_options(request),
          .view = request.live,
          .read = read_options(request),
          .outputs = request.outputs};
}

diag::Result<int> look_once(live::LiveSession& session, diag::Console& console) {
  const live::LiveOptions& chosen = session.options();
  WPERF_CHECK_OK(session.start());
  WPERF_TRY(const measure::LiveLook look, session.next(chosen.view.look_ms, [] {}));
  WPERF_TRY(const live::LiveSession::LookProfile seen, session.look_profile(look));
  const stacks::StackProfile& profile = seen.profile;
  const report::TopFacts facts{.of = session.of(),
                               .seconds = static_cast<double>(look.end_ns - look.begin_ns) / 1e9,
                               .has_ended = look.end == measure::WaitEnd::program_ended,
                               .waits = chosen.view.waits ? &seen.waits : nullptr,
                               .counters = chosen.view.counters.has_value() ? &seen.counters : nullptr};
  report::StackOptions options;
  options.filter = seen.filter;
  options.rows = chosen.measured.wanted.sampling.display_rows;
  options.width = console.animated() ? console.width() : 0;
  options.coloured = console.coloured();
  options.tables = {{stacks::SortKey::comm, stacks::SortKey::tid}, {stacks::SortKey::core}};
  WPERF_CHECK_OK(output::show(
      chosen.outputs, console, [&] { return report::top_text(profile, facts, options); },
      [&] { return report::top_json(profile, facts, options); }));
  if (look.error.has_value()) return *look.error;
  return session.status(look);
}

}  // namespace

diag::Result<int> run_top(const request::Request& request, diag::Console& console) {
  if (request.sampling.spe.has_value()) {
    return diag::usage_error("top samples events; it does not support SPE", "use `wperf record -e arm_spe_0//`");
  }
  WPERF_TRY(measure::OpenedMachine machine, measure::open_machine(request, console));
  if (request.live.once) {
    live::LiveSession session(live_options(request), std::move(machine), console);
    return look_once(session, console);
  }
  live::WorkerConsole worker_console(console);
  live::LiveSession session(live_options(request), std::move(machine), worker_console);
  return live::show_live(session, worker_console, console);
}

}  // namespace wperf::commands
