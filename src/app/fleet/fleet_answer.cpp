// SPDX-License-Identifier: BSD-3-Clause
#include "app/fleet/fleet_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>

#include "app/fleet/fleet_query.h"
#include "app/push/clickhouse_table.h"
#include "app/push/server.h"
#include "formats/profiles/fleet_profile.h"
#include "ground/os/http.h"
#include "ground/text/number_text.h"
#include "ground/text/parts.h"
#include "ground/text/protobuf.h"
#include "model/request/fleet_address.h"
#include "model/request/number.h"

namespace wperf::fleet {
namespace {

using request::FleetAddress;
using std::chrono::floor;
using std::chrono::seconds;

constexpr long kLongestWaitMs = 300'000;
constexpr usize kLongestAnswer = usize{256} << 20;
constexpr usize kMegabyte = 1'000'000;

u64 now_unix_s() {
  return static_cast<u64>(floor<seconds>(std::chrono::system_clock::now()).time_since_epoch().count());
}

std::string time_text(u64 unix_s) {
  const std::chrono::sys_seconds time{seconds(static_cast<std::int64_t>(std::min(unix_s, u64{253'402'300'799})))};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string summary_of(const std::vector<profiles::FleetHost>& hosts) {
  u64 number = 0, begin = ~u64{0}, end = 0;
  for (const profiles::FleetHost& host : hosts) {
    number += host.profiles;
    begin = std::min(begin, host.begin_unix_s);
    end = std::max(end, host.end_unix_s);
  }
  return fmt::format("{} of {}, {} to {} UTC", text::counted(number, "profile"), text::counted(hosts.size(), "host"),
                     time_text(begin), time_text(end));
}

diag::Result<void> check_length(const std::vector<std::byte>& body) {
  if (body.size() > kLongestAnswer) {
    return diag::Error{.text = fmt::format("the answer is longer than {} MB", kLongestAnswer >> 20),
                       .hint = "choose fewer profiles with since= and labels in the address"};
  }
  return {};
}

// ClickHouse may end an answer early although the status is 200. In this case the answer ends with the reason.
diag::Result<void> check_whole(const std::vector<std::byte>& body) {
  constexpr usize kTail = 2000;
  std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
  text.remove_prefix(text.size() - std::min(text.size(), kTail));
  const usize message = text.find("DB::Exception");
  if (text.ends_with("}\n") || message == std::string_view::npos) return {};
  return diag::Error{.text = "the server broke off its answer: " + push::shown_text(text.substr(message)), .hint = {}};
}

struct Answer {
  profiles::Format format = profiles::Format::fleet;
  std::vector<std::byte> bytes;
  std::string summary;
};

class FleetAsker {
 public:
  FleetAsker(const FleetAddress& address, push::Server server, diag::Console& console)
      : address_(address), server_(std::move(server)), console_(console) {}

  diag::Result<Answer> of_clickhouse(Detail detail) {
    WPERF_CHECK_OK(push::check_table(server_));
    Answer answer;
    WPERF_TRY(const std::vector<std::byte> hosts, document(hosts_query(address_)));
    WPERF_TRY(const std::vector<profiles::FleetHost> read, profiles::read_fleet_hosts(hosts));
    if (read.empty()) return nothing_found();
    answer.summary = summary_of(read);
    // The counts are requested before the stacks, so that all stacks of these counts are present.
    WPERF_TRY(const std::vector<std::byte> counts, document(counts_query(address_, detail == Detail::hosts)));
    WPERF_TRY(const std::vector<std::byte> stacks, document(stacks_query(address_)));
    const auto append = [&](std::string_view name, std::span<const std::byte> part) {
      const std::span<const std::byte> head = std::as_bytes(std::span(name));
      answer.bytes.insert(answer.bytes.end(), head.begin(), head.end());
      answer.bytes.insert(answer.bytes.end(), part.begin(), part.end());
    };
    append("{\"hosts\":", hosts);
    append(",\"stacks\":", stacks);
    append(",\"counts\":", counts);
    append("}", {});
    return answer;
  }

  // Connect's unary protobuf: SelectMergeProfileRequest is answered with a pprof profile.
  diag::Result<Answer> of_pyroscope() {
    constexpr u64 kMsPerSecond = 1000, kUsualSeconds = 3600;
    const u64 until = address_.until_unix_s.value_or(now_unix_s());
    const u64 since = address_.since_unix_s.value_or(until - std::min(until, kUsualSeconds));
    const usize brace = std::min(address_.query.find('{'), address_.query.size());
    const std::string selector = address_.query.substr(brace);
    text::Message question;
    question.text(1, address_.query.substr(0, brace));
    question.text(2, selector.empty() ? "{}" : selector);
    question.number(3, since * kMsPerSecond);
    question.number(4, until * kMsPerSecond);
    push::ServerReply reply = push::ask(server_,
                                        {.path = "/querier.v1.QuerierService/SelectMergeProfile",
                                         .content_type = "application/proto",
                                         .content_encoding = {},
                                         .body = question.bytes()},
                                        limits());
    if (reply.result.outcome != push::Outcome::taken)
      return diag::Error{.text = std::move(reply.result.text), .hint = {}};
    WPERF_CHECK_OK(check_length(reply.answer.body));
    Answer answer{.format = profiles::Format::pprof, .bytes = std::move(reply.answer.body), .summary = {}};
    const std::string time = fmt::format("{} to {} UTC", time_text(since), time_text(until));
    if (profiles::format_of(answer.bytes) != profiles::Format::pprof) {
      return diag::Error{.text = fmt::format("the server has no profile for {} from {}", address_.query, time),
                         .hint = "check the type, the labels and the time: since=24h"};
    }
    answer.summary = fmt::format("{}, {}", address_.query, time);
    return answer;
  }

 private:
  os::HttpLimits limits() {
    return {.whole_ms = kLongestWaitMs, .bytes = kLongestAnswer + 1, .cuts = true, .progress = [this](usize received) {
              if (!console_.progress_due()) return;
              console_.progress(fmt::format("received {:.1f} MB from {}", static_cast<double>(received) / kMegabyte,
                                            os::host_of(server_.url)));
            }};
  }

  diag::Result<std::vector<std::byte>> document(const std::string& sql) {
    if (console_.shows_progress()) console_.progress(fmt::format("waiting for {}", os::host_of(server_.url)));
    push::Outcome outcome{};
    WPERF_TRY(os::HttpAnswer answer, push::ask_clickhouse(server_, sql, limits(), outcome));
    WPERF_CHECK_OK(check_length(answer.body));
    WPERF_CHECK_OK(check_whole(answer.body));
    return std::move(answer.body);
  }

  diag::Error nothing_found() {
    diag::Error error{.text = "no profile matches the address", .hint = {}};
    push::Outcome outcome{};
    const auto answer = push::ask_clickhouse(server_, values_query(address_), push::small_answer(), outcome);
    if (!answer.has_value()) return error;
    const std::vector<std::byte>& body = answer.value().body;
    std::string_view rest(reinterpret_cast<const char*>(body.data()), body.size());
    std::string values;
    while (!rest.empty()) {
      std::string_view line = text::take_part(rest, '\n');
      const std::string value = push::shown_text(text::take_part(line, '\t'));
      const std::string number = push::shown_text(text::take_part(line, '\t'));
      values += fmt::format("{}{} ({}, the newest from {})", values.empty() ? "" : ", ", value.empty() ? "none" : value,
                            number, time_text(request::parse_decimal(line).value_or(0)));
    }
    const std::string label = address_.choices.empty() ? "build" : address_.choices.front().label;
    error.hint = values.empty() ? "the table is empty"
                                : fmt::format("values of {}, with numbers of profiles: {}", label, values);
    return error;
  }

  const FleetAddress& address_;
  push::Server server_;
  diag::Console& console_;
};

}  // namespace

diag::Result<Opened> open_any(const recording::RecordingFiles& files, const request::Push& access, Detail detail,
                              diag::Console& console) {
  if (!request::is_fleet_address(files.name)) {
    WPERF_TRY(recording::OpenedRecording opened, recording::OpenedRecording::open(files, console));
    return Opened{.recording = std::move(opened), .summary = {}};
  }
  if (!files.further.empty()) {
    return diag::usage_error("the address of a server cannot be reported together with files");
  }
  WPERF_TRY(const FleetAddress address, request::parse_fleet_address(files.name, now_unix_s()));
  const bool is_clickhouse = address.kind == FleetAddress::Kind::clickhouse;
  request::Push server_options = access;
  server_options.url = address.url;
  server_options.target = is_clickhouse ? request::PushTarget::clickhouse : request::PushTarget::pyroscope;
  WPERF_TRY(push::Server server, push::known_server(server_options));
  FleetAsker asker(address, std::move(server), console);
  WPERF_TRY(Answer answer, is_clickhouse ? asker.of_clickhouse(detail) : asker.of_pyroscope());
  return Opened{
      .recording = recording::OpenedRecording::of_profile(files.name, answer.format, std::move(answer.bytes), console),
      .summary = std::move(answer.summary)};
}

}  // namespace wperf::fleet
