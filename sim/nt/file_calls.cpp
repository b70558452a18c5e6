// SPDX-License-Identifier: BSD-3-Clause
// Files and standard streams: opening, reading, writing.
#include <algorithm>
#include <cerrno>

#include "sim/nt/file_facts.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kGenericAll = 0x10000000, kGenericExecute = 0x20000000, kGenericWrite = 0x40000000,
              kGenericRead = 0x80000000, kMaximumAllowed = 0x02000000;
constexpr u32 kSupersede = 0, kOpen = 1, kCreate = 2, kOverwrite = 4, kOverwriteIf = 5;
constexpr u32 kDirectoryFile = 1, kNonDirectoryFile = 0x40, kDeleteOnClose = 0x1000, kSynchronous = 0x30;
constexpr u64 kAtEnd = ~u64{0}, kAtPosition = ~u64{1};

struct Opening {
  u32 access = 0, attributes = 0, shared = 0, disposition = kOpen, options = 0;

  bool creates() const { return disposition != kOpen && disposition != kOverwrite; }
  bool replaces() const { return disposition == kSupersede || disposition >= kOverwrite; }
  bool removes() const { return (options & kDeleteOnClose) != 0; }
  // The rights that the program requires; "as many as possible" requires none.
  u32 required() const {
    u32 rights = access & right::kAll;
    if ((access & kGenericRead) != 0) rights |= 0x120089;
    if ((access & kGenericWrite) != 0) rights |= 0x120116;
    if ((access & kGenericExecute) != 0) rights |= 0x1200a0;
    if ((access & kGenericAll) != 0) rights |= right::kAll;
    return removes() ? rights | right::kDelete : rights;
  }
  u32 granted() const { return (access & kMaximumAllowed) != 0 ? right::kAll : required(); }
};

Status open_disk_file(Place& place, const Opening& opening, File& file, u64& information) {
  FileOpenOptions open_options;
  const u32 required = opening.required();
  open_options.read = (required & (right::kReadData | right::kExecute)) != 0 || (opening.access & kMaximumAllowed) != 0;
  open_options.write = (required & (right::kWriteData | right::kAppendData)) != 0;
  if (!open_options.read && !open_options.write)
    open_options.read = true;  // the program only queries the file's information
  file.may_write = (opening.granted() & (right::kWriteData | right::kAppendData)) != 0;
  file.appends = (opening.granted() & (right::kWriteData | right::kAppendData)) == right::kAppendData;
  open_options.create = opening.creates();
  open_options.exclusive = opening.disposition == kCreate;
  open_options.truncate = opening.replaces();
  if (open_options.truncate || !place.exists) open_options.write = true;
  information = !place.exists ? 2 : opening.disposition == kSupersede ? 0 : open_options.truncate ? 3 : 1;
  if (const FileProblem problem = place.files->open(place.host_name, open_options, file.number);
      problem != FileProblem::none) {
    file.type = File::Type::null;  // then the destructor closes no file
    return status_of(problem);
  }
  if (!place.exists || open_options.truncate) {
    (void)place.files->facts(file.number, place.facts);
    if ((opening.attributes & kAttributeReadOnly) != 0) (void)place.files->set_read_only(file.number, true);
  }
  return kSuccess;
}

// Checks whether the attributes of an existing file, and its other handles, allow it to be opened.
Status check_uses(System& system, const Place& place, const Opening& opening) {
  if (!place.exists || place.files == nullptr) return kSuccess;
  if (opening.removes() && !place.facts.writable) return kAccessDenied;
  if (place.facts.read_only) {
    if (opening.removes()) return kCannotDelete;
    const bool writes = (opening.required() & (right::kWriteData | right::kAppendData)) != 0;
    if (writes || opening.replaces()) return kAccessDenied;
  }
  const auto uses = system.open_files.of(place.facts);
  if (uses->deletions != 0) return kDeletePending;
  if (opening.replaces() && uses->sections != 0) return kUserMappedFile;
  return uses->allow(FileUses::of_rights(opening.granted()), opening.shared) ? kSuccess : kSharingViolation;
}

// Whether the place may be opened in the way that the call demands.
Status check_place(const Place& place, const Opening& opening) {
  if (place.status != kSuccess) return place.status;
  const bool wants_folder = (opening.options & kDirectoryFile) != 0;
  if (!place.exists && !opening.creates()) return kObjectNameNotFound;
  if (place.exists && opening.disposition == kCreate) return kObjectNameCollision;
  if (!place.exists && wants_folder) return kSuccess;
  if (place.exists && place.facts.folder)
    return (opening.options & kNonDirectoryFile) != 0 ? kFileIsDirectory : kSuccess;
  return wants_folder || place.names_folder ? kNotADirectory : kSuccess;
}

