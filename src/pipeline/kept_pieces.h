// SPDX-License-Identifier: BSD-3-Clause
// The bytes of an SPE run, kept until their addresses have been named: up to a limit in memory, what is more in a file
// without a name that is gone when this is. Called by measure_spe.
#pragma once
#include <cstdio>
#include <memory>
#include <vector>

#include "diag/result.h"
#include "raw/spe.h"

namespace wperf::pipeline {

class KeptPieces {
 public:
  static constexpr usize kMostInMemory = usize{64} << 20;
  explicit KeptPieces(usize most_in_memory = kMostInMemory) : room_(most_in_memory) {}

  void keep(const raw::SpePiece& piece);
  // All of them in their order.
  diag::Result<void> replay(const raw::SpeSink& sink) const;

 private:
  struct Kept {
    raw::SpePiece piece;           // its bytes are gone
    usize size = 0;                // of those
    std::vector<std::byte> bytes;  // empty: in the file
  };
  struct Closing {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  bool write(std::span<const std::byte> bytes);

  usize room_;
  std::vector<Kept> pieces_;
  std::unique_ptr<std::FILE, Closing> file_;
  int error_ = 0;  // the errno of what could not be kept
};

}  // namespace wperf::pipeline
