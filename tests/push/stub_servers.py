# SPDX-License-Identifier: BSD-3-Clause
"""Servers that accept profiles as documented by Pyroscope, Parca and OpenTelemetry. They decode each request
completely, and refuse invalid requests with a 4xx status. protoc decodes the messages if an official .proto is
available. Otherwise they are decoded by the field numbers in the project's own .proto."""
import email.parser
import email.policy
import gzip
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "export"))
import read_back  # noqa: E402

LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
MOST_BYTES = 64 << 20


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def expect(condition, text, status=400):
    if not condition:
        raise Refused(status, text)


def varint(data, at):
    value = shift = 0
    while True:
        expect(at < len(data) and shift < 64, "a number that ends early")
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data, known):
    """[(field, value)] of a message; `known`: {field: bytes or int}."""
    at, found = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        field, kind = tag >> 3, tag & 7
        expect(field in known, f"field {field} is none of this message")
        expect(kind == (2 if known[field] is bytes else 0), f"field {field} is of another kind")
        value, at = varint(data, at)
        if kind == 2:
            expect(at + value <= len(data), "a field over the end")
            value, at = data[at:at + value], at + value
        found.append((field, value))
    return found


def checked_labels(pairs):
    labels = {}
    for name, value in pairs:
        expect(LABEL_NAME.match(name), f"label name {name!r}")
        expect(value, f"label {name} is empty")
        expect(name not in labels, f"label {name} is there twice")
        labels[name] = value
    expect("service_name" in labels and "__name__" in labels, "labels that every profile must have")
    return labels


def label_of(data):
    parts = dict(fields(data, {1: bytes, 2: bytes}))
    return parts[1].decode(), parts.get(2, b"").decode()


class Profile:
    def __init__(self, labels, tenant, totals, text, begin):
        self.labels, self.tenant, self.totals, self.text, self.begin = labels, tenant, totals, text, begin


