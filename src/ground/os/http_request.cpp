// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/http_request.h"

#include <algorithm>

#include "ground/os/http.h"

namespace wperf::os {
namespace {

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// "Name: value", checked as far as needed: no header is read.
bool is_header(std::string_view line) {
  const size_t colon = line.find(':');
  return colon != std::string_view::npos && colon != 0 &&
         std::none_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                      [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }) &&
         std::none_of(line.begin(), line.end(), [](char c) { return c == '\0' || c == '\r'; });
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 421:
      return "Misdirected Request";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

bool read_first_line(std::string_view line, RequestHead& head) {
  const size_t method_end = line.find(' ');
  if (method_end == std::string_view::npos || !is_token(line.substr(0, method_end))) return false;
  const size_t path_end = line.find(' ', method_end + 1);
  if (path_end == std::string_view::npos) return false;
  const std::string_view version = line.substr(path_end + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  const std::string_view path = line.substr(method_end + 1, path_end - method_end - 1);
  const bool is_plain = std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!path.starts_with('/') || !is_plain) return false;
  head.method = line.substr(0, method_end);
  head.path = path.substr(0, path.find('?'));
  return true;
}

// False: a second Host line.
bool take_host(std::string_view line, RequestHead& head) {
  std::vector<HttpHeader> one;
  add_header_line(line, one);
  if (one.empty() || one[0].name != "host") return true;
  if (!head.host.empty()) return false;
  head.host = host_of(one[0].value);
  return true;
}

}  // namespace

bool is_own_host(std::string_view host) {
  const bool is_number =
      !host.empty() && std::all_of(host.begin(), host.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return is_number || (host.starts_with('[') && host.ends_with(']')) || is_this_machine(host);
}

HeadState read_request_head(std::string_view bytes, RequestHead& head) {
  const size_t end = bytes.substr(0, kLongestHead).find("\r\n\r\n");
  // A wrong line is an error even before the rest has come.
  const size_t first_end = bytes.substr(0, kLongestHead).find("\r\n");
  if (first_end != std::string_view::npos && !read_first_line(bytes.substr(0, first_end), head)) {
    return HeadState::wrong;
  }
  if (end == std::string_view::npos) return bytes.size() < kLongestHead ? HeadState::more : HeadState::wrong;
  std::string_view lines = bytes.substr(0, end + 2);
  lines.remove_prefix(first_end + 2);
  while (!lines.empty()) {
    const size_t line_end = lines.find("\r\n");
    if (line_end == std::string_view::npos || !is_header(lines.substr(0, line_end))) return HeadState::wrong;
    if (!take_host(lines.substr(0, line_end), head)) return HeadState::wrong;
    lines.remove_prefix(line_end + 2);
  }
  return HeadState::whole;
}

std::string http_answer(int status, std::string_view content_type, std::string_view body, bool with_body) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " ";
  out.append(reason_of(status)).append("\r\nContent-Type: ").append(content_type);
  out += "\r\nContent-Length: " + std::to_string(body.size());
  if (status == 405) out += "\r\nAllow: GET, HEAD";
  out += "\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\r\n";
  if (with_body) out += body;
  return out;
}

}  // namespace wperf::os
