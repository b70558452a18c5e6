// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/counters.h"

#include <gtest/gtest.h>

#include "machine/plan/plan.h"
#include "machine/plan/test_machine.h"

namespace wperf::plan {
namespace {

TEST(Counters, OwnerOfReservedCountersIsNamed) {
  Capabilities machine = test_machine();
  EXPECT_TRUE(check_counters_answer(machine).has_value());
  machine.why_no_counters = "somebody keeps them";
  machine.counters_total[0] = machine.counters_free[0] = machine.cycle_counters = 0;
  const EventCatalog catalog = catalog_of(test_machine());
  EXPECT_EQ(check_class_available(EventClass::core, machine).error().text, "somebody keeps them");
  EXPECT_EQ(check_sampled_events(1, machine).error().text, "somebody keeps them");
  EventCatalog own = catalog;
  EXPECT_EQ(make_count_plan({}, machine, own).error().text, "somebody keeps them");
}

TEST(Counters, UnitsThatOnlyAdministratorsMaySetUp) {
  Capabilities machine = test_machine();
  machine.named_clusters = 4;
  machine.named_dmc_channels = 2;
  EXPECT_TRUE(check_class_available(EventClass::dmc_clk, machine).has_value());
  machine.dmc_channels = machine.cluster_count = 0;
  machine.counters_total = machine.counters_free = {6, 0, 0, 0};
  for (const EventClass event_class : {EventClass::dsu, EventClass::dmc_clk, EventClass::dmc_clkdiv2}) {
    const auto checked = check_class_available(event_class, machine);
    ASSERT_FALSE(checked.has_value());
    EXPECT_NE(checked.error().text.find("only administrators may count in the"), std::string::npos);
    EXPECT_EQ(checked.error().hint, "run wperf as administrator");
  }
  EXPECT_TRUE(check_class_available(EventClass::core, machine).has_value());
  request::Measurement request;
  request.dmc_channel = 1;
  EventCatalog catalog = catalog_of(machine);
  EXPECT_NE(make_count_plan(request, machine, catalog).error().text.find("only administrators"), std::string::npos);
  machine.foreign_driver = "WindowsPerf's";  // decides whether the driver finds the DMCs itself
  EXPECT_NE(check_class_available(EventClass::dsu, machine).error().text.find("has no"), std::string::npos);
  machine.foreign_driver.clear();
  machine.named_clusters = machine.named_dmc_channels = 0;
  EXPECT_NE(check_class_available(EventClass::dsu, machine).error().text.find("has no"), std::string::npos);
}

TEST(Counters, SamplingInAVirtualMachineIsForWhoForcesIt) {
  EXPECT_TRUE(check_sampling_in_virtual_machine(false, false).has_value());
  EXPECT_TRUE(check_sampling_in_virtual_machine(true, true).has_value());
  const auto refused = check_sampling_in_virtual_machine(true, false);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().hint.find("--force-lock"), std::string::npos);
}

}  // namespace
}  // namespace wperf::plan
