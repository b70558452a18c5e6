// SPDX-License-Identifier: BSD-3-Clause
// Files of the program's folder: opened, read, written, measured, mapped. win32_folder.cpp handles names.
#include "sim/windows/win32_file.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

using Kind = GuestHandle::Kind;

constexpr usize kPiece = 1u << 20;
constexpr u32 kVolume = 0x77706572;  // serial number of the only volume

constexpr u32 kGenericRead = 0x8000'0000, kGenericWrite = 0x4000'0000, kGenericAll = 0x1000'0000, kReadData = 1,
              kWriteData = 2, kAppendData = 4;
enum Disposition : u32 { create_new = 1, create_always, open_existing, open_always, truncate_existing };

OpenWish wish_of(u32 access, u32 disposition) {
  OpenWish wish;
  wish.write = (access & (kGenericWrite | kGenericAll | kWriteData | kAppendData)) != 0;
  wish.read = (access & (kGenericRead | kGenericAll | kReadData)) != 0 || !wish.write;
  wish.append = (access & (kAppendData | kWriteData | kGenericWrite | kGenericAll)) == kAppendData;
  wish.create = disposition == create_new || disposition == create_always || disposition == open_always;
  wish.truncate = disposition == create_always || disposition == truncate_existing;
  wish.exclusive = disposition == create_new;
  return wish;
}

u64 keep(Win32Call& call, GuestHandle handle) {
  const u64 number = call.state.handles.add(std::move(handle));
  return number != 0 ? number : call.fail(kErrorTooManyOpenFiles, kInvalidHandle);
}

u64 create_file(Win32Call& call, bool wide) {  // name, access, sharing, security, disposition, flags
  constexpr u32 kBackupSemantics = 0x0200'0000, kDeleteOnClose = 0x0400'0000;
  const auto name = path_at(call, call.argument(0), wide);
  if (!name) return kInvalidHandle;
  const u32 disposition = call.argument32(4), flags = call.argument32(5);
  if (disposition < create_new || disposition > truncate_existing)
    return call.fail(kErrorInvalidParameter, kInvalidHandle);
  GuestFiles& files = call.state.files;
  FileFacts before;
  const FileProblem there = files.facts(*name, before);
  if (there == FileProblem::none && before.folder) {
    if ((flags & kBackupSemantics) == 0 || disposition != open_existing)
      return call.fail(kErrorAccessDenied, kInvalidHandle);
    call.set_last_error(0);
    return keep(call, {.kind = Kind::folder, .name = full_path(*name)});
  }
  u32 number = 0;
  const FileProblem problem = files.open(*name, wish_of(call.argument32(1), disposition), number);
  if (problem != FileProblem::none) return call.fail(error_of(problem), kInvalidHandle);
  const bool existed = there == FileProblem::none && (disposition == create_always || disposition == open_always);
  auto file = std::make_shared<OpenFile>(files, number, *name, (flags & kDeleteOnClose) != 0);
  const u64 handle = keep(call, {.kind = Kind::file, .file = std::move(file), .name = full_path(*name)});
  if (handle != kInvalidHandle) call.set_last_error(existed ? kErrorAlreadyExists : 0);
  return handle;
}

u64 create_file_a(Win32Call& call) {
  return create_file(call, false);
}
u64 create_file_w(Win32Call& call) {
  return create_file(call, true);
}

GuestHandle* file_at(Win32Call& call) {
  GuestHandle* const handle = call.state.handles.at(call.argument(0), Kind::file);
  if (handle == nullptr) call.set_last_error(kErrorInvalidHandle);
  return handle;
}

bool go_to(OpenFile& file, u64 place) {
  return place <= u64{1} << 62 &&
         file.files().seek(file.number(), static_cast<std::int64_t>(place), GuestFiles::From::start).has_value();
}

