// SPDX-License-Identifier: BSD-3-Clause
// Pipes with and without names, for bytes or messages, between processes or between threads of one process. A read of
// an empty pipe waits; an overlapped read ends when bytes arrive.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kLeastRoom = 4096, kMostRoom = 1 << 20, kMostAtOnce = 64 << 10;
constexpr u64 kMostRead = 64 << 20;  // also the longest message
constexpr usize kMostPipes = 4096;
constexpr std::string_view kFoldersOfPipes[] = {"\\??\\pipe\\", "\\device\\namedpipe\\"};

bool has_ended(const Pipe& pipe, usize end) {
  return pipe.was_connected && !pipe.is_open[1 - end];
}

// Repeats the calls that wait for one of these pipes.
template <class IsOne>
void wake_callers(const System& system, u64 now_ns, const IsOne& is_one) {
  for (State* const process : system.processes) {
    for (const auto& thread : process->threads)
      if (thread->wait.pipe != nullptr && is_one(*thread->wait.pipe)) thread->wait.wake_ns = now_ns;
  }
}
void wake_callers(const System& system, const Pipe& pipe, u64 now_ns) {
  wake_callers(system, now_ns, [&](const Pipe& one) { return &one == &pipe; });
}

bool is_empty(const Pipe& pipe, usize end) {
  return pipe.has_messages ? pipe.messages[end].empty() : pipe.bytes[end].empty();
}

struct Taken {
  std::vector<char> bytes;
  Status status = kSuccess;
};

// A reader of messages gets at most one. The rest of a longer one stays for the next read.
Taken take(Pipe& pipe, usize end, u64 length, bool as_message) {
  auto& bytes = pipe.bytes[end];
  auto& messages = pipe.messages[end];
  u64 count = std::min<u64>(std::min(length, kMostRead), bytes.size());
  Taken taken;
  if (as_message && count < messages.front()) taken.status = kBufferOverflow;
  if (as_message) count = std::min(count, messages.front());
  taken.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  for (u64 left = count; !messages.empty();) {
    const u64 here = std::min(left, messages.front());
    messages.front() -= here;
    left -= here;
    if (messages.front() != 0) break;
    messages.pop_front();
    if (as_message) break;
  }
  return taken;
}

void end_reads(System& system, Pipe& pipe, usize end, u64 now_ns) {
  auto& reads = pipe.reads[end];
  while (!reads.empty()) {
    const PendingRead read = reads.front();
    State* const process = find_process(system, read.process);
    const auto file = read.file.lock();
    const bool waits = read.connects ? !pipe.was_connected : is_empty(pipe, end) && !has_ended(pipe, end);
    if (process != nullptr && file != nullptr && waits) return;
    reads.pop_front();
    if (process == nullptr) continue;
    if (file == nullptr || read.connects || is_empty(pipe, end)) {
      end_io(system, read, file == nullptr ? kCancelled : read.connects ? kSuccess : kPipeBroken, 0, now_ns);
      continue;
    }
    const Taken taken = take(pipe, end, read.length, file->reads_messages);
    const bool written = process->guest.write(read.buffer, taken.bytes.data(), taken.bytes.size());
    end_io(system, read, written ? taken.status : kAccessViolation, taken.bytes.size(), now_ns);
  }
}

// arguments: handle, access, attributes, I/O status, sharing, disposition, options, type, read mode, completion mode,
// most instances, room of the server's input, room of its output, timeout
u64 create_pipe(Call& call) {
  constexpr u32 kSynchronous = 0x30;
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  const auto key = pipe_key(name.text);
  if (!key.has_value()) return kObjectNameInvalid;
  const bool has_messages = (call.argument32(7) & 1) != 0, reads_messages = (call.argument32(8) & 1) != 0;
  if (reads_messages && !has_messages) return kInvalidParameter;
  System& system = *call.state.system;
  const auto has_gone = [](const std::weak_ptr<File>& one) { return one.expired(); };
  if (system.pipes.size() >= kMostPipes)
    std::erase_if(system.pipes, [&](const auto& one) { return std::ranges::all_of(one.second, has_gone); });
  auto& servers = system.pipes[*key];
  std::erase_if(servers, has_gone);
  if (system.pipes.size() > kMostPipes || servers.size() >= std::clamp<u64>(call.argument32(10), 1, 255))
    return servers.empty() ? kInsufficientResources : kInstanceNotAvailable;
  auto file = std::make_shared<File>(File::Type::pipe, nullptr);
  file->pipe = std::make_shared<Pipe>();
  file->pipe->processes[Pipe::kServer] = call.state.process_id;
  file->pipe->has_messages = has_messages;
  file->reads_messages = reads_messages;
  file->path = name.text;
  file->answers_at_once = (call.argument32(6) & kSynchronous) != 0;
  file->may_wait = call.argument32(9) == 0;
  file->pipe->most[Pipe::kServer] = std::clamp<u64>(call.argument32(11), kLeastRoom, kMostRoom);
  file->pipe->most[Pipe::kClient] = std::clamp<u64>(call.argument32(12), kLeastRoom, kMostRoom);
  servers.push_back(file);
  constexpr u64 kCreated = 2;
  if (!call.put_io_status(call.argument(3), kSuccess, kCreated)) return 0;
  return call.give_handle(call.argument(0), file);
}

