// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "analysis/recording/opened_recording.h"
#include "app/commands/commands.h"
#include "app/commands/destinations.h"
#include "app/commands/options_builder.h"
#include "app/measure/tool.h"
#include "app/output/outputs.h"
#include "app/push/delivery.h"
#include "app/push/upload.h"
#include "app/show/profile_views.h"
#include "app/show/recording_views.h"
#include "ground/text/number_text.h"

namespace wperf::commands {

namespace {

std::string spooled_text(u64 profiles) {
  return fmt::format("{} spooled {}", profiles, profiles == 1 ? "profile" : "profiles");
}

}  // namespace

diag::Result<void> run_push(const request::Request& asked, diag::Console& console) {
  if (!asked.data_file.has_value() && !asked.push.spool.has_value()) {
    return diag::usage_error("push needs a recording", "wperf push FILE --url http://pyroscope:4040");
  }
  WPERF_TRY(push::Delivery delivery,
            push::make_delivery(asked.push, asked.push.spool.has_value() ? push::kTriesOfKept : push::kTriesOfOne,
                                [&](std::string_view line) { console.warn(line); }));
  const auto print_sent = [&](const std::string& what) {
    if (!output::silent(asked.outputs)) console.out(fmt::format("sent {} to {}\n", what, *asked.push.url));
  };
  if (!asked.data_file.has_value()) {
    WPERF_CHECK_OK(delivery.send_waiting());
    print_sent(spooled_text(delivery.totals().sent));
    return {};
  }
  request::Request request = asked;
  request.recording.export_format =
      asked.push.target == request::PushTarget::otlp ? request::ExportFormat::otlp : request::ExportFormat::pprof;
  u64 samples = 0;
  std::vector<push::Upload> uploads;
  const auto pack = [&](const stacks::StackProfile& profile, const stacks::Moments& moments) -> diag::Result<void> {
    for (const stacks::StackSample& sample : profile.samples) samples += sample.count;
    const auto labels = push::labels_of(asked.push, push::program_of(profile));
    const push::PackedProfile packed =
        push::packed_profile({profile, moments, measure::tool_version()}, asked.push.target, labels,
                             show::time_of(profile, moments, *asked.data_file));
    WPERF_TRY(uploads, push::make_uploads(asked.push.target, labels, packed));
    return {};
  };
  show::ReportOptions options = report_options(request, console);
  options.exported->sink = pack;
  WPERF_CHECK_OK(output::check_inputs_stay(files_of(request)));
  WPERF_TRY(const auto opened, recording::OpenedRecording::open(recording_files(request), console));
  WPERF_CHECK_OK(show::show_recording(opened, options, console));
  if (samples == 0) {
    return diag::Error{.text = *asked.data_file + " has no samples to send", .hint = {}};
  }
  WPERF_CHECK_OK(delivery.deliver(uploads, *asked.data_file));
  usize bytes = 0;
  for (const push::Upload& upload : uploads) bytes += upload.body.size();
  if (const u64 sent = delivery.totals().sent; sent != 0) {
    std::string what = fmt::format("{} samples ({} bytes)", text::with_commas(samples), text::with_commas(bytes));
    if (sent > uploads.size()) what += fmt::format(", and {},", spooled_text(sent - uploads.size()));
    print_sent(what);
  }
  return {};
}

}  // namespace wperf::commands
