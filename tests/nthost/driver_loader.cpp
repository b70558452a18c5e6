// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/driver_loader.h"

#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/machine/semihosting.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMachineArm64 = 0xaa64, kNativeSubsystem = 1;
constexpr u32 kSectionExecutable = 0x2000'0000, kSectionWritable = 0x8000'0000;
constexpr u32 kImportDirectory = 1, kExceptionDirectory = 3, kRelocationDirectory = 5;
constexpr u64 kMostPages = 1024;

struct ImportDescriptor {
  u32 names, time, forwarder, module, addresses;
};

HostFile file;
LoadedImage image;
u64 preferred_base;
const u8* headers;      // in the file
u64 pages[kMostPages];  // physical, in the order of the image
u64 slide = 0;          // different for each load

template <class T>
T read(const u8* at) {
  T value;
  memcpy(&value, at, sizeof value);
  return value;
}

// The image while it is built. Its pages are accessed through the direct mapping, which can write pages that the driver
// may not write.
u8* byte_of_image(u64 offset) {
  if (offset >= image.size) give_up("the image refers to offset {x}, behind its end", offset);
  return static_cast<u8*>(direct(pages[offset / kPageSize])) + offset % kPageSize;
}

void read_image(u64 offset, void* to, u64 size) {
  for (u64 i = 0; i < size; ++i) static_cast<u8*>(to)[i] = *byte_of_image(offset + i);
}
void write_image(u64 offset, const void* from, u64 size) {
  for (u64 i = 0; i < size; ++i) *byte_of_image(offset + i) = static_cast<const u8*>(from)[i];
}
template <class T>
T read_image(u64 offset) {
  T value;
  read_image(offset, &value, sizeof value);
  return value;
}

struct Directory {
  u32 offset, size;
};
const u8* optional_header() {
  return headers + 24;
}
Directory directory(u32 index) {
  return {read<u32>(optional_header() + 112 + 8 * index), read<u32>(optional_header() + 116 + 8 * index)};
}

void read_headers() {
  const u32 at = read<u32>(file.bytes + 0x3c);
  headers = file.bytes + at;
  if (file.size < 1024 || read<u16>(file.bytes) != 0x5a4d || read<u32>(headers) != 0x4550)
    give_up("sys= is no PE image");
  if (read<u16>(headers + 4) != kMachineArm64)
    give_up("the driver is for machine {x}, not ARM64", read<u16>(headers + 4));
  if (read<u16>(optional_header() + 68) != kNativeSubsystem) give_up("the driver's subsystem is not native");
  if (read<u32>(optional_header() + 32) != kPageSize) give_up("the driver's sections are not aligned to pages");
  preferred_base = read<u64>(optional_header() + 24);
  image.size = read<u32>(optional_header() + 56);
  if (pages_of(image.size) > kMostPages) give_up("the driver's image of {} bytes is too large", image.size);
}

using wperf::u16;

void copy_sections() {
  for (u64 i = 0; i < pages_of(image.size); ++i) pages[i] = take_page();
  write_image(0, file.bytes, read<u32>(optional_header() + 60));
  const u8* section = optional_header() + read<u16>(headers + 20);
  for (u32 left = read<u16>(headers + 6); left > 0; --left, section += 40) {
    const u32 virtual_size = read<u32>(section + 8), raw_size = read<u32>(section + 16), raw = read<u32>(section + 20);
    const u32 size = raw_size < virtual_size || virtual_size == 0 ? raw_size : virtual_size;
    if (static_cast<u64>(raw) + size > file.size) give_up("a section of the driver ends behind its file");
    write_image(read<u32>(section + 12), file.bytes + raw, size);
  }
}

