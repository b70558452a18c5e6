// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/profile_views.h"

#include "app/output/outputs.h"
#include "app/show/page_output.h"
#include "app/show/profile_export.h"
#include "views/report/stack_report.h"

namespace wperf::show {
namespace {

// If no page can be written, the measurement is shown nevertheless.
diag::Result<void> show_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console) {
  auto written = write_pages(shown, options, console);
  if (!written.has_value() && !output::silent(options.outputs)) {
    console.out(report::stack_text(shown.profile, options.tables));
  }
  return written;
}

}  // namespace

diag::Result<void> show_profile(const ShownProfile& shown, const ReportOptions& options, diag::Console& console) {
  if (options.pages.wanted()) return show_pages(shown, options, console);
  if (options.exported.has_value()) return export_profile(shown.profile, shown.moments, options, console);
  report::StackOptions tables = options.tables;
  tables.about = shown.about;
  const auto deliver = [&]() {
    report::WriteMembers first;
    if (!shown.clients_json.empty()) {
      first = [&](text::JsonWriter& json) { json.written("sampling", shown.clients_json); };
    }
    return output::deliver_json(options.outputs, report::stack_json(shown.profile, tables, first), console);
  };
  if (options.folded) {
    write_first_folded(shown.profile, tables, console, [&](std::string_view part) { console.document(part); });
    if (options.outputs.json_file.has_value()) return deliver();
    return {};
  }
  if (!output::silent(options.outputs)) console.out(report::stack_text(shown.profile, tables));
  if (output::wants_json(options.outputs)) return deliver();
  return {};
}

}  // namespace wperf::show
