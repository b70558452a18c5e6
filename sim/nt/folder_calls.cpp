// SPDX-License-Identifier: BSD-3-Clause
// Lists folders, and answers queries about volumes and devices.
#include <algorithm>
#include <array>
#include <cstring>

#include "sim/nt/file_facts.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// A name in small letters, for masks.
std::vector<u16> small_units(std::string_view name) {
  std::vector<u16> units = to_utf16(name);
  std::ranges::transform(units, units.begin(), small_letter);
  return units;
}

// Whether a name matches a mask: `*` matches any characters, `<` any except the last dot, `?` and `>` one character or
// the end, `"` a dot or the end. Both are in small letters.
bool fits(std::span<const u16> mask, std::span<const u16> name) {
  std::vector<bool> before(name.size() + 1), now(name.size() + 1);
  before[0] = true;
  usize last_dot = name.size();  // the length of the name with its last dot; 0: it has none
  while (last_dot > 0 && name[last_dot - 1] != '.') --last_dot;
  for (const u16 sign : mask) {
    for (usize length = 0; length <= name.size(); ++length) {
      const bool longer = length > 0 && before[length - 1];
      switch (sign) {
        case '*':
        case '<':
          now[length] = before[length] || (length > 0 && now[length - 1] && (sign == '*' || length != last_dot));
          break;
        case '?':
          now[length] = longer;
          break;
        case '>':
          now[length] = longer || (before[length] && (length == name.size() || name[length] == '.'));
          break;
        case '"':
          now[length] = (longer && name[length - 1] == '.') || (before[length] && length == name.size());
          break;
        default:
          now[length] = longer && name[length - 1] == sign;
      }
    }
    std::swap(before, now);
  }
  return before[name.size()];
}

void begin_list(File& folder, std::string_view mask) {
  std::vector<std::string> names = folder.entries;
  if (folder.files != nullptr) (void)folder.files->list(folder.host_name, names);
  folder.found.clear();
  const std::vector<u16> wanted = small_units(mask);
  for (const char* const fixed : {".", ".."})
    if (mask.empty() || fits(wanted, small_units(fixed)) || fits(wanted, {})) folder.found.emplace_back(fixed);
  for (std::string& name : names)
    if (mask.empty() || fits(wanted, small_units(name))) folder.found.push_back(std::move(name));
  folder.next = 0;
  folder.listed = true;
}

// The offsets of an entry's parts, which depend on the class.
struct Layout {
  u64 name = 0, name_size = 60, index = 0;
  bool has_facts = true;
};

bool find_layout(u32 information_class, Layout& out) {
  switch (information_class) {
    case 1:
      out = {64, 60, 0, true};
      return true;
    case 2:
      out = {68, 60, 0, true};
      return true;
    case 3:
      out = {94, 60, 0, true};
      return true;
    case 12:
      out = {12, 8, 0, false};
      return true;
    case 37:
      out = {104, 60, 96, true};
      return true;
    case 38:
      out = {80, 60, 72, true};
      return true;
    case 60:  // with an index of 16 bytes
      out = {88, 60, 72, true};
      return true;
    case 63:
      out = {114, 60, 72, true};
      return true;
    default:
      return false;
  }
}

std::vector<std::byte> entry_of(const File& folder, const std::string& name, const Layout& layout) {
  const std::vector<u16> units = to_utf16(name);
  std::vector<std::byte> entry(layout.name + units.size() * 2);
  const auto put = [&](u64 offset, auto value) { std::memcpy(entry.data() + offset, &value, sizeof value); };
  if (layout.has_facts) {
    FileFacts facts;
    facts.folder = true;
    if (folder.files != nullptr && name != "." && name != "..")
      (void)folder.files->facts(folder.host_name + "\\" + name, facts);
    put(8, times_of(facts));
    put(40, facts.bytes);
    put(48, page_up(facts.bytes));
    put(56, attributes_of(facts));
    if (layout.index != 0) put(layout.index, facts.index);
  }
  put(layout.name_size, static_cast<u32>(units.size() * 2));
  std::memcpy(entry.data() + layout.name, units.data(), units.size() * 2);
  return entry;
}

