// SPDX-License-Identifier: BSD-3-Clause
// The requests that ws2_32, mswsock and event loops of programs send to sockets.
#pragma once
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/ints.h"
#include "sim/nt/services.h"

namespace wperf::sim::nt {

namespace control {
inline constexpr u32 kBind = 0x12003, kListen = 0x1200b, kReceive = 0x12017, kPoll = 0x12024, kOwnAddress = 0x1202f,
                     kSelectEvents = 0x12087, kGetEvents = 0x1208b;
// Most codes are taken from Wine's DLLs.
constexpr u32 own(u32 number) {
  return 0x120000 | number << 2;
}
inline constexpr u32 kMake = own(200), kAccept = own(201), kAcceptInto = own(202), kConnect = own(203),
                     kShutDown = own(204), kReceiveMessage = own(205), kSendMessage = own(206),
                     kBlockingMode = own(209), kEnd = own(210), kReadableBytes = own(211), kAtMark = own(212),
                     kPeerAddress = own(216), kInformation = own(218), kIsListening = own(219), kError = own(222),
                     kConnectedTime = own(292);
// Options that this layer itself reads.
inline constexpr u32 kReceiveTimeout = own(232), kReuseAddress = own(233), kSendTimeout = own(237), kOnlyV6 = own(279);
}  // namespace control

// A request to a socket: a call of NtDeviceIoControlFile with one of the codes above.
class SocketRequest {
 public:
  SocketRequest(Call& of, const std::shared_ptr<File>& to) : call(of), file(to) {}

  u32 code() const { return call.argument32(5); }
  u64 input_at() const { return call.argument(6); }
  u64 input_size() const { return call.argument32(7); }
  u64 output_at() const { return call.argument(8); }
  u64 output_size() const { return call.argument32(9); }

  template <class T>
  bool get_input(T& value) {
    return input_size() >= sizeof value && call.get(input_at(), value);
  }
  // A `sockaddr` of the program; nullopt if it is too short, unreadable or of another family.
  std::optional<Endpoint> read_address(u64 at, u64 size);

  // Each of these ends the request.
  u64 end(Status status) { return complete_io(call, file, status, 0); }
  u64 answer(std::span<const u8> bytes);
  template <class T>
  u64 answer_value(const T& value) {
    std::array<u8, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    return answer(bytes);
  }
  u64 answer_address(const std::optional<Endpoint>& address, Status without) {
    return address.has_value() ? answer(address->bytes()) : end(without);
  }

  Call& call;
  const std::shared_ptr<File>& file;
};

// socket_transfers.cpp
u64 accept(SocketRequest& asked);
u64 accept_into(SocketRequest& asked);
u64 send_message(SocketRequest& asked);
u64 receive_message(SocketRequest& asked);
u64 receive_plainly(SocketRequest& asked);
u64 poll_sockets(SocketRequest& asked);

// The parameters of a poll: the timeout, the number of sockets, a byte for "exclusive"; then for each socket its
// handle, states and a status.
inline constexpr u64 kPollCountAt = 8, kPollHeader = 16, kPollEntry = 16;

// socket_options.cpp. Each option has a code that reads it and one that sets it. Most only need to be remembered.
inline constexpr u64 kMostOptionBytes = 64;
bool sets_option(u32 code);
void keep_option(Socket& socket, u32 code, std::vector<u8> value);  // stores an option by the code that sets it
// Finds an option by the code that reads it; nullopt if there is no such option. An option that was never set has the
// value that it has in a new socket.
std::optional<std::vector<u8>> option_of(const Socket& socket, u32 code);
u32 option_value(const Socket& socket, u32 code);

// socket_operations.cpp: ends the call now, or keeps it until it can end. A socket that does not block gets
// STATUS_DEVICE_NOT_READY instead, unless the call is overlapped.
u64 carry_out(SocketRequest& asked, SocketCall request, bool waits);

}  // namespace wperf::sim::nt
