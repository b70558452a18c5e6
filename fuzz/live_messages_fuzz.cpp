// SPDX-License-Identifier: BSD-3-Clause
// Messages between a simulated machine that stays on and its clients. Any bytes are read as a message, as an incomplete
// message, or as damaged. Fields are read within their bounds. A message that was read is the same after writing and
// reading it again.
#include <cstdlib>

#include "machine/live/messages.h"

namespace {

using namespace wperf;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_start(bytes::Span bytes) {
  live::Fields fields(bytes);
  const auto request = live::read_start(fields);
  if (!request.has_value()) return;
  live::Writer writer(live::What::start);
  live::put_start(writer, *request);
  const std::string again = std::move(writer).take();
  const live::FoundMessage found = live::find_message(again);
  require(found.complete && !found.damaged);
  live::Fields same(found.fields);
  const auto read = live::read_start(same);
  require(read.has_value() && read->program.image == request->program.image &&
          read->program.command_line == request->program.command_line && read->program.core == request->program.core &&
          read->program.affinity == request->program.affinity && read->at_once == request->at_once &&
          read->detached == request->detached);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const live::FoundMessage found = live::find_message(bytes);
  require(!(found.complete && found.damaged));
  require(!found.complete || found.fields.size() + sizeof(live::Header) <= size);
  const live::FoundMessage marked = live::find_message(bytes, true);
  require(!marked.complete || marked.begin + sizeof(live::Header) + marked.fields.size() <= size);
  require(!marked.complete || !found.complete || marked.begin != found.begin);
  const bytes::Span all = std::as_bytes(std::span(data, size));
  for (const bytes::Span part : {all, found.fields, marked.fields}) {
    check_start(part);
    live::Fields moment(part), memory(part);
    static_cast<void>(live::read_moment(moment));
    const auto request = live::read_memory_request(memory);
    require(!request.has_value() || request->size <= live::kMostMemory);
    live::Fields processes(part), error(part), list(part);
    static_cast<void>(live::read_processes(processes));
    static_cast<void>(live::read_error(error));
    require(list.take_list<WperfSimScheduleEvent>().size() * sizeof(WperfSimScheduleEvent) <= part.size());
  }
  return 0;
}
