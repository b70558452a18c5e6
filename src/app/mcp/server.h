// SPDX-License-Identifier: BSD-3-Clause
// `wperf mcp`: the Model Context Protocol over stdin and stdout, of the stateless revision 2026-07-28 and of the older
// ones, which begin with `initialize`. Each request says by itself which revision it follows.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "app/mcp/message.h"
#include "app/mcp/tool_answers.h"

namespace wperf::mcp {

struct ServerOptions {
  std::string root;  // a real path
  std::string device;
  bool may_start_programs = false;  // --allow-record
};

class Server {
 public:
  explicit Server(const ServerOptions& options)
      : may_start_programs_(options.may_start_programs), answers_(options.root, options.device) {}

  // The line to send; empty: none, because the message is a notification.
  std::string answer(std::string_view line);

 private:
  std::string answer_of(const Message& message);
  std::string initialize(const Message& message);
  std::string discover(const Message& message) const;
  std::string list_tools(const Message& message) const;
  std::string call_tool(const Message& message);

  bool may_start_programs_;
  std::string older_version_;  // agreed by `initialize`; empty before it
  ToolAnswers answers_;
};

// Answers until stdin ends. The programs that it starts see neither stdin nor stdout.
int serve(const ServerOptions& options);

}  // namespace wperf::mcp