// Begins an operation that ends later.
u64 begin(Call& call, const std::shared_ptr<File>& file, PendingRead read) {
  constexpr usize kMostReads = 4096;
  auto& reads = file->pipe->reads[file->end];
  if (reads.size() == kMostReads) return kInsufficientResources;
  const u64 status = begin_io(call, file, read);
  if (status != kPending) return status;
  reads.push_back(std::move(read));
  if (!std::exchange(file->pipe->is_listed, true)) call.state.system->pipes_with_reads.push_back(file->pipe);
  return kPending;
}

u64 listen(Call& call, const std::shared_ptr<File>& file) {
  if (file->end != Pipe::kServer) return kInvalidParameter;
  const bool was_waiting = call.done_before != 0;
  if (has_ended(*file->pipe, file->end)) return kPipeClosing;
  if (file->pipe->was_connected) return was_waiting ? complete_io(call, file, kSuccess, 0) : u64{kPipeConnected};
  if (!file->answers_at_once && file->may_wait) {
    PendingRead read;
    read.connects = true;
    return begin(call, file, std::move(read));
  }
  return file->may_wait ? wait_for_host(call, 1, file->pipe) : u64{kPipeListening};
}

u64 peek(Call& call, File& file) {
  struct {
    u32 state = 3, available, messages, length;
  } facts{};
  const Pipe& pipe = *file.pipe;
  const auto& bytes = pipe.bytes[file.end];
  if (is_empty(pipe, file.end) && has_ended(pipe, file.end)) return kPipeBroken;
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

// WaitNamedPipe. The thread looks every millisecond whether a server waits for a client.
u64 wait_for_server(Call& call) {
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
u64 answer_attribute(Call& call, const Pipe& pipe) {
  constexpr std::string_view kOfClient = "ClientProcessId", kOfServer = "ServerProcessId";
  std::string name(std::min<usize>(call.argument32(7), kOfClient.size()), '\0');
  if (!call.read(call.argument(6), name.data(), name.size())) return 0;
  if (name != kOfClient && name != kOfServer) return kNotFound;
  const u32 process = pipe.processes[name == kOfServer ? Pipe::kServer : Pipe::kClient];
  if (process == 0) return kNotFound;
  return call.answer_with_status(call.argument(4), call.argument(8), call.argument32(9), &process, sizeof process);
}

// arguments: file, event, APC routine, its context, I/O status, code, input, its size, output, its size
u64 control(Call& call) {
  constexpr u32 kDisconnect = 0x110004, kListen = 0x110008, kWait = 0x110018, kPeek = 0x11400c, kAttribute = 0x110030,
                kImpersonate = 0x11001c;
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->type == File::Type::pipes)
    return call.argument32(5) == kWait ? wait_for_server(call) : u64{kInvalidDeviceRequest};
  if (!file->is_stream()) return control_file(call, *file);
  if (file->type != File::Type::pipe) return kInvalidDeviceRequest;
  switch (call.argument32(5)) {
    case kListen:
      return listen(call, file);
    case kPeek:
      return peek(call, *file);
    case kImpersonate: {  // all programs have the same user
      constexpr u64 kCannotImpersonate = 0xc000010d;
      return file->end == Pipe::kServer && file->pipe->was_connected ? u64{kSuccess} : kCannotImpersonate;
    }
    case kAttribute:
      return answer_attribute(call, *file->pipe);
    case kDisconnect: {
      if (file->end != Pipe::kServer) return kInvalidParameter;
      auto fresh = std::make_shared<Pipe>();
      std::copy_n(file->pipe->most, 2, fresh->most);
      fresh->has_messages = file->pipe->has_messages;
      fresh->processes[Pipe::kServer] = file->pipe->processes[Pipe::kServer];
      file->pipe->is_open[Pipe::kServer] = false;
      go_on_with_pipes(*call.state.system, call.now_ns);
      file->pipe = std::move(fresh);
      return call.put_io_status(call.argument(4), kSuccess, 0) ? kSuccess : kAccessViolation;
    }
    default:
      return kInvalidDeviceRequest;
  }
}

// arguments of NtCancelIoFile: file, I/O status. NtCancelIoFileEx has the I/O status of the read between them.
u64 cancel(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  const bool is_one = call.name.ends_with("Ex") && call.argument(1) != 0;
  const u64 only = is_one ? call.argument(1) : 0;
  std::vector<PendingRead> cancelled;
  if (file->type == File::Type::pipe) {
    std::erase_if(file->pipe->reads[file->end], [&](const PendingRead& read) {
      if (only != 0 && read.status_at != only) return false;
      cancelled.push_back(read);
      return true;
    });
  }
  for (const PendingRead& read : cancelled) end_io(*call.state.system, read, kCancelled, 0, call.now_ns);
  const usize count = cancelled.size() + cancel_watch_calls(call, *file, only) +
                      (file->type == File::Type::socket ? cancel_socket_calls(call, *file, only) : 0);
  const u64 status_at = call.argument(call.name.ends_with("Ex") ? 2 : 1);
  const Status status = count == 0 ? kNotFound : kSuccess;
  return call.put_io_status(status_at, status, 0) ? status : kAccessViolation;
}

constexpr Service kPipes[] = {
    {"NtCreateNamedPipeFile", create_pipe},
    {"NtFsControlFile", control},
    {"NtCancelIoFile", cancel},
    {"NtCancelIoFileEx", cancel},
};

}  // namespace

