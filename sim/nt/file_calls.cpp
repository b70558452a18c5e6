// SPDX-License-Identifier: BSD-3-Clause
// Files and standard streams: opening, reading, writing, information.
#include <algorithm>
#include <array>
#include <cstring>

#include "sim/nt/file_facts.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kDataRead = 1, kDataWrite = 2, kDataAppend = 4, kRunIt = 0x20, kGenericAll = 0x10000000,
              kGenericExecute = 0x20000000, kGenericWrite = 0x40000000, kGenericRead = 0x80000000,
              kMaximumAllowed = 0x02000000;
constexpr u32 kSupersede = 0, kOpen = 1, kCreate = 2, kOverwrite = 4, kOverwriteIf = 5;
constexpr u32 kDirectoryFile = 1, kNonDirectoryFile = 0x40, kDeleteOnClose = 0x1000, kSynchronous = 0x30;
constexpr u64 kAtEnd = ~u64{0}, kAtPosition = ~u64{1};

struct Opening {
  u32 access = 0, disposition = kOpen, options = 0;
};

Status open_disk_file(Place& place, const Opening& opening, File& file, u64& information) {
  OpenWish wish;
  constexpr u32 kReads = kDataRead | kRunIt | kGenericRead | kGenericExecute | kGenericAll | kMaximumAllowed;
  wish.read = (opening.access & kReads) != 0;
  wish.write = (opening.access & (kDataWrite | kDataAppend | kGenericWrite | kGenericAll)) != 0;
  if (!wish.read && !wish.write) wish.read = true;  // the program only queries the file's information
  file.appends =
      (opening.access & kDataAppend) != 0 && (opening.access & (kDataWrite | kGenericWrite | kGenericAll)) == 0;
  wish.create = opening.disposition != kOpen && opening.disposition != kOverwrite;
  wish.exclusive = opening.disposition == kCreate;
  wish.truncate = opening.disposition == kSupersede || opening.disposition >= kOverwrite;
  if (wish.truncate || !place.exists) wish.write = true;
  information = !place.exists ? 2 : opening.disposition == kSupersede ? 0 : wish.truncate ? 3 : 1;
  if (const FileProblem problem = place.files->open(place.host_name, wish, file.number); problem != FileProblem::none) {
    file.type = File::Type::null;  // so that the destructor closes no file
    return status_of(problem);
  }
  return kSuccess;
}

Status open_place(Place& place, const Opening& opening, std::shared_ptr<File>& out, u64& information) {
  const bool wants_folder = (opening.options & kDirectoryFile) != 0;
  if (place.status != kSuccess) return place.status;
  if (place.kind == Place::Kind::null_device) {
    out = std::make_shared<File>(File::Type::null, nullptr);
    information = 1;
    return kSuccess;
  }
  const bool creates = opening.disposition != kOpen && opening.disposition != kOverwrite;
  if (!place.exists && !creates) return kObjectNameNotFound;
  if (place.exists && opening.disposition == kCreate) return kObjectNameCollision;
  if (!place.exists && wants_folder) {
    if (const FileProblem problem = place.files->make_folder(place.host_name); problem != FileProblem::none)
      return status_of(problem);
    information = 2;
    place.facts.folder = true;
  } else if (place.exists && place.facts.folder) {
    if ((opening.options & kNonDirectoryFile) != 0) return kFileIsDirectory;
    information = 1;
  } else if (wants_folder || place.names_folder) {
    return kNotADirectory;
  }
  const bool folder = place.facts.folder;
  out = std::make_shared<File>(folder ? File::Type::folder : File::Type::disk, place.files);
  if (!folder) {
    if (const Status status = open_disk_file(place, opening, *out, information); status != kSuccess) return status;
  }
  out->host_name = place.host_name;
  out->entries = place.entries;
  out->removed_at_end = (opening.options & kDeleteOnClose) != 0 && place.files != nullptr;
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
  } else if (names_sockets(name.text)) {
    file = std::make_shared<File>(File::Type::socket, nullptr);
  } else {
    Place place = call.state.files.find(name.text);
    status = open_place(place, opening, file, information);
    path = std::string(kNtPrefix) + place.path;
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
  return open_file_with(call, {call.argument32(1), call.argument32(7), call.argument32(8)});
}
// arguments: handle, access, attributes, I/O status, sharing, options
u64 open_file(Call& call) {
  return open_file_with(call, {call.argument32(1), kOpen, call.argument32(5)});
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

// arguments: file, event, APC routine, its context, I/O status, buffer, length, offset
u64 read_file(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->type == File::Type::folder) return kInvalidDeviceRequest;
  if (file->type == File::Type::pipe) return read_pipe(call, file);
  if (file->type == File::Type::socket) return kInvalidConnection;
  if (file->type == File::Type::input && call.state.streams && !call.state.streams->is_ready(StandardStreams::kInput))
    return wait_for_host(call, 0);
  u64 offset = 0, done = 0;
  const u64 length = call.argument32(6);
  if (!read_offset(call, *file, offset)) return 0;
  if (!call.state.guest.allows(call.argument(5), length, kRead | kWrite)) return kAccessViolation;
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
  return complete_io(call, *file, status, whole);
}

