// SPDX-License-Identifier: BSD-3-Clause
// Sockets as Windows programs use them, within the machine: a server with threads, a server with a completion port,
// select, events, datagrams, names, and another process as client (sockets PORT).
#include <mswsock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winsock2.h>
#include <ws2tcpip.h>

static struct sockaddr_in own(unsigned short port) {
  struct sockaddr_in one = {AF_INET};
  one.sin_port = htons(port);
  one.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return one;
}

static SOCKET listener(unsigned short* port) {
  struct sockaddr_in at = own(0);
  int size = sizeof at;
  const SOCKET made = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(made, (struct sockaddr*)&at, sizeof at) != 0 || listen(made, 5) != 0) printf("bind %d\n", WSAGetLastError());
  getsockname(made, (struct sockaddr*)&at, &size);
  *port = ntohs(at.sin_port);
  return made;
}

static SOCKET connected(unsigned short port) {
  const struct sockaddr_in to = own(port);
  const SOCKET made = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(made, (const struct sockaddr*)&to, sizeof to) != 0) printf("connect %d\n", WSAGetLastError());
  return made;
}

// Sends everything back until the other side has finished.
static DWORD WINAPI echo(void* argument) {
  const SOCKET from = accept((SOCKET)argument, 0, 0);
  static char bytes[100000];
  for (int count; (count = recv(from, bytes, sizeof bytes, 0)) > 0;) send(from, bytes, count, 0);
  closesocket(from);
  return 0;
}

static int talk(unsigned short port) {
  static char sent[1000000], got[1000000];
  const SOCKET to = connected(port);
  memset(sent, 'x', sizeof sent);
  unsigned long nonblocking = 1;
  ioctlsocket(to, FIONBIO, &nonblocking);
  int there = 0, back = 0;
  while (back < (int)sizeof got) {
    struct fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_SET(to, &readable);
    if (there < (int)sizeof sent) FD_SET(to, &writable);
    if (select(0, &readable, &writable, 0, 0) < 1) break;
    int count = FD_ISSET(to, &writable) ? send(to, sent + there, sizeof sent - there, 0) : 0;
    if (count > 0) there += count;
    count = FD_ISSET(to, &readable) ? recv(to, got + back, sizeof got - back, 0) : 0;
    if (count > 0) back += count;
    if (there == (int)sizeof sent && count > 0 && back == (int)sizeof got) shutdown(to, SD_SEND);
  }
  closesocket(to);
  return memcmp(sent, got, sizeof sent) == 0 ? back : -1;
}

static void with_threads(void) {
  unsigned short port;
  const SOCKET at = listener(&port);
  HANDLE thread = CreateThread(0, 0, echo, (void*)at, 0, 0);
  printf("echoed %d\n", talk(port));
  WaitForSingleObject(thread, INFINITE);

  char line[600], self[300];
  STARTUPINFOA info = {sizeof info};
  PROCESS_INFORMATION child;
  unsigned long code = 1;
  GetModuleFileNameA(0, self, sizeof self);
  sprintf(line, "\"%s\" %d", self, port);
  thread = CreateThread(0, 0, echo, (void*)at, 0, 0);
  if (!CreateProcessA(self, line, 0, 0, FALSE, 0, 0, 0, &info, &child)) printf("no process\n");
  WaitForSingleObject(child.hProcess, INFINITE);
  GetExitCodeProcess(child.hProcess, &code);
  printf("the other process ended with %lu\n", code);
  WaitForSingleObject(thread, INFINITE);
  closesocket(at);
}

