// SPDX-License-Identifier: BSD-3-Clause
// Completion ports.
#include "sim/nt/services.h"

namespace wperf::sim::nt {
namespace {

u64 create_port(Call& call) {
  return create_named(call, std::make_shared<Port>());
}

u64 open_port(Call& call) {
  return open_named(call, Object::Kind::port);
}

// arguments: port, class (0), buffer, its size, size used
u64 query_port(Call& call) {
  const auto port = call.state.handles.at<Port>(call.argument(0));
  if (port == nullptr) return kInvalidHandle;
  const auto waiting = static_cast<u32>(port->packets.size());
  return call.answer_with(call.argument(2), call.argument32(3), &waiting, sizeof waiting, call.argument(4));
}

// arguments: port, key, value, status, information
u64 add_packet(Call& call) {
  const auto port = call.state.handles.at<Port>(call.argument(0));
  if (port == nullptr) return kInvalidHandle;
  if (port->packets.size() == Port::kMostPackets) return kInsufficientResources;
  port->packets.push_back({call.argument(1), call.argument(2), call.argument32(3), call.argument(4)});
  wake_waiters(*call.state.system, *port, call.now_ns);
  return kSuccess;
}

u64 wait_for_packets(Call& call, Wait wait, u64 timeout_at) {
  wait.kind = Wait::Kind::packets;
  wait.objects = {call.state.handles.at<Port>(call.argument(0))};
  if (wait.objects.front() == nullptr) return kInvalidHandle;
  return begin_wait(call, std::move(wait), timeout_at);
}

// arguments: port, key, value, I/O status, timeout
u64 remove_packet(Call& call) {
  Wait wait;
  wait.key_at = call.argument(1);
  wait.value_at = call.argument(2);
  wait.status_at = call.argument(3);
  return wait_for_packets(call, std::move(wait), call.argument(4));
}

// arguments: port, packets, how many fit, how many were returned, timeout, alertable
u64 remove_packets(Call& call) {
  Wait wait;
  wait.packets_at = call.argument(1);
  wait.most_packets = call.argument32(2);
  wait.count_at = call.argument(3);
  wait.alertable = (call.argument32(5) & 0xff) != 0;
  if (wait.packets_at == 0 || wait.most_packets == 0) return kInvalidParameter;
  return wait_for_packets(call, std::move(wait), call.argument(4));
}

constexpr Service kPorts[] = {
    {"NtCreateIoCompletion", create_port},   {"NtOpenIoCompletion", open_port},
    {"NtQueryIoCompletion", query_port},     {"NtSetIoCompletion", add_packet},
    {"NtRemoveIoCompletion", remove_packet}, {"NtRemoveIoCompletionEx", remove_packets},
};

}  // namespace

std::span<const Service> port_services() {
  return kPorts;
}

}  // namespace wperf::sim::nt
