// SPDX-License-Identifier: BSD-3-Clause
// Names of files and folders: completed, inspected, searched, removed. win32_file.cpp handles the contents of files.
#include <algorithm>
#include <array>
#include <vector>

#include "sim/windows/crt_call.h"
#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_file.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

using Kind = GuestHandle::Kind;

constexpr u32 kNoAttributes = ~0u;

bool is_slash(char character) {
  return character == '\\' || character == '/';
}

// '*' and '?' as in Windows' searches; "*.*" matches every name.
bool matches(std::string_view pattern, std::string_view name) {
  if (pattern == "*.*") return true;
  usize at = 0, star = std::string_view::npos, tried = 0, in = 0;
  while (in < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      tried = in;
    } else if (at < pattern.size() &&
               (pattern[at] == '?' || same_ignoring_case(pattern.substr(at, 1), name.substr(in, 1)))) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

// WIN32_FIND_DATA
bool write_found(Win32Call& call, u64 address, bool wide, const std::string& folder, const std::string& name) {
  constexpr usize kNameUnits = 260, kShortUnits = 14;
  FileFacts facts;
  const std::string path = name == "." || name == ".." ? folder : folder + '\\' + name;
  if (call.state.files.facts(path, facts) != FileProblem::none) facts = {};  // the file is gone since it was listed
  const std::array<u32, 9> data = attribute_data(facts);
  std::array<u32, 11> fixed{};  // two more are reserved
  std::copy(data.begin(), data.end(), fixed.begin());
  if (!call.write_value(address, fixed)) return false;
  if (!wide) {
    std::array<char, kNameUnits + kShortUnits> text{};
    name.copy(text.data(), kNameUnits - 1);
    return call.write(address + sizeof fixed, text.data(), text.size());
  }
  std::array<u16, kNameUnits + kShortUnits> text{};
  const std::vector<u16> units = to_utf16(name);
  std::copy_n(units.begin(), std::min(units.size(), kNameUnits - 1), text.begin());
  return call.write(address + sizeof fixed, text.data(), sizeof text);
}

u64 find_first(Win32Call& call, u64 data, bool wide) {
  const auto name = path_at(call, call.argument(0), wide);
  if (!name) return kInvalidHandle;
  const usize slash = name->find_last_of("\\/");
  const std::string pattern = slash == std::string::npos ? *name : name->substr(slash + 1);
  const std::string folder = full_path(slash == std::string::npos ? "." : name->substr(0, slash + 1));
  GuestHandle search{.kind = Kind::search, .name = folder};
  std::vector<std::string> names;
  const FileProblem problem = call.state.files.list(folder, names);
  if (problem != FileProblem::none) {
    return call.fail(problem == FileProblem::not_found ? kErrorPathNotFound : error_of(problem), kInvalidHandle);
  }
  for (const std::string_view own : {".", ".."})
    if (matches(pattern, own)) search.found.emplace_back(own);
  for (std::string& one : names)
    if (matches(pattern, one)) search.found.push_back(std::move(one));
  if (search.found.empty()) return call.fail(kErrorFileNotFound, kInvalidHandle);
  search.next = 1;
  if (!write_found(call, data, wide, folder, search.found.front())) return kInvalidHandle;
  const u64 handle = call.state.handles.add(std::move(search));
  return handle != 0 ? handle : call.fail(kErrorTooManyOpenFiles, kInvalidHandle);
}

u64 find_first_a(Win32Call& call) {
  return find_first(call, call.argument(1), false);
}
u64 find_first_w(Win32Call& call) {
  return find_first(call, call.argument(1), true);
}
u64 find_first_ex_w(Win32Call& call) {
  return find_first(call, call.argument(2), true);
}

u64 find_next(Win32Call& call, bool wide) {
  GuestHandle* const search = call.state.handles.at(call.argument(0), Kind::search);
  if (search == nullptr) return call.fail(kErrorInvalidHandle);
  if (search->next == search->found.size()) return call.fail(kErrorNoMoreFiles);
  return write_found(call, call.argument(1), wide, search->name, search->found[search->next++]);
}

u64 find_next_a(Win32Call& call) {
  return find_next(call, false);
}
u64 find_next_w(Win32Call& call) {
  return find_next(call, true);
}

u64 find_close(Win32Call& call) {
  const bool is_search = call.state.handles.at(call.argument(0), Kind::search) != nullptr;
  return is_search && call.state.handles.close(call.argument(0)) ? 1 : call.fail(kErrorInvalidHandle);
}

u64 file_attributes(Win32Call& call, bool wide) {
  const auto name = path_at(call, call.argument(0), wide);
  if (!name) return kNoAttributes;
  FileFacts facts;
  const FileProblem problem = call.state.files.facts(*name, facts);
  return problem == FileProblem::none ? attributes_of(facts) : call.fail(error_of(problem), kNoAttributes);
}

u64 file_attributes_a(Win32Call& call) {
  return file_attributes(call, false);
}
u64 file_attributes_w(Win32Call& call) {
  return file_attributes(call, true);
}

u64 file_attributes_ex(Win32Call& call, bool wide) {
  const auto name = path_at(call, call.argument(0), wide);
  if (!name) return 0;
  FileFacts facts;
  const FileProblem problem = call.state.files.facts(*name, facts);
  if (problem != FileProblem::none) return call.fail(error_of(problem));
  return call.write_value(call.argument(2), attribute_data(facts));
}

u64 file_attributes_ex_a(Win32Call& call) {
  return file_attributes_ex(call, false);
}
u64 file_attributes_ex_w(Win32Call& call) {
  return file_attributes_ex(call, true);
}

u64 answer_problem(Win32Call& call, FileProblem problem) {
  return problem == FileProblem::none ? 1 : call.fail(error_of(problem));
}

u64 delete_file(Win32Call& call, bool wide) {
  const auto name = path_at(call, call.argument(0), wide);
  return name ? answer_problem(call, call.state.files.remove(*name)) : 0;
}
u64 delete_file_a(Win32Call& call) {
  return delete_file(call, false);
}
u64 delete_file_w(Win32Call& call) {
  return delete_file(call, true);
}

u64 move_file_ex(Win32Call& call) {
  constexpr u32 kReplace = 1;
  const auto from = path_at(call, call.argument(0), true);
  const auto to = from ? path_at(call, call.argument(1), true) : std::nullopt;
  return to ? answer_problem(call, call.state.files.rename(*from, *to, (call.argument32(2) & kReplace) != 0)) : 0;
}

u64 create_directory(Win32Call& call) {
  const auto name = path_at(call, call.argument(0), true);
  if (!name) return 0;
  const FileProblem problem = call.state.files.make_folder(*name);
  return problem == FileProblem::exists ? call.fail(kErrorAlreadyExists) : answer_problem(call, problem);
}

u64 remove_directory(Win32Call& call) {
  const auto name = path_at(call, call.argument(0), true);
  return name ? answer_problem(call, call.state.files.remove_folder(*name)) : 0;
}

// name, capacity, buffer, where to store the address of its last part
u64 full_path_name(Win32Call& call, bool wide) {
  const auto name = path_at(call, call.argument(0), wide);
  if (!name) return 0;
  const std::string full = full_path(*name);
  const u64 length = answer_text(call, full, call.argument(2), call.argument32(1), wide);
  if (length == 0 || call.argument(3) == 0 || length >= call.argument32(1)) return length;
  const std::string before = full.substr(0, full.find_last_of('\\') + 1);
  const u64 bytes = wide ? to_utf16(before).size() * sizeof(u16) : before.size();
  const u64 last = before.size() == full.size() ? 0 : call.argument(2) + bytes;
  return call.write_value(call.argument(3), last) ? length : 0;
}

u64 full_path_name_a(Win32Call& call) {
  return full_path_name(call, false);
}
u64 full_path_name_w(Win32Call& call) {
  return full_path_name(call, true);
}

u64 current_directory_a(Win32Call& call) {
  return answer_text(call, std::string(kGuestFolder), call.argument(1), call.argument32(0), false);
}
u64 current_directory_w(Win32Call& call) {
  return answer_text(call, std::string(kGuestFolder), call.argument(1), call.argument32(0), true);
}

// A program works in its folder and cannot leave it.
u64 set_current_directory(Win32Call& call) {
  const auto name = path_at(call, call.argument(0), true);
  if (!name) return 0;
  const auto parts = GuestFiles::parts_below(*name);
  return parts && parts->empty() ? 1 : call.fail(kErrorPathNotFound);
}

u64 temporary_path_a(Win32Call& call) {
  return answer_text(call, std::string(kGuestFolder) + '\\', call.argument(1), call.argument32(0), false);
}
u64 temporary_path_w(Win32Call& call) {
  return answer_text(call, std::string(kGuestFolder) + '\\', call.argument(1), call.argument32(0), true);
}

u64 windows_directory(Win32Call& call) {
  return answer_text(call, "C:\\Windows", call.argument(0), call.argument32(1), true);
}
u64 system_directory(Win32Call& call) {
  return answer_text(call, "C:\\Windows\\system32", call.argument(0), call.argument32(1), true);
}

constexpr Win32Function kFolder[] = {
    {"FindFirstFileA", kKernelDll, find_first_a},
    {"FindFirstFileW", kKernelDll, find_first_w},
    {"FindFirstFileExW", kKernelDll, find_first_ex_w},
    {"FindNextFileA", kKernelDll, find_next_a},
    {"FindNextFileW", kKernelDll, find_next_w},
    {"FindClose", kKernelDll, find_close},
    {"GetFileAttributesA", kKernelDll, file_attributes_a},
    {"GetFileAttributesW", kKernelDll, file_attributes_w},
    {"GetFileAttributesExA", kKernelDll, file_attributes_ex_a},
    {"GetFileAttributesExW", kKernelDll, file_attributes_ex_w},
    {"DeleteFileA", kKernelDll, delete_file_a},
    {"DeleteFileW", kKernelDll, delete_file_w},
    {"MoveFileExW", kKernelDll, move_file_ex},
    {"CreateDirectoryW", kKernelDll, create_directory},
    {"RemoveDirectoryW", kKernelDll, remove_directory},
    {"GetFullPathNameA", kKernelDll, full_path_name_a},
    {"GetFullPathNameW", kKernelDll, full_path_name_w},
    {"GetCurrentDirectoryA", kKernelDll, current_directory_a},
    {"GetCurrentDirectoryW", kKernelDll, current_directory_w},
    {"SetCurrentDirectoryW", kKernelDll, set_current_directory},
    {"GetTempPathA", kKernelDll, temporary_path_a},
    {"GetTempPathW", kKernelDll, temporary_path_w},
    {"GetWindowsDirectoryW", kKernelDll, windows_directory},
    {"GetSystemDirectoryW", kKernelDll, system_directory},
};

}  // namespace

