// SPDX-License-Identifier: BSD-3-Clause
// Reads the requests that may have to wait: accept, send, receive, poll.
#include <utility>

#include "sim/nt/services.h"
#include "sim/nt/socket_controls.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kMostInput = 64 << 10;

// Reads an array of WSABUF.
bool read_pieces(SocketRequest& asked, u64 at, u32 count, SocketCall& request) {
  constexpr u32 kMost = 1024;
  if (count > kMost) return false;
  for (u32 index = 0; index < count; ++index) {
    struct {
      u32 size, unused;
      u64 address;
    } piece{};
    if (!asked.call.get(at + index * sizeof piece, piece)) return false;
    request.pieces.push_back({piece.address, piece.size});
  }
  return true;
}

void limit_time(const SocketRequest& asked, u32 timeout_option, SocketCall& request) {
  const u32 ms = option_value(*asked.file->socket, timeout_option);
  if (ms != 0) request.deadline_ns = asked.call.now_ns + ms * u64{1'000'000};
}

u64 send(SocketRequest& asked, SocketCall request, bool waits, const std::optional<Endpoint>& to) {
  if (asked.file->socket->type == Socket::kStream) {
    request.code = control::kSendMessage;
    if (waits) limit_time(asked, control::kSendTimeout, request);
    return carry_out(asked, std::move(request), waits);
  }
  const std::optional<Endpoint>& target = to.has_value() ? to : asked.file->socket->peer;
  if (!target.has_value()) return asked.end(kInvalidConnection);
  std::string bytes;
  for (const auto& piece : request.pieces) {
    const usize before = bytes.size();
    if (before + piece.size > kMostInput) return asked.end(kBufferOverflow);
    bytes.resize(before + piece.size);
    if (!asked.call.read(piece.address, bytes.data() + before, piece.size)) return 0;
  }
  const u64 size = bytes.size();
  const Status status = asked.call.state.system->network.send(asked.file->socket, *target, std::move(bytes));
  return complete_io(asked.call, asked.file, status, status == kSuccess ? size : 0);
}

u64 receive(SocketRequest& asked, SocketCall request, bool waits) {
  request.code = control::kReceive;
  if (waits) limit_time(asked, control::kReceiveTimeout, request);
  return carry_out(asked, std::move(request), waits);
}

}  // namespace

u64 accept(SocketRequest& asked) {
  if (asked.file->socket->backlog == 0) return asked.end(kInvalidParameter);
  SocketCall request;
  request.code = control::kAccept;
  request.output = asked.output_at();
  if (asked.output_size() < sizeof(u32)) return kInvalidParameter;
  return carry_out(asked, std::move(request), asked.file->socket->blocks);
}

u64 accept_into(SocketRequest& asked) {
  struct {
    u32 handle, first_bytes, local_bytes;
  } wanted{};
  if (!asked.get_input(wanted)) return kInvalidParameter;
  SocketCall request;
  request.accepting = asked.call.state.handles.at<File>(wanted.handle);
  if (asked.file->socket->backlog == 0 || request.accepting == nullptr || request.accepting->type != File::Type::socket)
    return asked.end(kInvalidParameter);
  const auto& fresh = request.accepting->socket;
  if (fresh != nullptr && (fresh->backlog != 0 || fresh->connection != nullptr)) return asked.end(kInvalidParameter);
  if (u64{wanted.first_bytes} + wanted.local_bytes > asked.output_size()) return asked.end(kBufferTooSmall);
  request.code = control::kAcceptInto;
  request.output = asked.output_at();
  request.output_size = asked.output_size();
  request.first_bytes = wanted.first_bytes;
  request.local_bytes = wanted.local_bytes;
  return carry_out(asked, std::move(request), true);
}

