// SPDX-License-Identifier: BSD-3-Clause
// Maps an error number of Windows to its meaning and the way out, in a sentence each. Pure.
#pragma once
#include <string>

#include "devgen/devgen_machine.h"

namespace wperf::devgen {

struct Explanation {
  std::string text;  // the problem
  std::string hint;  // the way out; may be empty
};

// `file` is the driver that was to be installed.
Explanation explain(Win32Error error, const Facts& facts, const FileFacts& file);

// A device that has its driver and does not run: the error an installation ends with.
Win32Error error_of_problem(u32 problem);

// The installation as a device failed with `error`: would the same file load as a plain service? True only if Windows
// refused the catalog or the package; never against a rule that an administrator has set.
bool plain_service_survives(Win32Error error, const Facts& facts, const FileFacts& file);

// The problem that Windows will find when it loads this file; empty if none is known.
std::string signature_concern(const FileFacts& file);

// "test mode is off; …": how to get there, with Secure Boot's influence.
std::string test_mode_hint(const Facts& facts);

std::string processor_name(u16 processor);
std::string number_text(Win32Error error);  // decimal, or 0x… for the numbers that are written so

}  // namespace wperf::devgen