u32 error_of(FileProblem problem) {
  switch (problem) {
    case FileProblem::none:
      return 0;
    case FileProblem::not_found:
      return kErrorFileNotFound;
    case FileProblem::not_a_folder:
      return kErrorPathNotFound;
    case FileProblem::denied:
    case FileProblem::is_folder:
      return kErrorAccessDenied;
    case FileProblem::exists:
      return kErrorFileExists;
    case FileProblem::too_many:
      return kErrorTooManyOpenFiles;
    case FileProblem::not_empty:
      return kErrorDirectoryNotEmpty;
    case FileProblem::failed:
      break;
  }
  return kErrorGeneralFailure;
}

std::optional<std::string> path_at(Win32Call& call, u64 address, bool wide) {
  constexpr usize kLongest = 32767;  // in the units of the text
  auto text = wide ? wide_text_at(call, address) : text_at(call, address);
  if (!text || text->size() <= kLongest || (wide && to_utf16(*text).size() <= kLongest)) return text;
  call.set_last_error(kErrorInvalidParameter);
  return std::nullopt;
}

std::string full_path(const std::string& name) {
  std::string_view rest = name;
  if (rest.size() >= 2 && is_slash(rest[0]) && is_slash(rest[1]))
    return name;  // a name on another machine, or one
                  // that is used unchanged
  std::string full = "C:";
  if (rest.size() >= 2 && rest[1] == ':') {
    full = rest.substr(0, 2);
    rest.remove_prefix(2);
  }
  std::vector<std::string_view> parts;
  const bool absolute = !rest.empty() && is_slash(rest.front());
  if (!absolute && same_ignoring_case(full, "C:")) parts.push_back(kGuestFolder.substr(3));
  while (!rest.empty()) {
    const usize slash = rest.find_first_of("\\/");
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
  }
  for (const std::string_view part : parts) full.append("\\").append(part);
  return parts.empty() ? full + '\\' : full;
}

