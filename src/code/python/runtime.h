// SPDX-License-Identifier: BSD-3-Clause
// Finds the interpreter of a process: the module that has the state of CPython's runtime, and the address of that
// state.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/python/evaluation.h"
#include "code/python/process_memory.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/pe/pe_file.h"
#include "ground/diag/result.h"

namespace wperf::python {

struct PythonRuntime {
  u64 address = 0;                    // of _PyRuntime
  std::vector<CodeRange> evaluation;  // the function that interprets; empty: not known
  u32 version = 0;   // as PY_VERSION_HEX; 0 if it does not decide the layout: it is unknown, or an old one for Windows
  std::string path;  // of the module, as the process sees it
};

// Where a file has the runtime: addresses as linked, for an image RVAs.
struct RuntimeInFile {
  u64 runtime = 0;
  std::optional<u64> version;  // the variable Py_Version, since 3.11
  std::vector<CodeRange> evaluation;
};
// `by_symbol`: also looks for its symbol, which takes long in a large file; its section is nearly always there.
std::optional<RuntimeInFile> runtime_in_elf(const symbols::ElfFile& file, bool by_symbol = true);
std::optional<RuntimeInFile> runtime_in_image(const symbols::PeFile& image);

// The version that a name says, as PY_VERSION_HEX of its final release .0: "python3.11", "libpython3.13t.so.1.0",
// "python312.dll"; 0 if it is the name of no interpreter.
u32 version_in_name(std::string_view file_name);

// `mappings`: those of the process, by address. Looks into the program and into each file with the name of an
// interpreter. An error if none of them is one. `process`: the process, so that its files are found in a container,
// too; 0 if only this machine's files are wanted.
diag::Result<PythonRuntime> find_runtime(std::span<const os::FileMapping> mappings, ProcessMemory& memory, u32 process);

}  // namespace wperf::python