Status open_place(System& system, Place& place, const Opening& opening, std::shared_ptr<File>& out, u64& information) {
  information = 1;
  if (place.status == kSuccess && place.kind == Place::Kind::null_device) {
    out = std::make_shared<File>(File::Type::null, nullptr);
    return kSuccess;
  }
  if (const Status status = check_place(place, opening); status != kSuccess) return status;
  if (const Status status = check_uses(system, place, opening); status != kSuccess) return status;
  if (!place.exists && (opening.options & kDirectoryFile) != 0) {
    if (const FileProblem problem = place.files->make_folder(place.host_name); problem != FileProblem::none)
      return status_of(problem);
    information = 2;
    (void)place.files->facts(place.host_name, place.facts);
    place.facts.folder = true;
  }
  const bool folder = place.facts.folder;
  out = std::make_shared<File>(folder ? File::Type::folder : File::Type::disk, place.files);
  if (!folder) {
    if (const Status status = open_disk_file(place, opening, *out, information); status != kSuccess) return status;
  }
  out->host_name = place.host_name;
  out->entries = place.entries;
  out->removed_at_end = opening.removes() && place.files != nullptr;
  out->rights = opening.granted();
  out->shared = opening.shared;
  if (place.files != nullptr) out->restrict_others(system.open_files.of(place.facts));
  return kSuccess;
}

u64 open_file_with(Call& call, const Opening& opening) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  if (opening.disposition > kOverwriteIf) return kInvalidParameter;
  std::shared_ptr<File> file;
  u64 information = 0;
  Status status = kSuccess;
  std::string path = name.text;
  if (const auto pipe = pipe_key(name.text)) {
    information = 1;
    status = open_pipe(call, *pipe, file);
  } else if (names_all_pipes(name.text)) {
    file = std::make_shared<File>(File::Type::pipes, nullptr);
  } else if (names_sockets(name.text)) {
    file = std::make_shared<File>(File::Type::socket, nullptr);
  } else if (const auto stream = console_stream(name.text)) {
    file = std::make_shared<File>(*stream, nullptr);
    if (!is_console(call.state, *file)) status = kObjectPathNotFound;
  } else if (names_mount_manager(name.text)) {
    file = std::make_shared<File>(File::Type::mounts, nullptr);
  } else {
    Place place = call.state.files.find(name.text);
    status = open_place(*call.state.system, place, opening, file, information);
    path = std::string(kNtPrefix) + place.path;
    if (status == kAccessDenied && in_lower_case(name.text).ends_with(".dll"))
      note_refused_image(call.state, name.text.substr(std::min(kNtPrefix.size(), name.text.size())),
                         "cannot be opened: it is a link, or not readable");
  }
  if (status == kSuccess) {
    file->path = std::move(path);
    file->keeps = call.state.shared_files;
    file->answers_at_once = (opening.options & kSynchronous) != 0;
    status = call.give_handle(call.argument(0), file);
  }
  if (status != kSuccess) return status;
  return call.put_io_status(call.argument(3), status, information) ? status : kAccessViolation;
}

// arguments: handle, access, attributes, I/O status, allocation, file attributes, sharing, disposition, options, …
u64 create_file(Call& call) {
  return open_file_with(
      call, {call.argument32(1), call.argument32(5), call.argument32(6), call.argument32(7), call.argument32(8)});
}
// arguments: handle, access, attributes, I/O status, sharing, options
u64 open_file(Call& call) {
  return open_file_with(call, {call.argument32(1), 0, call.argument32(4), kOpen, call.argument32(5)});
}

u64 read_stream(Call& call, File& file, std::span<char> bytes, u64& done) {
  done = 0;
  if (file.type == File::Type::null) return kEndOfFile;
  if (file.type != File::Type::input) return kAccessDenied;
  if (!call.state.streams) return kPipeBroken;
  done = call.state.streams->read(*call.state.input_read, bytes);
  *call.state.input_read += done;
  return done == 0 && !bytes.empty() ? kPipeBroken : kSuccess;
}

u64 read_disk(File& file, std::span<char> bytes, u64 offset, u64& done) {
  done = 0;
  if (!file.files->seek(file.number, static_cast<std::int64_t>(offset), GuestFiles::From::start))
    return kInvalidParameter;
  while (done < bytes.size()) {
    const auto got = file.files->read(file.number, bytes.subspan(done));
    if (!got) return kAccessDenied;
    if (*got == 0) break;
    done += *got;
  }
  file.position = offset + done;
  return done == 0 && !bytes.empty() ? kEndOfFile : kSuccess;
}

