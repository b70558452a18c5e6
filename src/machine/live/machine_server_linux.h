// SPDX-License-Identifier: BSD-3-Clause
// The process of a machine that stays on. It lets time pass with the wall clock, and answers its clients in between.
#pragma once
#include <memory>
#include <string>

#include "ground/diag/result.h"

namespace wperf::live {

class MachineServer {
 public:
  virtual ~MachineServer() = default;
  // Already listens when this returns.
  static diag::Result<std::unique_ptr<MachineServer>> boot(const std::string& options);
  // Runs until a client stops it, or until SIGTERM or SIGINT.
  virtual void run() = 0;
};

}  // namespace wperf::live
