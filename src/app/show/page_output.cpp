// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/page_output.h"

#include <fmt/format.h>

#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "ground/diag/result.h"
#include "ground/os/output_file.h"
#include "ground/text/number_text.h"
#include "views/html/html_report.h"
#include "views/html/svg_flame_graph.h"

namespace wperf::show {

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