u64 write_disk(File& file, std::span<const char> bytes, u64 offset, u64& done) {
  done = 0;
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
  if (file->type == File::Type::folder || file->type == File::Type::input) return kAccessDenied;
  if (file->type == File::Type::pipe) return write_pipe(call, *file);
  if (file->type == File::Type::socket) return kInvalidConnection;
  u64 offset = 0, whole = call.done_before;
  const u64 length = call.argument32(6);
  if (!read_offset(call, *file, offset)) return 0;
  Status status = kSuccess;
  std::vector<char> bytes(std::min<u64>(length, kMostAtOnce));
  if (!call.state.guest.allows(call.argument(5), length, kRead)) return kAccessViolation;
  while (whole < length && status == kSuccess) {
    const std::span<char> piece(bytes.data(), std::min<u64>(bytes.size(), length - whole));
    if (!call.read(call.argument(5) + whole, piece.data(), piece.size())) return 0;
    u64 done = piece.size();
    if (file->is_stream()) {
      done = write_stream(call, *file, piece);
      if (done < piece.size()) return wait_for_host(call, whole + done);
    } else {
      status = static_cast<Status>(write_disk(*file, piece, offset == kAtEnd ? kAtEnd : offset + whole, done));
    }
    whole += done;
  }
  return complete_io(call, *file, status, whole);
}

u64 answer_name(Call& call, const File& file) {
  // The name without its drive.
  const std::vector<u16> units = to_utf16(file.path.size() > 6 ? std::string_view(file.path).substr(6) : "");
  const u32 length = static_cast<u32>(units.size() * 2), room = call.argument32(3);
  if (room < sizeof length) return kInfoLengthMismatch;
  const u64 fits = std::min<u64>(length, room - sizeof length);
  if (!call.put(call.argument(2), length) || !call.write(call.argument(2) + sizeof length, units.data(), fits))
    return 0;
  const Status status = fits < length ? kBufferOverflow : kSuccess;
  return call.put_io_status(call.argument(1), status, sizeof length + fits) ? status : kAccessViolation;
}

template <class T>
u64 answer_file(Call& call, const T& value) {
  return call.answer_with_status(call.argument(1), call.argument(2), call.argument32(3), &value, sizeof value);
}