class Stub(http.server.ThreadingHTTPServer):
    """`mood`: statuses for the next requests, which are answered before their contents are examined."""
    daemon_threads = True

    def __init__(self, protos, token=None, port=0, tls=None):
        """`tls`: an ssl.SSLContext with a certificate of localhost."""
        super().__init__(("127.0.0.1", port), Handler)
        self.scheme = "https" if tls else "http"
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.protos, self.token = protos, token
        self.profiles, self.refused, self.mood, self.ids, self.headers_seen = [], [], [], set(), []
        self.lock = threading.Lock()
        self.slow = 0  # seconds before an answer
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}"

    def stop(self):
        self.shutdown()
        self.server_close()

    def decoded(self, data, message, proto):
        done = subprocess.run(["protoc", "-I", self.protos, f"--decode={message}", self.protos / proto], input=data,
                              capture_output=True)
        expect(done.returncode == 0, "protoc cannot read it")
        text = done.stdout.decode()
        # protoc prints fields it does not know by their numbers.
        expect(not re.search(r"^ *\d+: ", text, re.MULTILINE), "fields that the .proto does not have")
        return text

    def pprof(self, packed, labels, tenant):
        expect(packed[:2] == b"\x1f\x8b", "a pprof file is packed with gzip")
        text = self.decoded(gzip.decompress(packed), "perftools.profiles.Profile", "profile.proto")
        root = read_back.text_format(text)
        begin = read_back.one(root, "time_nanos")
        expect(begin > 1_000_000_000_000_000_000, "the profile does not say when it was")
        self.keep(Profile(labels, tenant, read_back.of_pprof(text), text, begin))

    def keep(self, profile):
        with self.lock:
            self.profiles.append(profile)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", kind="text/plain", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(405, b"only POST")

    def do_POST(self):
        size = int(self.headers.get("Content-Length", -1))
        if not 0 <= size <= MOST_BYTES:
            return self.answer(413)
        body = self.rfile.read(size)
        self.server.headers_seen.append(dict(self.headers))
        time.sleep(self.server.slow)
        if self.server.mood:
            status, *headers = self.server.mood.pop(0)
            return self.answer(status, b"in a mood", headers=headers)
        try:
            token = self.server.token
            expect(token is None or self.headers.get("Authorization") == token, "who are you?", 401)
            self.route(body)
        except Refused as refused:
            self.server.refused.append(str(refused))
            self.answer(refused.status, str(refused).encode())

    def route(self, body):
        path = urllib.parse.urlsplit(self.path)
        ways = {"/push.v1.PusherService/Push": self.pyroscope, "/ingest": self.ingest,
                "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw": self.parca,
                "/v1development/profiles": self.otlp}
        expect(path.path in ways, f"there is no {path.path} here", 404)
        ways[path.path](body, urllib.parse.parse_qs(path.query, strict_parsing=bool(path.query)))

    def tenant(self):
        return self.headers.get("X-Scope-OrgID")

    def pyroscope(self, body, query):
        """push.v1.PushRequest by the Connect protocol, one request and one answer."""
        expect(self.headers.get("Content-Type") == "application/proto", "Connect with protobuf", 415)
        expect(self.headers.get("Connect-Protocol-Version") == "1", "Connect's version")
        for _, series in fields(body, {1: bytes}):
            parts = fields(series, {1: bytes, 2: bytes})
            labels = checked_labels(label_of(part) for field, part in parts if field == 1)
            samples = [dict(fields(part, {1: bytes, 2: bytes})) for field, part in parts if field == 2]
            expect(samples, "a series without samples")
            for sample in samples:
                number = sample[2].decode()
                expect(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", number),
                       "ID is a UUID")
                self.server.ids.add(number)
                self.server.pprof(sample[1], labels, self.tenant())
        self.answer(200, b"", "application/proto")

    def ingest(self, body, query):
        """/ingest with a form: the profile, and its sample types."""
        expect(set(query) == {"name", "from", "until", "format", "spyName"}, "parameters of the query")
        expect(query["format"] == ["pprof"], "format=pprof")
        begin, end = int(query["from"][0]), int(query["until"][0])
        expect(1_000_000_000 < begin < end < 10_000_000_000, "from and until are seconds since 1970")
        name = re.fullmatch(r"([^{}]+)\{([^{}]*)\}", query["name"][0])
        expect(name, "name is NAME{LABEL=VALUE,…}")
        labels = dict(part.split("=") for part in name[2].split(",") if part)
        labels.update(service_name=name[1], __name__="")
        kind = self.headers.get("Content-Type", "")
        expect(kind.startswith("multipart/form-data; boundary="), "a form", 415)
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(b"Content-Type: " + kind.encode() +
                                                                             b"\r\n\r\n" + body)
        parts = {part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
                 for part in form.iter_parts()}
        expect(set(parts) == {"profile", "sample_type_config"}, "parts of the form")
        types = json.loads(parts["sample_type_config"])
        for one in types.values():
            expect(one["units"] in ("samples", "objects", "bytes") and one["aggregation"] in ("sum", "average") and
                   isinstance(one["sampled"], bool) and set(one) == {"units", "aggregation", "display-name", "sampled"},
                   "sample_type_config")
        self.server.pprof(parts["profile"], labels, self.tenant())
        text = self.server.profiles[-1].text
        table = read_back.text_format(text)
        named = {table["string_table"][one["type"][0]].decode() for one in table["sample_type"]}
        expect(set(types) == named, "sample_type_config has the sample types of the profile")
        self.answer(200)

    def parca(self, body, query):
        """WriteRaw over gRPC-Web: an error is reported with status 200 and grpc-status."""
        expect(self.headers.get("Content-Type") == "application/grpc-web+proto", "gRPC-Web", 415)
        try:
            expect(len(body) > 5 and body[0] == 0 and int.from_bytes(body[1:5], "big") == len(body) - 5,
                   "one frame with one message")
            for field, series in fields(body[5:], {2: bytes, 3: int}):
                if field != 2:
                    continue
                parts = fields(series, {1: bytes, 2: bytes})
                labels = checked_labels(label_of(one) for field, part in parts if field == 1
                                        for _, one in fields(part, {1: bytes}))
                for field, part in parts:
                    if field == 2:
                        self.server.pprof(dict(fields(part, {1: bytes}))[1], labels, self.tenant())
        except Refused as refused:
            self.server.refused.append(str(refused))
            return self.answer(200, b"", "application/grpc-web+proto",
                               [("grpc-status", "3"), ("grpc-message", str(refused))])
        trailers = b"grpc-status: 0\r\ngrpc-message: \r\n"
        self.answer(200, b"\0" * 5 + b"\x80" + len(trailers).to_bytes(4, "big") + trailers,
                    "application/grpc-web+proto")

    def otlp(self, body, query):
        expect(self.headers.get("Content-Type") == "application/x-protobuf", "protobuf", 415)
        expect(self.headers.get("Content-Encoding") == "gzip", "gzip", 415)
        message = "opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest"
        text = self.server.decoded(gzip.decompress(body), message,
                                   "opentelemetry/proto/collector/profiles/v1development/profiles_service.proto")
        root = read_back.text_format(text)
        for resource in root["resource_profiles"]:
            pairs = [(one["key"][0].decode(), one["value"][0]["string_value"][0].decode())
                     for one in resource["resource"][0]["attributes"]]
            labels = dict(pairs)
            expect(len(pairs) == len(labels) and labels.get("service.name"), "attributes of the resource")
            for scope in resource["scope_profiles"]:
                for profile in scope["profiles"]:
                    expect(read_back.one(profile, "time_unix_nano") > 1_000_000_000_000_000_000, "when it was")
        self.server.keep(Profile(labels, self.tenant(), read_back.of_otlp(text, lambda why: expect(False, why)), text, 0))
        self.answer(200, b"", "application/x-protobuf")
