// SPDX-License-Identifier: BSD-3-Clause
// Converts the records of a WperfStackDrainReply to raw samples. They come from the driver but are checked; reading
// stops at the first damaged record. Pure.
#pragma once
#include <cstddef>
#include <span>

#include "abi/wire.h"
#include "model/readings/samples.h"

namespace wperf::device {

readings::DrainedSample sample_of(const WperfSample& sample);

// Appends samples and their frames. Returns false if the bytes after the last appended sample are damaged.
bool append_stack_records(std::span<const std::byte> records, readings::SampleCapture& capture);

}  // namespace wperf::device