// Returns the number of bytes that were read; nullopt if the program has crashed or the last error has the reason.
std::optional<u64> read_into(Win32Call& call, OpenFile& file, u64 address, u64 size) {
  if (!call.state.memory.allows(address, size, kWrite)) {
    call.crash("cannot write " + std::to_string(size) + " bytes at " + hex(address));
    return std::nullopt;
  }
  std::vector<char> piece(std::min<u64>(size, kPiece));
  u64 done = 0;
  while (done < size) {
    const auto got = file.files().read(file.number(), std::span(piece).first(std::min<u64>(size - done, kPiece)));
    if (!got) call.set_last_error(kErrorGeneralFailure);
    if (!got || (*got != 0 && !call.write(address + done, piece.data(), *got))) return std::nullopt;
    if (*got == 0) break;
    done += *got;
  }
  return done;
}

std::optional<u64> write_from(Win32Call& call, OpenFile& file, u64 address, u64 size) {
  std::vector<char> piece(std::min<u64>(size, kPiece));
  u64 done = 0;
  while (done < size) {
    const usize wanted = std::min<u64>(size - done, kPiece);
    if (!call.read(address + done, piece.data(), wanted)) return std::nullopt;
    const auto taken = file.files().write(file.number(), std::span(piece).first(wanted));
    if (!taken || *taken == 0) {
      call.set_last_error(kErrorAccessDenied);
      return std::nullopt;
    }
    done += *taken;
  }
  return done;
}

// The data that a call wants to read or write; its first argument is the handle.
struct Transfer {
  bool writes = false;
  u64 address = 0, size = 0;
  std::optional<u64> place = {};  // nullopt for the file's present position
};

std::optional<u64> carry_out(Win32Call& call, const Transfer& wanted) {
  const u64 number = call.argument(0);
  if (is_standard_stream(number)) {
    return wanted.writes ? write_stream(call, number, wanted.address, wanted.size)
                         : read_stream(call, number, wanted.address, wanted.size);
  }
  GuestHandle* const handle = file_at(call);
  if (handle == nullptr) return std::nullopt;
  if (wanted.place && !go_to(*handle->file, *wanted.place)) {
    call.set_last_error(kErrorInvalidParameter);
    return std::nullopt;
  }
  return wanted.writes ? write_from(call, *handle->file, wanted.address, wanted.size)
                       : read_into(call, *handle->file, wanted.address, wanted.size);
}

// NtReadFile and NtWriteFile: handle, event, routine, context, status, buffer, size, place.
u64 nt_transfer(Win32Call& call, bool writes) {
  constexpr u64 kInvalid = 0xc0000008, kEndOfFile = 0xc0000011, kDevice = 0xc0000185;
  Transfer wanted{.writes = writes, .address = call.argument(5), .size = call.argument32(6)};
  if (call.argument(7) != 0) {
    u64 place = 0;
    if (!call.read_value(call.argument(7), place)) return 0;
    wanted.place = place;
  }
  const auto done = carry_out(call, wanted);
  if (call.outcome() != CallOutcome::resume) return 0;
  u64 status = 0;
  if (!done) status = call.last_error() == kErrorInvalidHandle ? kInvalid : kDevice;
  if (done && !writes && *done == 0 && wanted.size != 0) status = kEndOfFile;
  const std::array<u64, 2> told = {status, done.value_or(0)};
  return call.write_value(call.argument(4), told) ? status : 0;
}

u64 nt_read_file(Win32Call& call) {
  return nt_transfer(call, false);
}
u64 nt_write_file(Win32Call& call) {
  return nt_transfer(call, true);
}

