// SPDX-License-Identifier: BSD-3-Clause
// Serves the fake of Arm's driver, on top of the simulated machine, to the bridge driver in Wine. The fake checks byte
// by byte the requests that wperf.exe sends to the device of Arm's driver, as on Linux with --device windowsperf:fake.
//
//   wperf-arm-driver-host PORT SETTINGS PROGRAM     PROGRAM runs on core 1, over and over
//
// Before each request the machine runs for the time since the previous request, but for at most one tick of that
// driver. Without this limit the client could wait too long, because simulated time may pass more slowly than the
// client's time.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "machine/windowsperf/windowsperf_machine.h"
#include "machine/windowsperf/windowsperf_wire.h"
#include "sim/arm_driver/fake_driver.h"
#include "tests/nthost/server/protocol.h"

namespace {

using namespace wperf;
using namespace wperf::windowsperf;
using Clock = std::chrono::steady_clock;

// The NTSTATUS that Windows returns for these errors.
u32 status_of(u32 error) {
  switch (error) {
    case 0:
      return nthost::kDone;
    case kBadCommand:
      return 0xC0000184;  // STATUS_INVALID_DEVICE_STATE
    case kInsufficientBuffer:
      return 0xC0000023;  // STATUS_BUFFER_TOO_SMALL
    case kMoreData:
      return 0x80000005;  // STATUS_BUFFER_OVERFLOW
    case kInvalidBlockLength:
      return 0xC0000173;
    case kNoSystemResources:
      return nthost::kNoRoom;
    default:
      return nthost::kBadFrameArgument;
  }
}

class Host {
 public:
  Host(std::unique_ptr<WindowsPerfMachine> machine, std::string program)
      : machine_(std::move(machine)), program_(std::move(program)) {}

  // Returns false when the client has closed the connection.
  bool serve(int line);

 private:
  nthost::Answer answer(const nthost::Frame& frame, std::span<const std::byte> input, std::span<std::byte> output);
  diag::Result<Answer> control(u32 code, std::span<const std::byte> input, std::span<std::byte> output);

  std::unique_ptr<WindowsPerfMachine> machine_;
  std::string program_;
  u32 running_ = 0;
  Clock::time_point last_ = Clock::now();
};

bool receive(int line, void* bytes, usize size) {
  auto* next = static_cast<char*>(bytes);
  while (size != 0) {
    const ssize_t got = recv(line, next, size, 0);
    if (got <= 0) return false;
    next += got;
    size -= static_cast<usize>(got);
  }
  return true;
}

diag::Result<Answer> Host::control(u32 code, std::span<const std::byte> input, std::span<std::byte> output) {
  if (running_ == 0 || !machine_->process(running_).running) {
    WPERF_TRY(running_, machine_->spawn(program_, program_, 1));
  }
  const Clock::time_point now = Clock::now();
  constexpr std::chrono::nanoseconds kMost = std::chrono::milliseconds(20);
  const auto passed = std::min(std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_), kMost).count();
  last_ = now;
  WPERF_CHECK_OK(machine_->wait(static_cast<u64>(passed), 0));
  machine_->pause(0);
  return machine_->control(code, input, output);
}

nthost::Answer Host::answer(const nthost::Frame& frame, std::span<const std::byte> input, std::span<std::byte> output) {
  nthost::Answer answer{};
  switch (frame.kind) {
    case nthost::kHello: {
      const nthost::HelloReply reply{.version = nthost::kProtocolVersion, .cpu_count = 2};
      if (output.size() < sizeof reply) break;
      std::memcpy(output.data(), &reply, sizeof reply);
      answer.returned = sizeof reply;
      break;
    }
    case nthost::kControl: {
      const auto answered = control(frame.code, input, output);
      if (!answered.has_value()) {
        std::printf("code 0x%x: %s\n", frame.code, answered.error().text.c_str());
        std::exit(1);
      }
      answer.status = status_of(answered.value().error);
      answer.returned = answer.status == nthost::kDone ? static_cast<u32>(answered.value().bytes) : 0;
      break;
    }
    case nthost::kOpen:
    case nthost::kCleanup:
    case nthost::kClose:
    case nthost::kShutdown:
      break;
    default:
      answer.status = nthost::kNotKnownKind;
  }
  answer.sent = answer.returned;
  return answer;
}

bool Host::serve(int line) {
  std::vector<std::byte> input, output;
  for (nthost::Frame frame{}; receive(line, &frame, sizeof frame);) {
    if (frame.magic != nthost::kFrameMagic || std::max(frame.input, frame.capacity) > nthost::kMaxPayload) return false;
    input.assign(frame.input, {});
    output.assign(frame.capacity, {});
    if (!receive(line, input.data(), input.size())) return true;
    nthost::Answer answered = answer(frame, input, output);
    std::vector<std::byte> bytes(sizeof answered + answered.sent);
    std::memcpy(bytes.data(), &answered, sizeof answered);
    std::copy_n(output.begin(), answered.sent, bytes.begin() + sizeof answered);
    if (send(line, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) return true;
    if (frame.kind == nthost::kShutdown) return false;
  }
  return true;
}

int listen_on(const char* port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<u16>(std::atoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listener, 1) != 0) {
    return -1;
  }
  return listener;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  auto machine = fake::open_fake_machine(argv[2]);
  if (!machine.has_value()) {
    std::printf("%s\n", machine.error().text.c_str());
    return 1;
  }
  Host host(std::move(machine).value(), argv[3]);
  const int listener = listen_on(argv[1]);
  if (listener < 0) return 1;
  std::puts("serving");
  std::fflush(stdout);
  for (bool more = true; more;) {
    const int line = accept(listener, nullptr, nullptr);
    if (line < 0) return 1;
    const int no_delay = 1;
    setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
    more = host.serve(line);
    close(line);
  }
  return 0;
}
