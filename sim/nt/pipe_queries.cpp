// SPDX-License-Identifier: BSD-3-Clause
// Queries about pipes, and waits for pipes without a transfer.
#include <algorithm>
#include <array>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {

u64 peek_pipe(Call& call, const File& file) {
  struct {
    u32 state = 3, available, messages, length;
  } facts{};
  const Pipe& pipe = *file.pipe;
  const auto& bytes = pipe.bytes[file.end];
  if (pipe.is_empty(file.end) && pipe.has_ended(file.end)) return kPipeBroken;
  facts.available = static_cast<u32>(bytes.size());
  facts.messages = static_cast<u32>(pipe.messages[file.end].size());
  facts.length = facts.messages == 0 ? 0 : static_cast<u32>(pipe.messages[file.end].front());
  const u64 room = call.argument32(9);
  if (room < sizeof facts) return kInfoLengthMismatch;
  u64 count = std::min<u64>(bytes.size(), room - sizeof facts);
  if (file.reads_messages) count = std::min<u64>(count, facts.length);
  const std::string seen(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  if (!call.put(call.argument(8), facts) || !call.write(call.argument(8) + sizeof facts, seen.data(), seen.size()))
    return 0;
  const Status status = file.reads_messages && count < facts.length ? kBufferOverflow : kSuccess;
  return call.put_io_status(call.argument(4), status, sizeof facts + seen.size()) ? status : kAccessViolation;
}

// WaitNamedPipe. The thread checks every millisecond whether a server waits for a client.
u64 wait_for_pipe(Call& call) {
  constexpr u64 kNameAt = 14, kMostBytes = 1024, kUnlessGivenMs = 50, kTicksPerMs = 10'000;
  struct {
    std::int64_t timeout;
    u32 bytes;
    u8 is_given;
  } wanted{};
  if (call.argument32(7) < kNameAt || !call.get(call.argument(6), wanted)) return kInvalidParameter;
  if (wanted.bytes > kMostBytes || call.argument32(7) < kNameAt + wanted.bytes) return kInvalidParameter;
  std::vector<u16> name(wanted.bytes / sizeof(u16));
  if (!call.read(call.argument(6) + kNameAt, name.data(), name.size() * sizeof(u16))) return 0;
  const auto servers = call.state.system->pipes.find(in_lower_case(to_utf8(name)));
  bool is_known = false;
  for (usize index = 0; servers != call.state.system->pipes.end() && index < servers->second.size(); ++index) {
    const auto server = servers->second[index].lock();
    is_known |= server != nullptr;
    if (server != nullptr && !server->pipe->was_connected) return kSuccess;
  }
  if (!is_known) return kObjectNameNotFound;
  const u64 limit_ms = wanted.is_given == 0 ? kUnlessGivenMs
                       : wanted.timeout < 0 ? static_cast<u64>(-(wanted.timeout + 1)) / kTicksPerMs + 1
                                            : kNever;
  return call.done_before >= limit_ms ? u64{kIoTimeout} : wait_for_host(call, call.done_before + 1);
}

// GetNamedPipeClientProcessId and GetNamedPipeServerProcessId.
u64 answer_pipe_attribute(Call& call, const Pipe& pipe) {
  constexpr std::string_view kOfClient = "ClientProcessId", kOfServer = "ServerProcessId";
  std::string name(std::min<usize>(call.argument32(7), kOfClient.size()), '\0');
  if (!call.read(call.argument(6), name.data(), name.size())) return 0;
  if (name != kOfClient && name != kOfServer) return kNotFound;
  const u32 process = pipe.processes[name == kOfServer ? Pipe::kServer : Pipe::kClient];
  if (process == 0) return kNotFound;
  return call.answer_with_status(call.argument(4), call.argument(8), call.argument32(9), &process, sizeof process);
}

// Waits until the other end has read everything.
u64 flush_pipe(Call& call, const File& file) {
  const Pipe& pipe = *file.pipe;
  const usize reader = 1 - file.end;
  if (pipe.is_empty(reader)) return kSuccess;
  return pipe.is_open[reader] ? wait_for_host(call, 0, file.pipe) : u64{kPipeBroken};
}

static u32 instances_of(const System& system, const File& file) {
  const auto key = pipe_key(file.path);
  const auto servers = key ? system.pipes.find(*key) : system.pipes.end();
  if (servers == system.pipes.end()) return 1;
  const auto living = std::ranges::count_if(servers->second, [](const auto& one) { return !one.expired(); });
  return std::max(static_cast<u32>(living), 1u);
}

// FILE_PIPE_LOCAL_INFORMATION. Bytes that the other end has not read yet reduce the room for writes, and so do the
// other end's pending reads.
u64 answer_pipe_facts(Call& call, const File& file) {
  constexpr u32 kBothWays = 2, kListening = 2, kConnected = 3, kClosing = 4;
  const Pipe& pipe = *file.pipe;
  const usize own = file.end, other = 1 - file.end;
  u64 taken = pipe.bytes[other].size();
  for (const PendingRead& read : pipe.reads[other]) taken += read.length;
  const u32 state = !pipe.was_connected ? kListening : pipe.has_ended(own) ? kClosing : kConnected;
  const std::array<u32, 10> facts = {u32{pipe.has_messages},
                                     kBothWays,
                                     pipe.most_instances,
                                     instances_of(*call.state.system, file),
                                     static_cast<u32>(pipe.most[own]),
                                     static_cast<u32>(pipe.bytes[own].size()),
                                     static_cast<u32>(pipe.most[other]),
                                     static_cast<u32>(pipe.most[other] - std::min(taken, pipe.most[other])),
                                     state,
                                     static_cast<u32>(other)};
  return call.answer_with_status(call.argument(1), call.argument(2), call.argument32(3), &facts, sizeof facts);
}

}  // namespace wperf::sim::nt
