// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/message_console.h"

#include <gtest/gtest.h>

#include <vector>

namespace wperf::capi {
namespace {

class Messages : public testing::Test {
 protected:
  MessageSink sink() {
    return {
        [](const char* line, void* context) { static_cast<std::vector<std::string>*>(context)->emplace_back(line); },
        &lines_};
  }
  std::vector<std::string> lines_;
  std::atomic<bool> stop_{false};
};

TEST_F(Messages, TextBecomesLinesWhenVerbose) {
  MessageConsole console(sink(), true, stop_);
  console.out("counting ... ");
  EXPECT_TRUE(lines_.empty());
  console.out("done\n\nsleep");
  console.out("ing\n");
  EXPECT_EQ(lines_, (std::vector<std::string>{"counting ... done", "sleeping"}));
}

TEST_F(Messages, OnlyWarningsOtherwise) {
  MessageConsole console(sink(), false, stop_);
  console.out("counting\n");
  console.document("{}");
  console.warn("careful");
  EXPECT_EQ(lines_, std::vector<std::string>{"careful"});
}

TEST_F(Messages, NobodyListens) {
  MessageConsole console({}, true, stop_);
  console.out("counting\n");
  console.warn("careful");
}

TEST_F(Messages, TheStopFlagInterrupts) {
  const MessageConsole console(sink(), true, stop_);
  EXPECT_FALSE(console.interrupted());
  stop_ = true;
  EXPECT_TRUE(console.interrupted());
}

}  // namespace
}  // namespace wperf::capi
