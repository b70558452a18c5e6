// SPDX-License-Identifier: BSD-3-Clause
// The functions of the kernel that a recording was made on, from this machine's /proc/kallsyms if it runs the same
// kernel. Reading that list takes longer than the rest of a small report. So it is read only when an address of the
// kernel was seen, and cached for the next report of the same kernel.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbols/listed/kernel_list.h"
#include "formats/perf_data/process_history.h"
#include "ground/os/mapped_file.h"

namespace wperf::modules {

// The kernel's module at an address, by the mappings of a recording. Works for other kernels than the running one.
class KernelModules {
 public:
  explicit KernelModules(std::span<const perf_data::KernelRange> ranges);

  // "ath9k"; empty for the kernel itself, and for unmapped addresses.
  std::string_view name_at(u64 address) const;

 private:
  struct Module {
    u64 begin = 0, end = 0;
    std::string name;
  };
  std::vector<Module> modules_;  // by address
};

// Does the kernel of the recording run here? If not, `reason` says why.
bool is_running_kernel(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history, std::string& reason);

class KernelSymbols {
 public:
  static KernelSymbols load(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history);

  struct Function {
    u64 begin = 0;            // the address at the time of the recording
    std::string_view name;    // empty if there is no name, or if the list is of another kernel
    std::string_view module;  // empty for the kernel itself; known even without a name
  };
  // If addresses come in ascending order, the cached list is read into memory piece by piece.
  Function find(u64 address);
  const std::string& reason() const { return reason_; }  // why there are no names; empty if there are names

 private:
  Function find_in_lists(u64 address, std::string_view module);
  bool find_in_kept(u64 distance);
  void read_whole_list();
  void keep_list(const std::string& path);

  KernelModules modules_{{}};
  std::optional<os::MappedFile> kept_file_;
  std::optional<symbols::KernelList> kept_;
  symbols::KernelList::Found last_;  // an entry of kept_
  usize released_ = 0;               // bytes of it that were released
  std::string text_;
  std::optional<symbols::ListedSymbols> whole_;
  std::string_view reference_name_;  // a symbol whose address the recording has
  u64 reference_ = 0;                // its address there
  u64 moved_by_ = 0;                 // a kernel has other addresses after each start of the machine
  std::string reason_;
};

}  // namespace wperf::modules
