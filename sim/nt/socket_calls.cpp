// SPDX-License-Identifier: BSD-3-Clause
// The requests of programs to sockets. Operations that may have to wait are in socket_operations.cpp.
#include <algorithm>
#include <utility>

#include "sim/nt/services.h"
#include "sim/nt/socket_controls.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

std::optional<Endpoint> SocketRequest::read_address(u64 at, u64 size) {
  std::array<u8, Endpoint::kMostBytes> bytes{};
  const u64 count = std::min<u64>(size, bytes.size());
  if (!call.read(at, bytes.data(), count)) return std::nullopt;
  return Endpoint::read(std::span(bytes).first(count));
}

u64 SocketRequest::answer(std::span<const u8> bytes) {
  if (output_size() < bytes.size()) return end(kBufferTooSmall);
  if (!call.write(output_at(), bytes.data(), bytes.size())) return 0;
  return complete_io(call, file, kSuccess, bytes.size());
}

namespace {

// ---- Sockets and their addresses

u64 make(SocketRequest& asked) {
  struct {
    u32 family, type, protocol, flags;
  } wanted{};
  if (!asked.get_input(wanted)) return kInvalidParameter;
  const bool is_known = (wanted.family == Endpoint::kV4 || wanted.family == Endpoint::kV6) &&
                        (wanted.type == Socket::kStream || wanted.type == Socket::kDatagram);
  if (!is_known) return asked.end(kProtocolNotSupported);
  if (asked.file->socket != nullptr) return asked.end(kInvalidParameter);
  constexpr u32 kTcp = 6, kUdp = 17;
  asked.file->socket = std::make_shared<Socket>();
  asked.file->socket->family = static_cast<u16>(wanted.family);
  asked.file->socket->type = wanted.type;
  asked.file->socket->protocol = wanted.type == Socket::kStream ? kTcp : kUdp;
  return asked.end(kSuccess);
}

u64 bind(SocketRequest& asked) {
  constexpr u64 kAddressAt = 4;
  if (asked.input_size() < kAddressAt) return kInvalidParameter;
  const auto address = asked.read_address(asked.input_at() + kAddressAt, asked.input_size() - kAddressAt);
  if (!address.has_value()) return asked.end(kInvalidParameter);
  const auto& socket = asked.file->socket;
  const Status status =
      asked.call.state.system->network.bind(socket, *address, option_value(*socket, control::kReuseAddress) != 0);
  return status == kSuccess ? asked.answer(socket->local->bytes()) : asked.end(status);
}

u64 start_listening(SocketRequest& asked) {
  struct {
    u32 unknown, backlog, unknown_too;
  } wanted{};
  if (!asked.get_input(wanted)) return kInvalidParameter;
  return asked.end(Network::listen(*asked.file->socket, wanted.backlog));
}

// input: the size of the address, whether the program waits, the address, bytes to send first (ConnectEx)
u64 connect(SocketRequest& asked) {
  struct {
    u32 address_size, waits;
  } wanted{};
  if (!asked.get_input(wanted) || asked.input_size() - sizeof wanted < wanted.address_size) return kInvalidParameter;
  const auto address = asked.read_address(asked.input_at() + sizeof wanted, wanted.address_size);
  if (!address.has_value()) return asked.end(kInvalidParameter);
  const Status status = asked.call.state.system->network.connect(asked.file->socket, *address);
  const u64 data_at = sizeof wanted + wanted.address_size, data_size = asked.input_size() - data_at;
  if (status == kSuccess && data_size != 0 && asked.file->socket->type == Socket::kStream) {
    SocketCall request;
    request.code = control::kSendMessage;
    request.pieces = {{asked.input_at() + data_at, data_size}};
    return carry_out(asked, std::move(request), true);
  }
  return asked.end(status);
}

u64 shut_down(SocketRequest& asked) {
  constexpr u32 kReceive = 0, kSend = 1, kBoth = 2;
  u32 how = 0;
  if (!asked.get_input(how) || how > kBoth) return kInvalidParameter;
  Socket& socket = *asked.file->socket;
  if (socket.connection == nullptr && socket.type == Socket::kStream) return asked.end(kInvalidConnection);
  if (how != kSend) socket.receives = false;
  if (how != kReceive && socket.connection != nullptr) socket.connection->has_finished[socket.end] = true;
  return asked.end(kSuccess);
}

// ---- Options and events

u64 set_option(SocketRequest& asked) {
  std::vector<u8> value(std::min(asked.input_size(), kMostOptionBytes));
  if (!asked.call.read(asked.input_at(), value.data(), value.size())) return 0;
  keep_option(*asked.file->socket, asked.code(), std::move(value));
  return asked.end(kSuccess);
}

// The program may want fewer bytes, and gets zeros for more.
u64 answer_option(SocketRequest& asked, std::vector<u8> value) {
  value.resize(std::min(asked.output_size(), kMostOptionBytes));
  return asked.answer(value);
}

u64 select_events(SocketRequest& asked) {
  struct {
    u64 event;
    u32 states;
  } wanted{};
  if (!asked.get_input(wanted)) return kInvalidParameter;
  Socket& socket = *asked.file->socket;
  socket.event = asked.call.state.handles.at<Event>(wanted.event);
  socket.wanted = socket.event != nullptr ? wanted.states : 0;
  socket.reported = socket.pending = 0;
  socket.blocks = false;
  auto& watched = asked.call.state.system->network.watched;
  std::erase_if(watched, [&](const std::weak_ptr<Socket>& one) { return one.lock() == asked.file->socket; });
  if (socket.wanted != 0) watched.push_back(asked.file->socket);
  return asked.end(kSuccess);
}

// input: an event that is reset, or null
u64 get_events(SocketRequest& asked) {
  struct {
    u32 states = 0;
    Status status[13] = {};
  } found;
  found.states = std::exchange(asked.file->socket->pending, 0);
  if (const auto event = asked.call.state.handles.at<Event>(asked.input_at())) event->signalled = false;
  return asked.answer_value(found);
}

u64 set_blocking_mode(SocketRequest& asked) {
  u32 is_nonblocking = 0;
  if (!asked.get_input(is_nonblocking)) return kInvalidParameter;
  if (is_nonblocking == 0 && asked.file->socket->wanted != 0) return asked.end(kInvalidParameter);
  asked.file->socket->blocks = is_nonblocking == 0;
  return asked.end(kSuccess);
}

u64 ask(SocketRequest& asked) {
  const Socket& socket = *asked.file->socket;
  switch (asked.code()) {
    case control::kOwnAddress:
      return asked.answer_address(socket.local, kInvalidParameter);
    case control::kPeerAddress:
      return asked.answer_address(socket.peer, kInvalidConnection);
    case control::kInformation:
      return asked.answer_value(std::array<u32, 3>{u32{socket.family}, socket.type, socket.protocol});
    case control::kIsListening:
      return asked.answer_value(socket.backlog != 0 ? 1u : 0u);
    case control::kConnectedTime:
      return asked.answer_value(socket.connection != nullptr ? 0u : ~0u);
    case control::kAtMark:
      return asked.answer_value(1u);  // there is no out-of-band data
    case control::kReadableBytes: {
      usize bytes = socket.datagrams.empty() ? 0 : socket.datagrams.front().bytes.size();
      if (socket.connection != nullptr) bytes = socket.connection->bytes[socket.end].size();
      return asked.answer_value(static_cast<u32>(bytes));
    }
    default:
      return asked.end(kNotSupported);
  }
}

u64 control_made_socket(SocketRequest& asked) {
  const u32 code = asked.code();
  switch (code) {
    case control::kBind:
      return bind(asked);
    case control::kListen:
      return start_listening(asked);
    case control::kConnect:
      return connect(asked);
    case control::kShutDown:
      return shut_down(asked);
    case control::kAccept:
      return accept(asked);
    case control::kAcceptInto:
      return accept_into(asked);
    case control::kReceive:
      return receive_plainly(asked);
    case control::kReceiveMessage:
      return receive_message(asked);
    case control::kSendMessage:
      return send_message(asked);
    case control::kSelectEvents:
      return select_events(asked);
    case control::kGetEvents:
      return get_events(asked);
    case control::kBlockingMode:
      return set_blocking_mode(asked);
    case control::kError: {
      constexpr u32 kRefused = 10061;  // WSAECONNREFUSED, the only error of a connection that is reported later
      return asked.answer_value(std::exchange(asked.file->socket->error, kSuccess) != kSuccess ? kRefused : 0u);
    }
    default:
      break;
  }
  if (sets_option(code)) return set_option(asked);
  if (const auto value = option_of(*asked.file->socket, code)) return answer_option(asked, *value);
  return ask(asked);
}

u64 answer_request(SocketRequest& asked) {
  switch (asked.code()) {
    case control::kMake:
      return make(asked);
    case control::kPoll:
      return poll_sockets(asked);
    case control::kEnd: {  // ws2_32 has answered the request itself and reports its completion
      Status status = kSuccess;
      return asked.get_input(status) ? asked.end(status) : u64{kInvalidParameter};
    }
    default:
      return asked.file->socket != nullptr ? control_made_socket(asked) : asked.end(kInvalidParameter);
  }
}

}  // namespace

// "\Device\Afd", with or without a path after it.
bool names_sockets(std::string_view name) {
  constexpr std::string_view kDevice = "\\device\\afd";
  return same_ignoring_case(name.substr(0, kDevice.size()), kDevice) &&
         (name.size() == kDevice.size() || name[kDevice.size()] == '\\');
}

// arguments: handle, event, APC routine, its context, I/O status, code, input, its size, output, its size
u64 control_socket(Call& call, const std::shared_ptr<File>& file) {
  SocketRequest asked(call, file);
  const u64 answer = answer_request(asked);
  go_on_with_sockets(*call.state.system, call.now_ns);
  return answer;
}

}  // namespace wperf::sim::nt
