// SPDX-License-Identifier: BSD-3-Clause
// Machine code and source text for a view, as far as the report will show them.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "code/modules/code_file.h"
#include "ground/diag/result.h"
#include "model/request/sampling_options.h"
#include "views/compat/compat_rows.h"

namespace wperf::compat {

// --symbol as a predicate; empty without one.
NameFilter name_filter(const request::SampleDisplay& display);

// Takes the number of a module of the target; may return null.
using FileOfModule = std::function<const modules::CodeFile*(u32 module)>;

// Instructions and source text, as far as the report will show them. `folders`: of --symbol-path.
diag::Result<void> add_code_and_sources(CompatView& view, const FileOfModule& files,
                                        const request::SampleDisplay& display, std::span<const std::string> folders);

}  // namespace wperf::compat
