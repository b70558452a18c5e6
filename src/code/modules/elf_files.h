// SPDX-License-Identifier: BSD-3-Clause
// Finds the files of a recording's ELF module on this machine: the image, its separate debug information and the files
// that it refers to. Checks their build ids and reads their names. module_files.h does the same for Windows modules.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "code/modules/elf_caches.h"
#include "code/symbols/disassembly/disassembler.h"
#include "code/symbols/elf_module.h"
#include "ground/os/mapped_file.h"

namespace wperf::modules {

// Machine code of a module whose file is available.
struct CodeBytes {
  symbols::InstructionSet instructions = symbols::InstructionSet::arm64;
  std::span<const std::byte> bytes;
  u64 base = 0;   // address of RVA 0, as the disassembly shows it
  u32 first = 0;  // RVA of the first byte; for an ELF file, its file offset
};

// The part of a Linux path after the last '/', whatever system wperf runs on.
std::string_view base_name(std::string_view path);

struct ElfSearch {
  std::vector<std::string> folders;  // --symbol-path: folders that may contain the recorded paths, or files
  bool lines = true;                 // true: also names of lines and inlined functions
  // --debuginfod; null if no server may be asked
  DebugDownloads* downloads = nullptr;
  // The cache of functions for the next report; may be null.
  FunctionFiles* functions = nullptr;
};

// Files of split DWARF, opened when one of their units is needed.
struct SplitFiles {
  std::vector<std::pair<os::MappedFile, symbols::ElfFile>> files;
  std::string refused;   // why the first rejected file was not used; empty if none was rejected
  u64 more_refused = 0;  // number of further rejected files
  u64 missing = 0;       // number of needed files that were not found
  std::pair<std::string, std::string> first_missing;  // the first missing file, and the package that may have it
};

struct LoadedElf {
  std::optional<os::MappedFile> image, debug, alternate, kept_functions;
  std::shared_ptr<SplitFiles> split;
  std::optional<symbols::ElfModule> symbols;
  std::string image_path, debug_path;  // the paths of the files that were found
  std::string not_opened;              // why a file named by another file was not opened
  std::string reason;                  // why there are no better names; empty if there is no reason

  // Was one of the files truncated while it was read?
  bool has_shrunk() const;
};

struct RecordedElf {
  std::string path;         // as the process saw it
  symbols::Bytes build_id;  // from the recording; empty if unknown
  // A process that had the file mapped, or 0. While that process runs, files in its mount namespace are found, too.
  u32 process = 0;
  bool was_replaced = false;  // the file now at the path is not the recorded file
};
LoadedElf load_elf(const RecordedElf& recorded, const ElfSearch& search);
// Finds only the image and its debug file; reads no names.
LoadedElf find_elf(const RecordedElf& recorded, const ElfSearch& search);
// nullopt if there is no file, or if it is not an ELF file.
std::optional<symbols::ElfFile> parsed_elf(const std::optional<os::MappedFile>& mapped);

// "[vdso]": this machine's vDSO, if it is the recorded one. This is decided by `build_id`, which comes from the
// recording, or by `is_of_this_kernel` if `build_id` is empty.
inline constexpr std::string_view kVdsoPath = "[vdso]";
LoadedElf load_vdso(symbols::Bytes build_id, bool is_of_this_kernel);

// Machine code at offsets in the file; nullopt if this build cannot disassemble its instruction set.
std::optional<CodeBytes> code_of(const LoadedElf& loaded, u32 begin, u32 end);

}  // namespace wperf::modules