void go_on_with_pipes(System& system, u64 now_ns) {
  wake_callers(system, now_ns, [](const Pipe& one) { return has_ended(one, 0) || has_ended(one, 1); });
  const auto pipes = system.pipes_with_reads;  // the end of one read may end others
  for (const std::weak_ptr<Pipe>& one : pipes) {
    const auto pipe = one.lock();
    for (usize end = 0; end < 2 && pipe != nullptr; ++end) end_reads(system, *pipe, end, now_ns);
  }
  std::erase_if(system.pipes_with_reads, [](const std::weak_ptr<Pipe>& one) {
    const auto pipe = one.lock();
    if (pipe != nullptr) pipe->is_listed = !pipe->reads[0].empty() || !pipe->reads[1].empty();
    return pipe == nullptr || !pipe->is_listed;
  });
}

// "\??\pipe\" and "\Device\NamedPipe\", with or without the last backslash.
bool names_all_pipes(std::string_view name) {
  const std::string folder = std::string(name) + (name.ends_with('\\') ? "" : "\\");
  return std::ranges::any_of(kFoldersOfPipes, [&](std::string_view one) { return same_ignoring_case(folder, one); });
}

// Returns NAME in lower case for "\??\pipe\NAME" and "\Device\NamedPipe\NAME".
std::optional<std::string> pipe_key(std::string_view name) {
  for (const std::string_view before : kFoldersOfPipes) {
    if (name.size() > before.size() && same_ignoring_case(name.substr(0, before.size()), before))
      return in_lower_case(std::string(name.substr(before.size())));
  }
  return std::nullopt;
}

Status open_pipe(Call& call, const std::string& key, std::shared_ptr<File>& out) {
  const auto servers = call.state.system->pipes.find(key);
  if (servers == call.state.system->pipes.end()) return kObjectNameNotFound;
  bool is_known = false;
  for (const std::weak_ptr<File>& one : servers->second) {
    const auto server = one.lock();
    if (server == nullptr) continue;
    is_known = true;
    Pipe& pipe = *server->pipe;
    if (pipe.was_connected) continue;
    pipe.was_connected = pipe.is_open[Pipe::kClient] = true;
    pipe.processes[Pipe::kClient] = call.state.process_id;
    wake_callers(*call.state.system, pipe, call.now_ns);
    end_reads(*call.state.system, pipe, Pipe::kServer, call.now_ns);
    out = std::make_shared<File>(File::Type::pipe, nullptr);
    out->pipe = server->pipe;
    out->end = Pipe::kClient;
    return kSuccess;
  }
  return is_known ? kPipeNotAvailable : kObjectNameNotFound;
}

