// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/default_events.h"

#include <gtest/gtest.h>

#include "machine/plan/test_machine.h"

namespace wperf::plan {
namespace {

std::string names_on(const Capabilities& machine) {
  std::string names;
  for (const request::EventToken& token : default_events(machine).tokens)
    names += (names.empty() ? "" : " ") + token.text;
  return names;
}

TEST(DefaultEvents, DriverDefaultsFitInCounters) {
  EXPECT_EQ(names_on(test_machine()), "inst_retired br_retired br_mis_pred_retired l1d_cache_refill l2d_cache_refill");
  EXPECT_EQ(names_on(test_machine(kNeoverseN1, 2)), "inst_retired br_retired");
  EXPECT_EQ(names_on(test_machine(kUnknownCpu, 1)), "inst_retired");
}

TEST(DefaultEvents, EachKindOfCoreKnowsThem) {
  for (usize i = 0; i < pmu::product_count(); ++i)
    EXPECT_TRUE(pmu::product_at(i).find_event("inst_retired")) << pmu::product_at(i).name();
  Capabilities hybrid = test_machine(kNeoverseN1);
  hybrid.core_midr = {kNeoverseN1, 0x410fd030};  // Cortex-A53
  EXPECT_EQ(kinds_of_cores(hybrid).size(), 2U);
  for (const request::EventToken& token : default_events(hybrid).tokens) {
    for (const pmu::Product kind : kinds_of_cores(hybrid))
      EXPECT_TRUE(kind.find_event(token.text)) << kind.name() << ' ' << token.text;
  }
}

}  // namespace
}  // namespace wperf::plan
