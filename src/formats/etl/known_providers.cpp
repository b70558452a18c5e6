// SPDX-License-Identifier: BSD-3-Clause
#include "formats/etl/known_providers.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::etl {
namespace {

struct ProviderName {
  std::string_view guid, name;
};

constexpr ProviderName kProviders[] = {
    {"0063715b-eeda-4007-9429-ad526f62696e", "Microsoft-Windows-Services"},
    {"0f67e49f-fe51-4e9f-b490-6f2948cc6027", "Microsoft-Windows-Kernel-Processor-Power"},
    {"1c95126e-7eea-49a9-a3fe-a378b03ddb4d", "Microsoft-Windows-DNS-Client"},
    {"22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716", "Microsoft-Windows-Kernel-Process"},
    {"2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5", "System.Threading.Tasks.TplEventSource"},
    {"2f07e2ee-15db-40f1-90ef-9d7ba282188a", "Microsoft-Windows-TCPIP"},
    {"315a8872-923e-4ea2-9889-33cd4754bf64", "Microsoft-Windows-Immersive-Shell"},
    {"331c3b3a-2005-44c2-ac5e-77220c37d6b4", "Microsoft-Windows-Kernel-Power"},
    {"43d1a55c-76d6-4f7e-995c-64c711e5cafe", "Microsoft-Windows-WinINet"},
    {"54849625-5478-4994-a5ba-3e3b0328c30d", "Microsoft-Windows-Security-Auditing"},
    {"57277741-3638-4a4b-bdba-0ac6e45da56c", "Microsoft-JScript"},
    {"5c1f2d7e-8a46-4b0f-9d21-777065726601", "wperf"},
    {"68fdd900-4a3e-11d1-84f4-0000f80464e3", "EventTrace"},
    {"6ad52b32-d609-4be9-ae07-ce8dae937e39", "Microsoft-Windows-RPC"},
    {"70eb4f03-c1de-4f73-a051-33d13d5413bd", "Microsoft-Windows-Kernel-Registry"},
    {"763fd754-7086-4dfe-95eb-c01a46faf4ca", "Microsoft-Windows-DotNETRuntimePrivate"},
    {"7dd42a49-5329-4832-8dfd-43d979153a88", "Microsoft-Windows-Kernel-Network"},
    {"802ec45a-1e99-4b83-9920-87c98277ba9d", "Microsoft-Windows-DxgKrnl"},
    {"8c416c79-d49b-4f01-a467-e56d3aa8234c", "Microsoft-Windows-Win32k"},
    {"9b79ee91-b5fd-41c0-a243-4248e266e9d0", "KernelTraceControl (volumes)"},
    {"9e9bba3c-2e38-40cb-99f4-9e8281425164", "Microsoft-Windows-Dwm-Core"},
    {"a0c1853b-5c40-4b15-8766-3cf1c58f985a", "Microsoft-Windows-PowerShell"},
    {"a669021c-c450-4609-a035-5af59af4df18", "Microsoft-Windows-DotNETRuntimeRundown"},
    {"b3e675d7-2554-4f18-830b-2762732560de", "KernelTraceControl (images)"},
    {"bbccf6c1-6cd1-48c4-80ff-839482e37671", "KernelTraceControl (descriptions)"},
    {"c7bde69a-e1e0-4177-b6ef-283ad1525271", "Microsoft-Windows-Kernel-Disk"},
    {"ca11c036-0102-4a2d-a6ad-f03cfed5d3c9", "Microsoft-Windows-DXGI"},
    {"d1d93ef7-e1f2-4f45-9943-03d245fe6c00", "Microsoft-Windows-Kernel-Memory"},
    {"db6f6ddb-ac77-4e88-8253-819df9bbf140", "Microsoft-Windows-Direct3D11"},
    {"e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", "Microsoft-Windows-DotNETRuntime"},
    {"edd08927-9cc4-4e65-b970-c2560fb5c289", "Microsoft-Windows-Kernel-File"},
};

struct GroupName {
  u8 group;
  std::string_view name;
};
constexpr GroupName kGroups[] = {
    {0x00, "EventTrace"}, {0x01, "DiskIo"},   {0x02, "Memory"},  {0x03, "Process"},   {0x04, "FileIo"},
    {0x05, "Thread"},     {0x06, "TcpIp"},    {0x08, "UdpIp"},   {0x09, "Registry"},  {0x0b, "SystemConfig"},
    {0x0e, "Pool"},       {0x0f, "PerfInfo"}, {0x10, "Heap"},    {0x11, "Object"},    {0x12, "Power"},
    {0x14, "Image"},      {0x15, "Dpc"},      {0x17, "CritSec"}, {0x18, "StackWalk"}, {0x1a, "Alpc"},
};

struct EventName {
  u8 group, opcode;
  std::string_view name;
};
constexpr EventName kEvents[] = {
    {0x00, 0, "Header"},
    {0x00, 5, "GroupMasks"},
    {0x00, 8, "RundownComplete"},
    {0x00, 32, "GroupMasksEnd"},
    {0x01, 10, "Read"},
    {0x01, 11, "Write"},
    {0x01, 12, "ReadInit"},
    {0x01, 13, "WriteInit"},
    {0x01, 14, "FlushBuffers"},
    {0x01, 15, "FlushInit"},
    {0x02, 10, "TransitionFault"},
    {0x02, 11, "DemandZeroFault"},
    {0x02, 12, "CopyOnWrite"},
    {0x02, 13, "GuardPageFault"},
    {0x02, 14, "HardPageFault"},
    {0x02, 15, "AccessViolation"},
    {0x02, 32, "HardFault"},
    {0x02, 98, "VirtualAlloc"},
    {0x02, 99, "VirtualFree"},
    {0x03, 1, "Start"},
    {0x03, 2, "End"},
    {0x03, 3, "StartRundown"},
    {0x03, 4, "EndRundown"},
    {0x03, 10, "ImageLoad"},
    {0x03, 11, "Terminate"},
    {0x03, 39, "Defunct"},
    {0x05, 1, "Start"},
    {0x05, 2, "End"},
    {0x05, 3, "StartRundown"},
    {0x05, 4, "EndRundown"},
    {0x05, 36, "CSwitch"},
    {0x05, 37, "CompactCSwitch"},
    {0x05, 50, "ReadyThread"},
    {0x05, 72, "SetName"},
    {0x0f, 46, "Sample"},
    {0x0f, 47, "CounterSample"},
    {0x0f, 66, "ThreadedDpc"},
    {0x0f, 67, "Isr"},
    {0x0f, 68, "Dpc"},
    {0x0f, 69, "TimerDpc"},
    {0x0f, 72, "SetInterval"},
    {0x0f, 73, "SampleIntervalStart"},
    {0x0f, 74, "SampleIntervalEnd"},
    {0x14, 2, "Unload"},
    {0x14, 3, "StartRundown"},
    {0x14, 4, "EndRundown"},
    {0x14, 10, "Load"},
    {0x18, 32, "Stack"},
    {0x18, 34, "KeyCreated"},
    {0x18, 35, "KeyDeleted"},
    {0x18, 36, "KeyRundown"},
    {0x18, 37, "KernelKey"},
    {0x18, 38, "UserKey"},
    {0x1a, 33, "SendMessage"},
    {0x1a, 34, "ReceiveMessage"},
    {0x1a, 35, "WaitForReply"},
    {0x1a, 36, "WaitForNewMessage"},
    {0x1a, 37, "Unwait"},
};

}  // namespace

