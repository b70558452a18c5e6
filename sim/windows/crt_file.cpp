// SPDX-License-Identifier: BSD-3-Clause
// Descriptors of the C runtime: files of the program's folder and its standard streams. Text and binary files are one:
// line ends stay as they are.
#include <algorithm>
#include <array>
#include <cstring>

#include "sim/windows/crt_call.h"
#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {

namespace {

constexpr u32 kFirstOfFolder = 3;
constexpr usize kMostDescriptors = 512;

}  // namespace

void set_errno(Win32Call& call, u32 number) {
  (void)call.state.memory.write(call.state.current->teb + kTebErrno, &number, sizeof number);
}

u64 fail_with(Win32Call& call, u32 number, u64 result) {
  set_errno(call, number);
  return result;
}

u32 errno_of(FileProblem problem) {
  switch (problem) {
    case FileProblem::none:
      return 0;
    case FileProblem::not_found:
    case FileProblem::not_a_folder:
      return kNoEntry;
    case FileProblem::denied:
    case FileProblem::is_folder:
      return kAccess;
    case FileProblem::exists:
      return kExists;
    case FileProblem::too_many:
      return kTooManyFiles;
    case FileProblem::not_empty:
      return kNotEmpty;
    case FileProblem::failed:
      break;
  }
  return kIoError;
}

std::string_view errno_text(u32 number) {
  switch (number) {
    case 0:
      return "No error";
    case kNoEntry:
      return "No such file or directory";
    case kIoError:
      return "Input/output error";
    case kBadFile:
      return "Bad file descriptor";
    case kNoMemory:
      return "Not enough space";
    case kAccess:
      return "Permission denied";
    case kExists:
      return "File exists";
    case kInvalid:
      return "Invalid argument";
    case kTooManyFiles:
      return "Too many open files";
    case kRange:
      return "Result too large";
    case kNotEmpty:
      return "Directory not empty";
    default:
      return "Unknown error";
  }
}

std::optional<std::string> text_at(Win32Call& call, u64 address) {
  u64 length = 0;
  std::string text;
  if (call.state.memory.length_of(address, 1, length)) {
    text.resize(length);
    if (call.read(address, text.data(), length)) return text;
    return std::nullopt;
  }
  call.crash("no readable text at " + hex(address));
  call.state.exit_code = kStatusAccessViolation;
  return std::nullopt;
}

std::optional<std::string> wide_text_at(Win32Call& call, u64 address) {
  u64 length = 0;
  if (call.state.memory.length_of(address, 2, length)) {
    std::vector<u16> text(length);
    if (call.read(address, text.data(), length * sizeof(u16))) return to_utf8(text);
    return std::nullopt;
  }
  call.crash("no readable text at " + hex(address));
  call.state.exit_code = kStatusAccessViolation;
  return std::nullopt;
}

CrtFile* crt_file(Win32Call& call, u64 descriptor) {
  auto& files = call.state.crt.files;
  const auto index = static_cast<u32>(descriptor);
  if (index < files.size() && files[index].kind != CrtFile::Kind::closed) return &files[index];
  set_errno(call, kBadFile);
  return nullptr;
}

bool write_descriptor(Win32Call& call, u32 descriptor, std::string_view bytes) {
  const CrtFile* const file = crt_file(call, descriptor);
  if (file == nullptr) return false;
  switch (file->kind) {
    case CrtFile::Kind::output:
    case CrtFile::Kind::error:
      take_console(call.state, file->kind == CrtFile::Kind::error, bytes);
      return true;
    case CrtFile::Kind::file:
      while (!bytes.empty()) {
        const auto done = call.state.files.write(file->number, bytes);
        if (!done || *done == 0) return fail_with(call, kBadFile, 0) != 0;
        bytes.remove_prefix(*done);
      }
      return true;
    default:
      return fail_with(call, kBadFile, 0) != 0;
  }
}

std::optional<usize> read_descriptor(Win32Call& call, u32 descriptor, std::span<char> out) {
  const CrtFile* const file = crt_file(call, descriptor);
  if (file == nullptr) return std::nullopt;
  if (file->kind == CrtFile::Kind::input) return read_input(call.state, out);
  const auto got = file->kind == CrtFile::Kind::file ? call.state.files.read(file->number, out) : std::nullopt;
  if (!got) set_errno(call, kBadFile);
  return got;
}

bool close_descriptor(Win32Call& call, u32 descriptor) {
  CrtFile* const file = crt_file(call, descriptor);
  if (file == nullptr) return false;
  if (file->kind == CrtFile::Kind::file) (void)call.state.files.close(file->number);
  *file = {};
  return true;
}

