// SPDX-License-Identifier: BSD-3-Clause
#include "app/push/clickhouse_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "ground/text/parts.h"

namespace wperf::push {
namespace {

constexpr std::array<std::string_view, 3> kLabelColumns = {"build", "host", kServiceLabel};

constexpr std::array kFirstColumns = {"table_version UInt16 DEFAULT toUInt16(1)",
                                      "profile String",
                                      "row UInt32",
                                      "time DateTime",
                                      "seconds Float64",
                                      "build String",
                                      "host String",
                                      "service_name String",
                                      "label_names Array(String)",
                                      "label_values Array(String)",
                                      "event String",
                                      "thread String",
                                      "samples UInt64",
                                      "period UInt64",
                                      "stack UInt64",
                                      "functions Array(String)",
                                      "modules Array(String)",
                                      "files Array(String)",
                                      "lines Array(UInt32)",
                                      "marks Array(UInt8)"};

// Returns the statement that upgrades the table by one version. The version is stored as the default of the column
// table_version, so that it changes together with the table. Version 0 means that there is no table.
std::string step_after(u64 version) {
  if (version == 0) {
    return fmt::format(
        "CREATE TABLE IF NOT EXISTS {} ({}) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(time) "
        "ORDER BY (service_name, build, host, time, profile, row)",
        kFleetTable, text::joined(kFirstColumns, ", "));
  }
  return fmt::format(
      "ALTER TABLE {} ADD COLUMN missing UInt64 AFTER seconds, MODIFY COLUMN table_version UInt16 DEFAULT toUInt16(2)",
      kFleetTable);
}
constexpr u64 kNewest = 2;

constexpr std::string_view kVersionQuery =
    "SELECT default_expression FROM system.columns WHERE database = currentDatabase() AND table = 'wperf_samples' AND "
    "name = 'table_version' FORMAT TabSeparated";

std::string_view text_of_body(const os::HttpAnswer& answer) {
  return {reinterpret_cast<const char*>(answer.body.data()), answer.body.size()};
}

// The number in "toUInt16(2)"; 0 if there is no such table.
u64 version_of(std::string_view expression) {
  const usize digits = expression.find('(');
  u64 version = 0;
  if (digits != std::string_view::npos) {
    std::from_chars(expression.data() + digits + 1, expression.data() + expression.size(), version);
  }
  return version;
}

struct VersionReply {
  Outcome outcome = Outcome::taken;
  diag::Result<u64> version;
};

VersionReply ask_version(const Server& server) {
  VersionReply reply{.outcome = Outcome::taken, .version = u64{0}};
  const auto answer = ask_clickhouse(server, std::string(kVersionQuery), small_answer(), reply.outcome);
  reply.version = answer.has_value() ? diag::Result<u64>(version_of(text_of_body(answer.value()))) : answer.error();
  return reply;
}

std::string newer_table(u64 version) {
  return fmt::format("the table {} has version {}, made by a newer wperf; this one knows version {}", kFleetTable,
                     version, kNewest);
}

}  // namespace

bool is_label_column(std::string_view label) {
  return std::find(kLabelColumns.begin(), kLabelColumns.end(), label) != kLabelColumns.end();
}

std::string in_sql(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

std::string clickhouse_request_url(std::string_view server_url, std::string_view path) {
  const usize host = server_url.find("://") + 3;
  const usize slash = std::min(server_url.find('/', host), server_url.size());
  const std::string_view database = server_url.substr(std::min(slash + 1, server_url.size()));
  std::string url = std::string(server_url.substr(0, slash)) + std::string(path);
  if (!database.empty())
    url += (url.find('?') != std::string::npos ? "&database=" : "?database=") + percent_encoded(database);
  return url;
}

diag::Result<os::HttpAnswer> ask_clickhouse(const Server& server, const std::string& sql, const os::HttpLimits& limits,
                                            Outcome& outcome) {
  const Upload question{.path = "/", .content_type = "text/plain", .content_encoding = {}, .body = sql};
  auto reply = ask(server, question, limits);
  outcome = reply.result.outcome;
  if (outcome == Outcome::taken) return std::move(reply.answer);
  return diag::Error{.text = std::move(reply.result.text), .hint = {}};
}

UploadResult prepare_table(const Server& server) {
  VersionReply reply = ask_version(server);
  while (reply.version.has_value() && reply.version.value() < kNewest) {
    const u64 before = reply.version.value();
    Outcome outcome = Outcome::taken;
    const auto step = ask_clickhouse(server, step_after(before), small_answer(), outcome);
    // Another wperf may have upgraded the table at the same time.
    reply = ask_version(server);
    if (!reply.version.has_value() || reply.version.value() > before) continue;
    if (!step.has_value()) return {.outcome = outcome, .text = step.error().text};
    return {.outcome = Outcome::elsewhere,
            .text = fmt::format("the server has a table {} that wperf did not create", kFleetTable)};
  }
  if (!reply.version.has_value()) return {.outcome = reply.outcome, .text = reply.version.error().text};
  if (reply.version.value() > kNewest) {
    return {.outcome = Outcome::elsewhere, .text = newer_table(reply.version.value())};
  }
  return {};
}

diag::Result<void> check_table(const Server& server) {
  const VersionReply reply = ask_version(server);
  if (!reply.version.has_value()) return reply.version.error();
  const u64 version = reply.version.value();
  if (version == kNewest) return {};
  if (version > kNewest) return diag::Error{.text = newer_table(version), .hint = "update wperf on this machine"};
  if (version != 0) {
    return diag::Error{
        .text = fmt::format("the table {} has version {}, made by an older wperf; this one reads version {}",
                            kFleetTable, version, kNewest),
        .hint = "a `wperf push --to clickhouse` of this version brings it up to date"};
  }
  return diag::Error{.text = fmt::format("the database has no table {}", kFleetTable),
                     .hint = "the first `wperf push FILE --to clickhouse --url http://HOST:8123/DB` makes it"};
}

}  // namespace wperf::push