// ReadFile and WriteFile: handle, buffer, size, count, and an OVERLAPPED that holds the place; the answer comes at
// once.
u64 transfer(Win32Call& call, bool writes) {
  struct Overlapped {
    u64 status, count, place, event;
  };
  const u64 count_at = call.argument(3), overlapped_at = call.argument(4);
  Transfer wanted{.writes = writes, .address = call.argument(1), .size = call.argument32(2)};
  Overlapped overlapped{};
  if (overlapped_at != 0) {
    if (!call.read_value(overlapped_at, overlapped)) return 0;
    wanted.place = overlapped.place;
  }
  const auto done = carry_out(call, wanted);
  if (call.outcome() != CallOutcome::resume) return 0;
  if (count_at != 0 && !call.write_value(count_at, static_cast<u32>(done.value_or(0)))) return 0;
  if (!done) return 0;
  overlapped.status = 0;
  overlapped.count = *done;
  if (overlapped_at != 0 && !call.write_value(overlapped_at, overlapped)) return 0;
  const bool ended = !writes && *done == 0 && wanted.size != 0;
  return ended && overlapped_at != 0 ? call.fail(kErrorHandleEof) : 1;
}

u64 read_file(Win32Call& call) {
  return transfer(call, false);
}
u64 write_file(Win32Call& call) {
  return transfer(call, true);
}

std::optional<u64> seek(Win32Call& call, std::int64_t distance, u32 method) {
  GuestHandle* const handle = file_at(call);
  if (handle == nullptr) return std::nullopt;
  constexpr std::array<GuestFiles::From, 3> kFrom = {GuestFiles::From::start, GuestFiles::From::here,
                                                     GuestFiles::From::end};
  const auto place = method < kFrom.size() ? handle->file->files().seek(handle->file->number(), distance, kFrom[method])
                                           : std::nullopt;
  if (!place) call.set_last_error(kErrorInvalidParameter);
  return place;
}

u64 set_file_pointer_ex(Win32Call& call) {
  const auto place = seek(call, static_cast<std::int64_t>(call.argument(1)), call.argument32(3));
  if (!place) return 0;
  return call.argument(2) == 0 ? 1 : u64{call.write_value(call.argument(2), *place)};
}

// The upper half of the distance may be in memory; the new position's upper half goes back there.
u64 set_file_pointer(Win32Call& call) {
  const u64 high_at = call.argument(2);
  u32 high = 0;
  if (high_at != 0 && !call.read_value(high_at, high)) return 0;
  const u32 low = call.argument32(1);
  const auto distance = high_at != 0 ? static_cast<std::int64_t>(u64{high} << 32 | low)
                                     : static_cast<std::int64_t>(static_cast<std::int32_t>(low));
  const auto place = seek(call, distance, call.argument32(3));
  if (!place) return ~u32{0};
  if (high_at != 0 && !call.write_value(high_at, static_cast<u32>(*place >> 32))) return 0;
  call.set_last_error(0);
  return static_cast<u32>(*place);
}

struct Named {
  FileFacts facts;
  std::string name;  // the full name
};

// Facts about an open file or folder. nullopt, with the last error set, on failure.
std::optional<Named> facts_of_handle(Win32Call& call) {
  Named named;
  GuestHandle* const handle = call.state.handles.at(call.argument(0));
  FileProblem problem = FileProblem::failed;
  if (handle != nullptr && handle->kind == Kind::file)
    problem = call.state.files.facts(handle->file->number(), named.facts);
  if (handle != nullptr && handle->kind == Kind::folder) problem = call.state.files.facts(handle->name, named.facts);
  if (problem != FileProblem::none) {
    call.set_last_error(handle == nullptr ? kErrorInvalidHandle : error_of(problem));
    return std::nullopt;
  }
  named.name = handle->name;
  return named;
}

u64 file_size_ex(Win32Call& call) {
  const auto file = facts_of_handle(call);
  return file && call.write_value(call.argument(1), file->facts.bytes);
}

u64 file_size(Win32Call& call) {
  const auto file = facts_of_handle(call);
  if (!file) return ~u32{0};
  const u64 bytes = file->facts.bytes;
  if (call.argument(1) != 0 && !call.write_value(call.argument(1), static_cast<u32>(bytes >> 32))) return 0;
  call.set_last_error(0);
  return static_cast<u32>(bytes);
}

