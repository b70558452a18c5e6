// SPDX-License-Identifier: BSD-3-Clause
// Puts a program and the DLLs it needs into an address space: maps sections, relocates, binds imports against each
// other and against the Win32 surface. Hostile files end in an error, never in a crash. On failure the address space
// holds leftovers and is to be thrown away.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/windows/pe_image.h"
#include "sim/windows/simulated_process.h"
#include "sim/windows/system_dlls.h"

namespace wperf::sim {

struct ImageFile {
  std::string name;  // "bignum.dll", for messages and module lists
  std::string path;
  std::vector<std::byte> bytes;
};

// The source of DLLs: the program's folder, or a test's memory.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  [[nodiscard]] virtual bool find(const std::string& dll, ImageFile& out) = 0;  // ignores case
};

// A file, and the files in its folder.
class FolderSource : public ImageSource {
 public:
  explicit FolderSource(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] bool find(const std::string& dll, ImageFile& out) override;

 private:
  std::string folder_;
};
[[nodiscard]] bool read_image_file(const std::string& path, ImageFile& out, LoadError& error);

struct LoadedImage {
  Module module;
  PeImage pe;
  std::unordered_map<std::string_view, usize> exports_by_name;  // views into pe.exports
  std::unordered_map<u32, usize> exports_by_ordinal;
};

struct LoadedImages {
  std::vector<LoadedImage> images;  // the program first
  std::vector<usize> start_order;   // DLLs before those that import them; the program is not in it
};

[[nodiscard]] bool load_images(AddressSpace& space, const ImageFile& program, ImageSource& source,
                               const SystemDlls& system, u64 seed, LoadedImages& out, LoadError& error);

// Address of an export, after following forwarders; 0 if there is none. An empty name means the ordinal.
u64 find_export(const LoadedImages& images, const SystemDlls& system, usize image, const std::string& name,
                u32 ordinal);

}  // namespace wperf::sim
