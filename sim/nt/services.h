// SPDX-License-Identifier: BSD-3-Clause
// The system calls that this layer answers: one table in parts, one part in each *_calls.cpp file. Their numbers depend
// on the build of ntdll.dll, so they are read from its stubs.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "sim/nt/call.h"

namespace wperf::sim::nt {

struct Service {
  std::string_view name;
  u64 (*handler)(Call&);  // returns the program's x0, or kNoAnswer
};

std::span<const Service> memory_services();
std::span<const Service> section_services();
std::span<const Service> file_services();
std::span<const Service> file_information_services();
std::span<const Service> folder_services();
std::span<const Service> lock_services();
std::span<const Service> pipe_services();
std::span<const Service> console_services();
std::span<const Service> wait_services();
std::span<const Service> object_services();
std::span<const Service> port_services();
std::span<const Service> thread_services();
std::span<const Service> process_services();
std::span<const Service> security_services();
std::span<const Service> child_services();
std::span<const Service> job_services();
std::span<const Service> information_services();
std::span<const Service> registry_services();
std::span<const Service> watch_services();
std::span<const Service> keyed_event_services();
std::span<const Service> atom_services();

std::array<std::span<const Service>, 21> all_services();
const Service* find_service(std::string_view name);  // returns null for an unknown name

// The stubs of the image's system calls become `svc #N; ret`, as in Windows' own DLLs, and their names are recorded.
void learn_services(State& state, const ImageContents& image, u64 base);

// replaced_functions.cpp: functions of this DLL become calls of this layer.
void replace_functions(State& state, std::string_view dll, const ImageContents& image, u64 base);
const Service* find_replaced(std::string_view name);  // returns null for an unknown name

// object_calls.cpp: gives a handle to a new object, or to the existing object of that name.
u64 create_named(Call& call, const ObjectPointer& made);
u64 open_named(Call& call, Object::Kind kind);
// Signals an event, adds one to a semaphore, or releases a mutant.
Status signal(Call& call, Object& object);

// topology_calls.cpp: the cores with their caches, as SYSTEM_LOGICAL_PROCESSOR_INFORMATION; the relations of one kind,
// as SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX; the cores as SYSTEM_CPU_SET_INFORMATION.
u64 answer_topology(Call& call, u64 buffer, u64 room, u64 size_at);
u64 answer_topology_of(Call& call, u32 kind, u64 buffer, u64 room, u64 size_at);
u64 answer_cpu_sets(Call& call, u64 buffer, u64 room, u64 size_at);

// mount_calls.cpp: the manager of mount points.
bool names_mount_manager(std::string_view name);
u64 control_mounts(Call& call);

// process_calls.cpp: VM_COUNTERS_EX.
std::array<u64, 12> memory_counters(const State& process);

// process_list.cpp: the list of the running processes, with their threads.
u64 answer_processes(Call& call, u64 buffer, u64 room, u64 size_at);

// thread_calls.cpp
Status suspend(Thread& thread);
void resume(Thread& thread, u64 now_ns);

// console_calls.cpp: a new thread of the process calls its handlers, as in the console of Windows. Returns false if the
// process cannot receive the event.
enum class ConsoleEvent : u8 { interrupt, break_key };
bool send_console_event(State& process, ConsoleEvent event, u64 now_ns);
// The stream for CONIN$ or CONOUT$; nullopt for other names.
std::optional<File::Type> console_stream(std::string_view name);

// wait_calls.cpp: reads a time in units of 100 ns. A negative time is relative, and a null pointer means never. Returns
// false for a bad pointer.
bool read_deadline(Call& call, u64 address, u64& deadline_ns);
// The thread waits; the timeout is a time of NT in the program's memory, or null.
u64 begin_wait(Call& call, Wait wait, u64 timeout_at);
// The thread waits until a stream of the host, or the given pipe, may be ready. Then the call is repeated.
u64 wait_for_host(Call& call, u64 done, const std::shared_ptr<Pipe>& pipe = nullptr);
// Repeats the waiting call of a thread at its wake-up time. Returns false if the call waits again.
bool call_again(State& state, Thread& thread, u64 now_ns);

// file_calls.cpp: ends a read or write and returns its status.
u64 complete_io(Call& call, const std::shared_ptr<File>& file, Status status, u64 information);
// Fills in the caller of an operation that ends later. Returns STATUS_PENDING.
u64 begin_io(Call& call, const std::shared_ptr<File>& file, PendingIo& io);
// Counts a read or a write for GetProcessIoCounters.
void count_io(State& process, bool reads, u64 bytes);
// Ends the operation. The thread calls the routine; without a routine, `context` is for a packet (0: no packet).
void end_io(System& system, const PendingIo& io, Status status, u64 information, u64 now_ns);

// pipe_calls.cpp
std::optional<std::string> pipe_key(std::string_view name);  // nullopt if it is not the name of a pipe
bool names_all_pipes(std::string_view name);
Status open_pipe(Call& call, const std::string& key, std::shared_ptr<File>& out);
u64 read_pipe(Call& call, const std::shared_ptr<File>& file);
u64 write_pipe(Call& call, const std::shared_ptr<File>& file);

// pipe_queries.cpp
u64 peek_pipe(Call& call, const File& file);
u64 wait_for_pipe(Call& call);
u64 answer_pipe_attribute(Call& call, const Pipe& pipe);
u64 flush_pipe(Call& call, const File& file);
u64 answer_pipe_facts(Call& call, const File& file);

// socket_calls.cpp
bool names_sockets(std::string_view name);
u64 control_socket(Call& call, const std::shared_ptr<File>& file);
// Cancels the socket's call with the I/O status at `status_at`, or all its calls if that is 0. Returns their number.
usize cancel_socket_calls(Call& call, const File& file, u64 status_at);
u64 transfer_on_socket(Call& call, const std::shared_ptr<File>& file, bool sends);  // NtReadFile, NtWriteFile

// file_control_calls.cpp: NtFsControlFile for a file or a folder.
u64 control_file(Call& call, const File& file);

// watch_calls.cpp: cancels the folder's call with its I/O status at `status_at`; 0: all its calls. Returns their
// number.
usize cancel_watch_calls(Call& call, const File& folder, u64 status_at);

// adapter_calls.cpp: replaces GetAdaptersAddresses().
u64 list_adapters(Call& call);

// name_calls.cpp: the part of ws2_32 on the host, which knows names and addresses.
u64 answer_name_call(Call& call);

// file_calls.cpp: writes to a standard stream or the null device. `done`: how many bytes it took; fewer bytes without
// an error mean that the stream has no room now.
Status write_stream(Call& call, const File& file, std::span<const char> bytes, u64& done);
// A standard stream that leads to a terminal is a console, so that an interpreter shows its prompt.
bool is_console(const State& state, const File& file);

// The immediate of the SVC by which DLLs reach functions of their host.
inline constexpr u32 kHostCall = 0xfff0;
// The SVC to which the entry point of a program without DLLs returns.
inline constexpr u32 kReturnFromEntry = 0xfff1;
u64 answer_host_call(Call& call);

}  // namespace wperf::sim::nt
