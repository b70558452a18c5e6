// SPDX-License-Identifier: BSD-3-Clause
// Carries out tools: turns an argument list into a brief answer, as Markdown and as JSON.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/mcp/incoming.h"
#include "app/mcp/message.h"
#include "app/mcp/recordings.h"
#include "app/mcp/tools.h"
#include "app/show/compared_runs.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "model/request/request.h"
#include "views/brief/brief.h"

namespace wperf::mcp {

struct Answer {
  std::string markdown, json;
  std::vector<std::string> warnings;
};

class ToolAnswers {
 public:
  // `device`: used if the client does not name a device.
  ToolAnswers(std::string root, std::string device, std::shared_ptr<const Cancellation> cancellation)
      : recordings_(std::move(root)), device_(std::move(device)), cancellation_(std::move(cancellation)) {}

  // The arguments must fit the tool's parameters.
  diag::Result<Answer> answer(Tool tool, const Arguments& arguments);

 private:
  diag::Result<brief::Brief> of_samples(Tool tool, const Arguments& arguments, diag::Console& console);
  diag::Result<brief::Brief> open(KeptRecording& recording, diag::Console& console);
  diag::Result<brief::Brief> of_profile(const Samples& samples, Tool tool, const Arguments& arguments,
                                        const KeptRecording& recording);
  diag::Result<Answer> of_waits(Tool tool, const Arguments& arguments);
  diag::Result<Answer> of_command(Tool tool, const Arguments& arguments);
  diag::Result<request::Request> request_of(Tool tool, const Arguments& arguments);
  diag::Result<std::string> device_of(const Arguments& arguments) const;
  diag::Result<void> add_program(const Arguments& arguments, request::Request& request) const;
  diag::Result<brief::Brief> events(const Arguments& arguments, diag::Console& console) const;

  Recordings recordings_;
  show::KeptRuns runs_{state_of};
  std::string device_;
  std::shared_ptr<const Cancellation> cancellation_;
};

}  // namespace wperf::mcp
