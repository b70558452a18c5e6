// SPDX-License-Identifier: BSD-3-Clause
// The records of a WperfStackDrainReply → raw samples. The driver made them, but they are checked: a damaged record
// ends the reading of its answer. Pure.
#pragma once
#include <cstddef>
#include <span>

#include "abi/wire.h"
#include "model/readings/samples.h"

namespace wperf::device {

readings::DrainedSample sample_of(const WperfSample& sample);

// Appends samples and their frames. Returns false if the bytes after the last appended record are damaged.
bool append_stack_records(std::span<const std::byte> records, readings::SampleCapture& capture);

}  // namespace wperf::device
