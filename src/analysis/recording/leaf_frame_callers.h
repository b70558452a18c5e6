// SPDX-License-Identifier: BSD-3-Clause
// Finds the caller of an Arm64 function that has no frame record yet, or has already removed it. It may be in the link
// register; the unwind data of the image (Windows) or the call frame information of the file (Linux) shows whether it
// is. Used for samples that have this register but lack the caller in their call chains.
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "code/modules/code_file.h"
#include "code/unwind/frame_table.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/process_history.h"

namespace wperf::recording {

// The link register of an Arm64 sample, without the pointer authentication code; nullopt if it was not recorded.
std::optional<u64> link_register(const perf_data::Sample& sample);

enum class LinkUse : u8 {
  other,
  caller,          // a caller that is in no frame record
  maybe_recorded,  // a caller, unless the first frame record also has it
};

class LeafFrameCallers {
 public:
  // For recordings of Windows programs by wperf, and recordings by perf on Arm Linux. `search` is only used for the
  // latter.
  LeafFrameCallers(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history, bool of_windows,
                   modules::ElfSearch search)
      : file_(file),
        history_(history),
        of_windows_(of_windows),
        search_(std::move(search)),
        codes_(history.codes().size()) {}

  // Does the file have call chains as perf writes them on Arm Linux: made from frame records, with the link register?
  static bool has_perf_call_chains(const perf_data::PerfFile& file);

  // Are the recorded registers always the registers of user code, even if kernel code was sampled?
  bool has_user_registers() const { return !of_windows_; }
  // Does the link register hold a caller of the code at `pc` that the chain of frame records lacks? After the function
  // has saved the register, the register still holds the caller until the function makes a call; from then on it points
  // into the function. A value that does not follow a call instruction is not a return address.
  LinkUse use_of(u32 space, u64 pc, u64 link, bool has_chain);

 private:
  struct Code {
    bool is_open = false;
    modules::CodeFile file;
    std::optional<unwind::FrameTable> frames;  // for an ELF file
  };
  struct Place {
    Code* code = nullptr;
    u64 address = 0;  // linked address
  };
  Place place_of(u32 space, u64 address);
  void open(Code& code, const perf_data::MappedCode& mapped) const;
  LinkUse decide(u32 space, u64 pc, u64 link, bool has_chain);

  const perf_data::PerfFile& file_;
  const perf_data::ProcessHistory& history_;
  const bool of_windows_;
  const modules::ElfSearch search_;
  std::vector<Code> codes_;  // by number in the history
  std::map<std::pair<u32, std::pair<u64, u64>>, LinkUse> known_;
};

}  // namespace wperf::recording
