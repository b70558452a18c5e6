// SPDX-License-Identifier: BSD-3-Clause
// Information about files: names, sizes, times, places, modes.
#include <algorithm>
#include <array>
#include <optional>

#include "sim/nt/file_facts.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u32 kModeSynchronous = 0x20;  // FILE_SYNCHRONOUS_IO_NONALERT

// Writes the file's name without its drive, `offset` bytes into the buffer.
u64 answer_name(Call& call, const File& file, u32 offset) {
  const std::vector<u16> units = to_utf16(file.path.size() > 6 ? std::string_view(file.path).substr(6) : "");
  const u32 length = static_cast<u32>(units.size() * 2), room = call.argument32(3);
  const u32 text = offset + sizeof length;
  if (room < text) return kInfoLengthMismatch;
  const u64 fits = std::min<u64>(length, room - text);
  if (!call.put(call.argument(2) + offset, length) || !call.write(call.argument(2) + text, units.data(), fits))
    return 0;
  const Status status = fits < length ? kBufferOverflow : kSuccess;
  return call.put_io_status(call.argument(1), status, text + fits) ? status : kAccessViolation;
}

struct StandardFacts {
  u64 allocated, bytes;
  u32 links;
  u8 ends, folder, padding[2];
};

StandardFacts standard_facts(const File& file, const FileFacts& facts) {
  return {page_up(facts.bytes), facts.bytes, facts.links, file.removed_at_end, facts.folder, {}};
}

u32 mode_of(const File& file) {
  return file.answers_at_once || file.is_standard() ? kModeSynchronous : 0;
}

// Several kinds of information, the name last.
u64 answer_all(Call& call, const File& file, const FileFacts& facts) {
  struct {
    BasicFacts basic;
    StandardFacts standard;
    u64 index;
    u32 extended_bytes, rights;
    u64 position;
    u32 mode, alignment;
  } all{{times_of(facts), attributes_of(facts), 0},
        standard_facts(file, facts),
        facts.index,
        0,
        file.rights,
        file.position,
        mode_of(file),
        0};
  static_assert(sizeof all == 96);
  if (call.argument32(3) < sizeof all) return kInfoLengthMismatch;
  if (!call.put(call.argument(2), all)) return kAccessViolation;
  return answer_name(call, file, sizeof all);
}

template <class T>
u64 answer_file(Call& call, const T& value) {
  return call.answer_with_status(call.argument(1), call.argument(2), call.argument32(3), &value, sizeof value);
}

// arguments: file, I/O status, buffer, its size, class
u64 query_file(Call& call) {
  constexpr u32 kBasic = 4, kStandard = 5, kInternal = 6, kEa = 7, kAccess = 8, kName = 9, kPosition = 14, kMode = 16,
                kAlignment = 17, kAll = 18, kNetworkOpen = 34, kStreams = 22, kPipe = 23, kPipeLocal = 24,
                kCompression = 28, kTag = 35, kNotification = 41, kId = 59, kStat = 68;
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
    case kStandard:
      return answer_file(call, standard_facts(*file, facts));
    case kInternal:
      return answer_file(call, facts.index);
    case kEa:
    case kMode:
    case kAlignment:
      return answer_file(call, call.argument32(4) == kMode ? mode_of(*file) : 0U);
    case kAll:
      return answer_all(call, *file, facts);
    case kAccess:
      return answer_file(call, file->rights);
    case kName:
      return answer_name(call, *file, 0);
    case kPosition:
      return answer_file(call, file->position);
    case kNetworkOpen:
      return answer_file(call, NetworkFacts{times, allocated, facts.bytes, attributes_of(facts), 0});
    case kTag:
      return answer_file(call, std::array<u32, 2>{attributes_of(facts), 0});
    case kNotification:
      return answer_file(call, u32{file->quiet_at_once});
    case kCompression:  // its size on the disk, without compression
      return answer_file(call, std::array<u64, 2>{facts.bytes, 0});
    case kStreams: {  // only the unnamed one
      if (file->type != File::Type::disk) return answer_file(call, u64{0});
      struct {
        u32 next = 0, name_bytes = 14;
        u64 bytes, allocated;
        std::array<u16, 8> name = {':', ':', '$', 'D', 'A', 'T', 'A', 0};
      } stream{.bytes = facts.bytes, .allocated = allocated};
      return answer_file(call, stream);
    }
    case kPipe:
      if (file->type != File::Type::pipe && !file->is_standard()) return kInvalidParameter;
      return answer_file(call, std::array<u32, 2>{u32{file->reads_messages}, u32{!file->may_wait}});
    case kPipeLocal:
      return file->type == File::Type::pipe ? answer_pipe_facts(call, *file) : u64{kInvalidParameter};
    case kId:
      return answer_file(call, std::array<u64, 3>{kVolumeSerial, facts.index, 0});
    case kStat: {
      struct {
        u64 index;
        FileTimes times;
        u64 allocated, bytes;
        u32 attributes, tag, links, access;
      } stat{facts.index, times, allocated, facts.bytes, attributes_of(facts), 0, facts.links, file->rights};
      static_assert(sizeof stat == 0x48);
      return answer_file(call, stat);
    }
    default:
      return kInvalidInfoClass;
  }
}

