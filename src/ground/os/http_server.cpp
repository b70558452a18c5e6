// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/http_server.h"

#include <atomic>
#include <charconv>
#include <chrono>
#include <thread>
#include <vector>

#include "ground/os/http.h"
#include "ground/os/http_request.h"
#include "ground/os/sockets.h"

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
    return diag::Error{.text = "'" + address + "' is not an address to listen on",
                       .hint = "use ADDRESS:PORT or PORT, such as 127.0.0.1:9464",
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

  bool is_for_others() const { return !is_this_machine(host) && host != "::1"; }
  void run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    Socket socket;
    Clock::time_point end;  // when the connection is given up
    std::string head, answer;
    usize written = 0;
    bool is_done = false;
  };
  void take_client();
  void go_on(Client& client);
  std::string answer_to(HeadState state, const RequestHead& head);

  std::vector<Client> clients_;      // the oldest first
  Clock::time_point accepts_again_;  // after the system had no room for one
};

// No connection waits for another one that asks slowly or does not read.
void HttpServer::State::run() {
  while (!stop.load()) {
    std::vector<Socket::Awaited> awaited;
    for (const Client& client : clients_) awaited.push_back({&client.socket, !client.answer.empty()});
    const bool accepts = Clock::now() >= accepts_again_;
    if (accepts) awaited.push_back({&listening.socket});
    if (awaited.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
      continue;
    }
    Socket::wait_for_any(awaited, kStepMs);
    for (usize i = 0; i < clients_.size(); ++i) {
      if (awaited[i].is_ready) go_on(clients_[i]);
    }
    if (accepts && awaited.back().is_ready) take_client();
    const Clock::time_point now = Clock::now();
    std::erase_if(clients_, [&](const Client& client) { return client.is_done || now > client.end; });
  }
}

// If there are too many, the oldest connection is closed.
void HttpServer::State::take_client() {
  constexpr usize kMostClients = 32;
  Client client{.socket = listening.socket.accept(),
                .end = Clock::now() + std::chrono::milliseconds(kPatienceMs),
                .head = {},
                .answer = {}};
  if (!client.socket.is_open()) {
    accepts_again_ = Clock::now() + std::chrono::milliseconds(kStepMs);
    return;
  }
  if (clients_.size() == kMostClients) clients_.erase(clients_.begin());
  clients_.push_back(std::move(client));
}

void HttpServer::State::go_on(Client& client) {
  if (client.answer.empty()) {
    const std::string part = client.socket.read(kLongestHead);
    client.head += part;
    RequestHead head;
    const HeadState state = read_request_head(client.head, head);
    client.is_done = part.empty();
    if (part.empty() || state == HeadState::more) return;
    client.answer = answer_to(state, head);
  }
  const std::optional<usize> written = client.socket.write(std::string_view(client.answer).substr(client.written));
  client.written += written.value_or(0);
  client.is_done = !written.has_value() || client.written == client.answer.size();
}

std::string HttpServer::State::answer_to(HeadState state, const RequestHead& head) {
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  if (state == HeadState::wrong) return http_answer(400, kPlain, "not an HTTP/1.1 request\n", true);
  if (head.method != "GET" && head.method != "HEAD")
    return http_answer(405, kPlain, "only GET and HEAD are supported\n", true);
  const bool with_body = head.method == "GET";
  if (!is_for_others() && !head.host.empty() && !is_own_host(head.host))
    return http_answer(421, kPlain, "use the host name localhost\n", with_body);
  if (head.path != path) return http_answer(404, kPlain, "not found; use " + path + "\n", with_body);
  const std::string body = page();
  if (body.empty()) return http_answer(503, kPlain, "nothing was counted yet\n", with_body);
  ++served;
  return http_answer(200, content_type, body, with_body);
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
bool HttpServer::is_for_others() const {
  return state_->is_for_others();
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