// arguments: file, I/O status, buffer, its size, class
u64 query_file(Call& call) {
  constexpr u32 kBasic = 4, kStandard = 5, kInternal = 6, kEa = 7, kAccess = 8, kName = 9, kPosition = 14, kMode = 16,
                kAlignment = 17, kNetworkOpen = 34, kPipe = 23, kPipeLocal = 24, kTag = 35, kNotification = 41,
                kId = 59, kStat = 68;
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  FileFacts facts;
  if (file->type == File::Type::disk && file->files->facts(file->number, facts) != FileProblem::none)
    return kUnsuccessful;
  if (file->type == File::Type::folder) {
    facts.folder = true;
    if (file->files != nullptr && file->files->facts(file->host_name, facts) != FileProblem::none) return kUnsuccessful;
  }
  const FileTimes times = times_of(facts);
  const u64 allocated = page_up(facts.bytes);
  switch (call.argument32(4)) {
    case kBasic:
      return answer_file(call, BasicFacts{times, attributes_of(facts), 0});
    case kStandard: {
      struct {
        u64 allocated, bytes;
        u32 links;
        u8 ends, folder, padding[2];
      } standard{allocated, facts.bytes, 1, file->removed_at_end, facts.folder, {}};
      return answer_file(call, standard);
    }
    case kInternal:
      return answer_file(call, facts.index);
    case kEa:
    case kMode:
    case kAlignment:
      return answer_file(call, call.argument32(4) == kMode && file->answers_at_once ? u32{0x20} : u32{0});
    case kAccess:
      return answer_file(call, u32{0x1f01ff});
    case kName:
      return answer_name(call, *file);
    case kPosition:
      return answer_file(call, file->position);
    case kNetworkOpen:
      return answer_file(call, NetworkFacts{times, allocated, facts.bytes, attributes_of(facts), 0});
    case kTag:
      return answer_file(call, std::array<u32, 2>{attributes_of(facts), 0});
    case kNotification:
      return answer_file(call, u32{file->quiet_at_once});
    case kPipe:
      if (file->type != File::Type::pipe) return kInvalidParameter;
      return answer_file(call, std::array<u32, 2>{0, u32{!file->may_wait}});
    case kPipeLocal: {
      if (file->type != File::Type::pipe) return kInvalidParameter;
      constexpr u32 kBothWays = 2, kMostInstances = 255, kConnected = 3;
      const Pipe& pipe = *file->pipe;
      const auto in = static_cast<u32>(pipe.most[file->end]), out = static_cast<u32>(pipe.most[1 - file->end]);
      return answer_file(
          call, std::array<u32, 10>{0, kBothWays, kMostInstances, 1, in, static_cast<u32>(pipe.bytes[file->end].size()),
                                    out, out, kConnected, static_cast<u32>(1 - file->end)});
    }
    case kId:
      return answer_file(call, std::array<u64, 3>{kVolumeSerial, facts.index, 0});
    case kStat: {
      struct {
        u64 index;
        FileTimes times;
        u64 allocated, bytes;
        u32 attributes, tag, links, access;
      } stat{facts.index, times, allocated, facts.bytes, attributes_of(facts), 0, 1, 0x1f01ff};
      static_assert(sizeof stat == 0x48);
      return answer_file(call, stat);
    }
    default:
      return kInvalidInfoClass;
  }
}

Status rename(Call& call, File& file, bool replaces) {
  struct {
    u64 flags, root;
    u32 length;
  } wish{};
  if (!call.get(call.argument(2), wish)) return kAccessViolation;
  if (wish.root != 0 || wish.length > 65534 || wish.length % 2 != 0) return kInvalidParameter;
  std::vector<u16> units(wish.length / 2);
  constexpr u64 kNameOffset = 20;
  if (!call.read(call.argument(2) + kNameOffset, units.data(), wish.length)) return kAccessViolation;
  const Place place = call.state.files.find(to_utf8(units));
  if (place.status != kSuccess) return place.status;
  if (place.files != file.files || file.files == nullptr) return 0xc00000d4;  // STATUS_NOT_SAME_DEVICE
  const FileProblem problem = file.files->rename(file.host_name, place.host_name, replaces);
  if (problem != FileProblem::none) return status_of(problem);
  file.host_name = place.host_name;
  file.path = std::string(kNtPrefix) + place.path;
  return kSuccess;
}

Status set_file_fact(Call& call, File& file) {
  constexpr u32 kBasic = 4, kRename = 10, kDisposition = 13, kPosition = 14, kMode = 16, kAllocation = 19, kEnd = 20,
                kPipe = 23, kCompletion = 30, kNotification = 41, kReplaceCompletion = 61, kDispositionEx = 64,
                kRenameEx = 65;
  const u64 buffer = call.argument(2);
  switch (call.argument32(4)) {
    case kBasic:
    case kMode:
    case kAllocation:
      return kSuccess;
    case kRename:
    case kRenameEx: {
      u8 replaces = 0;
      return call.get(buffer, replaces) ? rename(call, file, (replaces & 1) != 0) : kAccessViolation;
    }
    case kDisposition:
    case kDispositionEx: {
      u8 ends = 0;
      if (!call.get(buffer, ends)) return kAccessViolation;
      if (file.files == nullptr) return kAccessDenied;
      file.removed_at_end = (ends & 1) != 0;
      return kSuccess;
    }
    case kPosition:
      return call.get(buffer, file.position) ? kSuccess : kAccessViolation;
    case kPipe: {
      u32 modes[2] = {};  // the modes of reading and of completion
      if (!call.get(buffer, modes)) return kAccessViolation;
      if (file.type != File::Type::pipe || modes[0] != 0) return kInvalidParameter;
      file.may_wait = modes[1] == 0;
      return kSuccess;
    }
    case kEnd: {
      u64 bytes = 0;
      if (!call.get(buffer, bytes)) return kAccessViolation;
      return file.type == File::Type::disk && file.files->resize(file.number, bytes) ? kSuccess : kAccessDenied;
    }
    case kCompletion:
    case kReplaceCompletion: {
      u64 parts[2] = {};
      if (!call.read(buffer, parts, sizeof parts)) return kAccessViolation;
      file.port = call.state.handles.at<Port>(parts[0]);
      file.port_key = parts[1];
      return kSuccess;
    }
    case kNotification: {
      u32 flags = 0;
      if (!call.get(buffer, flags)) return kAccessViolation;
      file.quiet_at_once = (flags & 1) != 0;
      return kSuccess;
    }
    default:
      return kInvalidInfoClass;
  }
}

