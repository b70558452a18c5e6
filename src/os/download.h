// SPDX-License-Identifier: BSD-3-Clause
// One file over HTTP or HTTPS, with limits. The library for it (libcurl) is loaded on the first use, so a run that
// asks no server pays nothing for it.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diag/result.h"

namespace wperf::os {

struct DownloadLimits {
  long connect_ms = 5'000;
  long whole_ms = 20'000;
  size_t bytes = size_t{2} << 30;
};

// Nothing: the server does not have it (404). No answer in time, or any other trouble, is an error.
diag::Result<std::optional<std::vector<std::byte>>> download(const std::string& url, const DownloadLimits& limits);

}  // namespace wperf::os
