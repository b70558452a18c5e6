// SPDX-License-Identifier: BSD-3-Clause
// Finds the interpreter of a process: the module with CPython's runtime state, and the address of that state.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/address.h"
#include "code/python/process_memory.h"
#include "code/symbols/elf/elf_file.h"
#include "code/symbols/pe/pe_file.h"
#include "ground/diag/result.h"

namespace wperf::python {

struct PythonRuntime {
  u64 address = 0;                             // the address of _PyRuntime
  std::vector<code::AddressRange> evaluation;  // the code of _PyEval_EvalFrameDefault; empty if not known
  u32 version = 0;   // in the form of PY_VERSION_HEX; 0 if it is unknown, or an old version on Windows, so that it does
                     // not give the layout
  std::string path;  // path of the module as the process sees it
};

// The place of the runtime in a file: linked addresses, or RVAs for an image.
struct RuntimeInFile {
  u64 runtime = 0;
  std::optional<u64> version;  // the variable Py_Version, since 3.11
  std::vector<code::AddressRange> evaluation;
};
// `by_symbol`: also searches by symbol, which is slow in a large file. The section nearly always exists and is enough.
std::optional<RuntimeInFile> runtime_in_elf(const symbols::ElfFile& file, bool by_symbol = true);
std::optional<RuntimeInFile> runtime_in_image(const symbols::PeFile& image);

// The version in a file name, as PY_VERSION_HEX of its release .0: "python3.11", "libpython3.13t.so.1.0",
// "python312.dll". 0 if it is not the name of an interpreter.
u32 version_in_name(std::string_view file_name);

// `mappings`: the mappings of the process, ordered by address. Checks the program and each file with an interpreter's
// name; returns an error if none is an interpreter. `process`: used to find the files of a container, too; 0: only
// files outside of containers.
diag::Result<PythonRuntime> find_runtime(std::span<const os::FileMapping> mappings, ProcessMemory& memory, u32 process);

}  // namespace wperf::python
