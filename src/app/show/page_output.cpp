// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/page_output.h"

#include <fmt/format.h>

#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "ground/diag/result.h"
#include "ground/os/output_file.h"
#include "ground/text/number_text.h"
#include "views/html/html_report.h"
#include "views/html/svg_flame_graph.h"

namespace wperf::commands {

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

diag::Result<void> write_pages(const stacks::StackProfile& profile, const PageContent& content,
                               const request::Request& request, diag::Console& console) {
  const request::RecordingView& view = request.recording;
  diag::FirstFailure written;
  if (view.svg_file.has_value()) {
    written.add(write_page(*view.svg_file, html::svg_flame_graph(profile, content.filter), request.outputs, console));
  }
  if (!view.html_file.has_value()) return std::move(written).result();
  const html::HtmlOptions options{.filter = content.filter,
                                  .about = content.about,
                                  .moments = content.moments,
                                  .all_samples = view.html_all,
                                  .version = measure::tool_version(),
                                  .spe = content.spe,
                                  .waits = content.waits};
  written.add(write_page(*view.html_file, html::html_text(profile, options), request.outputs, console));
  return std::move(written).result();
}

}  // namespace wperf::commands
