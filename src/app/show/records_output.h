// SPDX-License-Identifier: BSD-3-Clause
// Where `report --records` writes its list, piece by piece: the named file, or with "-" the console.
#pragma once
#include <optional>
#include <string_view>

#include "app/show/report_options.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "ground/os/output_file.h"

namespace wperf::show {

class RecordsOutput {
 public:
  static diag::Result<RecordsOutput> open(const ReportOptions& options, diag::Console& console);

  bool json() const { return json_; }  // otherwise lines of text
  void write(std::string_view part) {
    if (file_.has_value()) return file_->write(part);
    json_ ? console_->json(part) : console_->document(part);
  }
  diag::Result<void> close() { return file_.has_value() ? file_->close() : diag::Result<void>(); }

 private:
  RecordsOutput(diag::Console& console, bool json) : console_(&console), json_(json) {}

  diag::Console* console_;
  bool json_;
  std::optional<os::OutputFile> file_;
};

}  // namespace wperf::show
