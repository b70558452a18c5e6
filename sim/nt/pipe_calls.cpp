// SPDX-License-Identifier: BSD-3-Clause
// Pipes with and without names, for bytes or messages, between processes or between threads of one process. A read of
// an empty pipe waits; an overlapped read ends when bytes arrive.
#include <algorithm>
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

struct Taken {
  std::vector<char> bytes;
  Status status = kSuccess;
};

// A reader of messages gets at most one message. If the message is longer than the buffer, the remaining bytes stay for
// the next read.
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
    const bool waits = read.connects ? !pipe.was_connected : pipe.is_empty(end) && !pipe.has_ended(end);
    if (process != nullptr && file != nullptr && waits) return;
    reads.pop_front();
    if (process == nullptr) continue;
    if (file == nullptr || read.connects || pipe.is_empty(end)) {
      end_io(system, read, file == nullptr ? kCancelled : read.connects ? kSuccess : kPipeBroken, 0, now_ns);
      continue;
    }
    const Taken taken = take(pipe, end, read.length, file->reads_messages);
    const bool written = process->guest.write(read.buffer, taken.bytes.data(), taken.bytes.size());
    count_io(*process, true, taken.bytes.size());
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
  constexpr u32 kCreate = 2;  // only a first instance
  if (call.argument32(5) == kCreate && !servers.empty()) return kAccessDenied;
  const u64 most_instances = std::clamp<u64>(call.argument32(10), 1, 255);
  if (system.pipes.size() > kMostPipes || servers.size() >= most_instances)
    return servers.empty() ? kInsufficientResources : kInstanceNotAvailable;
  auto file = std::make_shared<File>(File::Type::pipe, nullptr);
  file->pipe = std::make_shared<Pipe>();
  file->pipe->processes[Pipe::kServer] = call.state.process_id;
  file->pipe->has_messages = has_messages;
  file->pipe->most_instances = static_cast<u32>(most_instances);
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
  if (file->pipe->has_ended(file->end)) return kPipeClosing;
  if (file->pipe->was_connected) return was_waiting ? complete_io(call, file, kSuccess, 0) : u64{kPipeConnected};
  if (!file->answers_at_once && file->may_wait) {
    PendingRead read;
    read.connects = true;
    return begin(call, file, std::move(read));
  }
  return file->may_wait ? wait_for_host(call, 1, file->pipe) : u64{kPipeListening};
}

// arguments: file, event, APC routine, its context, I/O status, code, input, its size, output, its size
u64 control(Call& call) {
  constexpr u32 kDisconnect = 0x110004, kListen = 0x110008, kWait = 0x110018, kPeek = 0x11400c, kAttribute = 0x110030,
                kImpersonate = 0x11001c;
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->type == File::Type::pipes)
    return call.argument32(5) == kWait ? wait_for_pipe(call) : u64{kInvalidDeviceRequest};
  if (!file->is_stream()) return control_file(call, *file);
  if (file->type != File::Type::pipe) return kInvalidDeviceRequest;
  switch (call.argument32(5)) {
    case kListen:
      return listen(call, file);
    case kPeek:
      return peek_pipe(call, *file);
    case kImpersonate: {  // all programs have the same user
      constexpr u64 kCannotImpersonate = 0xc000010d;
      return file->end == Pipe::kServer && file->pipe->was_connected ? u64{kSuccess} : kCannotImpersonate;
    }
    case kAttribute:
      return answer_pipe_attribute(call, *file->pipe);
    case kDisconnect: {
      if (file->end != Pipe::kServer) return kInvalidParameter;
      auto fresh = std::make_shared<Pipe>();
      std::copy_n(file->pipe->most, 2, fresh->most);
      fresh->has_messages = file->pipe->has_messages;
      fresh->most_instances = file->pipe->most_instances;
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

// arguments of NtCancelIoFile: file, I/O status. NtCancelIoFileEx has the I/O status of the read as its second
// argument.
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
  wake_callers(system, now_ns, [](const Pipe& one) { return one.has_ended(0) || one.has_ended(1); });
  const auto pipes = system.pipes_with_reads;  // one read that ends may end others
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
  if (pipe.is_empty(file->end)) {
    if (pipe.has_ended(file->end)) return complete_io(call, file, kPipeBroken, 0);
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

// A message is written as a whole if there is any room.
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
