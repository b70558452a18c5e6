// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/http.h"

#include <algorithm>

#include "base/ascii.h"

namespace wperf::os {
namespace {

constexpr long kNotFound = 404;
constexpr long kGone = 410;
constexpr long kFirstError = 400;
constexpr size_t kMostHeaders = 64, kLongestHeader = 4096;

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view small_name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const HttpHeader& header) { return header.name == small_name; });
  return found != headers.end() ? std::string_view(found->value) : std::string_view();
}

std::string_view host_of(std::string_view url) {
  const size_t scheme = url.find("://");
  std::string_view rest = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
  rest = rest.substr(0, rest.find('/'));
  if (rest.starts_with('[')) return rest.substr(0, rest.find(']') + 1);
  return rest.substr(0, rest.find(':'));
}

bool is_this_machine(std::string_view host) {
  const auto is_letter = [](char a, char b) { return ascii_lower(a) == b; };
  constexpr std::string_view kName = "localhost";
  const bool is_number =
      std::all_of(host.begin(), host.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return std::equal(host.begin(), host.end(), kName.begin(), kName.end(), is_letter) || host == "[::1]" ||
         (is_number && host.starts_with("127."));
}

void add_header_line(std::string_view line, std::vector<HttpHeader>& headers) {
  if (line.starts_with("HTTP/")) return headers.clear();
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || line.size() > kLongestHeader || headers.size() >= kMostHeaders) {
    return;
  }
  HttpHeader header{.name = std::string(line.substr(0, colon)), .value = std::string(trimmed(line.substr(colon + 1)))};
  std::transform(header.name.begin(), header.name.end(), header.name.begin(), ascii_lower);
  headers.push_back(std::move(header));
}

diag::Result<std::optional<std::vector<std::byte>>> download(const std::string& url, const HttpLimits& limits) {
  // Symbol servers require this name.
  const HttpRequest request{.url = url, .headers = {{"User-Agent", "Microsoft-Symbol-Server/10.0 wperf"}}};
  WPERF_TRY(HttpAnswer answer, ask_server(request, limits));
  if (answer.status == kNotFound || answer.status == kGone) return std::optional<std::vector<std::byte>>();
  if (answer.status >= kFirstError) {
    return diag::Error{.text = "the server answered " + std::to_string(answer.status) + " (" + url + ")", .hint = {}};
  }
  return std::optional(std::move(answer.body));
}

}  // namespace wperf::os