int open_descriptor(Win32Call& call, const std::string& name, u32 flags) {
  auto& files = call.state.crt.files;
  usize free = kFirstOfFolder;
  while (free < files.size() && files[free].kind != CrtFile::Kind::closed) ++free;
  if (free == kMostDescriptors) {
    set_errno(call, kTooManyFiles);
    return -1;
  }
  OpenWish wish;
  wish.write = (flags & (kOpenWrite | kOpenReadWrite)) != 0;
  wish.read = (flags & kOpenWrite) == 0;
  wish.append = (flags & kOpenAppend) != 0;
  wish.create = (flags & kOpenCreate) != 0;
  wish.truncate = (flags & kOpenTruncate) != 0;
  wish.exclusive = wish.create && (flags & kOpenExclusive) != 0;
  CrtFile file{CrtFile::Kind::file, 0};
  if (const FileProblem problem = call.state.files.open(name, wish, file.number); problem != FileProblem::none) {
    set_errno(call, errno_of(problem));
    return -1;
  }
  if (free == files.size()) files.emplace_back();
  files[free] = file;
  return static_cast<int>(free);
}

namespace {

u64 open_file(Win32Call& call) {
  const auto name = text_at(call, call.argument(0));
  return name ? int_result(open_descriptor(call, *name, call.argument32(1))) : 0;
}

u64 open_wide(Win32Call& call) {
  const auto name = wide_text_at(call, call.argument(0));
  return name ? int_result(open_descriptor(call, *name, call.argument32(1))) : 0;
}

u64 read_descriptor_call(Win32Call& call) {
  std::string bytes(std::min<u32>(call.argument32(2), 16u << 20), '\0');
  const auto got = read_descriptor(call, call.argument32(0), bytes);
  if (!got) return int_result(-1);
  return call.write(call.argument(1), bytes.data(), *got) ? *got : 0;
}

u64 write_descriptor_call(Win32Call& call) {
  const u32 size = call.argument32(2);
  if (!call.state.memory.allows(call.argument(1), size, kRead))
    return call.crash("cannot read " + std::to_string(size) + " bytes at " + hex(call.argument(1)));
  std::string bytes(size, '\0');
  if (!call.read(call.argument(1), bytes.data(), size)) return 0;
  return write_descriptor(call, call.argument32(0), bytes) ? size : int_result(-1);
}

u64 close_file(Win32Call& call) {
  return close_descriptor(call, call.argument32(0)) ? 0 : int_result(-1);
}

u64 seek_descriptor(Win32Call& call) {
  const CrtFile* const file = crt_file(call, call.argument(0));
  if (file == nullptr) return kMinusOne;
  const u32 whence = call.argument32(2);
  const auto from = whence == 0   ? GuestFiles::From::start
                    : whence == 1 ? GuestFiles::From::here
                                  : GuestFiles::From::end;
  const auto place = file->kind == CrtFile::Kind::file && whence <= 2
                         ? call.state.files.seek(file->number, static_cast<std::int64_t>(call.argument(1)), from)
                         : std::nullopt;
  return place ? *place : fail_with(call, kInvalid, kMinusOne);
}

u64 seek_near(Win32Call& call) {  // the offset is a long
  call.state.current->registers.x[1] =
      static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int32_t>(call.argument32(1))));
  return seek_descriptor(call);
}

u64 file_length(Win32Call& call) {
  const CrtFile* const file = crt_file(call, call.argument(0));
  FileFacts facts;
  if (file == nullptr || file->kind != CrtFile::Kind::file ||
      call.state.files.facts(file->number, facts) != FileProblem::none)
    return fail_with(call, kBadFile, kMinusOne);
  return facts.bytes;
}

u64 resize(Win32Call& call) {
  const CrtFile* const file = crt_file(call, call.argument(0));
  const bool done =
      file != nullptr && file->kind == CrtFile::Kind::file && call.state.files.resize(file->number, call.argument(1));
  return done ? 0 : fail_with(call, kBadFile, int_result(kBadFile));
}

u64 is_terminal(Win32Call&) {
  return 0;  // not wperf's own terminal: the actions of a program must not depend on where it was started
}

u64 set_mode(Win32Call& call) {
  constexpr u64 kBinary = 0x8000;
  return crt_file(call, call.argument(0)) != nullptr ? kBinary : int_result(-1);
}

u64 system_handle(Win32Call& call) {
  constexpr u64 kFirstStandard = 0x50;
  return call.argument(0) < kFirstOfFolder ? kFirstStandard + call.argument(0) * 4
                                           : fail_with(call, kBadFile, kMinusOne);
}

// struct _stat64, as 64-bit Windows has it.
struct Stat64 {
  u32 device;
  u16 index, mode;
  std::int16_t links, user, group, padding;
  u32 root_device, more_padding;
  std::int64_t bytes, read_s, changed_s, made_s;
};
static_assert(sizeof(Stat64) == 56);

constexpr u16 kFolderMode = 0x4000 | 0111, kFileMode = 0x8000, kPipeMode = 0x1000, kReadable = 0444, kWritable = 0222;

Stat64 stat_of(const FileFacts& facts) {
  Stat64 out{};
  out.mode = static_cast<u16>((facts.folder ? kFolderMode : kFileMode) | kReadable | (facts.writable ? kWritable : 0));
  out.device = out.root_device = 2;  // C:
  out.links = 1;
  out.bytes = static_cast<std::int64_t>(facts.bytes);
  out.read_s = out.changed_s = out.made_s = facts.changed_s;
  return out;
}

