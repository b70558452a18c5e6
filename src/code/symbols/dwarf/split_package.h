// SPDX-License-Identifier: BSD-3-Clause
// .dwp files: many .dwo files as one, with an index that says which part of each section belongs to which unit.
#pragma once
#include "code/symbols/dwarf/dwarf_file.h"

namespace wperf::symbols::dwarf {

// The sections as that unit sees them; empty ones when the file does not have the unit.
DwarfSections sections_of_unit(const DwarfSections& package, u64 unit_id);

}  // namespace wperf::symbols::dwarf
