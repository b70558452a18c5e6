// SPDX-License-Identifier: BSD-3-Clause
#include "os/download.h"

namespace wperf::os {

diag::Result<std::optional<std::vector<std::byte>>> download(const std::string&, const DownloadLimits&) {
  return diag::Error{.text = "this Windows build asks no symbol servers yet", .hint = {}};
}

}  // namespace wperf::os
