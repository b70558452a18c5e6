// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/http_server.h"

#include <gtest/gtest.h>

#include "ground/os/http.h"

namespace wperf::os {
namespace {

HeadState state_of(std::string_view bytes) {
  RequestHead head;
  return read_request_head(bytes, head);
}

TEST(HttpRequest, TellsMethodAndPath) {
  RequestHead head;
  EXPECT_EQ(read_request_head("GET /metrics?a=b HTTP/1.1\r\nHost: x\r\nEmpty:\r\n\r\nrest", head), HeadState::whole);
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.path, "/metrics");
}

TEST(HttpRequest, TellsWhatThisMachineIsCalled) {
  const auto host_in = [](const std::string& lines) {
    RequestHead head;
    EXPECT_EQ(read_request_head("GET / HTTP/1.1\r\n" + lines + "\r\n", head), HeadState::whole) << lines;
    return head.host;
  };
  EXPECT_EQ(host_in("A: b\r\nhost: evil.example:9474\r\n"), "evil.example");
  EXPECT_EQ(host_in("Host:[::1]:80\r\n"), "[::1]");
  EXPECT_EQ(host_in(""), "");
  EXPECT_EQ(state_of("GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n"), HeadState::wrong);
  for (const std::string_view own : {"127.0.0.1", "10.1.2.3", "[::1]", "[fe80::1]", "localhost", "LocalHost"})
    EXPECT_TRUE(is_own_host(own)) << own;
  for (const std::string_view other : {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example"})
    EXPECT_FALSE(is_own_host(other)) << other;
}

TEST(HttpAddress, KnowsThisMachine) {
  EXPECT_EQ(host_of("http://localhost:4040/a:b"), "localhost");
  EXPECT_EQ(host_of("https://[::1]:4040/"), "[::1]");
  EXPECT_EQ(host_of("https://a.example"), "a.example");
  for (const std::string_view own : {"localhost", "LOCALHOST", "[::1]", "127.0.0.1", "127.8.9.10"})
    EXPECT_TRUE(is_this_machine(own)) << own;
  for (const std::string_view other : {"", "localhost.example", "local", "128.0.0.1", "127.example", "[::2]"})
    EXPECT_FALSE(is_this_machine(other)) << other;
}

TEST(HttpRequest, WaitsForItsEnd) {
  const std::string_view whole = "GET / HTTP/1.0\r\nA: b\r\n\r\n";
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(state_of(whole.substr(0, size)), HeadState::more) << size;
  EXPECT_EQ(state_of(std::string(kLongestHead, 'a')), HeadState::wrong);
}

TEST(HttpRequest, RefusesWhatIsNone) {
  for (const std::string_view wrong : {"get / HTTP/1.1\r\n", "GET  / HTTP/1.1\r\n", "GET /\x01 HTTP/1.1\r\n",
                                       "GET / HTTP/2\r\n", "GET http://a HTTP/1.1\r\n", "GET /\r\n", "\r\n\r\n",
                                       "GET / HTTP/1.1\r\nno header\r\n\r\n", "GET / HTTP/1.1\r\n : x\r\n\r\n"}) {
    EXPECT_EQ(state_of(wrong), HeadState::wrong) << wrong;
  }
}

TEST(HttpAnswer, HeadersAreFoundByTheirSmallNames) {
  HttpAnswer answer;
  add_header_line("HTTP/1.1 301 Moved\r\n", answer.headers);
  add_header_line("Location: /a\r\n", answer.headers);
  add_header_line("HTTP/1.1 200 OK\r\n", answer.headers);
  add_header_line("Retry-AFTER:  7 \r\n", answer.headers);
  add_header_line("no header\r\n", answer.headers);
  EXPECT_EQ(answer.header("retry-after"), "7");
  EXPECT_EQ(answer.header("location"), "");
  for (int i = 0; i < 1000; ++i) add_header_line("a: b", answer.headers);
  EXPECT_LE(answer.headers.size(), 64u);
}

}  // namespace
}  // namespace wperf::os
