// SPDX-License-Identifier: BSD-3-Clause
#include "os/http_server.h"

#include <atomic>
#include <charconv>
#include <chrono>
#include <thread>

#include "os/http_request.h"
#include "os/sockets.h"

namespace wperf::os {
namespace {

constexpr u32 kPatienceMs = 2'000, kStepMs = 100;
constexpr std::string_view kThisMachine = "127.0.0.1";

struct Place {
  std::string host;
  u16 port = 0;
};

diag::Result<Place> parse_place(const std::string& address) {
  const usize colon = address.rfind(':');
  const std::string digits = colon == std::string::npos ? address : address.substr(colon + 1);
  Place place{.host = colon == std::string::npos ? std::string() : address.substr(0, colon)};
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
    return diag::Error{.text = "'" + address + "' is no place to listen at",
                       .hint = "ADDRESS:PORT or PORT, as in 127.0.0.1:9464",
                       .code = diag::ExitCode::usage};
  }
  if (place.host.empty()) place.host = kThisMachine;
  if (place.host.starts_with('[') && place.host.ends_with(']'))
    place.host = place.host.substr(1, place.host.size() - 2);
  if (place.host == "localhost") place.host = kThisMachine;
  return place;
}

}  // namespace

struct HttpServer::State {
  Listening listening;
  std::string host, path, content_type;
  std::function<std::string()> page;
  std::atomic<bool> stop{false};
  std::atomic<u64> served{0};
  std::thread thread;

  void run();
  void serve(const Socket& client);
  std::string answer_to(std::string_view method, std::string_view asked_path);
};

void HttpServer::State::run() {
  while (!stop.load()) {
    if (!listening.socket.wait(kStepMs)) continue;
    const Socket client = listening.socket.accept();
    if (client.is_open()) serve(client);
  }
}

std::string HttpServer::State::answer_to(std::string_view method, std::string_view asked_path) {
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  if (method != "GET" && method != "HEAD") return http_answer(405, kPlain, "GET alone\n", true);
  const bool with_body = method == "GET";
  if (asked_path != path) return http_answer(404, kPlain, "only " + path + " is here\n", with_body);
  const std::string body = page();
  if (body.empty()) return http_answer(503, kPlain, "nothing was counted yet\n", with_body);
  ++served;
  return http_answer(200, content_type, body, with_body);
}

void HttpServer::State::serve(const Socket& client) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  std::string bytes;
  RequestHead head;
  HeadState state = HeadState::more;
  while (state == HeadState::more) {
    if (stop.load() || std::chrono::steady_clock::now() > end) return;
    if (!client.wait(kStepMs)) continue;
    const std::string part = client.read(kLongestHead);
    if (part.empty()) return;
    bytes += part;
    state = read_request_head(bytes, head);
  }
  client.write(state == HeadState::whole
                   ? answer_to(head.method, head.path)
                   : http_answer(400, "text/plain; charset=utf-8", "no request of HTTP/1.1\n", true),
               kPatienceMs);
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() {
  if (state_ == nullptr) return;
  state_->stop.store(true);
  state_->thread.join();
}

std::string HttpServer::address() const {
  const bool is_long = state_->host.find(':') != std::string::npos;
  return (is_long ? "[" + state_->host + "]" : state_->host) + ":" + std::to_string(state_->listening.port);
}
u64 HttpServer::served() const {
  return state_->served.load();
}

diag::Result<HttpServer> HttpServer::start(const std::string& address, std::string path, std::string content_type,
                                           std::function<std::string()> page) {
  WPERF_TRY(const Place place, parse_place(address));
  auto state = std::make_unique<State>();
  WPERF_TRY(state->listening, listen_at(place.host, place.port));
  state->host = place.host;
  state->path = std::move(path);
  state->content_type = std::move(content_type);
  state->page = std::move(page);
  state->thread = std::thread([running = state.get()] { running->run(); });
  return HttpServer(std::move(state));
}

}  // namespace wperf::os
