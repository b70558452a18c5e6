// SPDX-License-Identifier: BSD-3-Clause
// Who called a function of a Windows program on Arm64 that has not saved the address to return to: the link register
// holds it, and the unwind data of the image says whether it still does. Called by recorded_samples for samples with
// that register and without it in their call chain.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "import/perf_data/perf_file.h"
#include "import/perf_data/process_history.h"
#include "modules/code_file.h"

namespace wperf::recording {

// The link register of a sample of Arm64 code; nothing where it was not recorded.
std::optional<u64> link_register(const perf_data::Sample& sample);

enum class LinkUse : u8 {
  other,
  caller,          // that no frame record tells
  maybe_recorded,  // the same, unless it is what the first frame record tells
};

class LeafCallers {
 public:
  LeafCallers(const perf_data::PerfFile& file, const perf_data::ProcessHistory& history)
      : file_(file), history_(history), files_(history.codes().size()), is_open_(history.codes().size()) {}

  // Does the register say who called the code at `pc`, and the chain of frame records (if there is one) does not? Once
  // saved, it still holds the caller until the function calls something itself: from then on it points into the
  // function. A value that follows no call is not an address at all.
  LinkUse use_of(u32 space, u64 pc, u64 link, bool has_chain);

 private:
  struct Place {
    const modules::CodeFile* file = nullptr;
    u64 address = 0;  // as linked
  };
  Place place_of(u32 space, u64 address);
  LinkUse decide(u32 space, u64 pc, u64 link, bool has_chain);

  const perf_data::PerfFile& file_;
  const perf_data::ProcessHistory& history_;
  std::vector<modules::CodeFile> files_;  // by code of the history
  std::vector<bool> is_open_;
  std::map<std::pair<u32, std::pair<u64, u64>>, LinkUse> known_;
};

}  // namespace wperf::recording
