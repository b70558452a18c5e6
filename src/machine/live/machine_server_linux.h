// SPDX-License-Identifier: BSD-3-Clause
// The process of a machine that stays on: lets its time pass with the clock on the wall, and answers its clients in
// between.
#pragma once
#include <memory>
#include <string>

#include "ground/diag/result.h"

namespace wperf::live {

class MachineServer {
 public:
  virtual ~MachineServer() = default;
  // Listens already when it returns.
  static diag::Result<std::unique_ptr<MachineServer>> boot(const std::string& options);
  // Until a client stops it, or SIGTERM or SIGINT comes.
  virtual void run() = 0;
};

}  // namespace wperf::live
