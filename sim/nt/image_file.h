// SPDX-License-Identifier: BSD-3-Clause
// The contents of a PE file, from which sections of images are made, and its place in a process.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/ints.h"
#include "sim/nt/memory.h"
#include "sim/nt/pe_image.h"
#include "sim/nt/program.h"

namespace wperf::sim::nt {

struct ImageContents {
  PeImage pe;
  std::vector<std::byte> bytes;
  u64 optional_header = 0;  // its offset in `bytes`
};

struct ImageFile {
  std::string name;  // "fib.exe", for messages and lists of modules
  std::vector<std::byte> bytes;
};
// Reads a program from the host.
[[nodiscard]] bool read_image_file(const std::string& path, ImageFile& out, LoadError& error);

// Returns null if the bytes are not an ARM64 image; `why` is then the predicate of a sentence about the file.
std::shared_ptr<ImageContents> read_image(std::vector<std::byte> bytes, std::string& why);

// Maps the image at an address and relocates it. If the address is 0, it is derived from `seed` and `index`. Returns
// the base, or 0 if there is no room. The base is written into the mapped header, as Windows does it.
u64 map_image(Memory& memory, const ImageContents& image, u64 address, u64 seed, u64 index);

// Returns the address of an exported function of the mapped image, or 0.
u64 export_of(const ImageContents& image, u64 base, std::string_view name);

// SECTION_IMAGE_INFORMATION of an image that is mapped at `base`, as NtQuerySection returns it.
inline constexpr u64 kImageInformationSize = 64;
void fill_image_information(const ImageContents& image, u64 base, std::byte* out);

}  // namespace wperf::sim::nt