u32 relocate() {
  const Directory blocks = directory(kRelocationDirectory);
  const u64 delta = image.base - preferred_base;
  u32 count = 0;
  for (u32 at = blocks.offset; at < blocks.offset + blocks.size;) {
    const u32 page = read_image<u32>(at), size = read_image<u32>(at + 4);
    if (size < 8) give_up("a block of relocations has {} bytes", size);
    for (u32 entry = at + 8; entry < at + size; entry += 2) {
      const u32 what = read_image<u16>(entry);
      if (what >> 12 == 0) continue;  // padding
      if (what >> 12 != 10) give_up("relocation type {} is not offered", what >> 12);
      const u64 place = page + (what & 0xfff);
      const u64 value = read_image<u64>(place) + delta;
      write_image(place, &value, sizeof value);
      ++count;
    }
    at += size;
  }
  return count;
}

void read_text(u64 offset, char* to, u64 capacity) {
  for (u64 i = 0; i + 1 < capacity; ++i) {
    to[i] = static_cast<char>(*byte_of_image(offset + i));
    to[i + 1] = 0;
    if (to[i] == 0) return;
  }
}

u32 resolve_imports() {
  const Directory imports = directory(kImportDirectory);
  u32 count = 0, missing = 0;
  for (u32 at = imports.offset; imports.offset != 0; at += sizeof(ImportDescriptor)) {
    const auto descriptor = read_image<ImportDescriptor>(at);
    if (descriptor.module == 0) break;
    char module[64];
    read_text(descriptor.module, module, sizeof module);
    for (u32 i = 0;; i += 8, ++count) {
      const u64 name_at = read_image<u64>((descriptor.names != 0 ? descriptor.names : descriptor.addresses) + i);
      if (name_at == 0) break;
      char name[128] = "(by ordinal)";
      if (name_at >> 63 == 0) read_text(name_at + 2, name, sizeof name);
      const Export* found = find_export(module, name);
      if (found == nullptr) {
        print("unresolved import: {}!{}", module, name);
        ++missing;
        continue;
      }
      const u64 address = reinterpret_cast<u64>(found->address);
      write_image(descriptor.addresses + i, &address, sizeof address);
    }
  }
  if (missing != 0) give_up("{} imports of the driver are not resolved", missing);
  return count;
}

// Headers and everything outside of sections are read-only. The pages of a section have the protection of its flags.
void protect() {
  static Access access[kMostPages];  // too large for a stack
  for (u64 i = 0; i < pages_of(image.size); ++i) access[i] = Access::read_only;
  const u8* section = optional_header() + read<u16>(headers + 20);
  for (u32 left = read<u16>(headers + 6); left > 0; --left, section += 40) {
    const u32 flags = read<u32>(section + 36), offset = read<u32>(section + 12), size = read<u32>(section + 8);
    if ((flags & kSectionExecutable) != 0 && (flags & kSectionWritable) != 0)
      fail("a section is writable and executable");
    const Access wanted = (flags & kSectionExecutable) != 0 ? Access::read_execute
                          : (flags & kSectionWritable) != 0 ? Access::read_write
                                                            : Access::read_only;
    for (u64 page = offset / kPageSize; page < pages_of(static_cast<u64>(offset) + size); ++page) access[page] = wanted;
  }
  asm volatile("dsb ish\n ic ialluis\n dsb ish\n isb" : : : "memory");
  for (u64 i = 0; i < pages_of(image.size); ++i) map_kernel(image.base + i * kPageSize, pages[i], access[i]);
}

// ---- __try/__except, for exceptions in the guarding function itself ----

struct FunctionRange {
  u64 begin;   // offset
  u32 unwind;  // offset of its .xdata, 0 = packed: such a function has no handler
};

