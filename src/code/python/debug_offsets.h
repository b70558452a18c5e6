// SPDX-License-Identifier: BSD-3-Clause
// The table of offsets at the beginning of an interpreter's runtime. CPython has it since 3.13, for tools that read the
// interpreter from another process. Its form differs between minor versions.
#pragma once
#include "code/python/layout.h"
#include "code/python/process_memory.h"
#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"

namespace wperf::python {

inline constexpr usize kDebugOffsetsSize = 888;  // size of the longest form, which 3.15 has

// `table`: the first bytes of a runtime; they may include more than the table. The result has passed check_layout().
diag::Result<Layout> parse_debug_offsets(bytes::Span table);

// The layout of the interpreter with its runtime at this address: from its table, or by version if it has no table.
// `version`: see PythonRuntime.
diag::Result<Layout> read_layout(ProcessMemory& memory, u64 runtime, u32 version);

}  // namespace wperf::python
