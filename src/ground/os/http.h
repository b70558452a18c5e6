// SPDX-License-Identifier: BSD-3-Clause
// Requests over HTTP or HTTPS, with limits: downloads of files, uploads of profiles. Its library (libcurl, on Windows
// WinHTTP) is loaded on first use, so a run without requests pays nothing for it.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ground/diag/result.h"

namespace wperf::os {

struct HttpHeader {
  std::string name, value;  // no line ends
};

struct HttpRequest {
  std::string url;
  std::vector<HttpHeader> headers = {};
  // The body of a POST; without a body the request is a GET. A GET follows up to five redirects. A POST follows no
  // redirects, so that its headers are sent to no other host.
  std::optional<std::span<const std::byte>> body = {};
};

struct HttpLimits {
  long connect_ms = 5'000;
  long whole_ms = 20'000;
  size_t bytes = size_t{2} << 30;  // the longest answer, without its headers
  bool cuts = false;               // a longer answer is cut at that length instead of causing an error
  std::function<void(size_t received)> progress = {};  // called repeatedly with the progress; optional
};

struct HttpAnswer {
  long status = 0;
  std::vector<HttpHeader> headers;  // the headers of the last answer, names in lower case; their number is limited
  std::vector<std::byte> body;
  // Empty if there is no header of this name.
  std::string_view header(std::string_view small_name) const;
};

// Any status counts as an answer. A timeout or any other failure is an error.
diag::Result<HttpAnswer> ask_server(const HttpRequest& request, const HttpLimits& limits);

// Downloads one file. Returns nullopt if the server does not have it (404).
diag::Result<std::optional<std::vector<std::byte>>> download(const std::string& url, const HttpLimits& limits);

// "http://[::1]:80/path" gives "[::1]".
std::string_view host_of(std::string_view url);
// True if a request to this host stays on this machine and uses no proxy, whatever the environment says.
bool is_this_machine(std::string_view host);

// Adds a line "Name: value" of an answer; a status line discards the headers before it. Shared by the implementations
// for each system.
void add_header_line(std::string_view line, std::vector<HttpHeader>& headers);

}  // namespace wperf::os
