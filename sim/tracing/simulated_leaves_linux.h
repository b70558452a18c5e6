// SPDX-License-Identifier: BSD-3-Clause
// The caller of a leaf function on the simulated machine. Windows unwinds by the tables of images; the simulated driver
// walks frame records, which leave out the caller of a function without a record.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "code/symbols/pe/pe_file.h"
#include "ground/os/mapped_file.h"
#include "model/readings/samples.h"

namespace wperf::etw::fake {

class SimulatedLeaves {
 public:
  // Whether the link register holds the caller of the code at `pc` and no frame record does.
  bool link_is_caller(const std::vector<readings::Module>& modules, u64 pc);

 private:
  struct Image {
    std::optional<os::MappedFile> file;
    std::optional<symbols::PeFile> parsed;
  };
  std::map<std::string, Image> images_;  // by path
};

}  // namespace wperf::etw::fake
