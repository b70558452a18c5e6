// SPDX-License-Identifier: BSD-3-Clause
// Operations on sockets that may have to wait: accept, receive, send, poll. Each is tried when it is requested, and
// again whenever a socket changes, until it ends.
#include <algorithm>
#include <optional>

#include "sim/nt/services.h"
#include "sim/nt/socket_controls.h"

namespace wperf::sim::nt {
namespace {

struct Ended {
  Status status = kSuccess;
  u64 information = 0;
};
using Outcome = std::optional<Ended>;  // nullopt: it waits

// Windows reports a state once, and again after the program has made the call that the state allows.
void allow_report(Socket& socket, u32 state) {
  socket.reported &= ~state;
}

Outcome accept(State& process, Socket& listener, const SocketCall& request) {
  if (listener.arrivals.empty()) return std::nullopt;
  std::shared_ptr<File> file = request.accepting;
  u32 handle = 0;
  if (file == nullptr) {
    file = std::make_shared<File>(File::Type::socket, nullptr);
    handle = static_cast<u32>(process.handles.add(file));
    if (handle == 0) return Ended{kInsufficientResources};
    if (!process.guest.write(request.output, &handle, sizeof handle)) {
      process.handles.close(handle);
      return Ended{kAccessViolation};
    }
  }
  file->socket = std::move(listener.arrivals.front());
  listener.arrivals.pop_front();
  file->socket->blocks = listener.blocks;
  allow_report(listener, poll::kAccept);
  return Ended{kSuccess, handle == 0 ? 0 : sizeof handle};
}

// Writes both addresses after the space for the first bytes, each preceded by its size.
bool write_addresses(State& process, const SocketCall& request) {
  const Socket& socket = *request.accepting->socket;
  u64 at = request.output + request.first_bytes;
  for (const auto& [endpoint, room] :
       {std::pair{*socket.local, request.local_bytes},
        std::pair{*socket.peer, request.output_size - request.first_bytes - request.local_bytes}}) {
    const std::vector<u8> bytes = endpoint.bytes();
    const u32 size = static_cast<u32>(bytes.size());
    if (room < sizeof size + size || !process.guest.write(at, &size, sizeof size) ||
        !process.guest.write(at + sizeof size, bytes.data(), size))
      return false;
    at += request.local_bytes;
  }
  return true;
}

// The pieces of memory after the bytes that have already been sent or received.
std::vector<SocketCall::Piece> pieces_left(const SocketCall& request) {
  std::vector<SocketCall::Piece> left = request.pieces;
  u64 skipped = request.done;
  for (auto& [address, size] : left) {
    const u64 before = std::min(skipped, size);
    skipped -= before;
    address += before;
    size -= before;
  }
  return left;
}

// Copies the next bytes of a stream or a datagram into the pieces of the request.
template <class Bytes>
std::optional<u64> copy_out(State& process, const Bytes& from, const SocketCall& request) {
  u64 copied = 0;
  for (const auto& [address, size] : pieces_left(request)) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(copied);
    const std::string bytes(begin, begin + static_cast<std::ptrdiff_t>(std::min<u64>(size, from.size() - copied)));
    if (!process.guest.write(address, bytes.data(), bytes.size())) return std::nullopt;
    copied += bytes.size();
  }
  return copied;
}

u64 size_of(const std::vector<SocketCall::Piece>& pieces) {
  u64 size = 0;
  for (const auto& piece : pieces) size += piece.size;
  return size;
}

Outcome receive_bytes(State& process, Socket& socket, SocketCall& request) {
  if (socket.connection == nullptr) return Ended{kInvalidConnection};
  if (!socket.receives) return Ended{kPipeDisconnected};
  if (socket.connection->is_reset) return Ended{kConnectionReset};
  auto& bytes = socket.connection->bytes[socket.end];
  const u64 wanted = size_of(request.pieces);
  if (bytes.empty() && !socket.has_ended()) return std::nullopt;
  const auto copied = copy_out(process, bytes, request);
  if (!copied.has_value()) return Ended{kAccessViolation};
  if (request.peeks) return Ended{kSuccess, *copied};
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*copied));
  request.done += *copied;
  allow_report(socket, poll::kRead);
  if (request.takes_all && request.done < wanted && !socket.has_ended()) return std::nullopt;
  return Ended{kSuccess, request.done};
}

bool write_sender(State& process, const Endpoint& sender, const SocketCall& request) {
  if (request.address_at == 0 || request.address_size_at == 0) return true;
  const std::vector<u8> bytes = sender.bytes();
  u32 size = 0;
  if (!process.guest.read(request.address_size_at, &size, sizeof size)) return false;
  const u32 whole = static_cast<u32>(bytes.size());
  return process.guest.write(request.address_at, bytes.data(), std::min(size, whole)) &&
         process.guest.write(request.address_size_at, &whole, sizeof whole);
}

