// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/test_report.h"

namespace wperf::measure {

answers::TestReport test_report_of(const plan::CountPlan& plan, const plan::Capabilities& machine) {
  answers::TestReport test;
  test.midr = machine.midr;
  test.id_aa64dfr0 = machine.id_aa64dfr0;
  test.pmsidr = machine.pmsidr;
  test.pmbidr = machine.pmbidr;
  test.core_count = machine.core_count;
  test.counters_total = machine.counters_total[index_of(EventClass::core)];
  test.counters_free = machine.counters_free;
  test.counters_fixed[index_of(EventClass::core)] = machine.cycle_counters;
  test.counter_map = machine.counter_map;
  test.device_id = machine.device_id;
  test.period_max_ms = machine.period_max_ms;
  test.period_min_ms = machine.period_min_ms;
  if (machine.kernel != nullptr) {
    test.sampling_interval = machine.kernel->usual_interval();
    for (plan::KernelEvents::Word& fact : machine.kernel->session_facts())
      test.session.emplace_back(std::move(fact.name), std::move(fact.kind));
  }
  for (const EventClass event_class : kEventClasses) {
    const usize i = index_of(event_class);
    test.classes[i] = machine.counters_total[i] > 0;
    test.requested[i] = !plan.schedules[i].entries.empty();
    for (const plan::Entry& entry : plan.schedules[i].entries) {
      test.schedules[i].push_back({.code = entry.code, .note = plan::note_of(entry)});
    }
  }
  return test;
}

diag::Result<answers::TestReport> measure_test(const request::Measurement& wanted, OpenedMachine& machine) {
  WPERF_TRY(const plan::CountPlan plan, plan::make_count_plan(wanted, machine.capabilities, machine.catalog));
  answers::TestReport test = test_report_of(plan, machine.capabilities);
  test.period_ms = plan::configured_period_ms(wanted.config, machine.capabilities);
  return test;
}

}  // namespace wperf::measure