// Bits of FILE_RENAME_INFORMATION_EX.
namespace renaming {
constexpr u32 kReplaces = 1, kAlsoIfOpen = 2, kAlsoReadOnly = 0x40;
}

bool is_same_file(const Place& place, const File& file) {
  FileFacts own;
  const bool known = place.exists && file.files->facts(file.host_name, own) == FileProblem::none;
  return known && own.device == place.facts.device && own.index == place.facts.index;
}

// Whether a file may lose its name to another one.
Status check_replaced(const Call& call, const Place& place, u32 flags) {
  if ((flags & renaming::kReplaces) == 0) return kObjectNameCollision;
  if (place.facts.folder) return kAccessDenied;
  if (place.facts.read_only && (flags & renaming::kAlsoReadOnly) == 0) return kAccessDenied;
  const auto uses = call.state.system->open_files.of(place.facts);
  const bool in_use = (flags & renaming::kAlsoIfOpen) != 0 ? !uses->allow(FileUses::kDelete, 7) : uses->is_used();
  return in_use ? kAccessDenied : kSuccess;
}

// Reads the new name and finds its place, for FILE_RENAME_INFORMATION and FILE_LINK_INFORMATION.
Status find_new_place(Call& call, const File& file, std::string& name, Place& place) {
  struct {
    u64 flags, root;
    u32 length;
  } wanted{};
  if (!call.get(call.argument(2), wanted)) return kAccessViolation;
  if (wanted.root != 0 || wanted.length > 65534 || wanted.length % 2 != 0) return kInvalidParameter;
  std::vector<u16> units(wanted.length / 2);
  constexpr u64 kNameOffset = 20;
  if (!call.read(call.argument(2) + kNameOffset, units.data(), wanted.length)) return kAccessViolation;
  name = to_utf8(units);
  place = call.state.files.find(name);
  if (place.status != kSuccess) return place.status;
  constexpr Status kNotSameDevice = 0xc00000d4;
  return place.files != file.files || file.files == nullptr ? kNotSameDevice : kSuccess;
}

// Adds a hard link to a file.
Status link(Call& call, const File& file, u32 flags) {
  std::string name;
  Place place;
  if (const Status status = find_new_place(call, file, name, place); status != kSuccess) return status;
  if (file.type != File::Type::disk) return kFileIsDirectory;
  if (place.exists) {
    if (const Status status = check_replaced(call, place, flags); status != kSuccess) return status;
    if (is_same_file(place, file)) return kSuccess;
    if (const FileProblem problem = file.files->remove(place.host_name); problem != FileProblem::none)
      return status_of(problem);
  }
  return status_of(file.files->link(file.host_name, place.host_name));
}

Status rename(Call& call, File& file, u32 flags) {
  if ((file.rights & right::kDelete) == 0) return kAccessDenied;
  std::string name;
  Place place;
  if (const Status status = find_new_place(call, file, name, place); status != kSuccess) return status;
  if (is_same_file(place, file)) {
    // Only the case of letters may change; `place` still has the old spelling.
    const std::string_view last = std::string_view(name).substr(name.rfind('\\') + 1);
    for (std::string* const one : {&place.host_name, &place.path}) {
      const usize begin = one->rfind('\\') + 1;
      if (same_ignoring_case(std::string_view(*one).substr(begin), last)) one->replace(begin, std::string::npos, last);
    }
  } else if (place.exists) {
    if (const Status status = check_replaced(call, place, flags); status != kSuccess) return status;
  }
  const FileProblem problem = file.files->rename(file.host_name, place.host_name, true);
  if (problem != FileProblem::none) return status_of(problem);
  file.host_name = place.host_name;
  file.path = std::string(kNtPrefix) + place.path;
  return kSuccess;
}

// A time of 0 leaves the file's time as it is. -1 and -2 control updates by reads and writes, which the host decides.
std::optional<Moment> wanted_time(u64 time) {
  const auto ticks = static_cast<std::int64_t>(time);
  if (ticks <= 0) return std::nullopt;
  return Moment{ticks / kTicksPerSecond - kSecondsTo1970, static_cast<u64>(ticks % kTicksPerSecond) * kNsPerTick};
}

// A file has the times of its last read and its last change. "Read-only" is the only attribute that is kept, and only
// for files. The call needs no right, because kernelbase's SetFileAttributes requests no right when it opens the file.
Status set_basic_facts(Call& call, const File& file, u64 buffer) {
  BasicFacts wanted;
  if (!call.get(buffer, wanted)) return kAccessViolation;
  if (file.files == nullptr) return kSuccess;
  const auto read = wanted_time(wanted.times.read), changed = wanted_time(wanted.times.written);
  if (wanted.attributes != 0 && file.type == File::Type::disk) {
    const bool read_only = (wanted.attributes & kAttributeReadOnly) != 0;
    if (const FileProblem problem = file.files->set_read_only(file.number, read_only); problem != FileProblem::none)
      return status_of(problem);
  }
  return read || changed ? status_of(file.files->set_times(file.host_name, read, changed)) : kSuccess;
}

