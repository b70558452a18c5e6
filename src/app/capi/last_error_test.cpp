// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/last_error.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace wperf::capi {
namespace {

TEST(LastError, TellsTheSentenceAndTheWayOut) {
  set_last_error(diag::Error{.text = "no such core", .hint = "this machine has 8"});
  EXPECT_STREQ(last_error(), "no such core (this machine has 8)");
  set_last_error(diag::contract_error("error: no device"));
  EXPECT_STREQ(last_error(), "no device");
  clear_last_error();
  EXPECT_STREQ(last_error(), "");
}

TEST(LastError, ALongOneIsCutBetweenCharacters) {
  std::string text(1022, 'a');
  set_last_error(text + "\xc3\xa4");
  EXPECT_EQ(last_error(), text);
  set_last_error(text + "bc");
  EXPECT_EQ(last_error(), text + "b");
}

TEST(LastError, EveryThreadHasItsOwn) {
  set_last_error("mine");
  std::string seen = "?";
  std::thread([&] {
    seen = last_error();
    set_last_error("theirs");
  }).join();
  EXPECT_EQ(seen, "");
  EXPECT_STREQ(last_error(), "mine");
}

}  // namespace
}  // namespace wperf::capi