u64 information_of_handle(Win32Call& call) {
  // BY_HANDLE_FILE_INFORMATION: the same with a volume before the size, and links and index after it.
  const auto file = facts_of_handle(call);
  if (!file) return 0;
  const FileFacts& facts = file->facts;
  const std::array<u32, 9> data = attribute_data(facts);
  constexpr usize kBeforeSize = 7;
  std::array<u32, 13> out{};
  std::copy_n(data.begin(), kBeforeSize, out.begin());
  out[kBeforeSize] = kVolume;
  std::copy(data.begin() + kBeforeSize, data.end(), out.begin() + kBeforeSize + 1);
  out[10] = 1;
  out[11] = static_cast<u32>(facts.index >> 32);
  out[12] = static_cast<u32>(facts.index);
  return call.write_value(call.argument(1), out);
}

u64 information_of_handle_ex(Win32Call& call) {  // handle, class, buffer, its size
  constexpr u32 kBasic = 0, kStandard = 1, kAttributeTag = 9, kId = 18;
  struct Basic {
    std::array<u64, 4> times;
    u32 attributes, padding;
  };
  struct Standard {
    u64 allocated, bytes;
    u32 links;
    u8 deleted, folder, padding[2];
  };
  const auto file = facts_of_handle(call);
  if (!file) return 0;
  const FileFacts& facts = file->facts;
  const u64 time = file_time_of(facts);
  const auto answer = [&](const auto& value) -> u64 {
    if (call.argument32(3) < sizeof value) return call.fail(kErrorInsufficientBuffer);
    return call.write_value(call.argument(2), value);
  };
  switch (call.argument32(1)) {
    case kBasic:
      return answer(Basic{{time, time, time, time}, attributes_of(facts), 0});
    case kStandard:
      return answer(Standard{facts.bytes, facts.bytes, 1, 0, static_cast<u8>(facts.folder), {}});
    case kAttributeTag:
      return answer(std::array<u32, 2>{attributes_of(facts), 0});
    case kId:
      return answer(std::array<u64, 3>{kVolume, facts.index, 0});
    default:
      return call.fail(kErrorInvalidParameter);
  }
}

u64 resize(Win32Call& call, OpenFile& file, u64 bytes) {
  return file.files().resize(file.number(), bytes) ? 1 : call.fail(kErrorAccessDenied);
}

u64 set_information(Win32Call& call) {
  constexpr u32 kBasic = 0, kEndOfFile = 6;
  GuestHandle* const handle = file_at(call);
  if (handle == nullptr) return 0;
  if (call.argument32(1) == kBasic) return 1;  // its times are the host's
  if (call.argument32(1) != kEndOfFile) return call.fail(kErrorNotSupported);
  u64 bytes = 0;
  return call.read_value(call.argument(2), bytes) ? resize(call, *handle->file, bytes) : 0;
}

u64 set_end_of_file(Win32Call& call) {
  GuestHandle* const handle = file_at(call);
  if (handle == nullptr) return 0;
  const auto here = handle->file->files().seek(handle->file->number(), 0, GuestFiles::From::here);
  return here ? resize(call, *handle->file, *here) : call.fail(kErrorGeneralFailure);
}

u64 final_path(Win32Call& call) {
  const auto file = facts_of_handle(call);
  return file ? answer_text(call, "\\\\?\\" + file->name, call.argument(1), call.argument32(2), true) : 0;
}

// No other program could hold a lock.
u64 lock_file(Win32Call& call) {
  return file_at(call) != nullptr;
}

u64 file_times(Win32Call& call) {
  const auto file = facts_of_handle(call);
  if (!file) return 0;
  for (u32 index = 1; index <= 3; ++index) {
    if (call.argument(index) != 0 && !call.write_value(call.argument(index), file_time_of(file->facts))) return 0;
  }
  return 1;
}