// Bits of FILE_DISPOSITION_INFORMATION_EX.
namespace disposition {
constexpr u32 kDeletes = 1, kAlsoReadOnly = 0x10;
}

Status set_disposition(File& file, u32 flags) {
  if (file.files == nullptr || (file.rights & right::kDelete) == 0) return kAccessDenied;
  if ((flags & disposition::kDeletes) == 0) {
    file.announce_removal(false);
    return kSuccess;
  }
  FileFacts facts;
  if (file.files->facts(file.host_name, facts) != FileProblem::none) return kObjectNameNotFound;
  if (!facts.writable || file.host_name == kGuestFolder) return kAccessDenied;
  if (facts.read_only && (flags & disposition::kAlsoReadOnly) == 0) return kCannotDelete;
  std::vector<std::string> names;
  const bool is_folder = file.type == File::Type::folder;
  if (is_folder && file.files->list(file.host_name, names) == FileProblem::none && !names.empty())
    return kDirectoryNotEmpty;
  file.announce_removal(true);
  return kSuccess;
}

Status set_end(System& system, File& file, u64 bytes) {
  FileFacts facts;
  if (file.type != File::Type::disk || file.files->facts(file.number, facts) != FileProblem::none) return kAccessDenied;
  if (bytes < facts.bytes && system.open_files.of(facts)->sections != 0) return kUserMappedFile;
  return file.files->resize(file.number, bytes) ? kSuccess : kAccessDenied;
}

// A file gets one port, and only if its operations may end later.
Status set_port(Call& call, File& file, bool replaces) {
  u64 parts[2] = {};  // port, key
  if (!call.read(call.argument(2), parts, sizeof parts)) return kAccessViolation;
  const auto port = call.state.handles.at<Port>(parts[0]);
  if (!replaces && (file.port != nullptr || mode_of(file) != 0)) return kInvalidParameter;
  if (port == nullptr && (!replaces || parts[0] != 0)) return kInvalidHandle;
  file.port = port;
  file.port_key = parts[1];
  return kSuccess;
}

Status set_file_fact(Call& call, File& file) {
  constexpr u32 kBasic = 4, kRename = 10, kLink = 11, kDisposition = 13, kPosition = 14, kMode = 16, kAllocation = 19,
                kEnd = 20, kPipe = 23, kCompletion = 30, kNotification = 41, kReplaceCompletion = 61,
                kDispositionEx = 64, kRenameEx = 65, kLinkEx = 72;
  const u64 buffer = call.argument(2);
  switch (call.argument32(4)) {
    case kBasic:
      return set_basic_facts(call, file, buffer);
    case kMode:
    case kAllocation:
      return kSuccess;
    case kRename:
    case kLink:
    case kDisposition: {
      u8 flag = 0;
      if (!call.get(buffer, flag)) return kAccessViolation;
      flag = flag != 0 ? 1 : 0;
      if (call.argument32(4) == kLink) return link(call, file, flag);
      return call.argument32(4) == kRename ? rename(call, file, flag) : set_disposition(file, flag);
    }
    case kRenameEx:
    case kLinkEx:
    case kDispositionEx: {
      u32 flags = 0;
      if (!call.get(buffer, flags)) return kAccessViolation;
      if (call.argument32(4) == kLinkEx) return link(call, file, flags);
      return call.argument32(4) == kRenameEx ? rename(call, file, flags) : set_disposition(file, flags);
    }
    case kPosition:
      return call.get(buffer, file.position) ? kSuccess : kAccessViolation;
    case kPipe: {
      u32 modes[2] = {};  // the modes of reading and of completion
      if (!call.get(buffer, modes)) return kAccessViolation;
      if (file.is_standard() && modes[0] == 0 && modes[1] == 0) return kSuccess;
      if (file.type != File::Type::pipe || (modes[0] != 0 && !file.pipe->has_messages)) return kInvalidParameter;
      file.reads_messages = modes[0] != 0;
      file.may_wait = modes[1] == 0;
      return kSuccess;
    }
    case kEnd: {
      u64 bytes = 0;
      if (!call.get(buffer, bytes)) return kAccessViolation;
      return set_end(*call.state.system, file, bytes);
    }
    case kCompletion:
    case kReplaceCompletion:
      return set_port(call, file, call.argument32(4) == kReplaceCompletion);
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

constexpr Service kFileInformation[] = {
    {"NtQueryInformationFile", query_file},
    {"NtSetInformationFile", set_file},
    {"NtQueryAttributesFile", query_attributes<false>},
    {"NtQueryFullAttributesFile", query_attributes<true>},
};

}  // namespace

std::span<const Service> file_information_services() {
  return kFileInformation;
}

}  // namespace wperf::sim::nt
