// SPDX-License-Identifier: BSD-3-Clause
// Uses WinHTTP, which takes the system's proxy and certificates. The limits are the same as in http_linux.cpp.
#include <windows.h>
// Comes after windows.h, which it needs.
#include <winhttp.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "ground/os/http.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"

#ifndef WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY
#define WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY 4
#endif

namespace wperf::os {
namespace {

constexpr DWORD kMostRedirects = 5;
constexpr size_t kChunk = 64 << 10;

struct WinHttp {
  decltype(&WinHttpOpen) open = nullptr;
  decltype(&WinHttpCloseHandle) close = nullptr;
  decltype(&WinHttpCrackUrl) crack_url = nullptr;
  decltype(&WinHttpSetTimeouts) set_timeouts = nullptr;
  decltype(&WinHttpConnect) connect = nullptr;
  decltype(&WinHttpOpenRequest) open_request = nullptr;
  decltype(&WinHttpSetOption) set_option = nullptr;
  decltype(&WinHttpAddRequestHeaders) add_headers = nullptr;
  decltype(&WinHttpSendRequest) send = nullptr;
  decltype(&WinHttpReceiveResponse) receive = nullptr;
  decltype(&WinHttpQueryHeaders) query_headers = nullptr;
  decltype(&WinHttpReadData) read = nullptr;
  bool complete = false;
};

WinHttp load_win_http() {
  WinHttp to;
  const SystemLibrary library(L"winhttp.dll");
  to.complete = library.bind("WinHttpOpen", to.open) && library.bind("WinHttpCloseHandle", to.close) &&
                library.bind("WinHttpCrackUrl", to.crack_url) && library.bind("WinHttpSetTimeouts", to.set_timeouts) &&
                library.bind("WinHttpConnect", to.connect) && library.bind("WinHttpOpenRequest", to.open_request) &&
                library.bind("WinHttpSetOption", to.set_option) &&
                library.bind("WinHttpAddRequestHeaders", to.add_headers) &&
                library.bind("WinHttpSendRequest", to.send) && library.bind("WinHttpReceiveResponse", to.receive) &&
                library.bind("WinHttpQueryHeaders", to.query_headers) && library.bind("WinHttpReadData", to.read);
  return to;
}

using Handle = std::unique_ptr<void, decltype(&WinHttpCloseHandle)>;
using Bytes = std::vector<std::byte>;

// The error of the call that just failed.
diag::Error failure(const std::string& url) {
  const DWORD error = GetLastError();
  switch (error) {
    case ERROR_WINHTTP_TIMEOUT:
      return {.text = "the server did not answer in time (" + url + ")", .hint = {}};
    case ERROR_WINHTTP_NAME_NOT_RESOLVED:
      return {.text = "no server has this name (" + url + ")", .hint = {}};
    case ERROR_WINHTTP_CANNOT_CONNECT:
      return {.text = "the server cannot be reached (" + url + ")", .hint = {}};
    case ERROR_WINHTTP_SECURE_FAILURE:
      return {.text = "the server's certificate is not trusted (" + url + ")", .hint = {}};
    default:
      return {.text = "the request failed: " + system_error_text(error) + " (" + url + ")", .hint = {}};
  }
}

struct Address {
  std::wstring host, path;
  INTERNET_PORT port = 0;
  bool secure = false;
};

std::optional<Address> parse(const WinHttp& http, const std::string& url) {
  const std::wstring wide = wide_of(url);
  URL_COMPONENTS parts{};
  parts.dwStructSize = sizeof parts;
  // A length other than 0 asks for pointers into the text.
  parts.dwSchemeLength = parts.dwHostNameLength = parts.dwUrlPathLength = parts.dwExtraInfoLength = 1;
  if (http.crack_url(wide.c_str(), 0, 0, &parts) == 0) return std::nullopt;
  return Address{.host = {parts.lpszHostName, parts.dwHostNameLength},
                 .path = {parts.lpszUrlPath, parts.dwUrlPathLength + parts.dwExtraInfoLength},
                 .port = parts.nPort,
                 .secure = parts.nScheme == INTERNET_SCHEME_HTTPS};
}

// A POST follows no redirects.
void set_redirects(const WinHttp& http, HINTERNET request, bool is_post) {
  DWORD most = kMostRedirects;
  http.set_option(request, WINHTTP_OPTION_MAX_HTTP_AUTOMATIC_REDIRECTS, &most, sizeof most);
  DWORD policy = is_post ? WINHTTP_OPTION_REDIRECT_POLICY_NEVER : WINHTTP_OPTION_REDIRECT_POLICY_DISALLOW_HTTPS_TO_HTTP;
  http.set_option(request, WINHTTP_OPTION_REDIRECT_POLICY, &policy, sizeof policy);
}

diag::Result<Bytes> read_body(const WinHttp& http, HINTERNET request, const std::string& url, const HttpLimits& limits,
                              std::chrono::steady_clock::time_point end) {
  Bytes bytes;
  while (true) {
    if (std::chrono::steady_clock::now() > end) {
      return diag::Error{.text = "the answer takes too long (" + url + ")", .hint = {}};
    }
    const size_t have = bytes.size();
    bytes.resize(have + kChunk);
    DWORD received = 0;
    if (http.read(request, bytes.data() + have, static_cast<DWORD>(kChunk), &received) == 0) return failure(url);
    bytes.resize(have + received);
    if (received == 0) return bytes;
    if (bytes.size() > limits.bytes) {
      if (!limits.cuts) return diag::Error{.text = "the file is too large (" + url + ")", .hint = {}};
      bytes.resize(limits.bytes);
      return bytes;
    }
    if (limits.progress) limits.progress(bytes.size());
  }
}

std::vector<HttpHeader> read_headers(const WinHttp& http, HINTERNET request) {
  std::vector<HttpHeader> headers;
  DWORD size = 0;
  http.query_headers(request, WINHTTP_QUERY_RAW_HEADERS_CRLF, WINHTTP_HEADER_NAME_BY_INDEX, nullptr, &size,
                     WINHTTP_NO_HEADER_INDEX);
  std::wstring wide(size / sizeof(wchar_t), L'\0');
  if (wide.empty() || http.query_headers(request, WINHTTP_QUERY_RAW_HEADERS_CRLF, WINHTTP_HEADER_NAME_BY_INDEX,
                                         wide.data(), &size, WINHTTP_NO_HEADER_INDEX) == 0) {
    return headers;
  }
  const std::string text = utf8_of(wide);
  for (size_t begin = 0; begin < text.size();) {
    const size_t line_end = std::min(text.find("\r\n", begin), text.size());
    add_header_line(std::string_view(text).substr(begin, line_end - begin), headers);
    begin = line_end + 2;
  }
  return headers;
}

bool add_headers(const WinHttp& http, HINTERNET request, const std::vector<HttpHeader>& headers) {
  for (const HttpHeader& header : headers) {
    const std::wstring line = wide_of(header.name + ": " + header.value);
    if (http.add_headers(request, line.c_str(), static_cast<DWORD>(line.size()),
                         WINHTTP_ADDREQ_FLAG_ADD | WINHTTP_ADDREQ_FLAG_REPLACE) == 0) {
      return false;
    }
  }
  return true;
}

bool send(const WinHttp& http, HINTERNET request, const HttpRequest& asked) {
  const auto size = asked.body.has_value() ? static_cast<DWORD>(asked.body->size()) : 0;
  // WinHTTP only reads it, despite the type of the parameter.
  auto* const body = size != 0 ? const_cast<std::byte*>(asked.body->data()) : nullptr;
  return http.send(request, WINHTTP_NO_ADDITIONAL_HEADERS, 0, body, size, size, 0) != 0 &&
         http.receive(request, nullptr) != 0;
}

}  // namespace

diag::Result<HttpAnswer> ask_server(const HttpRequest& asked, const HttpLimits& limits) {
  static const WinHttp http = load_win_http();  // loaded once, on first use
  if (!http.complete)
    return diag::Error{.text = "connecting to servers needs winhttp.dll of Windows 8.1 or later", .hint = {}};
  const std::string& url = asked.url;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(limits.whole_ms);
  const auto address = parse(http, url);
  if (!address.has_value()) return diag::Error{.text = "not an http or https address: " + url, .hint = {}};
  if (asked.body.has_value() && asked.body->size() > 0xffff'ffff) {
    return diag::Error{.text = "cannot send more than 4 GiB at once (" + url + ")", .hint = {}};
  }

  const auto own = [](HINTERNET handle) { return Handle(handle, http.close); };
  const DWORD proxy =
      is_this_machine(host_of(url)) ? WINHTTP_ACCESS_TYPE_NO_PROXY : WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY;
  const Handle session = own(http.open(L"wperf", proxy, WINHTTP_NO_PROXY_NAME, WINHTTP_NO_PROXY_BYPASS, 0));
  if (session == nullptr) return failure(url);
  const int connect_ms = static_cast<int>(limits.connect_ms);
  const int whole_ms = static_cast<int>(limits.whole_ms);
  http.set_timeouts(session.get(), connect_ms, connect_ms, whole_ms, whole_ms);
  const Handle connection = own(http.connect(session.get(), address->host.c_str(), address->port, 0));
  if (connection == nullptr) return failure(url);
  const Handle request = own(
      http.open_request(connection.get(), asked.body.has_value() ? L"POST" : L"GET", address->path.c_str(), nullptr,
                        WINHTTP_NO_REFERER, WINHTTP_DEFAULT_ACCEPT_TYPES, address->secure ? WINHTTP_FLAG_SECURE : 0));
  if (request == nullptr) return failure(url);
  set_redirects(http, request.get(), asked.body.has_value());
  if (!add_headers(http, request.get(), asked.headers) || !send(http, request.get(), asked)) return failure(url);
  DWORD status = 0, size = sizeof status;
  if (http.query_headers(request.get(), WINHTTP_QUERY_STATUS_CODE | WINHTTP_QUERY_FLAG_NUMBER,
                         WINHTTP_HEADER_NAME_BY_INDEX, &status, &size, WINHTTP_NO_HEADER_INDEX) == 0) {
    return failure(url);
  }
  HttpAnswer answer{.status = static_cast<long>(status), .headers = read_headers(http, request.get()), .body = {}};
  WPERF_TRY(answer.body, read_body(http, request.get(), url, limits, end));
  return answer;
}

}  // namespace wperf::os
