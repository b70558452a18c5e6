// SPDX-License-Identifier: BSD-3-Clause
#include "sim/nt/image_file.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/nt/placement.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kDllArea = 0x7ff8'0000'0000, kProgramArea = 0x7ff6'0000'0000;
constexpr u64 kLargestProgram = 1ull << 30;
constexpr u64 kDllSlots = 0x1000, kProgramSlots = 0xffff;
// Offsets in the optional header, and of fields in the COFF header in front of it.
constexpr u64 kImageBase = 24, kOsVersion = 40, kSubsystemVersion = 48, kChecksum = 64, kSubsystem = 68,
              kDllCharacteristics = 70, kStackReserve = 72, kStackCommit = 80, kLoaderFlags = 104;
constexpr u64 kCoffSize = 20, kCoffCharacteristics = 18;

template <class T>
T at(const ImageContents& image, u64 offset) {
  T value{};
  if (offset <= image.bytes.size() && sizeof value <= image.bytes.size() - offset)
    std::memcpy(&value, image.bytes.data() + offset, sizeof value);
  return value;
}

u32 protection_of(u32 permissions) {
  if ((permissions & kExecute) != 0) return (permissions & kWrite) != 0 ? kPageExecuteWriteCopy : kPageExecuteRead;
  if ((permissions & kWrite) != 0) return kPageWriteCopy;
  return (permissions & kRead) != 0 ? kPageReadOnly : kPageNoAccess;
}

// parse_pe has checked that the sections fit into the image and their contents into the file.
void copy_sections(const ImageContents& image, std::byte* to) {
  std::memcpy(to, image.bytes.data(), image.pe.headers_size);
  for (const PeSection& section : image.pe.sections) {
    if (section.discardable || section.file_size == 0) continue;
    std::memcpy(to + section.rva, image.bytes.data() + section.file_offset, section.file_size);
  }
}

void relocate(const ImageContents& image, u64 base, std::byte* memory) {
  const u64 displacement = base - image.pe.preferred_base;
  for (const u32 rva : image.pe.relocation_rvas) {
    u64 value = 0;
    if (rva > image.pe.image_size - sizeof value) continue;
    std::memcpy(&value, memory + rva, sizeof value);
    value += displacement;
    std::memcpy(memory + rva, &value, sizeof value);
  }
  if (image.optional_header + kImageBase + sizeof base <= image.pe.headers_size)
    std::memcpy(memory + image.optional_header + kImageBase, &base, sizeof base);
}

u64 find_base(Memory& memory, Memory::ReserveOptions options, const ImageContents& image, u64 seed, u64 index) {
  if (!image.pe.relocatable) {
    options.address = image.pe.preferred_base;
    return memory.reserve(options);
  }
  constexpr u64 kAttempts = 64;
  for (u64 attempt = 0; attempt < kAttempts; ++attempt) {
    options.address =
        image.pe.is_dll
            ? kDllArea + random_offset(seed, PlacedThing::dll, index * kAttempts + attempt, kDllSlots)
            : kProgramArea + random_offset(seed, PlacedThing::program, index * kAttempts + attempt, kProgramSlots);
    if (const u64 base = memory.reserve(options); base != 0) return base;
  }
  return 0;
}

}  // namespace

bool read_image_file(const std::string& path, ImageFile& out, LoadError& error) {
  std::error_code code;
  const std::filesystem::path file = path;
  out.name = file.filename().string();
  if (!std::filesystem::is_regular_file(file, code)) {
    error = {"no such program: " + path, {}};
    return false;
  }
  const u64 size = std::filesystem::file_size(file, code);
  if (code || size > kLargestProgram) {
    error = {path + (code ? " cannot be read" : " is too large for a program"), {}};
    return false;
  }
  std::ifstream stream(file, std::ios::binary);
  out.bytes.resize(size);
  stream.read(reinterpret_cast<char*>(out.bytes.data()), static_cast<std::streamsize>(size));
  if (static_cast<u64>(stream.gcount()) == size) return true;
  error = {path + " cannot be read", {}};
  return false;
}

std::shared_ptr<ImageContents> read_image(std::vector<std::byte> bytes, std::string& why) {
  auto image = std::make_shared<ImageContents>();
  why = parse_pe(bytes, image->pe);
  if (!why.empty()) return nullptr;
  image->bytes = std::move(bytes);
  image->optional_header = u64{at<u32>(*image, 0x3c)} + sizeof(u32) + kCoffSize;
  return image;
}

u64 export_of(const ImageContents& image, u64 base, std::string_view name) {
  for (const PeExport& entry : image.pe.exports)
    if (entry.name == name && entry.rva != 0) return base + entry.rva;
  return 0;
}

u64 map_image(Memory& memory, const ImageContents& image, u64 address, u64 seed, u64 index) {
  Memory::ReserveOptions options;
  options.size = image.pe.image_size;
  options.type = MemoryType::image;
  options.protection = kPageExecuteWriteCopy;
  options.memory = HostMemory::make(image.pe.image_size);
  if (options.memory == nullptr) return 0;
  u64 base = 0;
  if (address != 0) {
    options.address = address;
    base = memory.reserve(options);
  } else {
    base = find_base(memory, options, image, seed, index);
  }
  if (base == 0) return 0;
  copy_sections(image, options.memory->data());
  if (base != image.pe.preferred_base) relocate(image, base, options.memory->data());
  bool mapped = memory.commit(base, page_up(image.pe.headers_size), kPageReadOnly) == kSuccess;
  for (const PeSection& section : image.pe.sections) {
    if (section.discardable) continue;
    mapped = mapped &&
             memory.commit(base + section.rva, section.mapped_size, protection_of(section.permissions)) == kSuccess;
  }
  if (mapped) return base;
  (void)memory.release(base);
  return 0;
}

void fill_image_information(const ImageContents& image, u64 base, std::byte* out) {
  const u64 header = image.optional_header;
  const auto put = [out](u64 offset, auto value) { std::memcpy(out + offset, &value, sizeof value); };
  std::memset(out, 0, kImageInformationSize);
  put(0x00, image.pe.entry_rva != 0 ? base + image.pe.entry_rva : 0);
  put(0x10, at<u64>(image, header + kStackReserve));
  put(0x18, at<u64>(image, header + kStackCommit));
  put(0x20, u32{at<u16>(image, header + kSubsystem)});
  put(0x24, at<u16>(image, header + kSubsystemVersion + 2));
  put(0x26, at<u16>(image, header + kSubsystemVersion));
  put(0x28, at<u16>(image, header + kOsVersion));
  put(0x2a, at<u16>(image, header + kOsVersion + 2));
  put(0x2c, at<u16>(image, header - kCoffSize + kCoffCharacteristics));
  put(0x2e, at<u16>(image, header + kDllCharacteristics));
  put(0x30, u16{0xaa64});
  put(0x32, u8{1});  // contains code
  put(0x34, at<u32>(image, header + kLoaderFlags));
  put(0x38, static_cast<u32>(image.bytes.size()));
  put(0x3c, at<u32>(image, header + kChecksum));
}

}  // namespace wperf::sim::nt
