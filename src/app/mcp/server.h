// SPDX-License-Identifier: BSD-3-Clause
// `wperf mcp`: the Model Context Protocol over stdin and stdout, in the stateless revision 2026-07-28 and in older
// revisions, in which a session begins with `initialize`. Each request shows its revision.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/mcp/incoming.h"
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
      : may_start_programs_(options.may_start_programs), answers_(options.root, options.device, cancellation_) {}

  const std::shared_ptr<Cancellation>& cancellation() const { return cancellation_; }
  // The line to send; empty for a notification or a cancelled request, because these have no answer.
  std::string answer(const ParsedMessage& parsed);
  std::string answer(std::string_view line) { return answer(parse_message(line)); }

 private:
  std::string answer_of(const Message& message);
  std::string initialize(const Message& message);
  std::string discover(const Message& message) const;
  std::string list_tools(const Message& message) const;
  std::string call_tool(const Message& message);

  std::shared_ptr<Cancellation> cancellation_ = std::make_shared<Cancellation>();
  bool may_start_programs_;
  std::string older_version_;  // from `initialize`; empty before it
  ToolAnswers answers_;
};

// Answers requests until stdin ends. Programs that it starts have no access to its stdin and stdout.
int serve(const ServerOptions& options);

}  // namespace wperf::mcp
