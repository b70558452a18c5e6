// SPDX-License-Identifier: BSD-3-Clause
// The thread that reads messages: the messages that it answers itself, and the parsed messages that it passes on.
#include "app/mcp/incoming.h"

#include <gtest/gtest.h>

#include <memory>

namespace wperf::mcp {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File file_with(const std::string& text) {
  File file(std::tmpfile());
  std::fwrite(text.data(), 1, text.size(), file.get());
  EXPECT_EQ(std::fseek(file.get(), 0, SEEK_SET), 0);
  return file;
}
std::string text_in(std::FILE* file) {
  std::string text(4096, '\0');
  EXPECT_EQ(std::fseek(file, 0, SEEK_SET), 0);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(Incoming, LinesArriveParsedAndBlankOnesDoNot) {
  const std::string too_long = "{\"x\":\"" + std::string(kLongestMessage, 'a') + "\"}\n";
  const File in =
      file_with("\n \t\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\r\nnonsense\n" + too_long);
  const File out = file_with("");
  Incoming incoming(in.get(), std::make_shared<Cancellation>(), std::make_shared<Outgoing>(out.get()));
  auto line = incoming.next();
  ASSERT_TRUE(line.has_value());
  EXPECT_FALSE(line->parsed.fault.has_value());
  EXPECT_EQ(line->parsed.message.method, "tools/list");
  EXPECT_EQ(line->parsed.message.id, "1");
  line = incoming.next();
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->parsed.fault, Fault::not_json);
  EXPECT_FALSE(line->is_cut);
  line = incoming.next();
  ASSERT_TRUE(line.has_value());
  EXPECT_TRUE(line->is_cut);
  EXPECT_FALSE(incoming.next().has_value());
}

TEST(Incoming, PingsAndCancellationsDoNotWait) {
  const auto cancellation = std::make_shared<Cancellation>();
  cancellation->begin("7");
  const File in = file_with(
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n"
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n");
  const File out = file_with("");
  Incoming incoming(in.get(), cancellation, std::make_shared<Outgoing>(out.get()));
  EXPECT_FALSE(incoming.next().has_value()) << "both are done";
  EXPECT_TRUE(cancellation->is_asked());
  EXPECT_EQ(text_in(out.get()), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
}

}  // namespace
}  // namespace wperf::mcp
