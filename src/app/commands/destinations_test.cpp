// SPDX-License-Identifier: BSD-3-Clause
#include "app/commands/destinations.h"

#include <gtest/gtest.h>

#include "app/commands/options_builder.h"
#include "app/show/report_options.h"
#include "ground/diag/names_all_test.h"

namespace wperf::commands {
namespace {

std::string refused(const request::Request& request) {
  const auto checked = output::check_files(files_of(request));
  return checked.has_value() ? "allowed" : checked.error().text;
}

show::ReportOptions shown(const request::Request& request) {
  return {.file = {}, .outputs = request.outputs, .records_file = request.sampling.records_file};
}

TEST(Destinations, OutputsMustDiffer) {
  request::Request request;
  request.outputs.json_file = "answer";
  request.recording.html_file = "answer";
  EXPECT_TRUE(diag::names_all(refused(request), {"--html", "-o", "overwrite each other in answer"}));
}

TEST(Destinations, OnlyOneDocumentGoesToStdout) {
  request::Request request;
  request.outputs.json = true;
  EXPECT_EQ(refused(request), "allowed");
  EXPECT_TRUE(stdout_is_document(request));
  EXPECT_FALSE(prints_text(request));
  request.recording.html_file = "-";
  EXPECT_TRUE(diag::names_all(refused(request), {"--json", "--html -", "stdout"}));
  request.outputs.json_file = "answer.json";
  EXPECT_EQ(files_of(request).documents, (std::vector<std::string_view>{"--html -"}));
}

TEST(Destinations, PrintedRecordsTakeThePlaceOfJson) {
  request::Request request;
  request.outputs.json = true;
  EXPECT_TRUE(shown(request).wants_spe_json());
  request.sampling.records_file = "-";
  EXPECT_TRUE(prints_records(request));
  EXPECT_FALSE(shown(request).wants_spe_json());
  EXPECT_EQ(files_of(request).documents, (std::vector<std::string_view>{"--records -"}));
}

TEST(Destinations, AKeptRecordingHasANameInTheFolder) {
  request::Request request;
  request.outputs.directory = "runs";
  EXPECT_EQ(kept_recording(request), "");
  request.sampling.perf_data = true;
  EXPECT_EQ(kept_recording(request), output::output_path(request.outputs, "perf.data"));
  request.outputs.json_file = "mine.data";
  request = with_kept_file(request);
  EXPECT_FALSE(request.outputs.json_file.has_value());
  EXPECT_EQ(measure_options(request).kept_file, output::output_path(request.outputs, "mine.data"));
}

TEST(Destinations, AnExistingRecordingIsAnInput) {
  request::Request request;
  request.sampling.perf_data_file = "perf.data";
  EXPECT_EQ(files_of(request).kept_recording, "perf.data");
  request.data_file = "perf.data";
  request.comparison.baseline_file = "costs";
  EXPECT_FALSE(files_of(request).kept_recording.has_value());
  EXPECT_EQ(files_of(request).inputs, (std::vector<std::string>{"perf.data", "costs"}));
}

}  // namespace
}  // namespace wperf::commands
