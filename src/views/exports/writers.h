// SPDX-License-Identifier: BSD-3-Clause
// Profiles in the forms that other tools read. Pure: each gives its bytes in pieces, in their order.
// docs/user/export.md lists the contents of each form, and what it cannot hold.
#pragma once
#include "views/exports/exported_profile.h"

namespace wperf::exports {

void write_pprof(const Source& source, const TakeBytes& take);
void write_otlp(const Source& source, const TakeBytes& take);
void write_perfetto(const Source& source, const TakeBytes& take);
void write_perfetto_perf(const Source& source, const TakeBytes& take);
void write_firefox(const Source& source, const TakeBytes& take);
void write_speedscope(const Source& source, const TakeBytes& take);
void write_chrome(const Source& source, const TakeBytes& take);
void write_callgrind(const Source& source, const TakeBytes& take);
void write_csv(const Source& source, const TakeBytes& take);
void write_sql(const Source& source, const TakeBytes& take);

}  // namespace wperf::exports
