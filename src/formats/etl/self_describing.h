// SPDX-License-Identifier: BSD-3-Clause
// The descriptions of events that a trace carries. TraceLogging events contain their names and fields. Tools that merge
// traces add the descriptions of manifest events. EventSource providers of .NET write their manifests into the trace.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/etl/event.h"

namespace wperf::etl {

// Views into the event. All are empty if the event does not describe itself.
struct EventNames {
  std::string_view provider, event;
  Bytes fields;  // the descriptions of the fields
};
std::optional<EventNames> event_names(const Event& event);

struct DescribedField {
  std::string name;        // inside a structure or a list: "outer.inner", "list[2]"
  std::string value;       // the value as text
  bool is_number = false;  // the text has only decimal digits
};
// Reads up to the end of the description or of the bytes, and at most some hundred fields.
struct DescribedFields {
  std::vector<DescribedField> fields;
  bool is_cut = false;  // the fields after this are damaged, or have an unknown kind
};
DescribedFields described_fields(const EventNames& names, const Event& event);

// Names from an event that describes other events.
struct DescribedNames {
  Guid provider;
  bool is_classic = false;  // if true, `id` is an opcode
  u16 id = 0;
  u8 version = 0;
  std::string provider_name, event_name;
};
std::optional<DescribedNames> described_names(const Event& event);
// The provider's name at the beginning of an EventSource's manifest; empty if the event is not such a manifest.
std::string manifest_provider_name(const Event& event);

}  // namespace wperf::etl
