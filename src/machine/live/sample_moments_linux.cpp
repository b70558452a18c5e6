// SPDX-License-Identifier: BSD-3-Clause
#include "machine/live/sample_moments_linux.h"

#include <poll.h>

#include <chrono>
#include <vector>

namespace wperf::live {
namespace {

// Waits until bytes arrive or, if there are bytes to be sent, until there is room for them.
void wait_for(const ClientSocket& client, std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  pollfd awaited{
      .fd = client.socket.number(), .events = static_cast<short>(client.out.empty() ? POLLIN : POLLOUT), .revents = 0};
  static_cast<void>(::poll(&awaited, 1, static_cast<int>(std::max(left.count(), decltype(left.count()){}))));
}

}  // namespace

void SampleMoments::set_watching(ClientSocket& client, bool watches) {
  if (watches) {
    client_ = &client;
    is_finished_ = true;
  } else if (client_ == &client) {
    client_ = nullptr;
  }
}

void SampleMoments::see(const Moment& moment) {
  if (client_ == nullptr || client_->gone || !is_finished_) return;
  ClientSocket& client = *client_;
  is_now_ = true;
  is_finished_ = false;
  client.out += Writer::news(moment).take();
  const auto until = std::chrono::steady_clock::now() + patience_;
  while (!is_finished_ && !client.gone && std::chrono::steady_clock::now() < until) {
    client.send();
    wait_for(client, until);
    if (client.out.empty()) client.receive();
    answer(client);
  }
  client.send();
  is_now_ = false;
}

void SampleMoments::answer(ClientSocket& client) {
  if (client.gone || !client.out.empty()) return;
  const FoundMessage found = find_message(client.in, true);
  client.gone |= found.damaged;
  if (!found.complete) return;
  Fields fields(found.fields);
  Writer answer = answer_to(client, static_cast<What>(found.header.what & ~kInMoment), fields);
  answer.in_moment();
  client.out = std::move(answer).take();
  client.in.erase(found.begin, sizeof(Header) + found.header.size);
  client.send();
}

Writer SampleMoments::answer_to(const ClientSocket& client, What what, Fields& fields) {
  const bool watches = &client == client_;
  if (watches && what == What::end_moment) {
    is_finished_ = true;
    return Writer::answer();
  }
  if (!watches || !is_now_) return Writer::refusal({.text = "the simulated machine has already resumed", .hint = {}});
  Writer writer = Writer::answer();
  switch (what) {
    case What::read_memory:
      return read_memory(fields);
    case What::processes:
      put_processes(writer, programs_.processes());
      return writer;
    case What::now:
      writer.put(programs_.now_ns());
      return writer;
    default:
      return refusal_of_damage();
  }
}

Writer SampleMoments::read_memory(Fields& fields) {
  const std::optional<MemoryRequest> request = read_memory_request(fields);
  if (!request.has_value()) return refusal_of_damage();
  std::vector<std::byte> bytes(static_cast<size_t>(request->size));
  if (!programs_.read_memory(request->process, request->address, bytes))
    return Writer::refusal({.text = "the program has no such memory", .hint = {}});
  Writer writer = Writer::answer();
  writer.put_bytes(bytes);
  return writer;
}

}  // namespace wperf::live
