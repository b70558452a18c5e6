// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/breakdown_list.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"

namespace wperf::request {
namespace {

using List = std::vector<Breakdown>;

TEST(BreakdownList, EveryNameOnceInTheOrderOfTheText) {
  EXPECT_EQ(parse_breakdown_list("caller").value(), List{Breakdown::caller});
  EXPECT_EQ(parse_breakdown_list("core,process,thread,module,caller").value(),
            (List{Breakdown::core, Breakdown::process, Breakdown::thread, Breakdown::module, Breakdown::caller}));
  EXPECT_EQ(parse_breakdown_list("module,core,module").value(), (List{Breakdown::module, Breakdown::core}));
}

TEST(BreakdownList, OtherWords) {
  for (const char* bad : {"", ",", "line", "Core", "core,", " core", "core;module"}) {
    const auto result = parse_breakdown_list(bad);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().code, diag::ExitCode::usage);
  }
  EXPECT_TRUE(diag::names_all(parse_breakdown_list("core,line").error().text, {"'line'", "--by"}));
}

}  // namespace
}  // namespace wperf::request