// arguments: folder, event, APC routine, its context, I/O status, buffer, its size, class, one entry only, mask,
// from the start
u64 list_folder(Call& call) {
  const auto folder = call.state.handles.at<File>(call.argument(0));
  if (folder == nullptr) return kInvalidHandle;
  if (folder->type != File::Type::folder) return kInvalidParameter;
  Layout layout;
  if (!find_layout(call.argument32(7), layout)) return kInvalidInfoClass;
  const bool first = !folder->listed;
  if (first || (call.argument32(10) & 0xff) != 0) {
    std::string mask;
    if (call.argument(9) != 0 && !call.read_unicode(call.argument(9), mask)) return 0;
    begin_list(*folder, mask);
  }
  const u64 room = std::min<u64>(call.argument32(6), kMostAtOnce);
  std::vector<std::byte> out;
  u64 last = 0;
  Status status = kSuccess;
  while (folder->next < folder->found.size()) {
    const std::vector<std::byte> entry = entry_of(*folder, folder->found[folder->next], layout);
    const u64 at = (out.size() + 7) / 8 * 8;
    if (at + entry.size() > room) {
      if (out.empty()) status = kBufferOverflow;
      break;
    }
    if (!out.empty()) {
      const auto distance = static_cast<u32>(at - last);
      std::memcpy(out.data() + last, &distance, sizeof distance);
    }
    out.resize(at);
    out.insert(out.end(), entry.begin(), entry.end());
    last = at;
    ++folder->next;
    if ((call.argument32(8) & 0xff) != 0) break;
  }
  if (out.empty() && status == kSuccess) return first ? kNoSuchFile : kNoMoreFiles;
  if (!call.write(call.argument(5), out.data(), out.size())) return 0;
  return call.put_io_status(call.argument(4), status, out.size()) ? status : kAccessViolation;
}

template <class T>
u64 answer_volume(Call& call, const T& value, u64 size = sizeof(T)) {
  return call.answer_with_status(call.argument(1), call.argument(2), call.argument32(3), &value, size);
}

u32 device_type(const State& state, const File& file) {
  // kernelbase treats a drive of type 8 (a disk with a file system) as a fixed drive, but not a drive of type 7 (a
  // disk).
  constexpr u32 kDisk = 8, kPipe = 0x11, kNull = 0x15, kConsole = 0x50;
  switch (file.type) {
    case File::Type::null:
      return kNull;
    case File::Type::input:
    case File::Type::output:
    case File::Type::error:
      return is_console(state, file) ? kConsole : kPipe;
    case File::Type::pipe:
    case File::Type::pipes:
    case File::Type::socket:
      return kPipe;
    default:
      return kDisk;
  }
}

// arguments: file, I/O status, buffer, its size, class
u64 query_volume(Call& call) {
  constexpr u32 kVolume = 1, kSize = 3, kDevice = 4, kAttribute = 5, kFullSize = 7;
  constexpr u64 kUnits = 1ull << 24;  // of 4 KiB
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (call.argument32(4) == kDevice) {
    return answer_volume(call, std::array<u32, 2>{device_type(call.state, *file), file->is_stream() ? 0u : 0x20u});
  }
  if (file->is_stream()) return kInvalidDeviceRequest;
  switch (call.argument32(4)) {
    case kVolume: {
      struct {
        u64 created;
        u32 serial, label_size;
        u8 has_objects, padding[7];
      } volume{kBootTime, static_cast<u32>(kVolumeSerial), 0, 0, {}};
      return answer_volume(call, volume, 18);
    }
    case kSize: {
      struct {
        u64 total, free;
        u32 sectors, bytes;
      } size{kUnits, kUnits / 2, 8, 512};
      return answer_volume(call, size);
    }
    case kFullSize: {
      struct {
        u64 total, caller_free, free;
        u32 sectors, bytes;
      } size{kUnits, kUnits / 2, kUnits / 2, 8, 512};
      return answer_volume(call, size);
    }
    case kAttribute: {
      struct {
        u32 flags, longest_part, name_size;
        u16 name[4];
      } attribute{0x00000007, 255, 8, {'N', 'T', 'F', 'S'}};
      return answer_volume(call, attribute);
    }
    default:
      return kInvalidInfoClass;
  }
}

