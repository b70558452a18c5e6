// SPDX-License-Identifier: BSD-3-Clause
// The records of a WperfStackDrainReply → raw samples. The driver made them, and a damaged one is not believed: it ends
// the reading of its answer. Pure; called by driver_sampling.cpp.
#pragma once
#include <cstddef>
#include <span>

#include "abi/wire.h"
#include "model/readings/samples.h"

namespace wperf::device {

readings::DrainedSample sample_of(const WperfSample& sample);

// Appends samples and their frames. False: what follows the last one appended is no record.
bool append_stack_records(std::span<const std::byte> records, readings::SampleCapture& capture);

}  // namespace wperf::device
