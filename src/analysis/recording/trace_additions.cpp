// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/trace_additions.h"

#include <algorithm>
#include <map>
#include <optional>

#include "code/modules/module_files.h"
#include "formats/etl/kernel_events.h"
#include "formats/etl/trace.h"
#include "formats/etl/trace_history.h"
#include "formats/etl/trace_writer.h"
#include "ground/os/files.h"
#include "ground/os/mapped_file.h"

namespace wperf::recording {
namespace {

// The position of the number of buffers in the header record. It is updated, because readers may reject a file with
// another number of buffers.
constexpr u64 kBuffersWrittenAt = 0x48 + 32 + 0x24;

// The contents of the trace, and where it ends.
struct Contents {
  etl::TraceHistory history;
  u32 buffer_size = 0, buffers = 0;
  u64 last_time = 0, last_sequence = 0, size = 0;
};

diag::Result<Contents> contents_of(const std::string& path) {
  Contents contents;
  WPERF_TRY(const os::MappedFile mapped, os::MappedFile::open(path));
  WPERF_TRY(const etl::Trace trace, etl::Trace::open(mapped.bytes()));
  contents.size = mapped.bytes().size();
  contents.buffer_size = trace.header().buffer_size;
  contents.buffers = trace.header().buffers_written;
  for (const etl::TraceFile::Buffer& buffer : trace.files().front().buffers()) {
    contents.last_sequence =
        std::max(contents.last_sequence, static_cast<u64>(std::max<std::int64_t>(buffer.sequence, 0)));
  }
  etl::TraceLosses losses;
  trace.for_each_event(
      [&](const etl::Event& event) {
        contents.history.take(event);
        contents.last_time = std::max(contents.last_time, event.time);
      },
      losses);
  return contents;
}

void add_section(etl::write::BufferWriter& writer, u64 time, u32 number, std::string_view bytes) {
  constexpr usize kPart = 1 << 14;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPart, bytes.size())))
    writer.add(0, time, etl::write::section_part(time, number, bytes.substr(0, kPart)));
}

}  // namespace

diag::Result<std::vector<std::pair<u32, u32>>> complete_trace(const std::string& trace_path,
                                                              const TraceAdditions& additions) {
  const auto& volumes = additions.volumes;
  WPERF_TRY(Contents contents, contents_of(trace_path));
  for (const auto& [device, drive] : volumes) contents.history.add_volume({device, drive});
  contents.history.finish();
  std::string added;
  etl::write::BufferWriter writer(contents.buffer_size, contents.last_sequence + 1,
                                  [&](std::string_view buffer) { added += buffer; });
  const u64 time = contents.last_time;
  for (const auto& [device, drive] : volumes) writer.add(0, time, etl::write::volume(time, device, drive));
  for (const etl::write::LossSpan& one : additions.losses) writer.add(0, time, etl::write::loss(time, one));
  for (const PythonStack& one : additions.python_stacks)
    writer.add(0, time, etl::write::python_stack(time, one.time, one.process, one.thread, one.frames));
  for (const auto& [number, bytes] : additions.sections) add_section(writer, time, number, bytes);
  std::map<std::string, std::optional<modules::ImagePdb>> known;
  for (const etl::TraceHistory::Image& image : contents.history.images()) {
    if (image.has_pdb || image.path.empty()) continue;
    const auto [entry, is_new] = known.try_emplace(image.path);
    if (is_new) entry->second = modules::pdb_of_image(image.path);
    if (!entry->second.has_value()) continue;
    const etl::write::ImageId id{.process = image.process,
                                 .base = image.base,
                                 .build = std::as_bytes(std::span(entry->second->build)),
                                 .pdb_path = entry->second->path};
    writer.add(0, time, etl::write::image_id(time, id));
  }
  writer.finish();
  std::vector<std::pair<u32, u32>> children = contents.history.children();
  if (added.empty()) return children;
  WPERF_CHECK_OK(os::write_into(trace_path, contents.size, std::as_bytes(std::span(added))));
  const u32 buffers = contents.buffers + writer.written();
  WPERF_CHECK_OK(os::write_into(trace_path, kBuffersWrittenAt, std::as_bytes(std::span(&buffers, 1))));
  return children;
}

}  // namespace wperf::recording
