// SPDX-License-Identifier: BSD-3-Clause
#include "tests/windows/bridge/host_line.h"

// The parts of Winsock that this file uses. A driver in Wine can import a user-mode DLL; on Windows it could not.
extern "C" {
__declspec(dllimport) int WSAStartup(wperf_u16 version, void* data);
__declspec(dllimport) int WSACleanup();
__declspec(dllimport) wperf_u64 socket(int family, int type, int protocol);
__declspec(dllimport) int connect(wperf_u64 socket, const void* address, int size);
__declspec(dllimport) int send(wperf_u64 socket, const void* bytes, int size, int flags);
__declspec(dllimport) int recv(wperf_u64 socket, void* bytes, int size, int flags);
__declspec(dllimport) int closesocket(wperf_u64 socket);
__declspec(dllimport) int setsockopt(wperf_u64 socket, int level, int name, const void* value, int size);
}

namespace wperf::bridge {
namespace {

constexpr wperf_u64 kInvalidSocket = ~wperf_u64{0};
constexpr int kIpv4 = 2, kStream = 1, kTcp = 6, kTcpNoDelay = 1;
constexpr wperf_u16 kWinsockVersion = 0x202;

struct Ipv4Address {
  wperf_u16 family;
  wperf_u8 port[2];  // in network order
  wperf_u8 address[4];
  wperf_u8 zero[8];
};

alignas(8) char g_winsock_data[512];  // WSADATA: 408 bytes

// Frame and payload are sent with one send(). If there were two calls, the second would wait for the acknowledgement of
// the first.
char g_outgoing[sizeof(nthost::Frame) + nthost::kMaxPayload];

}  // namespace

bool HostLine::open(wperf_u16 port) {
  if (WSAStartup(kWinsockVersion, g_winsock_data) != 0) return false;
  socket_ = socket(kIpv4, kStream, kTcp);
  const int no_delay = 1;
  const Ipv4Address address = {
      kIpv4, {static_cast<wperf_u8>(port >> 8), static_cast<wperf_u8>(port & 0xff)}, {127, 0, 0, 1}, {}};
  alive_ = socket_ != kInvalidSocket && setsockopt(socket_, kTcp, kTcpNoDelay, &no_delay, sizeof no_delay) == 0 &&
           connect(socket_, &address, sizeof address) == 0;
  nthost::Frame hello = {};
  hello.kind = nthost::kHello;
  hello.capacity = sizeof(nthost::HelloReply);
  nthost::HelloReply reply = {};
  nthost::Answer answer = {};
  if (ask(hello, nullptr, &reply, answer) && answer.returned == sizeof reply &&
      reply.version == nthost::kProtocolVersion)
    return true;
  close();
  return false;
}

void HostLine::close() {
  alive_ = false;
  if (socket_ != kInvalidSocket) closesocket(socket_);
  socket_ = kInvalidSocket;
  WSACleanup();
}

bool HostLine::ask(const nthost::Frame& frame, const void* input, void* output, nthost::Answer& answer) {
  if (!alive_ || frame.input > nthost::kMaxPayload) return false;
  nthost::Frame sent = frame;
  sent.magic = nthost::kFrameMagic;
  __builtin_memcpy(g_outgoing, &sent, sizeof sent);
  if (frame.input != 0) __builtin_memcpy(g_outgoing + sizeof sent, input, frame.input);
  alive_ = send_all(g_outgoing, static_cast<wperf_u32>(sizeof sent) + frame.input) &&
           receive_all(&answer, sizeof answer) && answer.returned <= frame.capacity && answer.sent <= answer.returned &&
           receive_all(output, answer.sent);
  if (!alive_) return false;
  if (answer.returned > answer.sent)
    __builtin_memset(static_cast<char*>(output) + answer.sent, 0, answer.returned - answer.sent);
  return true;
}

bool HostLine::send_all(const void* bytes, wperf_u32 size) {
  const char* next = static_cast<const char*>(bytes);
  while (size != 0) {
    const int done = send(socket_, next, static_cast<int>(size), 0);
    if (done <= 0) return false;
    next += done;
    size -= static_cast<wperf_u32>(done);
  }
  return true;
}

bool HostLine::receive_all(void* bytes, wperf_u32 size) {
  char* next = static_cast<char*>(bytes);
  while (size != 0) {
    const int done = recv(socket_, next, static_cast<int>(size), 0);
    if (done <= 0) return false;
    next += done;
    size -= static_cast<wperf_u32>(done);
  }
  return true;
}

}  // namespace wperf::bridge