u64 set_file(Call& call) {
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  const Status status = set_file_fact(call, *file);
  if (status != kSuccess) return status;
  return call.put_io_status(call.argument(1), status, 0) ? status : kAccessViolation;
}

// arguments: attributes with the name, buffer
template <bool full>
u64 query_attributes(Call& call) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(0), name); status != kSuccess) return status;
  const Place place = call.state.files.find(name.text);
  if (place.status != kSuccess) return place.status;
  if (!place.exists) return kObjectNameNotFound;
  if (place.kind == Place::Kind::null_device) return kInvalidDeviceRequest;
  const FileTimes times = times_of(place.facts);
  const u32 attributes = attributes_of(place.facts);
  const bool written = full ? call.put(call.argument(1), NetworkFacts{times, page_up(place.facts.bytes),
                                                                      place.facts.bytes, attributes, 0})
                            : call.put(call.argument(1), BasicFacts{times, attributes, 0});
  return written ? kSuccess : kAccessViolation;
}

u64 flush(Call& call) {
  if (call.state.handles.at<File>(call.argument(0)) == nullptr) return kInvalidHandle;
  return call.argument(1) == 0 || call.put_io_status(call.argument(1), kSuccess, 0) ? kSuccess : kAccessViolation;
}

constexpr Service kFiles[] = {
    {"NtCreateFile", create_file},
    {"NtOpenFile", open_file},
    {"NtReadFile", read_file},
    {"NtWriteFile", write_file},
    {"NtQueryInformationFile", query_file},
    {"NtSetInformationFile", set_file},
    {"NtQueryAttributesFile", query_attributes<false>},
    {"NtQueryFullAttributesFile", query_attributes<true>},
    {"NtFlushBuffersFile", flush},
};

}  // namespace

Status end_io(State& state, Thread* thread, File& file, const IoEnd& end, Status status, u64 information, u64 now_ns) {
  if (end.event != nullptr) {
    end.event->signalled = true;
    wake_waiters(state, *end.event, now_ns);
  }
  file.signalled = true;
  wake_waiters(state, file, now_ns);
  if (end.routine != 0) {
    const Apc routine{end.routine, {end.context, end.status_at, 0}};
    return thread != nullptr ? std::max(status, add_apc(state, *thread, routine, now_ns)) : status;
  }
  if (file.port != nullptr && end.context != 0 && file.port->packets.size() < Port::kMostPackets) {
    file.port->packets.push_back({file.port_key, end.context, status, information});
    wake_waiters(state, *file.port, now_ns);
  }
  return status;
}

u64 complete_io(Call& call, File& file, Status status, u64 information) {
  if (!call.put_io_status(call.argument(4), status, information)) return 0;
  const auto event = call.state.handles.at<Event>(call.argument(1));
  IoEnd end{event.get(), call.argument(2), call.argument(3), call.argument(4)};
  const bool failed = (status & 0xc0000000) == 0xc0000000;
  if (failed) end.routine = 0;
  if (failed || (end.routine == 0 && file.quiet_at_once)) end.context = 0;
  return end_io(call.state, &call.thread, file, end, status, information, call.now_ns);
}

u64 write_stream(Call& call, const File& file, std::span<const char> bytes) {
  if (file.type == File::Type::null || !call.state.streams) return bytes.size();
  return call.state.streams->write(file.stream(), bytes);
}

bool is_console(const State& state, const File& file) {
  return file.is_standard() && state.streams != nullptr && state.streams->is_terminal(file.stream());
}

std::span<const Service> file_services() {
  return kFiles;
}

}  // namespace wperf::sim::nt
