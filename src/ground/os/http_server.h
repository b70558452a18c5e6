// SPDX-License-Identifier: BSD-3-Clause
// A server of one page, for programs that regularly read numbers: one request for each connection, none longer than two
// seconds. Runs on its own thread.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::os {

class HttpServer {
 public:
  // `address`: ADDRESS:PORT, :PORT or PORT; without an address only this machine (127.0.0.1), with port 0 any free
  // port. [::1]:PORT is IPv6. `page` answers GET `path`, from the server's thread; empty: no page yet.
  static diag::Result<HttpServer> start(const std::string& address, std::string path, std::string content_type,
                                        std::function<std::string()> page);
  HttpServer(HttpServer&&) noexcept;
  HttpServer& operator=(HttpServer&&) = delete;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // ends the thread

  std::string address() const;  // the address that it listens on
  bool is_for_others() const;   // than this machine, as far as they reach it
  u64 served() const;           // how often the page was read

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wperf::os
