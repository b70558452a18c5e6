// SPDX-License-Identifier: BSD-3-Clause
// The files of an ELF module that a recording names: the image, its separate debug information and the files that it
// refers to, found on this machine, checked by build id, and asked for names. module_files.h does the same for Windows
// modules.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "code/modules/elf_caches.h"
#include "code/symbols/disassembly/disassembler.h"
#include "code/symbols/elf_module.h"
#include "ground/os/mapped_file.h"

namespace wperf::modules {

// Machine code of a module whose file is at hand.
struct CodeBytes {
  symbols::InstructionSet instructions = symbols::InstructionSet::arm64;
  std::span<const std::byte> bytes;
  u64 base = 0;   // address of RVA 0, as disassembly shows it
  u32 first = 0;  // RVA of the first byte; in ELF files an offset
};

// The part of a Linux path after the last '/', on any system.
std::string_view base_name(std::string_view path);

struct ElfSearch {
  std::vector<std::string> folders;  // --symbol-path: folders below which the paths of the recording may also lie
  bool lines = true;                 // names of lines and inlined functions are wanted, too
  // --debuginfod; null if no server is asked
  DebugDownloads* downloads = nullptr;
  // The cache of functions of large files for the next report; null if there is none.
  FunctionFiles* functions = nullptr;
};

// Files of split DWARF, opened when a unit is asked for.
struct SplitFiles {
  std::vector<std::pair<os::MappedFile, symbols::ElfFile>> files;
  std::string refused;   // why the first rejected file was not used; empty: no file was rejected
  u64 more_refused = 0;  // others
};

struct LoadedElf {
  std::optional<os::MappedFile> image, debug, alternate, kept_functions;
  std::shared_ptr<SplitFiles> split;
  std::optional<symbols::ElfModule> symbols;
  std::string image_path, debug_path;  // the paths of the files that were found
  std::string not_opened;              // why a file that another file names was not found
  std::string reason;                  // why there are no better names; empty if they are the best possible

  // Was one of the files cut while it was read?
  bool has_shrunk() const;
};

// `path`: as the process saw it. `build_id`: as recorded, empty if unknown. `process`: a process that had it mapped, or
// 0. While that process runs, files in its mount namespace are found, too.
LoadedElf load_elf(const std::string& path, symbols::Bytes build_id, const ElfSearch& search, u32 process = 0);
// Only the image and its debug file, without names of functions.
LoadedElf find_elf(const std::string& path, symbols::Bytes build_id, const ElfSearch& search, u32 process = 0);

// "[vdso]": that of this machine, if it is the recorded one. `build_id`: as recorded; if it is empty,
// `is_of_this_kernel` decides.
inline constexpr std::string_view kVdsoPath = "[vdso]";
LoadedElf load_vdso(symbols::Bytes build_id, bool is_of_this_kernel);

// Machine code by offsets in the file; empty for a machine that cannot be disassembled here.
std::optional<CodeBytes> code_of(const LoadedElf& loaded, u32 begin, u32 end);

}  // namespace wperf::modules
