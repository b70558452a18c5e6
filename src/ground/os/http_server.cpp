// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/http_server.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <thread>
#include <vector>

#include "ground/os/http.h"
#include "ground/os/sockets.h"

namespace wperf::os {
namespace {

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Is it "Name: value"? Checked only roughly, because no header is read.
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

// Returns false for a second Host line.
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
  // A malformed first line is an error even before the following lines have arrived.
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
    return diag::usage_error("'" + address + "' is not an address to listen on",
                             "use ADDRESS:PORT or PORT, such as 127.0.0.1:9464");
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
    Clock::time_point end;  // when the connection is closed
    std::string head, answer;
    usize written = 0;
    bool is_done = false;
  };
  void take_client();
  void go_on(Client& client);
  std::string answer_to(HeadState state, const RequestHead& head);

  std::vector<Client> clients_;      // the oldest first
  Clock::time_point accepts_again_;  // when to accept again, after the system had no room for a connection
};

// A connection that sends slowly or does not read must not delay other connections.
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
