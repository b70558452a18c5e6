// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/report_options.h"

#include "app/output/outputs.h"
#include "views/compat/code_and_sources.h"

namespace wperf::show {

report::SampleOptions ReportOptions::samples() const {
  return {.rows = tables.rows,
          .symbol = compat::name_filter(display),
          .verbose = outputs.verbose,
          .annotate = display.annotate,
          .disassemble = display.disassemble,
          .by = display.by,
          .source = shows_sources,
          .colour = tables.coloured,
          .most_bytes = outputs.json_file.has_value() ? 0 : report::kMostBytesForClients};
}

bool ReportOptions::prints_records() const {
  return records_file == output::kConsole;
}

bool ReportOptions::wants_spe_json() const {
  return outputs.json_file.has_value() || (outputs.json && !prints_records());
}

}  // namespace wperf::show
