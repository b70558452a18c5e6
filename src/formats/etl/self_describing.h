// SPDX-License-Identifier: BSD-3-Clause
// The descriptions of events that a trace carries. TraceLogging events carry their names and fields; tools that merge
// traces put the descriptions of manifest events in; EventSource providers of .NET write their manifests.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/etl/event.h"

namespace wperf::etl {

// Views into the event; all empty if it does not describe itself.
struct OwnNames {
  std::string_view provider, event;
  Bytes fields;  // how they are described
};
std::optional<OwnNames> own_names(const Event& event);

struct DescribedField {
  std::string name;        // in a structure or a list: "outer.inner", "list[2]"
  std::string value;       // as text
  bool is_number = false;  // in decimal digits
};
// Reads as far as the description and the bytes go; never more than some hundred fields.
struct DescribedFields {
  std::vector<DescribedField> fields;
  bool is_cut = false;  // the rest is damaged, or of an unknown kind
};
DescribedFields described_fields(const OwnNames& names, const Event& event);

// From an event that describes others.
struct ForeignNames {
  Guid provider;
  bool is_classic = false;  // then `id` is an opcode
  u16 id = 0;
  u8 version = 0;
  std::string provider_name, event_name;
};
std::optional<ForeignNames> foreign_names(const Event& event);
// The name of the provider in the beginning of an EventSource's manifest; empty if the event is not one.
std::string manifest_provider_name(const Event& event);

}  // namespace wperf::etl
