// SPDX-License-Identifier: BSD-3-Clause
// Names kernel addresses of a recording by /proc/kallsyms, if this machine runs the same kernel. Reading that file
// takes longer than all other work for a small report. So it is read only if there are kernel addresses, and its
// functions are cached for the next report of the same kernel.
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

// The kernel module at an address, according to the mappings of a recording. Also works if another kernel is running.
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
  std::vector<Module> modules_;  // ordered by address
};

// Is the recording's kernel running on this machine? If not, `reason` says why.
bool is_running_kernel(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history, std::string& reason);

class KernelSymbols {
 public:
  static KernelSymbols load(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history);

  struct Function {
    u64 begin = 0;            // address at the time of the recording
    std::string_view name;    // empty if there is no name, or if the list belongs to another kernel
    std::string_view module;  // empty for the kernel itself; known even without a name
  };
  // If addresses are requested in ascending order, only the needed parts of the cached list are in memory.
  Function find(u64 address);
  const std::string& reason() const { return reason_; }  // why there are no names; otherwise empty

 private:
  Function find_in_lists(u64 address, std::string_view module);
  bool find_in_kept(u64 distance);
  void read_whole_list();
  void keep_list(const std::string& path);

  KernelModules modules_{{}};
  std::optional<os::MappedFile> kept_file_;
  std::optional<symbols::KernelList> kept_;
  symbols::KernelList::Found last_;  // an entry of kept_
  usize released_ = 0;               // number of bytes of kept_ that were released from memory
  std::string text_;
  std::optional<symbols::ListedSymbols> whole_;
  std::string_view reference_name_;  // a symbol that has a recorded address
  u64 reference_ = 0;                // the recorded address
  u64 moved_by_ = 0;                 // the kernel is loaded at another address after each boot
  std::string reason_;
};

}  // namespace wperf::modules