Outcome receive_datagram(State& process, Socket& socket, SocketCall& request) {
  if (!socket.local.has_value()) return Ended{kInvalidParameter};
  if (!socket.receives) return Ended{kPipeDisconnected};
  if (socket.datagrams.empty()) return std::nullopt;
  const Datagram& datagram = socket.datagrams.front();
  const auto copied = copy_out(process, datagram.bytes, request);
  if (!copied.has_value() || !write_sender(process, datagram.from, request)) return Ended{kAccessViolation};
  const Status status = *copied < datagram.bytes.size() ? kBufferOverflow : kSuccess;
  if (!request.peeks) {
    socket.datagram_bytes -= datagram.bytes.size() + sizeof(Datagram);
    socket.datagrams.pop_front();
    allow_report(socket, poll::kRead);
  }
  return Ended{status, *copied};
}

Outcome receive(State& process, Socket& socket, SocketCall& request) {
  Outcome outcome = socket.type == Socket::kDatagram ? receive_datagram(process, socket, request)
                                                     : receive_bytes(process, socket, request);
  constexpr u32 kNoFlags = 0;
  if (outcome.has_value() && request.flags_at != 0 &&
      !process.guest.write(request.flags_at, &kNoFlags, sizeof kNoFlags))
    outcome->status = kAccessViolation;
  return outcome;
}

Outcome accept_into(State& process, Socket& listener, SocketCall& request) {
  const bool is_accepted = request.accepting->socket != nullptr && request.accepting->socket->connection != nullptr;
  if (!is_accepted) {
    const Outcome outcome = accept(process, listener, request);
    if (!outcome.has_value()) return outcome;
    if (!write_addresses(process, request)) return Ended{kBufferTooSmall};
  }
  if (request.first_bytes == 0) return Ended{};
  request.pieces = {{request.output, request.first_bytes}};
  return receive_bytes(process, *request.accepting->socket, request);
}

// The bytes that have not been sent yet, at most `room`. nullopt for bad pointers.
std::optional<std::string> bytes_to_send(State& process, const SocketCall& request, u64 room) {
  std::string bytes;
  for (const auto& [address, size] : pieces_left(request)) {
    std::string piece(std::min(size, room - bytes.size()), '\0');
    if (!process.guest.read(address, piece.data(), piece.size())) return std::nullopt;
    bytes += piece;
  }
  return bytes;
}

Outcome send(State& process, Socket& socket, SocketCall& request) {
  if (socket.connection == nullptr) return Ended{kInvalidConnection};
  Connection& connection = *socket.connection;
  const usize reader = 1 - socket.end;
  if (connection.has_finished[socket.end]) return Ended{kPipeDisconnected};
  if (connection.is_reset || !connection.is_open[reader]) return Ended{kConnectionReset};
  const auto bytes = bytes_to_send(process, request, socket.room());
  if (!bytes.has_value()) return Ended{kAccessViolation};
  connection.bytes[reader].insert(connection.bytes[reader].end(), bytes->begin(), bytes->end());
  request.done += bytes->size();
  if (request.done == size_of(request.pieces)) return Ended{kSuccess, request.done};
  allow_report(socket, poll::kWrite);
  return std::nullopt;
}

// The output lists the sockets in one of the wanted states, in the format of the input.
Outcome look(State& process, const SocketCall& request) {
  struct Found {
    u32 handle[2];
    u32 states = 0;
    Status status = kSuccess;
  };
  std::vector<Found> found;
  for (const auto& [handle, weak_file, wanted] : request.polled) {
    const auto file = weak_file.lock();
    const u32 states = file == nullptr ? poll::kClosed : file->socket != nullptr ? file->socket->ready() : 0;
    if ((states & wanted) != 0)
      found.push_back({{static_cast<u32>(handle), static_cast<u32>(handle >> 32)}, states & wanted});
  }
  if (found.empty()) return std::nullopt;
  const u32 count = static_cast<u32>(found.size());
  const u64 size = kPollHeader + found.size() * sizeof(Found);
  if (size > request.output_size || !process.guest.write(request.output + kPollCountAt, &count, sizeof count) ||
      !process.guest.write(request.output + kPollHeader, found.data(), found.size() * sizeof(Found)))
    return Ended{kAccessViolation};
  return Ended{kSuccess, size};
}

Ended end_of_time(State& process, const SocketCall& request) {
  if (request.code != control::kPoll) return {kIoTimeout};
  constexpr u32 kNone = 0;
  return {process.guest.write(request.output + kPollCountAt, &kNone, sizeof kNone) ? kTimeout : kAccessViolation};
}

