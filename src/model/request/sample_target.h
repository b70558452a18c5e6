// SPDX-License-Identifier: BSD-3-Clause
// The program that sample and record look at, and the defaults that follow from the words of the line (contract 2.5,
// 9.1).
#pragma once
#include <string>

#include "model/request/measurement.h"

namespace wperf::request {

struct SampleTarget {
  std::string pe_file;
  std::string image_name;  // base name of the running program to find
  std::string pdb_file;    // of the program
};

// pe_file is set.
SampleTarget sample_target(const Measurement& request);

// The lines that -v prints first, followed by a blank line. Empty without a PE file.
std::string deduced_text(const Measurement& request);

}  // namespace wperf::request