std::string guid_text(const Guid& id) {
  const auto byte = [&](usize i) { return std::to_integer<unsigned>(id.bytes[i]); };
  std::string text = fmt::format("{:02x}{:02x}{:02x}{:02x}-{:02x}{:02x}-{:02x}{:02x}-", byte(3), byte(2), byte(1),
                                 byte(0), byte(5), byte(4), byte(7), byte(6));
  for (usize i = 8; i < id.bytes.size(); ++i) text += fmt::format("{}{:02x}", i == 10 ? "-" : "", byte(i));
  return text;
}

std::string_view provider_name(const Guid& id) {
  const std::string text = guid_text(id);
  const auto* const found =
      std::lower_bound(std::begin(kProviders), std::end(kProviders), text,
                       [](const ProviderName& one, const std::string& what) { return one.guid < what; });
  return found != std::end(kProviders) && found->guid == text ? found->name : std::string_view();
}

std::string_view kernel_group_name(u8 group) {
  for (const GroupName& one : kGroups) {
    if (one.group == group) return one.name;
  }
  return {};
}

std::string_view kernel_event_name(u8 group, u8 opcode) {
  for (const EventName& one : kEvents) {
    if (one.group == group && one.opcode == opcode) return one.name;
  }
  return {};
}

}  // namespace wperf::etl
