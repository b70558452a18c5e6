// SPDX-License-Identifier: BSD-3-Clause
// The driver's image, loaded as the Windows loader does it: each section with its protection, relocations, imports by
// name.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

struct LoadedImage {
  u64 base;
  u64 size;
  u64 entry;
};
// Reads the file that "sys=PATH" on the command line names (once) and loads a fresh copy. An error in it is printed and
// ends the run; a missing import is printed by its name.
LoadedImage load_image();
void unload_image();  // unmaps its pages: a later call into it faults

u64 offset_in_image(u64 address);   // ~0 if the address is not in it
u64 preferred_address(u64 offset);  // as llvm-symbolizer and the .pdb expect it
// Returns the handler of a __try/__except that guards `pc` in its own function, or that guards the call of the leaf
// function that contains `pc`; 0 if there is no handler. Deeper callers are not examined, and a filter other than
// EXCEPTION_EXECUTE_HANDLER does not count.
u64 find_guarding_handler(u64 pc, u64 lr);

struct Export {
  const char* module;
  const char* name;
  void* address;
};
const Export* find_export(const char* module, const char* name);  // exports.cpp: the functions this kernel offers

}  // namespace wperf::nthost