// The position of a read or write in the file. Returns false for a bad pointer.
bool read_offset(Call& call, const File& file, u64& offset) {
  offset = file.position;
  u64 given = 0;
  if (call.argument(7) == 0) return true;
  if (!call.get(call.argument(7), given)) return false;
  if (given != kAtPosition) offset = given;
  return true;
}

// Returns false if a lock forbids the read or write.
bool is_unlocked(const File& file, u64 offset, u64 length, bool reads) {
  if (file.uses == nullptr || file.uses->locks.empty()) return true;
  FileFacts facts;
  const bool at_end = !reads && (file.appends || offset == kAtEnd);
  if (at_end && file.files->facts(file.number, facts) == FileProblem::none) offset = facts.bytes;
  const LockedRange bytes{offset, length, false, &file};
  return reads ? file.uses->allows_read(bytes) : file.uses->allows_write(bytes);
}

// arguments: file, event, APC routine, its context, I/O status, buffer, length, offset
u64 read_file(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->type == File::Type::folder) return kInvalidDeviceRequest;
  if (file->type == File::Type::pipe) return read_pipe(call, file);
  if (file->type == File::Type::socket) return transfer_on_socket(call, file, false);
  if (file->type == File::Type::input && call.state.streams && !call.state.streams->is_ready(StandardStreams::kInput))
    return wait_for_host(call, 0);
  u64 offset = 0, done = 0;
  const u64 length = call.argument32(6);
  if (!read_offset(call, *file, offset)) return 0;
  if (!call.state.guest.allows(call.argument(5), length, kRead | kWrite)) return kAccessViolation;
  if (!is_unlocked(*file, offset, length, true)) return complete_io(call, file, kFileLockConflict, 0);
  std::vector<char> bytes(std::min<u64>(length, kMostAtOnce));
  Status status = kSuccess;
  u64 whole = 0;
  do {
    const std::span<char> piece(bytes.data(), std::min<u64>(bytes.size(), length - whole));
    status = static_cast<Status>(file->is_stream() ? read_stream(call, *file, piece, done)
                                                   : read_disk(*file, piece, offset + whole, done));
    if (!call.write(call.argument(5) + whole, bytes.data(), done)) return 0;
    whole += done;
  } while (status == kSuccess && done == kMostAtOnce && whole < length && !file->is_stream());
  if (whole != 0) status = kSuccess;
  return complete_io(call, file, status, whole);
}

u64 write_disk(File& file, std::span<const char> bytes, u64 offset, u64& done) {
  done = 0;
  if (!file.may_write) return kAccessDenied;
  FileFacts facts;
  if (file.appends || offset == kAtEnd) {
    if (file.files->facts(file.number, facts) != FileProblem::none) return kUnsuccessful;
    offset = facts.bytes;
  }
  if (!file.files->seek(file.number, static_cast<std::int64_t>(offset), GuestFiles::From::start))
    return kInvalidParameter;
  const auto put = file.files->write(file.number, bytes);
  if (!put) return kAccessDenied;
  done = *put;
  file.position = offset + done;
  return done == bytes.size() ? kSuccess : kDiskFull;
}

u64 write_file(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->type == File::Type::folder || file->type == File::Type::input || file->type == File::Type::pipes ||
      file->type == File::Type::mounts)
    return kAccessDenied;
  if (file->type == File::Type::pipe) return write_pipe(call, file);
  if (file->type == File::Type::socket) return transfer_on_socket(call, file, true);
  u64 offset = 0, whole = call.done_before;
  const u64 length = call.argument32(6);
  if (!read_offset(call, *file, offset)) return 0;
  Status status = kSuccess;
  std::vector<char> bytes(std::min<u64>(length, kMostAtOnce));
  if (!call.state.guest.allows(call.argument(5), length, kRead)) return kAccessViolation;
  if (!is_unlocked(*file, offset, length, false)) return complete_io(call, file, kFileLockConflict, 0);
  while (whole < length && status == kSuccess) {
    const std::span<char> piece(bytes.data(), std::min<u64>(bytes.size(), length - whole));
    if (!call.read(call.argument(5) + whole, piece.data(), piece.size())) return 0;
    u64 done = piece.size();
    if (file->is_stream()) {
      status = write_stream(call, *file, piece, done);
      if (status == kSuccess && done < piece.size()) return wait_for_host(call, whole + done);
    } else {
      status = static_cast<Status>(write_disk(*file, piece, offset == kAtEnd ? kAtEnd : offset + whole, done));
    }
    whole += done;
  }
  return complete_io(call, file, status, whole);
}

