// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/memory_part.h"

#include "views/html/html_report.h"
#include "views/report/markup_text.h"
#include "views/report/memory_tables.h"
#include "views/report/spe_report.h"

namespace wperf::html {

void append_memory_part(std::string& out, const operations::SpeProfile& profile) {
  constexpr u32 kMostMemoryRows = 200;
  const auto paragraph = [&out](std::string_view text) {
    if (!text.empty()) out += "<p>" + report::markup_text(text) + "</p>\n";
  };
  const auto parts = report::memory_parts(profile, {.samples = {}, .memory = true, .memory_rows = kMostMemoryRows});
  out += "<section id=\"memory\">\n";
  if (parts.empty()) {
    out += "<h2>Memory</h2>\n";
    paragraph("The SPE records have no memory accesses.");
  }
  for (const report::MemoryPart& part : parts) {
    const bool has_own_line = !part.before.empty();
    if (has_own_line && !part.heading.empty()) out += "<h2>" + report::markup_text(part.heading) + "</h2>\n";
    if (part.table.rows.empty()) paragraph(part.before);
    append_table(out, has_own_line ? part.before : part.heading, part.table);
    paragraph(part.behind);
  }
  out += "</section>\n";
}

}  // namespace wperf::html
