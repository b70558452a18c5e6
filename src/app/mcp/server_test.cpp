// SPDX-License-Identifier: BSD-3-Clause
// Conversations in both kinds of revisions, about files that the tests write.
#include "app/mcp/server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/mcp/recordings.h"
#include "ground/os/files.h"

namespace wperf::mcp {
namespace {

using nlohmann::json;

const json kStatelessMeta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                             {"io.modelcontextprotocol/clientInfo", {{"name", "test"}, {"version", "1"}}},
                             {"io.modelcontextprotocol/clientCapabilities", json::object()}};

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("wperf_mcp_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "inside");
    // Folded stacks, a profile of another program.
    std::ofstream(folder_ / "inside/a.folded") << "main;work;hot 60\nmain;work;cool 30\nmain;hot 10\n";
    std::ofstream(folder_ / "outside.folded") << "main 1\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Server server(bool may_start = false) const {
    return Server(
        {.root = os::real_path((folder_ / "inside").string()), .device = "sim", .may_start_programs = may_start});
  }
  static json ask(Server& server, const std::string& method, json params = json::object()) {
    const json message = {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", std::move(params)}};
    const std::string line = server.answer(message.dump());
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    return json::parse(line);
  }
  static json call(Server& server, const std::string& tool, json arguments) {
    return ask(server, "tools/call",
               {{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", kStatelessMeta}})["result"];
  }

  std::filesystem::path folder_;
};

TEST_F(ServerTest, OlderClientsBeginWithInitialize) {
  Server one = server();
  const json hello =
      ask(one, "initialize",
          {{"protocolVersion", "2025-06-18"}, {"capabilities", json::object()}, {"clientInfo", json::object()}});
  EXPECT_EQ(hello["id"], 7);
  EXPECT_EQ(hello["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(hello["result"]["serverInfo"]["name"], "wperf");
  EXPECT_TRUE(hello["result"]["capabilities"].contains("tools"));
  EXPECT_FALSE(hello["result"].contains("resultType"));
  EXPECT_EQ(one.answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "");
  EXPECT_EQ(ask(one, "ping")["result"], json::object());
  const json tools = ask(one, "tools/list")["result"];
  EXPECT_FALSE(tools.contains("ttlMs"));
  EXPECT_EQ(tools["tools"].size(), 10u);
  EXPECT_TRUE(tools["tools"][0].contains("outputSchema"));
}

TEST_F(ServerTest, AnUnknownVersionGetsTheNewestOfTheOlderOnes) {
  Server one = server();
  EXPECT_EQ(ask(one, "initialize", {{"protocolVersion", "2031-01-01"}})["result"]["protocolVersion"], "2025-11-25");
}

TEST_F(ServerTest, TheFirstRevisionsHaveNoStructuredAnswers) {
  Server one = server();
  ask(one, "initialize", {{"protocolVersion", "2024-11-05"}});
  EXPECT_FALSE(ask(one, "tools/list")["result"]["tools"][0].contains("outputSchema"));
  const json answer =
      ask(one, "tools/call", {{"name", "summary"}, {"arguments", {{"recording", "a.folded"}}}})["result"];
  EXPECT_FALSE(answer.contains("structuredContent"));
  EXPECT_EQ(answer["isError"], false);
}

TEST_F(ServerTest, StatelessClientsDiscover) {
  Server one = server();
  const json found = ask(one, "server/discover", {{"_meta", kStatelessMeta}})["result"];
  EXPECT_EQ(found["resultType"], "complete");
  EXPECT_EQ(found["supportedVersions"], json({"2026-07-28"}));
  EXPECT_EQ(found["cacheScope"], "private");
  EXPECT_TRUE(found["ttlMs"].is_number_integer());
  EXPECT_EQ(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "wperf");
  const json tools = ask(one, "tools/list", {{"_meta", kStatelessMeta}})["result"];
  EXPECT_EQ(tools["resultType"], "complete");
  EXPECT_EQ(ask(one, "ping", {{"_meta", kStatelessMeta}})["error"]["code"], -32601);
  EXPECT_EQ(ask(one, "initialize", {{"_meta", kStatelessMeta}})["error"]["code"], -32601);
}

TEST_F(ServerTest, AnotherVersionIsRefusedWithTheSpokenOnes) {
  Server one = server();
  json meta = kStatelessMeta;
  meta["io.modelcontextprotocol/protocolVersion"] = "2027-01-01";
  const json error = ask(one, "tools/list", {{"_meta", meta}})["error"];
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"]["supported"], json({"2026-07-28"}));
  EXPECT_EQ(error["data"]["requested"], "2027-01-01");
  meta = kStatelessMeta;
  meta.erase("io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(ask(one, "tools/list", {{"_meta", meta}})["error"]["code"], -32602);
}

TEST_F(ServerTest, WhatIsNoRequestIsRefused) {
  Server one = server();
  const auto code = [&](const char* line) { return json::parse(one.answer(line))["error"]["code"]; };
  EXPECT_EQ(code("nonsense"), -32700);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"ping")"), -32700);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"ping"} more)"), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code(R"({"id":1,"method":"ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":{},"method":"ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"no/such"})"), -32601);
  EXPECT_EQ(json::parse(one.answer(R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})"))["id"], "a\"b");
  EXPECT_EQ(code("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}"), -32600);
  EXPECT_EQ(json::parse(one.answer("{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\xa4\",\"method\":\"ping\"}"))["id"], "\xc3\xa4");
}

// An id is sent back unchanged, so it must be valid JSON.
TEST_F(ServerTest, AnAnswerIsJsonWhateverTheIdIs) {
  Server one = server();
  const auto ping = [&](const std::string& id) {
    return json::parse(one.answer(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}"));
  };
  for (const char* id : {"1e", "01", "1.", "-", "1e+", "-01", "1.e5", "12abc", "\"\x01\"", R"("\q")", R"("\u12g4")"}) {
    const json answer = ping(id);
    EXPECT_EQ(answer["error"]["code"], -32700) << id;
    EXPECT_TRUE(answer["id"].is_null()) << id;
  }
  for (const char* id : {"0", "-0", "10", "1.5e0", "-1.25E-3", "1e+5", R"("")", R"("a\\")", R"("\u00e4\"")"})
    EXPECT_EQ(ping(id)["id"], json::parse(id)) << id;
}

TEST_F(ServerTest, TwoServersNeverRecordIntoTheSameFile) {
  const Recordings one((folder_ / "inside").string()), other((folder_ / "inside").string());
  std::error_code no_link;  // on Windows, making a link takes special rights
  std::filesystem::create_symlink(folder_ / "nowhere.data", folder_ / "inside/recording-2.data", no_link);
  EXPECT_EQ(one.reserve(".data").value(), "recording-1.data");
  EXPECT_EQ(other.reserve(".data").value(), no_link ? "recording-2.data" : "recording-3.data");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "inside/recording-1.data"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere.data"));
  EXPECT_FALSE(Recordings((folder_ / "missing").string()).reserve(".data").has_value());
}

TEST_F(ServerTest, ArgumentsWithNulAreRefused) {
  Server one = server(true);
  const json answer = call(one, "record", {{"program", "x"}, {"arguments", {"a", std::string("b\0c", 3)}}});
  EXPECT_TRUE(answer["isError"]);
  EXPECT_NE(answer["content"][0]["text"].get<std::string>().find("U+0000"), std::string::npos);
}

TEST_F(ServerTest, AFilterThatCannotApplyIsRefused) {
  Server one = server();
  const auto refused = [&](const json& arguments) {
    json all = {{"recording", "a.folded"}};
    all.update(arguments);
    return call(one, "functions", all)["isError"] == true;
  };
  EXPECT_FALSE(refused(json::object()));
  for (const json& number : {json(-1), json(1.5), json(1e300), json(4294967296)}) {
    EXPECT_TRUE(refused({{"pid", number}})) << number;
    EXPECT_TRUE(refused({{"tid", number}})) << number;
  }
  EXPECT_TRUE(refused({{"from", 5}, {"to", 1}}));
  EXPECT_TRUE(refused({{"from", -5}}));
  EXPECT_TRUE(refused({{"to", 0}}));
}

TEST_F(ServerTest, SummaryNamesTheHottestFunction) {
  Server one = server();
  const json answer = call(one, "summary", {{"recording", "a.folded"}});
  EXPECT_EQ(answer["resultType"], "complete");
  EXPECT_EQ(answer["isError"], false);
  const std::string text = answer["content"][0]["text"];
  EXPECT_NE(text.find("hottest by samples: hot"), std::string::npos) << text;
  const json& brief = answer["structuredContent"]["brief"];
  EXPECT_EQ(brief["rows"][0][0], "70.00");
  EXPECT_LE(answer.dump().size(), 8192u);
}

TEST_F(ServerTest, TheHandleOfOpenIsGoodUntilTheFileChanges) {
  Server one = server();
  const std::string verdict =
      call(one, "open", {{"recording", "a.folded"}})["structuredContent"]["brief"]["verdict"][0];
  const std::string handle = verdict.substr(verdict.rfind(' ') + 1);
  ASSERT_TRUE(handle.starts_with("rec_")) << verdict;
  EXPECT_EQ(call(one, "functions", {{"recording", handle}})["isError"], false);
  std::ofstream(folder_ / "inside/a.folded", std::ios::app) << "main;other 500\n";
  const json changed = call(one, "functions", {{"recording", handle}});
  EXPECT_EQ(changed["isError"], true);
  EXPECT_EQ(call(one, "functions", {{"recording", "a.folded"}})["structuredContent"]["brief"]["rows"][0][0], "83.33");
  EXPECT_EQ(call(one, "functions", {{"recording", "rec_0123456789abcdef"}})["isError"], true);
}

TEST_F(ServerTest, CallersAndCalleesAreThoseOfAllStacks) {
  Server one = server();
  const json callers = call(one, "callers", {{"recording", "a.folded"}, {"function", "hot"}});
  const json& rows = callers["structuredContent"]["brief"]["rows"];
  ASSERT_EQ(rows.size(), 2u) << callers;
  EXPECT_EQ(rows[0][0], "85.7");
  EXPECT_EQ(rows[0][2], "work");
  EXPECT_EQ(rows[1][2], "main");
  const json callees = call(one, "callees", {{"recording", "a.folded"}, {"function", "work"}});
  EXPECT_EQ(callees["structuredContent"]["brief"]["rows"][0][2], "hot");
}

TEST_F(ServerTest, PathsStayInsideTheRoot) {
  std::filesystem::create_symlink(folder_ / "outside.folded", folder_ / "inside/link.folded");
  Server one = server();
  for (const std::string& path :
       {std::string("../outside.folded"), (folder_ / "outside.folded").string(), std::string("link.folded"),
        std::string("/etc/passwd"), std::string("."), std::string()}) {
    const json answer = call(one, "summary", {{"recording", path}});
    EXPECT_EQ(answer["isError"], true) << path;
    EXPECT_NE(answer["content"][0]["text"].get<std::string>().find("there is no file"), std::string::npos) << answer;
  }
  EXPECT_EQ(call(one, "compare", {{"before", {"../outside.folded"}}, {"after", {"a.folded"}}})["isError"], true);
}

TEST_F(ServerTest, WrongArgumentsAreToldToTheModel) {
  Server one = server();
  const auto told = [&](const char* tool, const json& arguments) {
    const json answer = call(one, tool, arguments);
    EXPECT_EQ(answer["isError"], true);
    return answer["content"][0]["text"].get<std::string>();
  };
  EXPECT_NE(told("summary", json::object()).find("needs the argument recording"), std::string::npos);
  EXPECT_NE(told("summary", {{"file", "a"}}).find("no argument 'file'; it takes recording"), std::string::npos);
  EXPECT_NE(told("summary", {{"recording", 5}}).find("not of type string"), std::string::npos);
  EXPECT_NE(told("functions", {{"recording", "a.folded"}, {"by", "colour"}}).find("no rows by colour"),
            std::string::npos);
  EXPECT_NE(told("events", {{"device", "sim:folder=/etc"}}).find("the name of a device may only have"),
            std::string::npos);
}

TEST_F(ServerTest, ProgramsAreStartedOnlyIfThatIsAllowed) {
  Server careful = server();
  const json error = ask(careful, "tools/call",
                         {{"name", "record"}, {"arguments", {{"program", "x"}}}, {"_meta", kStatelessMeta}})["error"];
  EXPECT_EQ(error["code"], -32602);
  EXPECT_NE(error["message"].get<std::string>().find("--allow-record"), std::string::npos);
  Server willing = server(true);
  const json tools = ask(willing, "tools/list", {{"_meta", kStatelessMeta}})["result"]["tools"];
  EXPECT_EQ(tools.size(), 12u);
  for (const json& tool : tools) {
    const bool starts = tool["name"] == "record" || tool["name"] == "topdown";
    EXPECT_EQ(tool["annotations"]["readOnlyHint"], !starts) << tool["name"];
  }
}

}  // namespace
}  // namespace wperf::mcp