u64 read_pipe(Call& call, const std::shared_ptr<File>& file) {
  Pipe& pipe = *file->pipe;
  const u64 length = call.argument32(6);
  if (!call.state.guest.allows(call.argument(5), length, kRead | kWrite)) return kAccessViolation;
  if (is_empty(pipe, file->end)) {
    if (has_ended(pipe, file->end)) return complete_io(call, file, kPipeBroken, 0);
    if (!pipe.was_connected) return kPipeListening;
    if (!file->may_wait) return complete_io(call, file, kPipeEmpty, 0);
    if (file->answers_at_once) return wait_for_host(call, 0, file->pipe);
    PendingRead read;
    read.buffer = call.argument(5);
    read.length = length;
    return begin(call, file, std::move(read));
  }
  const Taken taken = take(pipe, file->end, length, file->reads_messages);
  wake_callers(*call.state.system, pipe, call.now_ns);
  if (!call.write(call.argument(5), taken.bytes.data(), taken.bytes.size())) return 0;
  return complete_io(call, file, taken.status, taken.bytes.size());
}

// A message is written as a whole, when there is any room.
u64 write_message(Call& call, const std::shared_ptr<File>& file) {
  Pipe& pipe = *file->pipe;
  const usize reader = 1 - file->end;
  const u64 length = call.argument32(6);
  if (!pipe.is_open[reader]) return complete_io(call, file, kPipeClosing, 0);
  if (length > kMostRead) return kInsufficientResources;
  if (pipe.bytes[reader].size() >= pipe.most[reader] || pipe.messages[reader].size() >= pipe.most[reader]) {
    if (!file->answers_at_once) return kInsufficientResources;
    return file->may_wait ? wait_for_host(call, 0, file->pipe) : complete_io(call, file, kSuccess, 0);
  }
  std::vector<char> bytes(length);
  if (!call.read(call.argument(5), bytes.data(), length)) return 0;
  pipe.bytes[reader].insert(pipe.bytes[reader].end(), bytes.begin(), bytes.end());
  pipe.messages[reader].push_back(length);
  end_reads(*call.state.system, pipe, reader, call.now_ns);
  wake_callers(*call.state.system, pipe, call.now_ns);
  return complete_io(call, file, kSuccess, length);
}

u64 write_pipe(Call& call, const std::shared_ptr<File>& file) {
  Pipe& pipe = *file->pipe;
  const usize reader = 1 - file->end;
  const u64 length = call.argument32(6);
  u64 whole = call.done_before;
  if (!call.state.guest.allows(call.argument(5), length, kRead)) return kAccessViolation;
  if (!pipe.was_connected) return kPipeListening;
  if (pipe.has_messages) return write_message(call, file);
  std::vector<char> bytes(kMostAtOnce);
  while (whole < length) {
    if (!pipe.is_open[reader]) return complete_io(call, file, kPipeClosing, whole);
    const u64 held = pipe.bytes[reader].size();
    const u64 most = file->answers_at_once ? pipe.most[reader] : kMostRoom;  // an overlapped write never waits
    const u64 room = most - std::min(most, held);
    if (room == 0 && !file->answers_at_once) return kInsufficientResources;
    if (room == 0 && !file->may_wait) break;
    if (room == 0) return wait_for_host(call, whole, file->pipe);
    const u64 count = std::min({room, length - whole, u64{bytes.size()}});
    if (!call.read(call.argument(5) + whole, bytes.data(), count)) return 0;
    pipe.bytes[reader].insert(pipe.bytes[reader].end(), bytes.begin(),
                              bytes.begin() + static_cast<std::ptrdiff_t>(count));
    whole += count;
    end_reads(*call.state.system, pipe, reader, call.now_ns);
    wake_callers(*call.state.system, pipe, call.now_ns);
  }
  return complete_io(call, file, kSuccess, whole);
}

std::span<const Service> pipe_services() {
  return kPipes;
}

}  // namespace wperf::sim::nt