u64 answer_text(Win32Call& call, const std::string& text, u64 address, u32 capacity, bool wide) {
  if (!wide) {
    if (capacity <= text.size()) return text.size() + 1;
    return call.write(address, text.c_str(), text.size() + 1) ? text.size() : 0;
  }
  std::vector<u16> units = to_utf16(text);
  const usize length = units.size();
  if (capacity <= length) return length + 1;
  units.push_back(0);
  return call.write(address, units.data(), units.size() * sizeof(u16)) ? length : 0;
}

u64 file_time_of(const FileFacts& facts) {
  constexpr u64 kSecondsTo1970 = 11'644'473'600, kPerSecond = 10'000'000;
  if (facts.changed_s < 0) return kSecondsTo1970 * kPerSecond;
  return (kSecondsTo1970 + static_cast<u64>(facts.changed_s)) * kPerSecond + facts.changed_ns / 100;
}

std::array<u32, 9> attribute_data(const FileFacts& facts) {
  const u64 time = file_time_of(facts);
  const u32 low = static_cast<u32>(time), high = static_cast<u32>(time >> 32);
  return {attributes_of(facts),         low, high, low, high, low, high, static_cast<u32>(facts.bytes >> 32),
          static_cast<u32>(facts.bytes)};
}

u32 attributes_of(const FileFacts& facts) {
  constexpr u32 kIsFolder = 0x10, kNormal = 0x80;
  return facts.folder ? kIsFolder : kNormal;
}

std::span<const Win32Function> folder_functions() {
  return kFolder;
}

}  // namespace wperf::sim
