// SPDX-License-Identifier: BSD-3-Clause
#include "sim/windows/loader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "sim/windows/placement.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr u64 kProgramArea = 0x7ff6'0000'0000;
constexpr u64 kDllArea = 0x7ffb'0000'0000;
constexpr usize kMostImages = 128;
constexpr u32 kLongestForwardChain = 8;
constexpr usize kMissingNamed = 6;
constexpr u64 kLargestFile = 1ull << 30;

std::optional<usize> find_image(const LoadedImages& loaded, std::string_view dll) {
  for (usize index = 0; index < loaded.images.size(); ++index) {
    if (same_dll_name(loaded.images[index].module.name, dll)) return index;
  }
  return std::nullopt;
}

void index_exports(LoadedImage& image) {
  for (usize index = 0; index < image.pe.exports.size(); ++index) {
    const PeExport& entry = image.pe.exports[index];
    if (!entry.name.empty()) image.exports_by_name.emplace(entry.name, index);
    image.exports_by_ordinal.emplace(entry.ordinal, index);
  }
}

const PeExport* find_entry(const LoadedImage& image, const std::string& name, u32 ordinal) {
  if (name.empty()) {
    const auto found = image.exports_by_ordinal.find(ordinal);
    return found == image.exports_by_ordinal.end() ? nullptr : &image.pe.exports[found->second];
  }
  const auto found = image.exports_by_name.find(name);
  return found == image.exports_by_name.end() ? nullptr : &image.pe.exports[found->second];
}

// Splits "OTHER.Name" or "OTHER.#12"; the DLL's name may itself contain dots.
bool split_forward(const std::string& forward, std::string& dll, std::string& name, u32& ordinal) {
  const usize dot = forward.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == forward.size()) return false;
  dll = forward.substr(0, dot);
  name = forward.substr(dot + 1);
  if (name[0] != '#') return true;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + 1, end, ordinal);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  name.clear();
  return true;
}

// The result for an import: complete, or waiting for the DLL named in `wanted`.
struct Found {
  u64 address = 0;
  std::string wanted;
};

Found resolve(const LoadedImages& loaded, const SystemDlls& system, std::string dll, std::string name, u32 ordinal) {
  for (u32 step = 0; step < kLongestForwardChain; ++step) {
    if (SystemDlls::knows(dll)) return {name.empty() ? 0 : system.address_of(dll, name).value_or(0), {}};
    const auto index = find_image(loaded, dll);
    if (!index) return {0, dll};
    const LoadedImage& image = loaded.images[*index];
    const PeExport* const entry = find_entry(image, name, ordinal);
    if (entry == nullptr) return {};
    if (entry->forward.empty()) return {image.module.base + entry->rva, {}};
    const std::string forward = entry->forward;
    if (!split_forward(forward, dll, name, ordinal)) return {};
  }
  return {};
}

class Loading {
 public:
  Loading(AddressSpace& space, ImageSource& source, const SystemDlls& system, u64 seed, LoadedImages& out,
          LoadError& error)
      : space_(space), source_(source), system_(system), seed_(seed), out_(out), error_(error) {}

  bool run(const ImageFile& program) {
    if (!add(program, false)) return false;
    // The list grows during the loop: a DLL's own imports bring more DLLs.
    for (usize index = 0; index < out_.images.size(); ++index) {
      if (!add_imported_dlls(index)) return false;
    }
    for (usize index = 0; index < out_.images.size(); ++index) {
      if (!bind_imports(index)) return false;
    }
    order_starts();
    return true;
  }

 private:
  bool fail(std::string text) {
    error_.text = std::move(text);
    return false;
  }

  bool add(const ImageFile& file, bool as_dll) {
    LoadedImage image;
    if (std::string why = parse_pe(file.bytes, image.pe); !why.empty()) return fail(file.name + " " + why);
    if (image.pe.is_dll != as_dll) {
      return fail(file.name + (as_dll ? " is a program, but is imported as a DLL" : " is a DLL, not a program"));
    }
    image.module.name = file.name;
    image.module.path = file.path;
    if (!map(image, file)) return false;
    index_exports(image);
    out_.images.push_back(std::move(image));
    return true;
  }

