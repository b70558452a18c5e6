// SPDX-License-Identifier: BSD-3-Clause
// A file's signer, and whether Windows trusts it. Looks for a signature in the file and in the catalogs of the system.
#pragma once
#include <optional>
#include <string>

namespace wperf::os {

struct FileSignature {
  bool signed_at_all = false;
  bool trusted = false;
  std::string signer;  // the name in the certificate; empty if not known
  std::string error;   // why Windows does not trust it, in Windows' words
};

// Returns nullopt if Windows' functions for this are not available.
std::optional<FileSignature> signature_of(const std::string& path);

}  // namespace wperf::os
