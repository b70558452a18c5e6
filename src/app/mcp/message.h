// SPDX-License-Identifier: BSD-3-Clause
// Messages of the Model Context Protocol: JSON-RPC 2.0, one message on each line. Pure.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "ground/text/json_writer.h"

namespace wperf::mcp {

inline constexpr usize kLongestMessage = usize{1} << 20;

// A tool's argument. There is no kind for objects, because no tool takes an object.
struct Value {
  enum class Kind : u8 { other, text, number, flag, list };
  Kind kind = Kind::other;
  std::string text = {};
  double number = 0;
  bool flag = false;
  std::vector<std::string> list = {};  // a list of texts
};

struct Arguments {
  std::vector<std::pair<std::string, Value>> all;

  const Value* find(std::string_view name) const;
  std::string text(std::string_view name) const;  // empty if it is missing
  std::vector<std::string> list(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  bool flag(std::string_view name) const;
};

struct Message {
  std::string id;  // as JSON; empty for a notification
  std::string method;
  std::string version;            // version of the protocol in `_meta`; empty in older revisions
  bool has_capabilities = false;  // given in `_meta`
  std::string wanted_version;     // the version in `initialize`
  std::string tool;
  Arguments arguments;
  std::string cancelled_id;  // in notifications/cancelled: the id of a request, as JSON
};

// Error numbers of JSON-RPC and of the protocol.
enum class Fault : int {
  not_json = -32700,
  not_request = -32600,
  unknown_method = -32601,
  invalid_parameters = -32602,
  unsupported_version = -32022,
};

// `fault`: set if the line is not JSON, or not a request. As in all revisions since 2025-06-18, a list of messages is
// not a request.
struct ParsedMessage {
  std::optional<Fault> fault;
  Message message;
};
ParsedMessage parse_message(std::string_view line);

using WriteValue = std::function<void(text::JsonWriter& json)>;
// Make whole lines. `id`: as JSON; if empty, null is written. `write` writes the members of the result, or of the
// error's data.
std::string result_line(std::string_view id, const WriteValue& write);
std::string fault_line(std::string_view id, Fault fault, std::string_view text, const WriteValue& write = {});

}  // namespace wperf::mcp
