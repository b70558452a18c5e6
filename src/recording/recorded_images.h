// SPDX-License-Identifier: BSD-3-Clause
// Windows programs in a perf.data file that wperf itself made (perf_data_export): their PE images and PDBs, asked for
// names where they are at hand. Called by recorded_places.cpp for modules that are no ELF files.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "import/perf_data/perf_file.h"
#include "profile/sample_profile_builder.h"

namespace wperf::recording {

struct NamedImage {
  std::string reason;                           // why its names are no better; empty: they couldn't be
  std::vector<profile::AddressAnswer> answers;  // one for each RVA
};

// Nothing: somebody else's recording, or no PE image. In wperf's own an image is one mapping, so an offset is an RVA.
// rvas: sorted, unique. `symbol_path` as of --symbol-path.
std::optional<NamedImage> name_recorded_image(const perf_data::PerfFile& file, const std::string& path,
                                              const std::vector<u32>& rvas, const std::string& symbol_path,
                                              bool decorated);

}  // namespace wperf::recording
