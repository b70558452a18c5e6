// SPDX-License-Identifier: BSD-3-Clause
// Maps an error number of Windows to its meaning and a remedy, one sentence each. Pure.
#pragma once
#include <string>

#include "devgen/devgen_machine.h"

namespace wperf::devgen {

struct Explanation {
  std::string text;  // the problem
  std::string hint;  // the remedy; may be empty
};

// `file` is the driver that was to be installed.
Explanation explain(Win32Error error, const Facts& facts, const FileFacts& file);

// The error that the installation ends with if a device has its driver but does not run.
Win32Error error_of_problem(u32 problem);

// Whether the same file would load as a plain service after its installation as a device has failed with `error`.
// Returns true only if Windows refused the catalog or the package, and never if that would bypass a rule of an
// administrator.
bool plain_service_survives(Win32Error error, const Facts& facts, const FileFacts& file);

// The reason why Windows will not trust this file when it loads it; empty if none is known.
std::string signature_concern(const FileFacts& file);

// Explains how to turn on test mode: "test mode is off; …". The text depends on Secure Boot.
std::string test_mode_hint(const Facts& facts);

std::string processor_name(u16 processor);
std::string number_text(Win32Error error);  // decimal, or 0x… for numbers that are usually written in hexadecimal

}  // namespace wperf::devgen
