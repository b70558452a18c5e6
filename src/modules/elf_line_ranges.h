// SPDX-License-Identifier: BSD-3-Clause
// Which code belongs to the line of an address: what disassembly shows beside a line. Called by recorded_spe
// when instructions are wanted; asks for every byte of the functions that were hit.
#pragma once
#include <vector>

#include "modules/elf_files.h"

namespace wperf::modules {

// answers: of answers_of(), with lines. Fills line_begin and line_end.
void add_line_ranges(const LoadedElf& loaded, std::vector<profile::AddressAnswer>& answers);

}  // namespace wperf::modules