  bool map(LoadedImage& image, const ImageFile& file) {
    const PeImage& pe = image.pe;
    const u64 index = out_.images.size();
    image.module.size = pe.image_size;
    image.module.base = pe.preferred_base;
    // A place is used only if the whole image, gaps between sections included, is free there.
    for (u64 attempt = 0; pe.relocatable; ++attempt) {
      if (attempt == 64) return fail("not enough address space to load " + file.name);
      const u64 slots = pe.is_dll ? 0x8000 : 0xffff;
      image.module.base =
          (pe.is_dll ? kDllArea : kProgramArea) +
          random_offset(seed_, pe.is_dll ? PlacedThing::dll : PlacedThing::program, index * 64 + attempt, slots);
      if (is_free(image.module.base, pe.image_size)) break;
    }
    const u64 base = image.module.base;
    if (base == 0 || !is_free(base, pe.image_size)) {
      return fail(file.name + " can only be loaded at one address, which is in use");
    }
    image.module.entry = pe.entry_rva != 0 ? base + pe.entry_rva : 0;
    const u64 headers = page_up(pe.headers_size);
    bool mapped = space_.map(base, headers, kRead) && space_.write(base, file.bytes.data(), pe.headers_size);
    for (const PeSection& section : pe.sections) {
      mapped = mapped && space_.map(base + section.rva, section.mapped_size, section.permissions) &&
               space_.write(base + section.rva, file.bytes.data() + section.file_offset, section.file_size);
    }
    if (!mapped) return fail("not enough memory to load " + file.name);
    relocate(image);
    return true;
  }

  bool is_free(u64 base, u64 size) const {
    for (const Region& region : space_.regions()) {
      if (region.base < base + size && base < region.base + region.size) return false;
    }
    return true;
  }

  void relocate(const LoadedImage& image) {
    const u64 displacement = image.module.base - image.pe.preferred_base;
    if (displacement == 0) return;
    for (u32 rva : image.pe.relocation_rvas) {
      u64 value = 0;
      const auto bytes = space_.view(image.module.base + rva, sizeof value);
      if (bytes.empty()) continue;
      std::memcpy(&value, bytes.data(), sizeof value);
      value += displacement;
      std::memcpy(bytes.data(), &value, sizeof value);
    }
  }

  bool add_dll(const std::string& dll, const std::string& importer) {
    if (SystemDlls::knows(dll) || find_image(out_, dll)) return true;
    if (out_.images.size() == kMostImages) return fail(importer + " needs more DLLs than the simulator loads");
    ImageFile file;
    if (!source_.find(dll, file)) {
      return fail(importer + " needs " + dll + ", which is neither in the program's folder nor part of the simulator");
    }
    return add(file, true);
  }

  bool add_imported_dlls(usize index) {
    // A copy, because adding an image moves the list.
    const std::vector<PeImport> imports = out_.images[index].pe.imports;
    const std::string importer = out_.images[index].module.name;
    for (const PeImport& import : imports) {
      if (!add_dll(import.dll, importer)) return false;
      for (const PeSymbol& symbol : import.symbols) {
        for (u32 step = 0; step < kLongestForwardChain; ++step) {  // forwarders may name DLLs that are not imported
          const Found found = resolve(out_, system_, import.dll, symbol.name, symbol.ordinal);
          if (found.wanted.empty()) break;
          if (!add_dll(found.wanted, import.dll)) return false;
        }
      }
    }
    return true;
  }