u64 delete_file(Call& call) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(0), name); status != kSuccess) return status;
  const Place place = call.state.files.find(name.text);
  if (place.status != kSuccess) return place.status;
  if (!place.exists) return kObjectNameNotFound;
  if (place.files == nullptr) return kAccessDenied;
  if (place.facts.read_only) return kCannotDelete;
  const auto uses = call.state.system->open_files.of(place.facts);
  if (uses->deletions != 0) return kDeletePending;
  if (!uses->allow(FileUses::kDelete, FileUses::kRead | FileUses::kWrite | FileUses::kDelete)) return kSharingViolation;
  return status_of(place.facts.folder ? place.files->remove_folder(place.host_name)
                                      : place.files->remove(place.host_name));
}

// arguments: handle, class, buffer, its size, size used
u64 query_object(Call& call) {
  constexpr u32 kBasic = 0, kName = 1, kHandleFlags = 4;
  const ObjectPointer object = call.object_of(call.argument(0));
  if (object == nullptr) return kInvalidHandle;
  const u64 buffer = call.argument(2), room = call.argument32(3), size_at = call.argument(4);
  switch (call.argument32(1)) {
    case kBasic: {
      std::array<u32, 14> basic{};
      basic[1] = 0x1f01ff;  // access
      basic[2] = 1;         // handles
      basic[3] = 2;         // references
      return call.answer_with(buffer, room, basic.data(), sizeof basic, size_at);
    }
    case kHandleFlags: {
      const Handles& handles = call.state.handles;
      const std::array<u8, 2> flags{handles.inherits(call.argument(0)), handles.is_protected(call.argument(0))};
      return call.answer_with(buffer, room, flags.data(), sizeof flags, size_at);
    }
    case kName: {
      std::string name = object->name;
      if (object->kind == Object::Kind::file) name = static_cast<const File&>(*object).path;
      const std::vector<u16> units = to_utf16(name);
      const u16 length = static_cast<u16>(units.size() * 2);
      struct {
        u16 length, capacity;
        u32 padding;
        u64 text;
      } header{length, static_cast<u16>(length == 0 ? 0 : length + 2), 0, length == 0 ? 0 : buffer + 16};
      const u32 size = static_cast<u32>(sizeof header) + header.capacity;
      if (!call.put_if_wanted(size_at, size)) return 0;
      if (room < size) return room < sizeof header ? kInfoLengthMismatch : kBufferOverflow;
      if (!call.put(buffer, header)) return 0;
      const u16 end = 0;
      if (length != 0 && (!call.write(header.text, units.data(), length) || !call.put(header.text + length, end)))
        return 0;
      return kSuccess;
    }
    default:
      return kInvalidInfoClass;
  }
}

// arguments: handle, class, buffer, its size
u64 set_object(Call& call) {
  constexpr u32 kHandleFlags = 4;
  if (call.argument32(1) != kHandleFlags) return kInvalidInfoClass;
  if (call.object_of(call.argument(0)) == nullptr) return kInvalidHandle;
  std::array<u8, 2> flags{};  // inherited, protected
  if (call.argument32(3) < sizeof flags) return kInfoLengthMismatch;
  if (!call.get(call.argument(2), flags)) return 0;
  call.state.handles.set_inherits(call.argument(0), flags[0] != 0);
  call.state.handles.set_protected(call.argument(0), flags[1] != 0);
  return kSuccess;
}

constexpr Service kFolders[] = {
    {"NtQueryDirectoryFile", list_folder},  {"NtQueryVolumeInformationFile", query_volume},
    {"NtDeleteFile", delete_file},          {"NtQueryObject", query_object},
    {"NtSetInformationObject", set_object},
};

}  // namespace

std::span<const Service> folder_services() {
  return kFolders;
}

}  // namespace wperf::sim::nt