u64 stat_name(Win32Call& call, const std::optional<std::string>& name) {
  if (!name) return 0;
  FileFacts facts;
  if (const FileProblem problem = call.state.files.facts(*name, facts); problem != FileProblem::none)
    return fail_with(call, problem == FileProblem::denied ? kAccess : kNoEntry, int_result(-1));
  return call.write_value(call.argument(1), stat_of(facts)) ? 0 : int_result(-1);
}

u64 stat_narrow(Win32Call& call) {
  return stat_name(call, text_at(call, call.argument(0)));
}
u64 stat_wide(Win32Call& call) {
  return stat_name(call, wide_text_at(call, call.argument(0)));
}

u64 stat_descriptor(Win32Call& call) {
  const CrtFile* const file = crt_file(call, call.argument(0));
  if (file == nullptr) return int_result(-1);
  FileFacts facts;
  if (file->kind == CrtFile::Kind::file && call.state.files.facts(file->number, facts) != FileProblem::none)
    return fail_with(call, kIoError, int_result(-1));
  Stat64 out = stat_of(facts);
  if (file->kind != CrtFile::Kind::file) out.mode = kPipeMode | kReadable | kWritable;
  return call.write_value(call.argument(1), out) ? 0 : int_result(-1);
}

u64 done(Win32Call& call, FileProblem problem) {
  return problem == FileProblem::none ? 0 : fail_with(call, errno_of(problem), int_result(-1));
}

// Functions with a name as their only argument.
template <FileProblem (GuestFiles::*kAction)(std::string_view), bool kWide = false>
u64 act_on(Win32Call& call) {
  const auto name = kWide ? wide_text_at(call, call.argument(0)) : text_at(call, call.argument(0));
  return name ? done(call, (call.state.files.*kAction)(*name)) : 0;
}

u64 rename_file(Win32Call& call) {
  const auto from = text_at(call, call.argument(0));
  const auto to = from ? text_at(call, call.argument(1)) : std::nullopt;
  return to ? done(call, call.state.files.rename(*from, *to, false)) : 0;
}

// _access, _chmod, _utime64: they only check that the file exists, because modes and times belong to the host.
u64 only_look(Win32Call& call) {
  const auto name = text_at(call, call.argument(0));
  FileFacts facts;
  return name ? done(call, call.state.files.facts(*name, facts)) : 0;
}

u64 access_wide(Win32Call& call) {
  const auto name = wide_text_at(call, call.argument(0));
  FileFacts facts;
  return name ? done(call, call.state.files.facts(*name, facts)) : 0;
}

u64 current_folder(Win32Call& call) {
  if (call.argument(0) == 0 || call.argument32(1) <= kGuestFolder.size()) return fail_with(call, kRange, 0);
  return call.write_name(call.argument(0), false, kGuestFolder) ? call.argument(0) : 0;
}

u64 process_id(Win32Call& call) {
  return call.state.process_id;
}

u64 environment_value(Win32Call&) {
  return 0;  // no variable is set
}

constexpr Win32Function kCrtFile[] = {
    {"_open", kCrtDll, open_file},
    {"_wopen", kCrtDll, open_wide},
    {"_read", kCrtDll, read_descriptor_call},
    {"_write", kCrtDll, write_descriptor_call},
    {"_close", kCrtDll, close_file},
    {"_lseek", kCrtDll, seek_near},
    {"_lseeki64", kCrtDll, seek_descriptor},
    {"_filelengthi64", kCrtDll, file_length},
    {"_chsize_s", kCrtDll, resize},
    {"_isatty", kCrtDll, is_terminal},
    {"_setmode", kCrtDll, set_mode},
    {"_get_osfhandle", kCrtDll, system_handle},
    {"_stat64", kCrtDll, stat_narrow},
    {"_wstat64", kCrtDll, stat_wide},
    {"_fstat64", kCrtDll, stat_descriptor},
    {"remove", kCrtDll, act_on<&GuestFiles::remove>},
    {"_unlink", kCrtDll, act_on<&GuestFiles::remove>},
    {"_wunlink", kCrtDll, act_on<&GuestFiles::remove, true>},
    {"rename", kCrtDll, rename_file},
    {"_mkdir", kCrtDll, act_on<&GuestFiles::make_folder>},
    {"_rmdir", kCrtDll, act_on<&GuestFiles::remove_folder>},
    {"_access", kCrtDll, only_look},
    {"_waccess", kCrtDll, access_wide},
    {"_chmod", kCrtDll, only_look},
    {"_utime64", kCrtDll, only_look},
    {"_getcwd", kCrtDll, current_folder},
    {"_getpid", kCrtDll, process_id},
    {"getenv", kCrtDll, environment_value},
    {"_wgetenv", kCrtDll, environment_value},
};

}  // namespace

std::span<const Win32Function> crt_file_functions() {
  return kCrtFile;
}

}  // namespace wperf::sim
