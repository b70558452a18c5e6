// SPDX-License-Identifier: BSD-3-Clause
// The files of an ELF module that a recording names: the image, its separate debug information and what that refers
// to, found on this machine, checked by build id, and asked for names. What module_files.h is for Windows modules.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/mapped_file.h"
#include "pipeline/sample_profile_input.h"
#include "profile/sample_profile_builder.h"
#include "symbols/elf_module.h"

namespace wperf::pipeline {

struct ElfSearch {
  std::vector<std::string> folders;  // --symbol-path: below which the paths of the recording may also lie
  bool lines = true;                 // names of lines and inlined functions are wanted, too
};

struct LoadedElf {
  std::optional<os::MappedFile> image, debug, alternate;
  // Split DWARF, opened when a unit is asked for.
  std::shared_ptr<std::vector<std::pair<os::MappedFile, symbols::ElfFile>>> split;
  std::optional<symbols::ElfModule> symbols;
  std::string image_path, debug_path;  // of what was found
  std::string reason;                  // why its names are no better; empty: they couldn't be
};

// `path`: as the process saw it. `build_id`: as recorded, empty if it was not.
LoadedElf load_elf(const std::string& path, symbols::ByteSpan build_id, const ElfSearch& search);

// Addresses are offsets in the file; sorted, unique. One answer each.
std::vector<profile::AddressAnswer> answers_of(const LoadedElf& loaded, const std::vector<u32>& offsets, bool decorated,
                                               bool lines);

// Machine code by the same offsets; nothing for a machine that is not disassembled here.
std::optional<CodeBytes> code_of(const LoadedElf& loaded, u32 begin, u32 end);

}  // namespace wperf::pipeline