FunctionRange find_function(u64 offset) {
  const Directory table = directory(kExceptionDirectory);
  for (u32 at = table.offset; at < table.offset + table.size; at += 8) {
    const u32 begin = read_image<u32>(at), data = read_image<u32>(at + 4);
    const u64 length = (data & 3) != 0 ? (data >> 2 & 0x7ff) * 4 : (read_image<u32>(data) & 0x3'ffff) * 4;
    if (offset >= begin && offset < begin + length) return {begin, (data & 3) != 0 ? 0 : data};
  }
  return {};
}

// Offset of the handler's own data (the scope table), or 0 when the function has no exception handler.
u32 handler_data_of(u32 unwind) {
  const u32 header = read_image<u32>(unwind);
  if ((header >> 20 & 1) == 0) return 0;  // X: an exception handler follows
  u32 epilogs = header >> 22 & 0x1f, words = header >> 27, at = unwind + 4;
  if (epilogs == 0 && words == 0) {
    const u32 extended = read_image<u32>(at);
    epilogs = extended & 0xffff;
    words = extended >> 16 & 0xff;
    at += 4;
  }
  if ((header >> 21 & 1) == 0) at += 4 * epilogs;  // E: the single epilog is described in the header
  return at + 4 * words + 4;                       // after the handler's own offset
}

u64 handler_around(u64 pc) {
  const u64 offset = offset_in_image(pc);
  if (offset == ~0ull) return 0;
  const FunctionRange function = find_function(offset);
  const u32 scopes = function.unwind == 0 ? 0 : handler_data_of(function.unwind);
  if (scopes == 0) return 0;
  const u32 count = read_image<u32>(scopes);
  for (u32 i = 0; i < count; ++i) {
    const u32 scope = scopes + 4 + 16 * i;
    const u32 begin = read_image<u32>(scope), end = read_image<u32>(scope + 4);
    const u32 filter = read_image<u32>(scope + 8), target = read_image<u32>(scope + 12);
    if (offset >= begin && offset < end && filter == 1 && target != 0) return image.base + target;
  }
  return 0;
}

// True for a function without an entry, as documented, or with a packed entry that describes no frame, no saved
// registers and no stack.
bool is_leaf(u64 offset) {
  const Directory table = directory(kExceptionDirectory);
  const u64 wanted = find_function(offset).begin;
  for (u32 at = table.offset; at < table.offset + table.size; at += 8) {
    const u32 begin = read_image<u32>(at), data = read_image<u32>(at + 4);
    if (begin != wanted) continue;
    return (data & 3) != 0 && (data >> 13 & 0x7ffff) == 0;
  }
  return true;
}

}  // namespace

LoadedImage load_image() {
  if (file.bytes == nullptr) {
    const char* path = value_of("sys");
    if (path == nullptr) give_up("the command line names no driver: sys=PATH");
    file = read_host_file(path);
    if (file.bytes == nullptr) give_up("the driver {} cannot be read", path);
  }
  read_headers();
  slide = (slide + 0x5'3000) & 0x0fff'ffff;
  image.base = kImageBase + slide;
  copy_sections();
  const u32 relocations = relocate();
  const u32 imports = resolve_imports();
  image.entry = image.base + read<u32>(optional_header() + 16);
  protect();
  if (has_word("verbose")) {
    print("driver at {x}: {} bytes, {} relocations, {} imports", image.base, image.size, relocations, imports);
  }
  return image;
}

void unload_image() {
  for (u64 i = 0; i < pages_of(image.size); ++i) {
    unmap_kernel(image.base + i * kPageSize);
    give_page(pages[i]);
  }
  image = {};
}

u64 offset_in_image(u64 address) {
  return address >= image.base && address < image.base + image.size ? address - image.base : ~0ull;
}

u64 preferred_address(u64 offset) {
  return preferred_base + offset;
}

u64 find_guarding_handler(u64 pc, u64 lr) {
  if (const u64 handler = handler_around(pc)) return handler;
  // A leaf has not moved the stack or saved registers: its frame is the caller's frame, and lr is the return address.
  if (offset_in_image(pc) == ~0ull || !is_leaf(offset_in_image(pc))) return 0;
  return handler_around(lr - 4);
}

}  // namespace wperf::nthost
