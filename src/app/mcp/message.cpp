// SPDX-License-Identifier: BSD-3-Clause
#include "app/mcp/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ground/text/json_reader.h"
#include "ground/text/unicode.h"

namespace wperf::mcp {
namespace {

using text::JsonReader;

constexpr usize kLongestId = 256, kMostArguments = 64, kMostListed = 1000;
constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const bool is_ascii = static_cast<u8>(bytes.front()) < 0x80;
    const text::CodePoint one = text::decode_utf8(bytes);
    if (!is_ascii && one.value == text::CodePoint{}.value && !bytes.starts_with("\xef\xbf\xbd")) return false;
    bytes.remove_prefix(one.length);
  }
  return true;
}

bool is_number(std::string_view text) {
  JsonReader reader(std::as_bytes(std::span(text)));
  reader.number();
  return reader.sound() && reader.position() == text.size();
}

// Is `text`, with its quotation marks, a valid JSON string? JsonReader checks the escaped characters.
bool is_string(std::string_view text) {
  JsonReader reader(std::as_bytes(std::span(text)));
  reader.string();
  return reader.sound() && std::ranges::none_of(text, [](char c) { return static_cast<u8>(c) < 0x20; });
}

class MessageReader {
 public:
  explicit MessageReader(std::string_view line) : line_(line), json_(std::as_bytes(std::span(line))) {}

  ParsedMessage read() {
    if (json_.kind() != JsonReader::Kind::object) {
      const bool is_word = json_.kind() == JsonReader::Kind::word;
      const std::string_view value = raw();
      const bool is_json = is_whole() && (!is_word || value == "true" || value == "false" || value == "null");
      return {.fault = is_json ? Fault::not_request : Fault::not_json, .message = {}};
    }
    json_.for_each_member([&](std::string_view key) { take(key); });
    if (!is_whole() || !is_id_json_) return {.fault = Fault::not_json, .message = {}};
    const bool is_request = has_version_ && !message_.method.empty() && is_id_good_;
    return {.fault = is_request ? std::optional<Fault>() : Fault::not_request, .message = std::move(message_)};
  }

 private:
  bool is_whole() {
    return json_.sound() && line_.find_first_not_of(" \t\r\n", json_.position()) == std::string_view::npos;
  }

  // The next value, unchanged.
  std::string_view raw() {
    const usize begin = json_.position();
    json_.skip();
    return line_.substr(begin, json_.position() - begin);
  }

  void take(std::string_view key) {
    if (key == "jsonrpc") {
      has_version_ = json_.string() == "2.0";
    } else if (key == "method") {
      message_.method = json_.string();
    } else if (key == "id") {
      const JsonReader::Kind kind = json_.kind();
      const std::string_view id = raw();
      const bool is_text = kind == JsonReader::Kind::string, has_kind = is_text || kind == JsonReader::Kind::number;
      // The id is sent back unchanged.
      if (has_kind) is_id_json_ = is_text ? is_string(id) : is_number(id);
      is_id_good_ = has_kind && id.size() <= kLongestId && is_utf8(id);
      if (is_id_good_) message_.id = id;
    } else if (key == "params") {
      json_.for_each_member([&](std::string_view name) { take_parameter(name); });
    }
  }

  void take_parameter(std::string_view name) {
    if (name == "_meta") {
      json_.for_each_member([&](std::string_view key) {
        if (key == kVersionKey) message_.version = json_.string();
        if (key == kCapabilitiesKey) message_.has_capabilities = json_.kind() == JsonReader::Kind::object;
      });
    } else if (name == "protocolVersion") {
      message_.wanted_version = json_.string();
    } else if (name == "requestId") {
      message_.cancelled_id = raw();
    } else if (name == "name") {
      message_.tool = json_.string();
    } else if (name == "arguments") {
      json_.for_each_member([&](std::string_view argument) {
        std::string own(argument);
        Value value = take_value();
        if (message_.arguments.all.size() < kMostArguments)
          message_.arguments.all.emplace_back(std::move(own), std::move(value));
      });
    }
  }

  Value take_value() {
    Value value;
    switch (json_.kind()) {
      case JsonReader::Kind::string:
        value.kind = Value::Kind::text;
        value.text = json_.string();
        break;
      case JsonReader::Kind::number:
        value.kind = Value::Kind::number;
        value.number = json_.number();
        break;
      case JsonReader::Kind::word: {
        const std::string_view word = raw();
        if (word != "null") value.kind = Value::Kind::flag;
        value.flag = word == "true";
        break;
      }
      case JsonReader::Kind::array:
        value.kind = Value::Kind::list;
        json_.for_each([&] {
          if (json_.kind() != JsonReader::Kind::string) value.kind = Value::Kind::other;
          std::string one(json_.string());
          if (value.list.size() < kMostListed) value.list.push_back(std::move(one));
        });
        break;
      default:
        json_.skip();
    }
    return value;
  }

  std::string_view line_;
  JsonReader json_;
  Message message_;
  bool has_version_ = false, is_id_good_ = true, is_id_json_ = true;
};

// `write_body` writes the member that is different in each kind of message.
std::string line_of(std::string_view id, const WriteValue& write_body) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object();
  json.string("jsonrpc", "2.0");
  json.written("id", id.empty() ? std::string_view("null") : id);
  write_body(json);
  json.end_object();
  return line + '\n';
}

}  // namespace

const Value* Arguments::find(std::string_view name) const {
  const auto found = std::ranges::find(all, name, &std::pair<std::string, Value>::first);
  return found == all.end() ? nullptr : &found->second;
}
std::string Arguments::text(std::string_view name) const {
  const Value* value = find(name);
  return value == nullptr ? std::string() : value->text;
}
std::vector<std::string> Arguments::list(std::string_view name) const {
  const Value* value = find(name);
  return value == nullptr ? std::vector<std::string>() : value->list;
}
std::optional<double> Arguments::number(std::string_view name) const {
  const Value* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(value->number);
}
bool Arguments::flag(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->flag;
}

ParsedMessage parse_message(std::string_view line) {
  return MessageReader(line).read();
}

std::string result_line(std::string_view id, const WriteValue& write) {
  return line_of(id, [&](text::JsonWriter& json) {
    json.begin_object("result");
    write(json);
    json.end_object();
  });
}

std::string fault_line(std::string_view id, Fault fault, std::string_view text, const WriteValue& write) {
  return line_of(id, [&](text::JsonWriter& json) {
    json.begin_object("error");
    json.written("code", std::to_string(static_cast<int>(fault)));
    json.string("message", text);
    if (write) {
      json.begin_object("data");
      write(json);
      json.end_object();
    }
    json.end_object();
  });
}

}  // namespace wperf::mcp