// Only for reading: writes to a mapping would have to reach the file.
u64 create_mapping(Win32Call& call) {
  constexpr u32 kReadOnly = 2, kCopyOnWrite = 8, kExecuteRead = 0x20, kProtection = 0xff;
  GuestHandle* const handle = file_at(call);
  if (handle == nullptr) return 0;
  const u32 protection = call.argument32(2) & kProtection;
  if (protection != kReadOnly && protection != kCopyOnWrite && protection != kExecuteRead)
    return call.fail(kErrorAccessDenied);
  const u64 mapping = call.state.handles.add({.kind = Kind::mapping, .file = handle->file, .name = handle->name});
  return mapping != 0 ? mapping : call.fail(kErrorNotEnoughMemory);
}

u64 map_view(Win32Call& call) {  // mapping, access, offset, size
  constexpr u64 kMost = u64{1} << 30, kGranularity = 0x10000;
  constexpr u32 kCopy = 1;
  GuestHandle* const mapping = call.state.handles.at(call.argument(0), Kind::mapping);
  if (mapping == nullptr) return call.fail(kErrorInvalidHandle);
  FileFacts facts;
  OpenFile& file = *mapping->file;
  if (call.state.files.facts(file.number(), facts) != FileProblem::none) return call.fail(kErrorGeneralFailure);
  const u64 begin = u64{call.argument32(2)} << 32 | call.argument32(3);
  if (begin % kGranularity != 0 || begin > facts.bytes) return call.fail(kErrorInvalidParameter);
  const u64 size = call.argument(4) != 0 ? call.argument(4) : facts.bytes - begin;
  if (size == 0 || size > facts.bytes - begin) return call.fail(kErrorAccessDenied);
  VirtualMemory& memory = call.state.virtual_memory;
  const u64 view = size <= kMost ? memory.allocate(size, kRead | kWrite) : 0;
  if (view == 0) return call.fail(kErrorNotEnoughMemory);
  const auto here = file.files().seek(file.number(), 0, GuestFiles::From::here);
  const bool read = here && go_to(file, begin) && read_into(call, file, view, size) && go_to(file, *here);
  if (!read) {
    (void)memory.release(view);
    return call.fail(kErrorGeneralFailure);
  }
  if ((call.argument32(1) & kCopy) == 0) (void)memory.protect(view, size, kRead);
  return view;
}

u64 unmap_view(Win32Call& call) {
  return call.state.virtual_memory.release(call.argument(0)) ? 1 : call.fail(kErrorInvalidAddress);
}

constexpr Win32Function kFile[] = {
    {"CreateFileA", kKernelDll, create_file_a},
    {"CreateFileW", kKernelDll, create_file_w},
    {"ReadFile", kKernelDll, read_file},
    {"WriteFile", kKernelDll, write_file},
    {"NtReadFile", kNtDll, nt_read_file},
    {"NtWriteFile", kNtDll, nt_write_file},
    {"SetFilePointer", kKernelDll, set_file_pointer},
    {"SetFilePointerEx", kKernelDll, set_file_pointer_ex},
    {"GetFileSize", kKernelDll, file_size},
    {"GetFileSizeEx", kKernelDll, file_size_ex},
    {"GetFileTime", kKernelDll, file_times},
    {"SetEndOfFile", kKernelDll, set_end_of_file},
    {"GetFileInformationByHandle", kKernelDll, information_of_handle},
    {"GetFileInformationByHandleEx", kKernelDll, information_of_handle_ex},
    {"SetFileInformationByHandle", kKernelDll, set_information},
    {"GetFinalPathNameByHandleW", kKernelDll, final_path},
    {"LockFile", kKernelDll, lock_file},
    {"LockFileEx", kKernelDll, lock_file},
    {"UnlockFile", kKernelDll, lock_file},
    {"UnlockFileEx", kKernelDll, lock_file},
    {"CreateFileMappingA", kKernelDll, create_mapping},
    {"CreateFileMappingW", kKernelDll, create_mapping},
    {"MapViewOfFile", kKernelDll, map_view},
    {"UnmapViewOfFile", kKernelDll, unmap_view},
};

}  // namespace

std::span<const Win32Function> file_functions() {
  return kFile;
}

}  // namespace wperf::sim
