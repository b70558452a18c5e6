# SPDX-License-Identifier: BSD-3-Clause
"""The driver package against the code: .inf, event manifests and recording profile agree with the sources."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(os.environ.get("WPERF_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PACKAGE = ROOT / "driver" / "package"
EVENTS = "{http://schemas.microsoft.com/win/2004/08/events}"
OLDEST_WINDOWS = ".10.0...19041"  # Windows 10 version 2004
WINDOWSPERF = {"INTERFACE_GUID": "F8047FDD-7083-4C2E-90EF-C0C73F1045FD", "HARDWARE_ID": "Root\\WPERFDRIVER"}
SYSTEM_CLASS = "{4D36E97D-E325-11CE-BFC1-08002BE10318}"
IN_TYPES = {"u8": "win:UInt8", "u16": "win:UInt16", "u32": "win:UInt32", "u64": "win:UInt64"}


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def macro(text, name):
    return re.search(rf'#define {name} "([^"]*)"', text)[1].replace("\\\\", "\\")


def guid_of(text, name):
    """A GUID initialiser in C as 8-4-4-4-12."""
    numbers = re.search(rf"{name}\s*(?:=\s*)?\\?\s*\{{([^{{}}]*),\s*\{{([^}}]*)\}}\}}", text)
    first, second, third = (int(word.strip(" u"), 16) for word in numbers[1].split(","))
    rest = [int(word.strip(" u"), 16) for word in numbers[2].split(",")]
    tail = "".join(f"{byte:02X}" for byte in rest)
    return f"{first:08X}-{second:04X}-{third:04X}-{tail[:4]}-{tail[4:]}"


def inf_sections(text):
    """{section: [line, …]} without comments."""
    sections, current = {}, None
    for line in text.splitlines():
        line = re.sub(r'("[^"]*")|;.*', lambda match: match[1] or "", line).strip()
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line:
            current.append(line)
    return sections


def values(lines):
    return {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}


def make_inf(**options):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "wperf-driver.inf"
        words = [f"-D{name}={value}" for name, value in options.items()]
        subprocess.run(["cmake", *words, f"-DOUTPUT={output}", "-P", PACKAGE / "make_inf.cmake"], check=True,
                       env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}, capture_output=True)
        return output.read_bytes()


class InfTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bytes = make_inf(VERSION="3.8.0")
        cls.text = cls.bytes.decode("ascii")
        cls.sections = inf_sections(cls.text)
        cls.abi = source("abi/device_interface.h")

    def test_lines_end_as_windows_wants(self):
        self.assertEqual(self.bytes.count(b"\n"), self.bytes.count(b"\r\n"))
        self.assertNotIn("@", self.text)

    def test_version_and_date(self):
        version = values(self.sections["Version"])
        self.assertEqual(version["DriverVer"], "11/14/2023,3.8.0.0")  # from SOURCE_DATE_EPOCH
        self.assertEqual(version["CatalogFile"], "wperf-driver.cat")
        self.assertEqual(version["PnpLockdown"], "1")
        self.assertRegex(version["ClassGuid"], r"^\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}$")

    def test_other_versions_are_refused(self):
        for version in ("3.8", "3.8.0-rc1", ""):
            with self.assertRaises(subprocess.CalledProcessError):
                make_inf(VERSION=version)
        with self.assertRaises(subprocess.CalledProcessError):
            make_inf(VERSION="3.8.0", ARCH="x86")

    def test_processor(self):
        models = self.sections["Manufacturer"][0].partition("=")[2].split(",")
        self.assertEqual([word.strip() for word in models], ["Models", f"NTarm64{OLDEST_WINDOWS}"])
        self.assertIn(f"Models.NTarm64{OLDEST_WINDOWS}", self.sections)
        self.assertNotIn("amd64", self.text)
        other = inf_sections(make_inf(VERSION="3.8.0", ARCH="amd64").decode("ascii"))
        self.assertIn(f"Models.NTamd64{OLDEST_WINDOWS}", other)

    def test_hardware_id_and_service_are_those_of_the_code(self):
        (model,) = self.sections[f"Models.NTarm64{OLDEST_WINDOWS}"]
        install, hardware_id = (word.strip() for word in model.partition("=")[2].split(","))
        self.assertEqual(install, "Install")
        self.assertEqual(hardware_id, macro(self.abi, "WPERF_HARDWARE_ID"))
        service = values(self.sections["Install.NT.Services"])["AddService"].split(",")
        self.assertEqual(service[0].strip(), macro(self.abi, "WPERF_SERVICE_NAME"))
        self.assertEqual(int(service[1]) & 2, 2)  # SPSVCINST_ASSOCSERVICE
        self.assertEqual(values(self.sections["Version"])["ClassGuid"], macro(self.abi, "WPERF_SETUP_CLASS"))
        title = values(self.sections["Strings"])["ServiceName"].strip('"')
        self.assertEqual(title, macro(self.abi, "WPERF_SERVICE_TITLE"))
        # The name that driverquery shows and that clients of WindowsPerf look for.
        self.assertIn("WPERFDRIVER", title[:22])

    def test_nothing_that_must_be_ones_own_is_windowsperfs(self):
        for ours, theirs in (("INTERFACE_GUID", guid_of(self.abi, "WINDOWSPERF_INTERFACE_GUID")),
                             ("HARDWARE_ID", macro(self.abi, "WINDOWSPERF_HARDWARE_ID"))):
            self.assertEqual(theirs, WINDOWSPERF[ours])
        self.assertNotEqual(guid_of(self.abi, " WPERF_INTERFACE_GUID"), WINDOWSPERF["INTERFACE_GUID"])
        self.assertNotEqual(macro(self.abi, "WPERF_HARDWARE_ID").lower(), WINDOWSPERF["HARDWARE_ID"].lower())
        self.assertNotEqual(macro(self.abi, "WPERF_SERVICE_NAME").lower(), "wperfdriver")
        self.assertNotEqual(macro(self.abi, "WPERF_PLAIN_DRIVER_FILE").lower(), "wperf-driver.sys")
        self.assertNotEqual(values(self.sections["Version"])["ClassGuid"], SYSTEM_CLASS)

    def test_files_are_those_of_the_installer(self):
        installer = source("devgen/installer.cpp")
        driver = macro(self.abi, "WPERF_DRIVER_FILE")
        self.assertEqual(re.search(r'kInfName = "([^"]*)"', installer)[1], "wperf-driver.inf")
        self.assertEqual(self.sections["DriverFiles"], [driver])
        self.assertEqual(list(values(self.sections["SourceDisksFiles"])), [driver])
        self.assertEqual(values(self.sections["ServiceInstall"])["ServiceBinary"], f"%13%\\{driver}")
        self.assertEqual(values(self.sections["DestinationDirs"])["DefaultDestDir"], "13")

    def test_service_is_a_driver_that_its_device_starts(self):
        service = values(self.sections["ServiceInstall"])
        self.assertEqual((service["ServiceType"], service["StartType"], service["ErrorControl"]), ("1", "3", "1"))
        self.assertEqual(self.sections["ServiceRegistry"], ["HKR,Parameters,PnP,0x00010001,1"])
        shell = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "driver" / "nt").glob("*.cpp"))
        self.assertTrue(re.search(r'L"PnP"', shell), "the driver does not read the value PnP")

    def test_rights(self):
        (line,) = self.sections["DeviceRegistry"]
        self.assertTrue(line.startswith('HKR,,Security,,"D:P('), line)
        entries = dict(reversed(entry.split(";;;")) for entry in re.findall(r"\(A;;([^)]*)\)", line))
        self.assertEqual(entries, {"SY": "GA", "BA": "GA", "LU": "GRGW"})

    def test_every_name_is_defined(self):
        strings = values(self.sections["Strings"])
        for name in re.findall(r"%(\w+)%", self.text):
            self.assertTrue(name in strings or name == "13", name)
        for lines in self.sections.values():
            for key, value in values(lines).items():
                if key in ("AddReg", "CopyFiles"):
                    self.assertIn(value, self.sections)
                if key == "AddService":
                    self.assertIn(value.split(",")[2].strip(), self.sections)


class Manifest:
    def __init__(self, name):
        self.root = ElementTree.parse(PACKAGE / name).getroot()
        self.provider = self.root.find(f".//{EVENTS}provider")
        self.guid = self.provider.get("guid").strip("{}")
        self.events = {int(event.get("value")): event for event in self.provider.iter(f"{EVENTS}event")}
        self.templates = {template.get("tid"): [(data.get("name"), data.get("inType"))
                                                for data in template.iter(f"{EVENTS}data")]
                          for template in self.provider.iter(f"{EVENTS}template")}

    def fields(self, event_id):
        return self.templates[self.events[event_id].get("template")]


def check_references(test, manifest):
    """Each $(string.…), map, keyword and template that the manifest names exists, and each string is used."""
    strings = {string.get("id") for string in manifest.root.iter(f"{EVENTS}string")}
    used = set()
    for element in manifest.root.iter():
        for value in element.attrib.values():
            used.update(re.findall(r"\$\(string\.([^)]*)\)", value))
    test.assertEqual(strings, used)
    keywords = {keyword.get("name") for keyword in manifest.provider.iter(f"{EVENTS}keyword")}
    for event in manifest.events.values():
        test.assertIn(event.get("template"), manifest.templates)
        test.assertLessEqual(set(event.get("keywords", "").split()), keywords)
    maps = {item.get("name") for item in manifest.provider.iter(f"{EVENTS}valueMap")}
    for data in manifest.provider.iter(f"{EVENTS}data"):
        if data.get("map"):
            test.assertIn(data.get("map"), maps)


class DriverManifestTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.code = source("driver/nt/etw_events.h")
        cls.manifest = Manifest("wperf-driver.man")

    def constant(self, name):
        return int(re.search(rf"\b{name} = (0x[0-9a-f']+|\d+)", self.code)[1].replace("'", ""), 0)

    def structure(self, name):
        body = re.search(rf"struct {name} \{{(.*?)\}};", self.code, re.DOTALL)[1]
        return [(field, IN_TYPES[kind]) for kind, field in re.findall(r"^\s*(u\d+) (\w+);", body, re.MULTILINE)]

    def test_provider(self):
        self.assertEqual(self.manifest.guid, guid_of(self.code, "WPERF_DRIVER_PROVIDER_GUID"))
        self.assertIn(f'"{self.manifest.provider.get("name")}"', self.code)
        check_references(self, self.manifest)

    def test_events(self):
        body = re.search(r"enum EtwEvent[^{]*\{(.*?)\};", self.code, re.DOTALL)[1]
        in_code = {int(number): name for name, number in re.findall(r"k(\w+) = (\d+)", body)}
        self.assertEqual({number: event.get("symbol") for number, event in self.manifest.events.items()}, in_code)
        keywords = {keyword.get("name"): int(keyword.get("mask"), 0)
                    for keyword in self.manifest.provider.iter(f"{EVENTS}keyword")}
        self.assertEqual(self.constant("kEtwLevel"), 4)  # win:Informational
        for number, event in self.manifest.events.items():
            reading = in_code[number] == "EtwCounterRead"
            structure = "EtwReading" if reading else "EtwClient"
            self.assertEqual(event.get("template"), structure)
            self.assertEqual(self.manifest.fields(number), self.structure(structure))
            self.assertEqual(event.get("level"), "win:Informational")
            self.assertEqual(keywords[event.get("keywords")],
                             self.constant("kEtwReadingKeyword" if reading else "kEtwActivityKeyword"))


class AppManifestTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header = source("src/ground/os/counter_events.h")
        cls.code = source("src/ground/os/counter_events_win.cpp")
        cls.manifest = Manifest("wperf-app.man")

    def test_provider(self):
        self.assertEqual(self.manifest.guid, guid_of(self.code, "kProvider"))
        self.assertIn(f"`{self.manifest.provider.get('name')}` {{{self.manifest.guid}}}", self.header)
        check_references(self, self.manifest)

    def test_the_event(self):
        words = re.search(r"kCounterRead = \{([^}]*)\}", self.code)[1]
        number = {name: int(value) for name, value in re.findall(r"\.(\w+) = (\d+)", words)}
        self.assertEqual(set(self.manifest.events), {number["Id"]})
        event = self.manifest.events[number["Id"]]
        self.assertEqual(int(event.get("version")), number["Version"])
        self.assertEqual((number["Level"], event.get("level")), (4, "win:Informational"))
        masks = {keyword.get("name"): int(keyword.get("mask"), 0)
                 for keyword in self.manifest.provider.iter(f"{EVENTS}keyword")}
        self.assertEqual(masks[event.get("keywords")], number["Keyword"])

    def test_fields(self):
        body = re.search(r"struct CounterEvent \{(.*?)\};", self.header, re.DOTALL)[1]
        kinds = {**IN_TYPES, "std::string_view": "win:UnicodeString"}
        in_header = [(name, kinds[kind]) for kind, name in re.findall(r"^\s*([\w:]+) (\w+)(?: = \w+)?;", body, re.MULTILINE)]
        self.assertEqual(self.manifest.fields(1), in_header)
        # The order in which the fields are written.
        written = re.search(r"fields\[\] = \{(.*?)\};", self.code, re.DOTALL)[1]
        names = [name.replace("name", "event") for name in re.findall(r"field_of\((?:event\.)?(\w+)\)", written)]
        self.assertEqual(names, [name for name, _ in in_header])


class ProfileTest(unittest.TestCase):
    def test_records_both_providers(self):
        root = ElementTree.parse(PACKAGE / "wperf.wprp").getroot()
        names = {provider.get("Name").upper() for provider in root.iter("EventProvider")}
        self.assertEqual(names, {Manifest("wperf-driver.man").guid, Manifest("wperf-app.man").guid})
        ids = {element.get("Id") for element in root.iter() if element.get("Id")}
        for element in root.iter():
            if element.tag.endswith("Id"):
                self.assertIn(element.get("Value"), ids)
            if element.get("Base"):
                self.assertIn(element.get("Base"), ids)
        # WPR requires that the id repeats name, detail level and logging mode.
        for profile in root.iter("Profile"):
            self.assertEqual(profile.get("Id"),
                             ".".join(profile.get(key) for key in ("Name", "DetailLevel", "LoggingMode")))

    def test_samples_with_stacks_are_beside_them(self):
        root = ElementTree.parse(PACKAGE / "wperf.wprp").getroot()
        for kind in ("Keyword", "Stack"):
            self.assertIn("SampledProfile", {element.get("Value") for element in root.iter(kind)})


if __name__ == "__main__":
    unittest.main()