Outcome attempt(State& process, const File& file, SocketCall& request) {
  if (request.code == control::kPoll) return look(process, request);
  const std::shared_ptr<Socket> held = file.socket;  // the file gets another socket if it takes an accepted connection
  Socket& socket = *held;
  switch (request.code) {
    case control::kAccept:
      return accept(process, socket, request);
    case control::kAcceptInto:
      return accept_into(process, socket, request);
    case control::kSendMessage:
      return send(process, socket, request);
    default:
      return receive(process, socket, request);
  }
}

// The object that a thread waits for until the call ends.
Object* awaited(const SocketCall& request) {
  if (request.event != nullptr) return request.event.get();
  return request.port.get();
}

void set_due_time(System& system, Object* object, u64 now_ns) {
  if (object == nullptr) return;
  object->due_ns = kNever;
  for (const SocketCall& one : system.socket_calls)
    if (awaited(one) == object) object->due_ns = std::min(object->due_ns, one.deadline_ns);
  wake_waiters(system, *object, now_ns);
}

void end_call(System& system, std::list<SocketCall>::iterator at, const Ended& ended, u64 now_ns) {
  const SocketCall call = std::move(*at);
  system.socket_calls.erase(at);
  if (call.deadline_ns != kNever) set_due_time(system, awaited(call), now_ns);
  end_io(system, call, ended.status, ended.information, now_ns);
}

// Signals the events of WSAEventSelect.
void report_events(System& system, u64 now_ns) {
  auto& watched = system.network.watched;
  std::erase_if(watched, [](const std::weak_ptr<Socket>& one) { return one.expired(); });
  for (const std::weak_ptr<Socket>& one : watched) {
    const auto socket = one.lock();
    const u32 fresh = socket->ready() & socket->wanted & ~socket->reported;
    socket->reported |= fresh;
    socket->pending |= fresh;
    if (fresh == 0 || socket->event == nullptr) continue;
    socket->event->signalled = true;
    wake_waiters(system, *socket->event, now_ns);
  }
}

// Returns whether a call ended or made progress, because other calls may then be able to end.
bool try_all(System& system, u64 now_ns) {
  bool any = false;
  for (auto next = system.socket_calls.begin(); next != system.socket_calls.end();) {
    const auto at = next++;
    State* const process = find_process(system, at->process);
    if (process == nullptr) {
      system.socket_calls.erase(at);
      continue;
    }
    const auto file = at->file.lock();
    const u64 done_before = at->done;
    const Outcome outcome = file == nullptr ? Ended{kCancelled} : attempt(*process, *file, *at);
    any |= outcome.has_value() || at->done != done_before;
    if (outcome.has_value()) end_call(system, at, *outcome, now_ns);
  }
  return any;
}

}  // namespace

u64 carry_out(SocketRequest& asked, SocketCall request, bool waits) {
  constexpr usize kMostCalls = 16384;
  Call& call = asked.call;
  System& system = *call.state.system;
  Outcome outcome = attempt(call.state, *asked.file, request);
  if (!outcome.has_value() && !waits) {
    outcome = request.code == control::kPoll ? end_of_time(call.state, request)
              : request.done != 0            ? Ended{kSuccess, request.done}
                                             : Ended{kDeviceNotReady};
  }
  if (!outcome.has_value() && system.socket_calls.size() == kMostCalls) outcome = Ended{kInsufficientResources};
  if (outcome.has_value()) return complete_io(call, asked.file, outcome->status, outcome->information);
  request.flags_at = 0;  // Windows does not write the flags later, and they are often on the caller's stack
  const u64 answer = begin_io(call, asked.file, request);
  if (answer != kPending) return answer;
  Object* const object = request.deadline_ns != kNever ? awaited(request) : nullptr;
  system.socket_calls.push_back(std::move(request));
  set_due_time(system, object, call.now_ns);
  return kPending;
}

void go_on_with_sockets(System& system, u64 now_ns) {
  while (try_all(system, now_ns)) {
  }
  report_events(system, now_ns);
}

void end_late_socket_calls(System& system, u64 now_ns) {
  for (auto next = system.socket_calls.begin(); next != system.socket_calls.end();) {
    const auto at = next++;
    if (at->deadline_ns > now_ns) continue;
    State* const process = find_process(system, at->process);
    if (process == nullptr) continue;
    const Ended ended = end_of_time(*process, *at);
    end_call(system, at, ended, now_ns);
  }
}

usize cancel_socket_calls(Call& call, const File& file, u64 status_at) {
  System& system = *call.state.system;
  usize count = 0;
  for (auto at = system.socket_calls.begin(); at != system.socket_calls.end();) {
    const auto one = at++;
    if (one->file.lock().get() != &file || (status_at != 0 && one->status_at != status_at)) continue;
    end_call(system, one, {kCancelled, 0}, call.now_ns);
    ++count;
  }
  return count;
}

}  // namespace wperf::sim::nt