  bool bind_imports(usize index) {
    const LoadedImage& image = out_.images[index];
    std::vector<std::string> missing;
    bool all_from_system = true;
    for (const PeImport& import : image.pe.imports) {
      for (const PeSymbol& symbol : import.symbols) {
        const Found found = resolve(out_, system_, import.dll, symbol.name, symbol.ordinal);
        if (found.address == 0) {
          missing.push_back(import.dll + "!" +
                            (symbol.name.empty() ? "#" + std::to_string(symbol.ordinal) : symbol.name));
          all_from_system = all_from_system && SystemDlls::knows(import.dll);
        } else if (!space_.write(image.module.base + symbol.slot_rva, &found.address, sizeof found.address)) {
          return fail(image.module.name + " is damaged: its import table is outside its sections");
        }
      }
    }
    if (missing.empty()) return true;
    return fail(image.module.name + " imports " + list_of(missing) +
                (all_from_system ? ", which the simulator does not have" : ", which cannot be found"));
  }

  static std::string list_of(const std::vector<std::string>& names) {
    std::string text = names[0];
    const usize shown = std::min(names.size(), kMissingNamed);
    for (usize index = 1; index < shown; ++index) {
      text += (index + 1 == names.size() ? " and " : ", ") + names[index];
    }
    if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
    return text;
  }

  // Goes depth first over the import graph, with an explicit stack because files may import each other in circles.
  void order_starts() {
    enum class Mark : u8 { untouched, open, done };
    std::vector<Mark> marks(out_.images.size(), Mark::untouched);
    struct Step {
      usize image;
      usize next_import;
    };
    std::vector<Step> stack{{0, 0}};
    marks[0] = Mark::open;
    while (!stack.empty()) {
      Step& step = stack.back();
      const std::vector<PeImport>& imports = out_.images[step.image].pe.imports;
      if (step.next_import == imports.size()) {
        marks[step.image] = Mark::done;
        if (step.image != 0) out_.start_order.push_back(step.image);
        stack.pop_back();
        continue;
      }
      const auto wanted = find_image(out_, imports[step.next_import++].dll);
      if (wanted && marks[*wanted] == Mark::untouched) {
        marks[*wanted] = Mark::open;
        stack.push_back({*wanted, 0});
      }
    }
    for (usize index = 1; index < marks.size(); ++index) {  // reached only through forwarders
      if (marks[index] == Mark::untouched) out_.start_order.push_back(index);
    }
  }

  AddressSpace& space_;
  ImageSource& source_;
  const SystemDlls& system_;
  u64 seed_;
  LoadedImages& out_;
  LoadError& error_;
};

}  // namespace

bool read_image_file(const std::string& path, ImageFile& out, LoadError& error) {
  std::error_code code;
  const std::filesystem::path file = path;
  out.path = path;
  out.name = file.filename().string();
  if (!std::filesystem::is_regular_file(file, code)) {
    error.text = "no such program: " + path;
    error.hint.clear();
    return false;
  }
  const u64 size = std::filesystem::file_size(file, code);
  if (code || size > kLargestFile) {
    error.text = path + (code ? " cannot be read" : " is too large for a program");
    return false;
  }
  std::ifstream stream(file, std::ios::binary);
  out.bytes.resize(size);
  stream.read(reinterpret_cast<char*>(out.bytes.data()), static_cast<std::streamsize>(size));
  if (!stream || static_cast<u64>(stream.gcount()) != size) {
    error.text = path + " cannot be read";
    return false;
  }
  return true;
}

bool FolderSource::find(const std::string& dll, ImageFile& out) {
  std::error_code code;
  const std::filesystem::path folder = folder_.empty() ? "." : folder_;
  std::filesystem::directory_iterator entry(folder, code);
  for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
    if (!entry->path().has_extension() || !same_dll_name(entry->path().filename().string(), dll)) continue;
    LoadError ignored;
    return read_image_file(entry->path().string(), out, ignored);
  }
  return false;
}

bool load_images(AddressSpace& space, const ImageFile& program, ImageSource& source, const SystemDlls& system, u64 seed,
                 LoadedImages& out, LoadError& error) {
  return Loading(space, source, system, seed, out, error).run(program);
}

u64 find_export(const LoadedImages& images, const SystemDlls& system, usize image, const std::string& name,
                u32 ordinal) {
  return resolve(images, system, images.images[image].module.name, name, ordinal).address;
}

}  // namespace wperf::sim
