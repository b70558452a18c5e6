// SPDX-License-Identifier: BSD-3-Clause
// Words of the user → event codes, and codes → the names shown (contract 3.1, 5.2).
#pragma once
#include <string>

#include "base/event_class.h"
#include "base/ints.h"
#include "diag/result.h"
#include "plan/plan.h"

namespace wperf::plan {

// Whose table is asked first. An architectural name can have another code on a product: -e follows the architecture as
// WindowsPerf does, a product's own metrics follow the product.
enum class NameOrder { architecture_first, product_first };

diag::Result<u16> resolve_code(const request::EventToken& token, const Vocabulary& vocabulary, NameOrder order);

// The product's name of the code; else a -E or raw event registered for it; else r<hex>.
std::string shown_name(EventClass event_class, u16 code, const Vocabulary& vocabulary);

}  // namespace wperf::plan