static void with_a_port(void) {
  const HANDLE done = CreateIoCompletionPort(INVALID_HANDLE_VALUE, 0, 0, 0);
  unsigned short port;
  const SOCKET at = listener(&port), taken = socket(AF_INET, SOCK_STREAM, 0), to = socket(AF_INET, SOCK_STREAM, 0);
  CreateIoCompletionPort((HANDLE)at, done, 1, 0);
  CreateIoCompletionPort((HANDLE)taken, done, 2, 0);
  CreateIoCompletionPort((HANDLE)to, done, 3, 0);
  char addresses[128], bytes[32] = {0}, data[] = "by port";
  OVERLAPPED accepting = {0}, connecting = {0}, receiving = {0}, *which;
  unsigned long count = 0;
  ULONG_PTR key = 0;
  if (AcceptEx(at, taken, addresses, 0, 64, 64, &count, &accepting) || WSAGetLastError() != ERROR_IO_PENDING)
    printf("accept\n");
  GUID id = WSAID_CONNECTEX;
  LPFN_CONNECTEX connect_ex = 0;
  WSAIoctl(to, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &connect_ex, sizeof connect_ex, &count, 0, 0);
  const struct sockaddr_in from = own(0), there = own(port);
  bind(to, (const struct sockaddr*)&from, sizeof from);
  if (!connect_ex(to, (const struct sockaddr*)&there, sizeof there, data, 7, &count, &connecting) &&
      WSAGetLastError() != ERROR_IO_PENDING)
    printf("connect\n");
  unsigned keys = 0;
  for (int packets = 0; packets < 2 && GetQueuedCompletionStatus(done, &count, &key, &which, 1000); ++packets)
    keys = keys * 10 + (unsigned)key;
  struct sockaddr *local, *remote;
  int local_size, remote_size;
  GetAcceptExSockaddrs(addresses, 0, 64, 64, &local, &local_size, &remote, &remote_size);
  printf("keys %u, port %s, %d bytes of address\n", keys,
         ntohs(((struct sockaddr_in*)local)->sin_port) == port ? "right" : "wrong", remote_size);
  WSABUF into = {sizeof bytes, bytes};
  unsigned long flags = 0;
  WSARecv(taken, &into, 1, 0, &flags, &receiving, 0);
  GetQueuedCompletionStatus(done, &count, &key, &which, 1000);
  printf("key %u: %s\n", (unsigned)key, bytes);
  memset(&receiving, 0, sizeof receiving);
  WSARecv(taken, &into, 1, 0, &flags, &receiving, 0);
  closesocket(taken);
  const BOOL is_fine = GetQueuedCompletionStatus(done, &count, &key, &which, 1000);
  printf("closed: %s, error %lu\n", is_fine ? "fine" : which == &receiving ? "cancelled" : "lost", GetLastError());
  closesocket(to);
  closesocket(at);
}

static void with_events(void) {
  unsigned short port;
  const SOCKET at = listener(&port);
  const WSAEVENT event = WSACreateEvent();
  WSANETWORKEVENTS found;
  WSAEventSelect(at, event, FD_ACCEPT);
  const SOCKET to = connected(port);
  WSAWaitForMultipleEvents(1, &event, FALSE, 1000, FALSE);
  WSAEnumNetworkEvents(at, event, &found);
  const SOCKET taken = accept(at, 0, 0);
  WSAEventSelect(taken, event, FD_READ | FD_CLOSE);
  send(to, "x", 1, 0);
  WSAWaitForMultipleEvents(1, &event, FALSE, 1000, FALSE);
  long before = found.lNetworkEvents;
  WSAEnumNetworkEvents(taken, event, &found);
  printf("events %ld, %ld\n", before, found.lNetworkEvents);
  char one;
  recv(taken, &one, 1, 0);
  closesocket(to);
  WSAWaitForMultipleEvents(1, &event, FALSE, 1000, FALSE);
  WSAEnumNetworkEvents(taken, event, &found);
  printf("event %ld\n", found.lNetworkEvents);
  closesocket(taken);
  closesocket(at);
}

static void others(void) {
  const SOCKET here = socket(AF_INET, SOCK_DGRAM, 0), there = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in at = own(0), from;
  int size = sizeof at;
  char bytes[16] = {0};
  DWORD patience = 20;
  bind(here, (struct sockaddr*)&at, sizeof at);
  getsockname(here, (struct sockaddr*)&at, &size);
  sendto(there, "datagram", 8, 0, (struct sockaddr*)&at, sizeof at);
  int count = recvfrom(here, bytes, sizeof bytes, 0, (struct sockaddr*)&from, &size);
  printf("%d bytes: %s\n", count, bytes);
  setsockopt(here, SOL_SOCKET, SO_RCVTIMEO, (char*)&patience, sizeof patience);
  count = recv(here, bytes, sizeof bytes, 0);
  printf("then %d, error %d\n", count, WSAGetLastError());
  struct addrinfo *found = 0, wanted = {0};
  wanted.ai_family = AF_INET;
  char name[NI_MAXHOST] = "none";
  count = getaddrinfo("localhost", "80", &wanted, &found);
  if (count == 0) getnameinfo(found->ai_addr, (socklen_t)found->ai_addrlen, name, sizeof name, 0, 0, NI_NUMERICHOST);
  printf("localhost is %s, example.com is error %d\n", name, getaddrinfo("example.com", "80", 0, &found));
  at = own(1);
  const SOCKET nobody = socket(AF_INET, SOCK_STREAM, 0);
  count = connect(nobody, (struct sockaddr*)&at, sizeof at);
  printf("nobody: %d, error %d\n", count, WSAGetLastError());
  at.sin_addr.s_addr = htonl(0x0a000001);
  count = connect(nobody, (struct sockaddr*)&at, sizeof at);
  printf("outside: %d, error %d\n", count, WSAGetLastError());
}

int main(int count, char** arguments) {
  WSADATA data;
  setbuf(stdout, 0);
  if (WSAStartup(0x202, &data) != 0) return 1;
  if (count > 1) return talk((unsigned short)atoi(arguments[1])) == 1000000 ? 7 : 8;
  with_threads();
  with_a_port();
  with_events();
  others();
  return 0;
}
