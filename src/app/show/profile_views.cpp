// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/profile_views.h"

#include <fmt/format.h>

#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/show/profile_export.h"
#include "ground/diag/result.h"
#include "ground/os/output_file.h"
#include "ground/text/number_text.h"
#include "views/html/html_report.h"
#include "views/html/svg_flame_graph.h"
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

diag::Result<void> write_page(const std::string& file, const std::string& text, const request::Outputs& outputs,
                              diag::Console& console) {
  if (file == output::kConsole) {
    console.document(text);
    return {};
  }
  const std::string path = output::output_path(outputs, file);
  WPERF_TRY(os::OutputFile out, os::OutputFile::create(path));
  out.write(text);
  WPERF_CHECK_OK(out.close());
  if (!output::silent(outputs)) {
    console.out(fmt::format("wrote {}: {} bytes\n", path, text::with_commas(text.size())));
  }
  return {};
}

diag::Result<void> write_pages(const ShownProfile& shown, const ReportOptions& options, diag::Console& console) {
  const PageOptions& pages = options.pages;
  const stacks::StackFilter& filter = options.tables.filter;
  diag::FirstFailure written;
  if (pages.svg_file.has_value()) {
    written.add(write_page(*pages.svg_file, html::svg_flame_graph(shown.profile, filter), options.outputs, console));
  }
  if (!pages.html_file.has_value()) return std::move(written).result();
  const html::HtmlOptions page{.filter = filter,
                               .about = shown.about,
                               .moments = &shown.moments,
                               .all_samples = pages.all_samples,
                               .version = measure::tool_version(),
                               .spe = shown.spe,
                               .waits = shown.waits};
  written.add(write_page(*pages.html_file, html::html_text(shown.profile, page), options.outputs, console));
  return std::move(written).result();
}

}  // namespace wperf::show