u64 send_message(SocketRequest& asked) {
  struct {
    u64 address;
    u32 address_size, flags, overlapped, count;
    u64 pieces;
  } wanted{};
  if (!asked.get_input(wanted)) return kInvalidParameter;
  std::optional<Endpoint> to;
  if (wanted.address != 0 && wanted.address_size != 0) {
    to = asked.read_address(wanted.address, wanted.address_size);
    if (!to.has_value()) return asked.end(kInvalidParameter);
  }
  SocketCall request;
  if (!read_pieces(asked, wanted.pieces, wanted.count, request)) return kInvalidParameter;
  return send(asked, std::move(request), wanted.overlapped != 0 || asked.file->socket->blocks, to);
}

u64 receive_message(SocketRequest& asked) {
  constexpr u32 kPeek = 2, kAll = 8;
  struct {
    u64 control, address, address_size, flags;
    u32 overlapped, count;
    u64 pieces;
  } wanted{};
  SocketCall request;
  u32 flags = 0;
  if (!asked.get_input(wanted) || !read_pieces(asked, wanted.pieces, wanted.count, request)) return kInvalidParameter;
  if (wanted.flags != 0 && !asked.call.get(wanted.flags, flags)) return 0;
  request.peeks = (flags & kPeek) != 0;
  request.takes_all = (flags & kAll) != 0;
  request.address_at = wanted.address;
  request.address_size_at = wanted.address_size;
  request.flags_at = wanted.flags;
  return receive(asked, std::move(request), wanted.overlapped != 0 || asked.file->socket->blocks);
}

u64 receive_plainly(SocketRequest& asked) {
  constexpr u32 kOverlapped = 2, kPeek = 0x80, kAll = 0x4000;
  struct {
    u64 pieces;
    u32 count, how, flags;
  } wanted{};
  SocketCall request;
  if (!asked.get_input(wanted) || !read_pieces(asked, wanted.pieces, wanted.count, request)) return kInvalidParameter;
  request.peeks = (wanted.flags & kPeek) != 0;
  request.takes_all = (wanted.flags & kAll) != 0;
  return receive(asked, std::move(request), (wanted.how & kOverlapped) != 0 || asked.file->socket->blocks);
}

// input and output: see kPollHeader
u64 poll_sockets(SocketRequest& asked) {
  constexpr u32 kMostSockets = 4096;
  std::int64_t timeout = 0;
  u32 count = 0;
  if (asked.input_size() < kPollHeader || !asked.call.get(asked.input_at(), timeout) ||
      !asked.call.get(asked.input_at() + kPollCountAt, count))
    return kInvalidParameter;
  if (count == 0 || count > kMostSockets || asked.input_size() < kPollHeader + count * kPollEntry)
    return asked.end(kInvalidParameter);
  SocketCall request;
  request.code = control::kPoll;
  request.output = asked.output_at();
  request.output_size = asked.output_size();
  for (u32 index = 0; index < count; ++index) {
    struct {
      u32 handle[2], states, status;
    } one{};
    if (!asked.call.get(asked.input_at() + kPollHeader + index * kPollEntry, one)) return 0;
    const u64 handle = one.handle[0] | u64{one.handle[1]} << 32;
    const auto polled = asked.call.state.handles.at<File>(handle);
    if (polled == nullptr || polled->type != File::Type::socket) return asked.end(kInvalidHandle);
    request.polled.push_back({handle, polled, one.states});
  }
  if (!read_deadline(asked.call, asked.input_at(), request.deadline_ns)) return 0;
  const bool waits = request.deadline_ns > asked.call.now_ns;
  return carry_out(asked, std::move(request), waits);
}

u64 transfer_on_socket(Call& call, const std::shared_ptr<File>& file, bool sends) {
  if (file->socket == nullptr) return kInvalidConnection;
  SocketRequest asked(call, file);
  SocketCall request;
  request.pieces = {{call.argument(5), call.argument32(6)}};
  const bool waits = file->socket->blocks || !file->answers_at_once;
  const u64 answer =
      sends ? send(asked, std::move(request), waits, std::nullopt) : receive(asked, std::move(request), waits);
  go_on_with_sockets(*call.state.system, call.now_ns);
  return answer;
}

}  // namespace wperf::sim::nt
