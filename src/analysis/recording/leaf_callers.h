// SPDX-License-Identifier: BSD-3-Clause
// The caller of a function on Arm64 that has no frame record yet, or no longer. The link register holds the caller. The
// unwind data of the image (Windows) or the call frame information of the file (Linux) says whether it still does. Used
// for samples with that register, if it is not in their call chain.
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

// The link register of a sample of Arm64 code, without a signature; nullopt if it was not recorded.
std::optional<u64> link_register(const perf_data::Sample& sample);

enum class LinkUse : u8 {
  other,
  caller,          // a caller that is in no frame record
  maybe_recorded,  // the same, unless the first frame record has it, too
};

class LeafCallers {
 public:
  // For wperf's own recordings of Windows programs, or for those of perf on Arm Linux. `search`: for the files of the
  // latter.
  LeafCallers(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history, bool of_windows,
              modules::ElfSearch search)
      : file_(file),
        history_(history),
        of_windows_(of_windows),
        search_(std::move(search)),
        codes_(history.codes().size()) {}

  // In the form of perf's call chains on Arm Linux: by frame records, together with the link register.
  static bool are_told_by_perf(const perf_data::PerfFile& file);

  // The registers are those of user code, even if kernel code was interrupted.
  bool has_user_registers() const { return !of_windows_; }
  // Does the register hold the caller of the code at `pc`, while the chain of frame records (if there is one) does not
  // have it? Once saved, it still holds the caller until the function calls another one; from then on it points into
  // the function. A value that follows no call is not an address at all.
  LinkUse use_of(u32 space, u64 pc, u64 link, bool has_chain);

 private:
  struct Code {
    bool is_open = false;
    modules::CodeFile file;
    std::optional<unwind::FrameTable> frames;  // for an ELF file
  };
  struct Place {
    Code* code = nullptr;
    u64 address = 0;  // as linked
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
