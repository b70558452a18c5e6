// SPDX-License-Identifier: BSD-3-Clause
// Contract 9.9: counting as in `stat`, directly followed by sections as in `record`. wperf's own tables come after
// these.
#include "views/report/count_report.h"
#include "views/report/spe_report.h"
#include "views/report/spe_tables.h"

namespace wperf::report {

std::string spe_text(const operations::SpeProfile& profile, const compat::CompatView& view,
                     const answers::CountProfile* counting, const SpeOptions& options) {
  std::string out;
  if (counting != nullptr) {
    out = count_text(*counting, {.verbose = options.samples.verbose, .elapsed = false});
  }
  out += sample_text(view, options.samples);
  if (options.memory) out += memory_text(profile, options);
  const std::vector<std::string> notes = spe_notes(profile);
  if (!notes.empty()) out += '\n';
  for (const std::string& note : notes) out += "note: " + note + '\n';
  return out;
}

}  // namespace wperf::report
