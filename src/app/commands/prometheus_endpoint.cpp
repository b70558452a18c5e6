// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/prometheus_endpoint.h"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "app/commands/options_builder.h"
#include "app/measure/measure_counts.h"
#include "app/measure/warnings_only_console.h"
#include "app/output/outputs.h"
#include "ground/os/http_server.h"
#include "ground/os/process.h"
#include "views/report/count_report.h"

namespace wperf::commands {
namespace {

constexpr u64 kUsualCountMs = 1'000;
constexpr const char* kPrometheusText = "text/plain; version=0.0.4; charset=utf-8";

// The page that the counting thread writes and the server thread returns.
class MetricsPage {
 public:
  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

std::string cost_text() {
  const os::ProcessCost cost = os::process_cost();
  return fmt::format(
      "# HELP wperf_agent_cpu_seconds_total Processor time used by wperf itself.\n# TYPE wperf_agent_cpu_seconds_total "
      "counter\nwperf_agent_cpu_seconds_total {}\n# HELP wperf_agent_resident_bytes Memory used by wperf itself.\n# "
      "TYPE wperf_agent_resident_bytes gauge\nwperf_agent_resident_bytes {}\n",
      static_cast<double>(cost.cpu_ns) / 1e9, cost.resident_bytes);
}

void wait_for_interrupt(const diag::Console& console) {
  constexpr auto kStep = std::chrono::milliseconds(50);
  while (!console.interrupted()) std::this_thread::sleep_for(kStep);
}

}  // namespace

diag::Result<int> serve_prometheus(const request::Request& asked, plan::CountPlan plan, measure::OpenedMachine& machine,
                                   diag::Console& console) {
  request::Request request = asked;
  if (request.duration_ms() == 0) request.timeout = request::Duration{kUsualCountMs};
  MetricsPage page;
  WPERF_TRY(const os::HttpServer server,
            os::HttpServer::start(*request.listen, "/metrics", kPrometheusText, [&page] { return page.text(); }));
  if (!output::silent(request.outputs)) {
    console.out(fmt::format("serving counts at http://{}/metrics until Ctrl-C\n", server.address()));
  }
  if (server.is_for_others())
    console.warn("note: anyone who can reach that address over the network can read the counts");
  const measure::MeasureOptions options = measure_options(request);
  measure::WarningsOnlyConsole quiet(console);  // otherwise the messages of each count would fill the screen
  measure::SpawnedProgram program(machine.device->programs());
  WPERF_CHECK_OK(measure::start_program(options, plan, machine, program, quiet));
  report::CountSums sums;
  answers::CountProfile last;
  u64 counts = 0;
  while (!console.interrupted() && !program.ended()) {
    WPERF_TRY(measure::MeasuredCount count, measure::measure_count(options, plan, machine, program, quiet));
    sums.add(count.profile);
    last = std::move(count.profile);
    page.set(report::count_prometheus(last) + sums.text() + cost_text());
    if (count.error.has_value()) return *count.error;
    if (++counts != request.timeline.count) continue;
    wait_for_interrupt(console);
    break;
  }
  if (!output::silent(request.outputs)) {
    console.out(fmt::format("{} counts, read {} times\n", counts, server.served()));
  }
  if (output::wants_json(request.outputs)) {
    WPERF_CHECK_OK(output::deliver_json(request.outputs, report::count_json(last), console));
  }
  if (!request.program.has_value() || !program.ended()) return 0;
  return measure::status_of_program(request, machine, machine.device->programs().process(program.pid()), console);
}

}  // namespace wperf::commands