u64 flush(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->type == File::Type::pipe) {
    if (const u64 answer = flush_pipe(call, *file); answer != kSuccess) return answer;
  }
  const u64 status_at = call.argument(call.name.ends_with("Ex") ? 4 : 1);
  return status_at == 0 || call.put_io_status(status_at, kSuccess, 0) ? kSuccess : kAccessViolation;
}

constexpr Service kFiles[] = {
    {"NtCreateFile", create_file}, {"NtOpenFile", open_file},     {"NtReadFile", read_file},
    {"NtWriteFile", write_file},   {"NtFlushBuffersFile", flush}, {"NtFlushBuffersFileEx", flush},
};

}  // namespace

namespace {

PendingIo io_of(Call& call, const std::shared_ptr<File>& file) {
  return {.process = call.state.process_id,
          .thread = call.thread.id,
          .file = file,
          .event = call.state.handles.at<Event>(call.argument(1)),
          .port = file->port,
          .port_key = file->port_key,
          .routine = call.argument(2),
          .context = call.argument(3),
          .status_at = call.argument(4)};
}

Status tell_end(State& process, const PendingIo& io, Status status, u64 information, u64 now_ns) {
  if (io.event != nullptr) {
    io.event->signalled = true;
    wake_waiters(*process.system, *io.event, now_ns);
  }
  if (const auto file = io.file.lock()) {
    file->signalled = true;
    wake_waiters(*process.system, *file, now_ns);
  }
  if (io.routine != 0) {
    Thread* const thread = find_thread(process, io.thread);
    const Apc routine{io.routine, {io.context, io.status_at, 0}};
    return thread != nullptr ? std::max(status, add_apc(process, *thread, routine, now_ns)) : status;
  }
  if (io.port != nullptr && io.context != 0 && io.port->packets.size() < Port::kMostPackets) {
    io.port->packets.push_back({io.port_key, io.context, status, information});
    wake_waiters(*process.system, *io.port, now_ns);
  }
  return status;
}

}  // namespace

u64 begin_io(Call& call, const std::shared_ptr<File>& file, PendingIo& io) {
  io = io_of(call, file);
  if (io.event != nullptr) io.event->signalled = false;
  file->signalled = false;
  return call.put_io_status(io.status_at, kPending, 0) ? kPending : kAccessViolation;
}

void end_io(System& system, const PendingIo& io, Status status, u64 information, u64 now_ns) {
  State* const process = find_process(system, io.process);
  if (process == nullptr) return;
  const u64 block[2] = {status, information};
  (void)process->guest.write(io.status_at, block, sizeof block);
  (void)tell_end(*process, io, status, information, now_ns);
}

void count_io(State& process, bool reads, u64 bytes) {
  const usize kind = reads ? 0 : 1;
  ++process.io[kind];
  process.io[kind + 3] += bytes;
}

u64 complete_io(Call& call, const std::shared_ptr<File>& file, Status status, u64 information) {
  const bool reads = call.name.starts_with("NtReadFile");
  if (reads || call.name.starts_with("NtWriteFile")) count_io(call.state, reads, information);
  if (!call.put_io_status(call.argument(4), status, information)) return 0;
  PendingIo io = io_of(call, file);
  const bool failed = (status & 0xc0000000) == 0xc0000000;
  if (failed) io.routine = 0;
  if (failed || (io.routine == 0 && file->quiet_at_once)) io.context = 0;
  return tell_end(call.state, io, status, information, call.now_ns);
}

Status write_stream(Call& call, const File& file, std::span<const char> bytes, u64& done) {
  done = bytes.size();
  if (file.type == File::Type::null || !call.state.streams) return kSuccess;
  const StandardStreams::Written written = call.state.streams->write(file.stream(), bytes);
  done = written.bytes;
  switch (written.error) {
    case 0:
      return kSuccess;
    case EPIPE:
      return kPipeClosing;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return kDiskFull;
    default:
      return kIoDeviceError;
  }
}

bool is_console(const State& state, const File& file) {
  return file.is_standard() && state.streams != nullptr && state.streams->is_terminal(file.stream());
}

std::span<const Service> file_services() {
  return kFiles;
}

}  // namespace wperf::sim::nt
