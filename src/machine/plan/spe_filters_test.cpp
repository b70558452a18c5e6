// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/spe_filters.h"

#include <gtest/gtest.h>

#include "machine/plan/test_machine.h"

namespace wperf::plan {
namespace {

std::string filter_error(const request::SpeList& list, u64 id_aa64dfr0 = u64{1} << 32) {
  Capabilities machine = test_machine();
  machine.id_aa64dfr0 = id_aa64dfr0;
  const auto result = check_spe(list, machine);
  if (result.has_value()) return "no error";
  EXPECT_TRUE(result.error().verbatim);
  return result.error().text;
}

TEST(SpeFilters, NamesAliasesAndRanges) {
  EXPECT_EQ(filter_error({}), "no error");
  EXPECT_EQ(filter_error({{{"load_filter", 1}, {"st", 1}, {"b", 0}, {"ts_enable", 1}, {"min", 65535}}}), "no error");
  for (const char* name : {"load_filter", "ld", "store_filter", "st", "branch_filter", "b", "ts_enable", "ts"}) {
    EXPECT_EQ(filter_error({{{name, 2}}}), "SPE filter '" + std::string(name) + "' value out of range, use: 0-1");
  }
  EXPECT_EQ(filter_error({{{"min_latency", 65536}}}), "SPE filter 'min_latency' value out of range, use: 0-65535");
  for (const char* name : {"Jitter", "LD", "load", "l", ""}) {
    EXPECT_EQ(filter_error({{{name, 1}}}),
              "SPE filter '" + std::string(name) +
                  "' unknown, use: load_filter, store_filter, branch_filter, ts_enable, min_latency, interval, jitter, "
                  "event_filter, inv_event_filter, pa_enable");
  }
}

TEST(SpeFilters, TheHardwareThenTheNamesThenTheValues) {
  EXPECT_EQ(filter_error({{{"ld", 7}, {"x", 1}}}),
            "SPE filter 'x' unknown, use: load_filter, store_filter, branch_filter, ts_enable, min_latency, interval, "
            "jitter, "
            "event_filter, inv_event_filter, pa_enable");
  EXPECT_EQ(filter_error({{{"ld", 7}, {"x", 1}}}, 0), "SPE is not supported by your hardware: not implemented");
  EXPECT_EQ(filter_error({}, ~(u64{0xf} << 32)), "SPE is not supported by your hardware: not implemented");
}

}  // namespace
}  // namespace wperf::plan
