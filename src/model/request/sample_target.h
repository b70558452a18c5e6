// SPDX-License-Identifier: BSD-3-Clause
// Whom sample and record look at, and what follows from the words of the line alone when it is not said (contract 2.5,
// 9.1). Called by measure.
#pragma once
#include <string>

#include "model/request/request.h"

namespace wperf::request {

struct SampleTarget {
  std::string pe_file;
  std::string image_name;  // base name of the running program to find
  std::string pdb_file;    // of the program
};

// request.pe_file is set.
SampleTarget sample_target(const Request& request);

// The lines of -v that come before anything else, with the blank one that ends them. Empty without a PE file.
std::string deduced_text(const Request& request);

}  // namespace wperf::request
