// SPDX-License-Identifier: BSD-3-Clause
#include "commands/opened_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "import/perf_data/byte_order.h"
#include "recording/packed_records.h"
#include "recording/recording_input.h"

namespace wperf::commands {
namespace {

diag::Error with_way_out(diag::Error error) {
  if (error.system_error == ENOENT) error.hint = "`wperf record -o perf.data -- PROGRAM` makes a recording";
  if (error.system_error == EACCES) error.hint = "a recording is for who made it, who may let others read it (chmod)";
  return error;
}

// What the file lacks, or what in it made no sense.
void tell_damage(const perf_data::PerfFile& file, diag::Console& console) {
  if (file.is_cut()) console.warn("warning: the file is shorter than it says: what is there is shown");
  if (file.is_unfinished()) console.warn("warning: the recording was not finished: what is there is shown");
}

diag::Result<void> use_trace(const recording::RecordingInput& input, const request::Request& request,
                             diag::Console& console, const RecordingUses& uses) {
  auto opened = etl::TraceFile::open(input.bytes(), [&](u64 begin, u64 end) { input.release(begin, end); });
  if (!opened.has_value()) return in_file(*request.data_file, std::move(opened).error());
  etl::TraceFile& trace = opened.value();
  const u64 size = std::max<u64>(input.bytes().size(), 1);
  u64 passed = 0;
  trace.tell_what_is_passed([&](u64 begin, u64 end) {
    input.release(begin, end);
    passed += end - begin;
    if (console.progress_due()) {
      console.progress(fmt::format("reading {}: {} %", *request.data_file, 100 * std::min(passed, size) / size));
    }
  });
  return uses.of_trace(trace);
}

}  // namespace

diag::Error in_file(const std::string& file, diag::Error error) {
  error.text = file + ": " + error.text;
  return error;
}

diag::Result<void> use_recording(const request::Request& request, diag::Console& console, const RecordingUses& uses) {
  auto input_file = recording::RecordingInput::open(*request.data_file);
  if (!input_file.has_value()) return with_way_out(std::move(input_file).error());
  const recording::RecordingInput input = std::move(input_file).value();
  if (etl::TraceFile::has_its_look(input.bytes())) return use_trace(input, request, console, uses);
  std::vector<std::byte> turned;
  if (perf_data::is_of_other_byte_order(input.bytes())) turned = perf_data::in_native_order(input.bytes());
  auto opened = perf_data::PerfFile::open(turned.empty() ? input.bytes() : perf_data::Bytes(turned));
  if (!opened.has_value()) return in_file(*request.data_file, std::move(opened).error());
  perf_data::PerfFile& file = opened.value();
  recording::UnpackedRecords unpacked;
  if (recording::has_packed_records(file) || !input.further_records().empty()) {
    auto done = recording::join_records(file, input,
                                        turned.empty() ? recording::PackedOrder::native : recording::PackedOrder::other,
                                        [&](u64 passed, u64 all) {
                                          if (console.progress_due())
                                            console.progress(fmt::format("unpacking {}: {} %", *request.data_file,
                                                                         100 * passed / std::max(all, passed)));
                                        });
    if (!done.has_value()) return in_file(*request.data_file, std::move(done).error());
    unpacked = std::move(done).value();
    if (unpacked.lost_bytes != 0) {
      console.warn(
          fmt::format("warning: {} bytes of packed records cannot be unpacked, because they or others before "
                      "them are damaged",
                      unpacked.lost_bytes));
    }
    file.replace_records(unpacked.bytes, unpacked.damage);
  } else {
    const u64 size = std::max<u64>(input.bytes().size(), 1);
    file.tell_what_is_passed([&, size](u64 begin, u64 end) {
      input.release(begin, end);
      if (console.progress_due()) {
        console.progress(fmt::format("reading {}: {} %", *request.data_file, 100 * std::min(end, size) / size));
      }
    });
  }
  tell_damage(file, console);
  return uses.of_perf(file);
}

}  // namespace wperf::commands
