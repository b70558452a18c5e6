// SPDX-License-Identifier: BSD-3-Clause
// A server of one page, for programs that read numbers regularly. Each connection has one request and lasts at most two
// seconds. Runs on its own thread.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

// The head of an HTTP/1.x request, from untrusted bytes. Pure.
struct RequestHead {
  std::string method, path;  // the path without the query
  std::string host;          // the name in the Host header, without a port; empty without this header
};

enum class HeadState { more, whole, wrong };

inline constexpr size_t kLongestHead = 8192;

// Returns `more` if the head is not complete yet. Returns `wrong` if the head is malformed or too long.
HeadState read_request_head(std::string_view bytes, RequestHead& head);

// Is the host a number, as in "127.0.0.1" and "[::1]", or localhost? A web page can make its domain name resolve to
// this machine. Its requests name that domain and are refused.
bool is_own_host(std::string_view host);

// The complete text of an HTTP answer. It asks the client to close the connection.
std::string http_answer(int status, std::string_view content_type, std::string_view body, bool with_body);

class HttpServer {
 public:
  // `address`: ADDRESS:PORT, :PORT or PORT. Without ADDRESS, only this machine can connect (127.0.0.1); port 0 means
  // any free port. [::1]:PORT is IPv6. `page` is called for GET `path`, on the server's thread; it returns an empty
  // text if there is no page yet.
  static diag::Result<HttpServer> start(const std::string& address, std::string path, std::string content_type,
                                        std::function<std::string()> page);
  HttpServer(HttpServer&&) noexcept;
  HttpServer& operator=(HttpServer&&) = delete;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // ends the thread

  std::string address() const;  // the address that it listens on
  bool is_for_others() const;   // other machines can reach it
  u64 served() const;           // how often clients read the page

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wperf::os
