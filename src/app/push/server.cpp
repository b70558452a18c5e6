// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/push/clickhouse_table.h"
#include "ground/os/files.h"
#include "ground/os/http.h"
#include "ground/os/machine_facts.h"
#include "ground/os/process.h"
#include "ground/text/base64.h"
#include "ground/text/protobuf.h"

namespace wperf::push {
namespace {

using request::PushTarget;

constexpr usize kLongestToken = 16 << 10, kSmallAnswer = 64 << 10, kShownOfAnswer = 300;
constexpr u64 kLongestWaitMs = 60'000;
constexpr std::string_view kHttps = "https://", kHttp = "http://";

diag::Error url_error(std::string_view text) {
  return diag::usage_error(fmt::format("--url {}", text), "--url http://pyroscope:4040");
}

diag::Result<std::string> checked_url(std::string url) {
  // The message does not show the URL, because it may contain a password.
  if (url.find('@') != std::string::npos) {
    return diag::usage_error(
        "a password in a URL is visible to everyone who can list processes",
        fmt::format("put USER:PASSWORD into the file of --token-file, or into {}", kTokenVariable));
  }
  if (!url.starts_with(kHttp) && !url.starts_with(kHttps)) return url_error("needs a URL with http:// or https://");
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!is_plain || url.find_first_of("?#\\\"<>") != std::string::npos || os::host_of(url).empty()) {
    return url_error("needs the URL of a server, without ? and #");
  }
  while (url.ends_with('/')) url.pop_back();
  return url;
}

// "Bearer …", or for USER:PASSWORD "Basic …". Empty if there is no token.
diag::Result<std::string> authorization_of(const request::Push& asked) {
  std::string token;
  if (asked.token_file.has_value()) {
    WPERF_TRY(token, os::load_text_file(*asked.token_file, kLongestToken));
  } else {
    token = os::environment(kTokenVariable).value_or("");
  }
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
  const std::string place = asked.token_file.value_or(kTokenVariable);
  if (token.empty()) {
    if (!asked.token_file.has_value()) return std::string();
    return diag::usage_error(place + " has no token in it");
  }
  if (std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    return diag::Error{
        .text = place + " has no valid token in it: a token is a single line of printable ASCII without blanks",
        .hint = {}};
  }
  return token.find(':') != std::string::npos ? "Basic " + text::base64(token) : "Bearer " + token;
}

u64 wait_of(const os::HttpAnswer& answer) {
  const std::string_view text = answer.header("retry-after");
  u64 seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return 0;  // the text may be a date
  return std::min(seconds, kLongestWaitMs / 1000) * 1000;
}

Outcome outcome_of(long status) {
  constexpr long kGood = 200, kRedirect = 300, kBadRequest = 400, kTooLarge = 413, kBadType = 415, kBadContent = 422;
  constexpr long kTimeout = 408, kTooEarly = 425, kTooMany = 429, kServer = 500, kNotImplemented = 501;
  if (status >= kGood && status < kRedirect) return Outcome::taken;
  if (status == kTimeout || status == kTooEarly || status == kTooMany) return Outcome::later;
  if (status == kNotImplemented) return Outcome::elsewhere;
  if (status >= kServer) return Outcome::later;
  if (status == kBadRequest || status == kTooLarge || status == kBadType || status == kBadContent) {
    return Outcome::refused;
  }
  return Outcome::elsewhere;
}

UploadResult result_of_grpc(std::string_view status, std::string_view message) {
  UploadResult result{.outcome = Outcome::taken, .text = {}};
  if (status == "0") return result;
  result.text = status.empty()
                    ? "the server's answer does not confirm that it accepted the profile"
                    : fmt::format("the server answered with gRPC status {}: {}", status, shown_text(message));
  // The first list has the statuses for an invalid argument, a failed precondition and a value out of range, the second
  // list the statuses for a wrong address or token.
  const auto is_one_of = [&](std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), status) != all.end();
  };
  result.outcome = is_one_of({"3", "9", "11"})             ? Outcome::refused
                   : is_one_of({"", "5", "7", "12", "16"}) ? Outcome::elsewhere
                                                           : Outcome::later;
  return result;
}

// gRPC-Web: the status is in the headers, or as text in the last frame of the body.
UploadResult parca_result(const os::HttpAnswer& answer) {
  if (const std::string_view status = answer.header("grpc-status"); !status.empty()) {
    return result_of_grpc(status, answer.header("grpc-message"));
  }
  constexpr usize kFrameHead = 5;
  constexpr u8 kTrailers = 0x80;
  std::string_view rest(reinterpret_cast<const char*>(answer.body.data()), answer.body.size());
  while (rest.size() >= kFrameHead) {
    const auto flags = static_cast<u8>(rest[0]);
    usize size = 0;
    for (usize i = 1; i < kFrameHead; ++i) size = size << 8 | static_cast<u8>(rest[i]);
    rest.remove_prefix(kFrameHead);
    if (size > rest.size()) break;
    if ((flags & kTrailers) != 0) {
      os::HttpAnswer trailers;
      std::string_view lines = rest.substr(0, size);
      while (!lines.empty()) {
        const usize end = std::min(lines.find('\n'), lines.size() - 1) + 1;
        os::add_header_line(lines.substr(0, end), trailers.headers);
        lines.remove_prefix(end);
      }
      return result_of_grpc(trailers.header("grpc-status"), trailers.header("grpc-message"));
    }
    rest.remove_prefix(size);
  }
  return result_of_grpc({}, {});
}

