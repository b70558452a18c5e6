// SPDX-License-Identifier: BSD-3-Clause
// --records FILE: every SPE record on a line, with names. The bytes are decoded once more for it, when their addresses
// have been named; so they are kept as long.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "decode/spe/tally.h"
#include "diag/result.h"
#include "profile/spe_profile.h"
#include "raw/spe.h"

namespace wperf::pipeline {

using RecordSink = std::function<void(const decode::spe::Origin&, const decode::spe::Record&)>;
// Brings the records of a run again.
using RecordReplay = std::function<void(const RecordSink&)>;

class KeptPieces {
 public:
  void keep(const raw::SpePiece& piece) { pieces_.push_back({piece, {piece.bytes.begin(), piece.bytes.end()}}); }
  void replay(const RecordSink& sink) const;

 private:
  struct Kept {
    raw::SpePiece piece;  // its bytes are gone
    std::vector<std::byte> bytes;
  };
  std::vector<Kept> pieces_;
};

struct RecordsRequest {
  std::string path;  // ends in .json: JSON, else CSV
  std::vector<u64> midr_of_core;
  std::function<u64(u64 ticks)> to_ns;  // empty: times stay ticks
};
diag::Result<void> write_records(const RecordsRequest& request, const profile::SpeProfile& profile,
                                 const RecordReplay& replay);

}  // namespace wperf::pipeline
