// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/library.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

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

TEST(LastError, LongErrorIsTruncatedBetweenCharacters) {
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
