// SPDX-License-Identifier: BSD-3-Clause
// Loads mapped code of a recording: an ELF file, the vDSO, or memory with code that the program generated, which a map
// file may describe.
#pragma once
#include <string>

#include "code/modules/code_file.h"
#include "code/symbols/listed/listed_symbols.h"
#include "formats/perf_data/process_history.h"
#include "model/stacks/stack_profile.h"

namespace wperf::recording {

// Is the file a recording of Windows programs made by wperf?
bool is_windows_run(const perf_data::PerfFile& file);
// For code in a file or in the vDSO. In a Windows run, or if the path is a Windows path, the file is an image with a
// PDB.
struct CodeSearch {
  bool windows_run = false;
  const modules::ElfSearch& elf;
  const modules::SymbolOptions& images;
};
modules::CodeFile load_mapped_code(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                                   const perf_data::MappedCode& code, const CodeSearch& search);
// Loads a Windows image of a recording made by wperf; empty for other code.
modules::CodeFile load_recorded_image(const perf_data::PerfFile& file, const perf_data::MappedCode& code,
                                      const modules::SymbolOptions& images);
// Loads the file of a profile's module after the recording was closed.
modules::CodeFile load_module_again(const stacks::StackModule& module, const modules::ElfSearch& search,
                                    modules::SymbolOptions images);
modules::RecordedElf recorded_elf(const perf_data::MappedCode& code);
modules::LoadedElf load_mapped_elf(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history,
                                   const perf_data::MappedCode& code, const modules::ElfSearch& search);

// The module name of code generated at run time: from the process that generated it, or the name of the memory.
std::string name_of_jit_code(u32 process);
std::string name_of_jit_code(const perf_data::MappedCode& code);

// Memory without a file, with the names from the program's /tmp/perf-PID.map.
class JitCode {
 public:
  // `folders`: from --symbol-path.
  JitCode(const perf_data::MappedCode& code, std::span<const std::string> folders);
  JitCode(const JitCode&) = delete;
  JitCode& operator=(const JitCode&) = delete;

  const std::string& reason() const { return reason_; }  // why there are no names; empty if there may be names
  const symbols::ListedSymbol* find(u64 address) const { return list_.find(address); }

 private:
  std::string reason_, text_;
  symbols::ListedSymbols list_;
};

// Finds the code at an address of a process, in a finished recording or during recording.
class CodeMap {
 public:
  virtual ~CodeMap() = default;
  virtual perf_data::CodePlace place_in(u32 space, u64 address) const = 0;
  virtual const perf_data::MappedCode& code(u32 number) const = 0;
};

class HistoryCodeMap final : public CodeMap {
 public:
  explicit HistoryCodeMap(const perf_data::ProcessHistory& history) : history_(history) {}
  perf_data::CodePlace place_in(u32 space, u64 address) const override { return history_.place_in(space, address); }
  const perf_data::MappedCode& code(u32 number) const override { return history_.codes()[number]; }

 private:
  const perf_data::ProcessHistory& history_;
};

}  // namespace wperf::recording