// ExportProfilesServiceResponse: the server may have accepted only a part, or may have sent a message.
UploadResult otlp_result(const os::HttpAnswer& answer) {
  UploadResult result;
  if (answer.header("content-type").find("protobuf") == std::string_view::npos) return result;
  text::ProtobufReader response{text::Bytes(answer.body)};
  while (response.next()) {
    if (response.field() != 1) continue;
    text::ProtobufReader partial(response.bytes());
    while (partial.next()) {
      if (partial.field() == 1 && partial.number() != 0) result.outcome = Outcome::refused;
      if (partial.field() == 2) result.text = "the server says: " + shown_text(partial.text());
    }
    if (result.outcome == Outcome::refused && result.text.empty()) result.text = "the server rejected a part of it";
  }
  return result;
}

}  // namespace

std::string shown_text(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kShownOfAnswer)) out += static_cast<u8>(c) < ' ' || c == 0x7f ? ' ' : c;
  while (out.ends_with(' ')) out.pop_back();
  return text.size() > kShownOfAnswer ? out + "…" : out;
}

diag::Result<Server> known_server(const request::Push& asked) {
  if (!asked.url.has_value()) {
    return diag::usage_error("push needs the URL of a server", "wperf push FILE --url http://pyroscope:4040");
  }
  Server server{.url = {}, .target = asked.target, .authorization = {}, .tenant = asked.tenant.value_or("")};
  WPERF_TRY(server.url, checked_url(*asked.url));
  WPERF_TRY(server.authorization, authorization_of(asked));
  if (server.target == PushTarget::clickhouse && server.authorization.starts_with("Bearer")) {
    return diag::usage_error(
        "ClickHouse takes USER:PASSWORD, not a token",
        fmt::format("put USER:PASSWORD into the file of --token-file, or into {}", kTokenVariable));
  }
  if (std::any_of(server.tenant.begin(), server.tenant.end(), [](char c) { return c < ' ' || c > '~'; })) {
    return diag::usage_error("--tenant must be printable ASCII");
  }
  const bool is_secret_kept = server.url.starts_with(kHttps) || os::is_this_machine(os::host_of(server.url));
  if (!server.authorization.empty() && !is_secret_kept && !asked.token_in_the_clear) {
    return diag::usage_error(
        fmt::format("the token would be sent unencrypted to {}, where anyone on the network path can read it",
                    os::host_of(server.url)),
        "use https://, or add --plain-token if the network path is safe");
  }
  return server;
}

std::vector<request::PushLabel> labels_of(const request::Push& asked, const std::string& program) {
  std::vector<request::PushLabel> labels = complete_labels(asked.labels, program);
  const bool has_host = std::any_of(labels.begin(), labels.end(), [](const auto& one) { return one.name == "host"; });
  // Comparisons use the hosts of a fleet as its runs.
  if (asked.target == PushTarget::clickhouse && !has_host) labels.push_back({"host", os::host_name()});
  return labels;
}

os::HttpLimits small_answer() {
  return {.bytes = kSmallAnswer, .cuts = true};
}

ServerReply ask(const Server& server, const Upload& upload, const os::HttpLimits& limits) {
  os::HttpRequest request{.url = server.target == PushTarget::clickhouse
                                     ? clickhouse_request_url(server.url, upload.path)
                                     : server.url + upload.path,
                          .headers = {{"Content-Type", upload.content_type}, {"User-Agent", "wperf"}},
                          .body = std::as_bytes(std::span(upload.body))};
  if (!upload.content_encoding.empty()) request.headers.push_back({"Content-Encoding", upload.content_encoding});
  if (server.target == PushTarget::pyroscope) request.headers.push_back({"Connect-Protocol-Version", "1"});
  if (server.target == PushTarget::parca) request.headers.push_back({"X-Grpc-Web", "1"});
  if (!server.authorization.empty()) request.headers.push_back({"Authorization", server.authorization});
  if (!server.tenant.empty()) request.headers.push_back({"X-Scope-OrgID", server.tenant});
  auto reply = os::ask_server(request, limits);
  if (!reply.has_value()) return {.result = {.outcome = Outcome::later, .text = reply.error().text}, .answer = {}};
  os::HttpAnswer& answer = reply.value();
  UploadResult result{.outcome = outcome_of(answer.status), .text = {}};
  if (result.outcome == Outcome::taken) return {.result = {}, .answer = std::move(answer)};
  const std::string body = shown_text({reinterpret_cast<const char*>(answer.body.data()), answer.body.size()});
  result.text = fmt::format("the server answered {}{}{}", answer.status, body.empty() ? "" : ": ", body);
  if (const std::string_view location = answer.header("location"); !location.empty() && answer.status < 400) {
    result.text += fmt::format(" (it redirects to {}, which wperf does not follow)", shown_text(location));
  }
  result.wait_ms = wait_of(answer);
  return {.result = std::move(result), .answer = {}};
}

UploadResult send(const Server& server, const Upload& upload) {
  ServerReply reply = ask(server, upload, small_answer());
  if (reply.result.outcome != Outcome::taken) return std::move(reply.result);
  if (server.target == PushTarget::parca) return parca_result(reply.answer);
  return server.target == PushTarget::otlp ? otlp_result(reply.answer) : UploadResult{};
}

}  // namespace wperf::push
