// SPDX-License-Identifier: BSD-3-Clause
// Opens pages of `report --html` in a browser and holds them against what test_html.py knows. Prints what is wrong, a line
// each; nothing: all is well. Arguments: the folder of node modules, a JSON file with what is to be checked.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [, , modules, planFile] = process.argv;
const require = createRequire(modules + "/");
const plan = JSON.parse(readFileSync(planFile, "utf8"));
const faults = [];
const check = (isTrue, text) => { if (!isTrue) faults.push(text); };
const same = (got, wanted, text) => check(JSON.stringify(got) === JSON.stringify(wanted), `${text}: ${JSON.stringify(got)}, expected ${JSON.stringify(wanted)}`);
const url = (file, fragment = "") => "file://" + file + fragment;

// By name and module: [self samples, self period, period with callees].
const functionSums = (page) => page.evaluate(() => {
  const { page: shown } = window.wperf;
  const { profile } = shown;
  const out = {};
  for (let i = 0; i < profile.functions.name.length; ++i) {
    if (shown.sums.allSamples[i] > 0) out[profile.functions.name[i]] = [shown.sums.samples[i], shown.sums.self[i], shown.sums.all[i]];
  }
  return out;
});
const state = (page) => page.evaluate(() => window.wperf.page.store.state);
const whole = (page) => page.evaluate(() => window.wperf.page.sums.wholeSamples);
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function opened(browser, file, options = {}, fragment = "") {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => check(!["error", "warning"].includes(message.type()), `${file}: console says ${message.text()}`));
  page.on("pageerror", (error) => check(false, `${file}: ${error.stack}`));
  page.on("dialog", (dialog) => { check(false, `${file}: a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => check(request.url().split("#")[0] === url(file), `${file}: a request left: ${request.url()}`));
  await page.goto(url(file, fragment));
  if (options.javaScriptEnabled !== false) await page.waitForFunction(() => window.wperf !== undefined, null, { timeout: 20000 });
  return page;
}

async function checkNumbers(page) {
  const sums = await functionSums(page);
  for (const [name, wanted] of Object.entries(plan.functions)) same(sums[name], wanted, `sums of ${name}`);
  same(Object.keys(sums).length, Object.keys(plan.functions).length, "number of functions");
}

async function checkGraph(page) {
  same(await page.locator(".warning").innerText(), "12 records lost (5.7 %)", "what is missing");
  check(await page.locator("#headline").isVisible(), "the headline is not on the first view");
  check(/^2\.990 s from first to last sample; 2 threads sampled\nhottest by cycles: /.test(await page.locator("#headline").innerText()), "the headline: " + (await page.locator("#headline").innerText()));
  const legend = await page.evaluate(() => {
    const { page: shown } = window.wperf, { lost } = shown.profile, redrawn = () => shown.tabs[0].view.update(shown.store.state, {});
    lost.push([0, 1000, 1, "records", 0]);
    redrawn();
    const text = document.querySelector(".legend").textContent;
    lost.pop();
    redrawn();
    return text;
  });
  check(legend.includes("data was lost"), "the marks of losses have no legend: " + legend);
  const painted = await page.evaluate(() => {
    const canvas = document.getElementById("flame");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return colours.size;
  });
  check(painted > 5, `the flame graph has ${painted} colours`);
  const box = await page.locator("#flame").boundingBox();
  await page.mouse.click(box.x + box.width / 4, box.y + box.height - 30);
  check((await state(page)).zoom !== "", "a click does not zoom");
  await page.keyboard.press("Escape");
  same((await state(page)).zoom, "", "zoom after undo");
  await page.mouse.move(box.x + box.width / 4, box.y + box.height - 10);
  await settled(page);
  check((await page.locator(".tip").innerText()).includes("main"), "the tip does not name the frame");
  await page.locator("#flame").focus();
  for (const key of ["Home", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  check((await state(page)).zoom.split(" ").length === 2, "arrows and Enter do not zoom to the second frame");
  await page.keyboard.press("Escape");
}

async function checkSearchAndFilters(page) {
  const all = await whole(page);
  await page.keyboard.press("/");
  await page.keyboard.type("inner");
  // While letters come, it tells of what is typed so far.
  await page.waitForFunction(() => document.querySelector(".count").textContent.startsWith("1 function, "))
    .catch(async () => check(false, "count of the search: " + (await page.locator(".count").innerText())));
  await page.keyboard.press("Enter");
  same(await whole(page), plan.withInner, "samples with the function kept");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  same(await whole(page), all, "samples after undo");
  await page.evaluate(() => window.wperf.page.drop("f" + window.wperf.page.profile.functions.name.indexOf("inner")));
  same(await whole(page), all - plan.withInner, "samples with the function dropped");
  await page.locator(".chip").click();
  same(await whole(page), all, "samples after the chip was removed");
}

// A search finds threads and processes by their names, too, and leads to them.
async function checkThreads(page, name, found) {
  const threads = found.length;
  const search = async (text) => {
    await page.evaluate(([word]) => window.wperf.page.store.change({ search: word, tab: "flame" }, false), [text]);
    return page.locator(".count").innerText();
  };
  const shown = () => page.evaluate(() => window.wperf.page.tabs.find((tab) => tab.id === "threads").view.table.rows.map((row) => row.name));
  same(await search(name), `no function with this name; ${threads} ${threads === 1 ? "thread" : "threads"}`, "a search for a thread");
  const button = await page.locator(".count button").boundingBox(), tools = await page.locator(".tools").boundingBox();
  check(button.x + button.width <= tools.x, "the way to threads lies below other buttons");
  await page.locator(".count button").click();
  same([(await state(page)).tab, await shown()], ["threads", found], "the way to threads that were found");
  same(await search("no such name"), "no function with this name", "a search for nothing");
  await page.evaluate(() => window.wperf.page.open("threads"));
  check((await shown()).length >= threads, "a search that finds no thread hides them all");
  await page.evaluate(() => window.wperf.page.clear());
}

// What a function called is told beside its own share: a caller of everything may never be hit itself.
async function checkCode(page, { main }) {
  const told = await page.evaluate(() => {
    const { page: shown } = window.wperf, view = shown.tabs.find((tab) => tab.id === "code").view, whole = shown.profile.events[0].period;
    return [view.shares({ event: 0, samples: 0, period: 0, all: 0.99 * whole }), view.shares({ event: 0, samples: 3, period: whole, all: whole }),
      view.whyNone(), shown.profile.file = "", view.whyNone()];
  });
  const end = "; these shares refer to the whole recording and ignore filters.";
  same(told.slice(0, 2), ["0 samples itself (0.00 %), 99.00 % including callees" + end, "3 samples itself (100.00 %)" + end], "shares of code");
  check(told[2].startsWith("This file contains no code. `wperf report FILE.data --disassemble"), "code of a file: " + told[2]);
  check(told[4].includes("`-o FILE.data`"), "code of what was not kept: " + told[4]);
  check(main !== undefined, "there is no main");
}

// Where names are missing the table says why, and where more stands.
async function checkNameless(page) {
  const told = await page.evaluate(() => {
    const { page: shown } = window.wperf, { functions, modules } = shown.profile, at = functions.name.indexOf("inner");
    const note = () => { shown.open("functions"); const { nameless } = shown.tabs.find((tab) => tab.id === "functions").view; return nameless.hidden ? "" : nameless.textContent; };
    const before = note();
    shown.open("flame");
    functions.kind[at] = 3;
    modules.reason[functions.module[at]] = "no PDB here";
    return [before, note(), modules.name[functions.module[at]]];
  });
  same(told[0], "", "a note of names where all are there");
  check(told[1].startsWith(`Function names are missing, mostly in ${told[2]} (`) && told[1].includes(" %): no PDB here. "), "why there are no names: " + told[1]);
  await page.getByRole("button", { name: "About: what helps" }).click();
  same((await state(page)).tab, "about", "the way to what helps");
}

async function checkTime(page) {
  const box = await page.locator("#time").boundingBox();
  const room = box.width - 150;
  await page.mouse.move(box.x + 152, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 150 + room / 2, box.y + 30, { steps: 4 });
  await page.mouse.up();
  same(await whole(page), plan.firstHalf, "samples of the first half");
  check((await page.locator(".summary").innerText()).includes("shares refer to these"), "nothing tells what shares are of");
  const fragment = await page.evaluate(() => location.hash);
  check(fragment.includes("from=0"), "the fragment does not tell the range: " + fragment);
  await page.locator("#time").focus();
  await page.keyboard.press("Escape");
  same(await whole(page), plan.samples, "samples after the range was left");
  return fragment;
}

async function checkTrees(page) {
  await page.keyboard.press("i");
  const inverted = await page.evaluate(() => {
    const { shown, names } = window.wperf.page;
    return Array.from(shown.children.subarray(0, shown.begins[1])).map((node) => [names[shown.functions[node]], shown.weight.total[node]]);
  });
  for (const [name, total] of inverted) if (plan.functions[name] !== undefined) same(total, plan.functions[name][1], `inverted total of ${name}`);
  await page.keyboard.press("i");
  await page.keyboard.press("r");
  const depth = await page.evaluate(() => Math.max(...window.wperf.page.shown.depth));
  check(depth < plan.depth, `folded recursion is ${depth} deep`);
  await page.keyboard.press("r");
  await page.keyboard.press("?");
  check(await page.locator("dialog[open]").isVisible(), "? does not show the help");
  await page.keyboard.press("Escape");
}

async function checkTables(page) {
  await page.getByRole("tab", { name: "Functions" }).click();
  const table = page.getByRole("treegrid", { name: "Hot functions" });
  same(Number(await table.getAttribute("aria-rowcount")), Object.keys(plan.functions).length + 1, "rows of the table");
  await table.focus();
  await page.keyboard.press("ArrowDown");
  await settled(page);
  check((await table.getAttribute("aria-activedescendant") ?? "").endsWith("-1"), "the arrow does not walk the table");
  await page.keyboard.press("Enter");
  same((await state(page)).tab, "sandwich", "view after Enter on a function");
  await page.getByRole("tab", { name: "Call tree" }).click();
  await settled(page);
  check(await page.locator("[aria-expanded=true]").count() > 0, "the call tree does not open its hottest path");
}

// The keys of a view that a digit chose are its own, wherever the focus was.
async function checkKeys(page) {
  await page.locator("#time").focus();
  await page.keyboard.press("2");
  await page.keyboard.press("ArrowRight");
  const { tab, from } = await state(page);
  same([tab, from], ["functions", -1], "view and chosen time after a digit and an arrow");
  await page.keyboard.press("1");
}

// On a telephone the views have the most of the screen.
async function checkNarrow(browser) {
  const page = await opened(browser, plan.page, { viewport: { width: 420, height: 760 } });
  const { height } = await page.locator(".panels").boundingBox();
  check(height > 0.5 * 760, `the views have ${height} of 760 pixels`);
  // Controls are there when they are asked for, and nothing needs the page to be moved sideways.
  const heights = async () => (await Promise.all([".bar-top", ".bar-views", ".bar-filters"].map((bar) => page.locator(bar).boundingBox()))).map((box) => box.height);
  const sum = (all) => all.reduce((a, b) => a + b, 0), folded = await heights();
  check(sum(folded) < 0.2 * 760, `controls have ${folded} of 760 pixels`);
  check((await page.locator(".warning").boundingBox()).height < 36, "losses take more than a line");
  same([await page.locator("#search").isVisible(), await page.locator("#colour").isVisible()], [false, false], "controls before they are asked for");
  const more = page.getByRole("button", { name: "Controls" });
  await more.click();
  same([await page.locator("#search").isVisible(), await page.locator("#colour").isVisible(), await more.getAttribute("aria-expanded")], [true, true, "true"], "controls that were asked for");
  await more.click();
  same(await heights(), folded, "controls after they were sent away");
  same(await page.evaluate(() => document.documentElement.scrollWidth), 420, "width of the page");
  for (const { id } of await page.evaluate(() => window.wperf.page.tabs.map(({ id: one }) => ({ id: one })))) {
    await page.evaluate((one) => window.wperf.page.open(one), id);
    const { x, width } = await page.locator("#tab-" + id).boundingBox();
    check(x >= 0 && x + width <= 420, `the tab ${id} is cut where it is open: ${x}, ${width}`);
  }
  await page.evaluate(() => window.wperf.page.open("flame"));
  await page.keyboard.press("/");
  check(await page.locator("#search").evaluate((one) => one === document.activeElement), "/ does not show the search field");
  await checkAccess(page);
  const wide = await opened(browser, plan.page);
  check(!(await wide.getByRole("button", { name: "Controls" }).isVisible()) && await wide.locator("#search").isVisible(), "controls where there is room");
}

async function checkAccess(page) {
  const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const tab of await page.evaluate(() => window.wperf.page.tabs.map((one) => one.id))) {
      await page.evaluate((id) => window.wperf.page.open(id), tab);
      await settled(page);
      const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const fault of result.violations) check(false, `axe, ${tab}, ${scheme}: ${fault.id}: ${fault.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ")}`);
    }
  }
  const dark = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--surface"));
  await page.emulateMedia({ colorScheme: "light" });
  check(dark !== await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--surface")), "dark is as light");
}

// Of a program with five threads, on a machine where others run.
// Linux only: the locks that threads waited for, in the chosen stretch of time.
async function checkLocks(browser, plan) {
  const page = await opened(browser, plan.page);
  await checkWidths(page);
  same(await page.title(), "locks: time of threads - wperf", "title of a page of waits");
  check(await page.locator("#headline").isVisible(), "the headline of waits is not on the first view");
  check(/^ran [0-9.]+ m?s, used [0-9.]+ m?s of CPU \(/.test(await page.locator("#headline").innerText()), "the headline of waits: " + (await page.locator("#headline").innerText()));
  const told = (from, to) => page.evaluate(([begin, end]) => {
    const { page: shown } = window.wperf;
    shown.store.change({ from: begin, to: end });
    shown.open("waits");
    return shown.tabs.find((tab) => tab.id === "waits").view.locks.rows.map((row) => [row.lock, row.caller, row.count, row.total, row.max, row.ender]);
  }, [from, to]);
  const inOrder = (rows) => rows.map((row) => JSON.stringify(row)).sort();
  same(inOrder(await told(-1, -1)), inOrder(plan.rows), "locks that threads waited for");
  const slices = await page.evaluate(() => window.wperf.page.profile.slices);
  const parts = [...await told(0, 2), ...await told(3, slices - 1)];
  const sum = (rows) => rows.reduce((all, row) => all + row[3], 0);
  same(sum(parts), sum(plan.rows), "time at locks of both stretches");
}

// All columns of a table are there at once, and no heading is cut.
async function checkWidths(page) {
  await page.evaluate(() => window.wperf.page.open("waits"));
  await settled(page);
  const cut = await page.evaluate(() => [...document.querySelectorAll(".waits .table")].flatMap((table) => [
    ...(table.scrollWidth > table.clientWidth ? [`${table.getAttribute("aria-label")} is ${table.scrollWidth} wide, of ${table.clientWidth}`] : []),
    ...[...table.querySelectorAll("[role=columnheader], .number-cell")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => "cut: " + one.textContent),
    ...[...table.querySelectorAll(".text-cell")].filter((one) => one.textContent.startsWith("pthread_mutex_lock") && one.scrollWidth > one.clientWidth).map((one) => "cut: " + one.textContent)]));
  same(cut, [], "what does not fit into 1,200 pixels");
}

async function checkWaits(browser, plan) {
  const page = await opened(browser, plan.page);
  same(await page.title(), "waits.etl: time of threads - wperf", "the title of waits");
  await checkWidths(page);
  const threads = await page.evaluate(() => [...window.wperf.page.profile.states.keys()].map((task) => window.wperf.page.profile.tasks.name[task]));
  same(threads, Array(5).fill("threads.exe"), "threads with states");
  same((await state(page)).colour, "state", "colour of threads' time");
  const named = await page.evaluate(() => window.wperf.page.timeline.rows.filter((row) => row.name.startsWith("threads.exe")).map((row) => row.name));
  same([named.length, new Set(named).size], [5, 5], "threads of one name are told apart");
  check((await page.locator(".summary").innerText()).endsWith("ms of threads' time"), "the sum is no time: " + (await page.locator(".summary").innerText()));
  // By range of slices: the tables, all that the views sum up, and of this what was waited.
  const told = (from, to) => page.evaluate(([begin, end]) => {
    const { page: shown } = window.wperf;
    shown.store.change({ from: begin, to: end });
    shown.open("waits");
    const { places, people } = shown.tabs.find((tab) => tab.id === "waits").view, { sums } = shown;
    const waited = shown.profile.functions.name.reduce((sum, name, i) => sum + (name.startsWith("[waiting") ? sums.self[i] : 0), 0);
    const total = places.rows.reduce((sum, row) => sum + row.total, 0);
    return { whole: sums.whole, waited, total, places: places.rows.map((row) => [row.function, row.module, row.wait, row.count, row.total, row.p50, row.p99, row.max, row.ender]),
      people: people.rows.map((row) => [row.who, row.function, row.ender, row.enderFunction, row.count, row.total, row.latency]) };
  }, [from, to]);
  const inOrder = (rows) => rows.map((row) => JSON.stringify(row)).sort();
  const all = await told(-1, -1);
  same(inOrder(all.places), inOrder(plan.places), "where threads waited");
  same(inOrder(all.people), inOrder(plan.people), "who waited for whom");
  same(all.whole, plan.wall, "time of all threads");
  const slices = await page.evaluate(() => window.wperf.page.profile.slices);
  const half = Math.floor(slices / 2);
  const parts = [await told(0, half - 1), await told(half, slices - 1)];
  for (const part of parts) {
    check(part.whole > 0 && part.whole < all.whole, "a stretch of time shows all of it");
    same(part.total, part.waited, "the tables of a stretch of time and its graph");
  }
  for (const what of ["whole", "total"]) same(parts[0][what] + parts[1][what], all[what], what + " of both stretches");
  await told(-1, -1);
  const kept = await page.evaluate(() => {
    const { page: shown } = window.wperf;
    shown.keep("f" + shown.profile.functions.name.indexOf("count"));
    return shown.tabs.find((tab) => tab.id === "waits").view.places.rows.map((row) => row.caller);
  });
  check(kept.length > 0 && kept.every((name) => name === "count"), "waits below one function: " + kept);
  await page.evaluate(() => window.wperf.page.clear());
  const box = await page.locator("#time").boundingBox();
  await page.mouse.move(box.x + 200, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 30, { steps: 4 });
  await page.mouse.up();
  check((await state(page)).from >= 0, "a drag chooses no time");
  await page.evaluate(() => window.wperf.page.clear());
  await page.getByRole("tab", { name: "Functions" }).click();
  await settled(page);
  check((await page.locator(".table-row").first().innerText()).includes("–"), "threads' time has samples");
  await checkAccess(page);
  const still = await opened(browser, plan.page, { javaScriptEnabled: false });
  for (const caption of ["where they waited", "who waited for whom", "cores", "stacks that they waited in, the outermost caller first"]) {
    check(await still.locator("caption", { hasText: caption }).first().isVisible(), `without scripts there is no table '${caption}'`);
  }
  check(await still.getByRole("cell", { name: plan.ender, exact: true }).first().isVisible(), "without scripts nobody knows who ended waits");
}

// Times, counters and marks are those of the recording, and a stretch of time is one for them, too.
async function checkMoments(page, plan) {
  const times = () => page.evaluate(() => window.wperf.page.profile.samples.streams.flatMap((one) => Array.from(one.time)).sort((a, b) => a - b));
  await page.waitForFunction(() => window.wperf.page.profile.samples.count > 0);
  same(await times(), plan.times, "times of samples");
  const inRange = (from, to) => page.evaluate(([begin, end]) => {
    const { page: shown } = window.wperf;
    shown.store.change({ from: begin, to: end });
    shown.open("moments");
    const view = shown.tabs.find((tab) => tab.id === "moments").view;
    return { counted: view.counters.rows.reduce((sum, row) => sum + row.sum, 0), marks: view.marks.rows.map((row) => [row.time, row.text]) };
  }, [from, to]);
  const slices = await page.evaluate(() => window.wperf.page.profile.slices);
  const all = await inRange(-1, -1);
  same(all.marks, plan.marks, "marks");
  same(Math.round(all.counted), plan.counted, "counted by the counters");
  const half = Math.floor(slices / 2);
  const first = await inRange(0, half - 1), second = await inRange(half, slices - 1);
  same(Math.round(first.counted + second.counted), plan.counted, "counted in both halves");
  check(first.counted > 0 && second.counted > 0, "a half counted nothing");
  same([...first.marks, ...second.marks], plan.marks, "marks of both halves");
  await page.evaluate(() => {
    window.wperf.page.store.change({ from: -1, to: -1 });
    document.getElementById("time").focus();
  });
  for (const key of ["n", "n"]) await page.keyboard.press(key);
  const spoken = await page.evaluate(() => document.querySelector(".spoken").textContent);
  check(spoken.includes(plan.marks[1][1]), "the second mark is not told: " + spoken);
  const chosen = await state(page);
  check(chosen.from >= 0 && chosen.from === chosen.to, "a mark chooses no time");
  await page.keyboard.press("z");
  await page.waitForFunction(() => location.hash.includes("window="));
  const seen = await page.evaluate(() => { const { begin, end } = window.wperf.page.timeline.window; return [begin, end]; });
  check(seen[0] <= plan.marks[1][0] && seen[1] >= plan.marks[1][0] && seen[1] - seen[0] < plan.times.at(-1) / 10, "z shows not the chosen stretch: " + seen);
  const colours = await page.evaluate(() => {
    window.wperf.page.store.change({ from: -1, to: -1 });
    window.wperf.page.timeline.show(0, window.wperf.page.timeline.seconds() * 1e9);
    window.wperf.page.timeline.draw();
    const canvas = document.getElementById("time"), { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add("#" + [data[i], data[i + 1], data[i + 2]].map((value) => value.toString(16).padStart(2, "0")).join(""));
    const style = getComputedStyle(document.documentElement);
    const pen = document.createElement("canvas").getContext("2d");
    const counters = window.wperf.page.timeline.rows.filter((row) => row.tracks !== undefined).map((row) => { pen.fillStyle = row.colour; return pen.fillStyle; });
    return [...["--mark", "--density"].map((name) => style.getPropertyValue(name).trim()), ...counters].filter((colour) => !found.has(colour));
  });
  same(colours, [], "colours that the timeline lacks");
}

// Counts over time: what stat says in JSON is what the counters sum up to, and of pauses it says that nothing was counted.
async function checkCounts(browser, plan) {
  const page = await opened(browser, plan.page);
  const told = await page.evaluate(() => {
    const { page: shown } = window.wperf;
    return { all: shown.tabs[0].view.counters.rows.map((row) => [row.name, row.sum, row.points]), rows: shown.timeline.rows.map((row) => row.name), tabs: shown.tabs.map((tab) => tab.id) };
  });
  same(told.tabs, ["moments", "about"], "views of counts");
  same(await page.title(), plan.title + ": counts over time - wperf", "title of counts");
  const facts = await page.evaluate(() => [...document.querySelectorAll("#plain th[scope=row]")].map((head) => head.textContent));
  for (const fact of ["Command", "Host", "Date", "Counted by"]) check(facts.includes(fact), `the page of counts does not tell: ${fact}`);
  same(told.all.sort(), plan.sums, "sums of counts");
  same([...told.rows].sort(), plan.sums.map(([name]) => name).sort(), "rows of the timeline of counts");
  const rate = (begin, end) => page.evaluate(([from, to]) => {
    const { page: shown } = window.wperf, slices = shown.profile.slices, length = shown.timeline.seconds();
    const at = (seconds) => Math.floor((seconds / length) * slices);
    shown.store.change({ from: at(from), to: at(to) });
    return shown.tabs[0].view.counters.rows[0].sum;
  }, [begin, end]);
  const paused = await rate(...plan.pause);
  await settled(page);
  same(paused, 0, "counted in a pause");
  check((await page.locator(".panel:not([hidden]) .table-row").first().innerText()).includes("not counted"), "a pause is a number");
  const counted = await rate(...plan.count);
  await settled(page);
  same(counted > 0, plan.sums[0][1] > 0, "what was counted in a part of a count");
  check(!(await page.locator(".panel:not([hidden]) .table-row").first().innerText()).includes("not counted"), "a count is no number");
  await page.locator("#time").focus();
  await page.keyboard.press("Escape");
  const painted = await page.evaluate(() => {
    window.wperf.page.timeline.draw();
    const canvas = document.getElementById("time"), row = canvas.getContext("2d").getImageData(151, 18 + 22 - 2, canvas.clientWidth - 152, 1).data;
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = window.wperf.page.timeline.rows[0].colour;
    const colours = { counted: pen.fillStyle, paused: colour("--line") };
    const pixels = { counted: 0, paused: 0 };
    for (let i = 0; i < row.length; i += 4) {
      const found = "#" + [row[i], row[i + 1], row[i + 2]].map((value) => value.toString(16).padStart(2, "0")).join("");
      for (const name of Object.keys(pixels)) if (found === colours[name]) ++pixels[name];
    }
    return pixels;
  });
  check(painted.counted > 50 && painted.paused > 50, "counts and pauses of a graph: " + JSON.stringify(painted));
  await checkAccess(page);
  const still = await opened(browser, plan.page, { javaScriptEnabled: false });
  for (const text of plan.cells) check(await still.getByRole("cell", { name: text, exact: true }).first().isVisible(), `without scripts there is no cell ${text}`);
}

// The tables of SPE have the headings of the text, and their own view; without scripts they are there, too.
async function checkMemory(browser, plan) {
  const page = await opened(browser, plan.page);
  await page.getByRole("tab", { name: "Memory" }).click();
  const told = await page.evaluate(() => Array.from(document.querySelectorAll("#panel-memory table"), (table) => [table.caption.textContent, ...Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent)].join("|")));
  for (const heads of plan.heads) check(told.includes(heads), `the view of memory has no table '${heads}': ${told}`);
  check(await page.getByRole("cell", { name: plan.cell, exact: true }).first().isVisible(), "the view of memory does not show " + plan.cell);
  const still = await opened(browser, plan.page, { javaScriptEnabled: false });
  check(await still.getByRole("cell", { name: plan.cell, exact: true }).first().isVisible(), "without scripts there is no table of memory");
  await checkAccess(page);
}

// However many frames there are, a picture has no more rectangles than pixels to show them.
async function checkMany(page, plan) {
  same(await whole(page), plan.stacks, "samples of many stacks");
  const got = await page.evaluate(() => {
    const { page: shown } = window.wperf, view = shown.tabs[0].view;
    view.draw();
    const plain = view.drawn;
    shown.store.change({ search: "^f77$" }, false);
    view.draw();
    return { plain, searched: view.drawn, count: document.querySelector(".count").textContent, match: view.matchesBefore(1).at(-1) };
  });
  check(got.plain > 100 && got.plain < 20000 && got.searched < 20000, "rectangles of a picture: " + JSON.stringify(got));
  same(got.count, `1 function, ${(100 * plan.found / plan.stacks).toFixed(2)} %`, "what a search finds in many stacks");
}

async function checkForeign(page, samples, times) {
  const timesOf = () => page.evaluate(() => window.wperf.page.profile.samples.streams.flatMap((one) => Array.from(one.time)).sort((a, b) => a - b));
  await page.waitForFunction((count) => window.wperf.page.profile.samples.count === count, times.length);
  same(await timesOf(), times, "times of a foreign profile");

  same(await page.evaluate(() => window.wperf.page.profile.events.map((event) => event.samples)), samples, "samples of a foreign profile");
  same(await page.evaluate(() => document.querySelector(".timeline").hidden === (window.wperf.page.profile.slices === 1)), true, "a timeline without times");
}

async function checkPrint(page) {
  await page.emulateMedia({ media: "print" });
  check(await page.locator("#plain table").first().isVisible(), "print has no table");
  check(!(await page.locator(".tools").isVisible()), "print has buttons");
  await page.emulateMedia({ media: "screen" });
}

const rowsOf = (page) => page.locator(".panel:not([hidden]) .table-row").allInnerTexts();

// Shares, ids, times and tips say what is so.
async function checkTexts(page) {
  await page.getByRole("tab", { name: "Functions" }).click();
  await settled(page);
  const main = (await rowsOf(page)).find((row) => row.trim().endsWith("main"));
  check(main !== undefined && main.split(/\s+/).slice(0, 2).join(" ") === "0.00 1.88", "the margin of none of 200 samples: " + main);
  check(await page.evaluate(() => [...document.querySelectorAll(".panel:not([hidden]) .table-row .cell")].every((cell) => cell.title === cell.textContent)), "a cell has no title");
  await page.getByRole("tab", { name: "Threads" }).click();
  await settled(page);
  check((await rowsOf(page)).some((row) => row.includes("4242425")), "ids are written like counts: " + await rowsOf(page));
  const scale = await page.evaluate(() => {
    const texts = [], pen = { fillRect() {}, fillText(text) { texts.push(text); } };
    for (let width = 600; width < 6000; width += 100) window.wperf.page.timeline.drawScale(pen, width);
    return texts;
  });
  check(scale.length > 100 && scale.every((text) => !text.includes("e+")), "the scale says " + scale.filter((text) => text.includes("e+")));
  await page.getByRole("tab", { name: "Flame graph" }).click();
  const box = await page.locator("#flame").boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + box.height - 10);
  check(await page.locator(".tip").isVisible(), "a frame has no tip");
  await page.keyboard.press("i");
  check(!(await page.locator(".tip").isVisible()), "a tip stays when its frame goes");
  await page.keyboard.press("i");
}

// A ratio is one of what was counted, whatever the widths show.
async function checkRatio(page) {
  const told = await page.evaluate(() => ["period", "samples"].map((measure) => {
    const { page: shown } = window.wperf;
    const [over, event] = ["ld_spec", "inst_spec"].map((name) => shown.profile.events.findIndex((one) => one.name === name));
    shown.store.change({ colour: "ratio", event, over, measure });
    const { tree, rows, groups } = shown.profile;
    const isBelow = (node) => node === 1 || (node > 1 && isBelow(tree.parent[node]));
    const sum = (of) => rows.period.reduce((all, value, row) => {
      const group = groups.begin.findIndex((begin) => begin > row) - 1;
      return all + (groups.event[group] === of && isBelow(rows.node[row]) ? value : 0);
    }, 0);
    const graph = shown.tabs[0].view, line = (node) => graph.describe(node).find((text) => text.includes(" per "));
    return { lines: Array.from(tree.functions, (_, node) => node).slice(1, 5).map(line), wanted: `ld_spec per thousand inst_spec: ${((1000 * sum(over)) / sum(event)).toPrecision(4)}` };
  }));
  same(told[1].lines, told[0].lines, "ratios by samples");
  for (const one of told) same(one.lines[0], one.wanted, "ratio of the first frame");
}

// Where a file names only some of its functions, the table of modules says of how many.
async function checkModules(page) {
  const told = await page.evaluate(() => {
    const { page: shown } = window.wperf, { functions } = shown.profile, states = () => { shown.open("modules"); return shown.tabs.find((tab) => tab.id === "modules").view.table.rows.map((row) => row.state); };
    const before = states();
    functions.kind[functions.name.indexOf("leaf")] = 3;
    shown.open("flame");
    return [before, states()];
  });
  same(told, [["found"], ["of 3 of 4 functions"]], "names of functions");
}

// Of 70 cores and 70 threads neither hides the other.
async function checkWide(page) {
  const names = await page.evaluate(() => window.wperf.page.timeline.rows.map((row) => row.name));
  same(names.length, 130, "rows of the timeline");
  same([names[0], names[63], names[64], names[129]], ["core 0", "core 63", "and 6 more cores", "and 6 more threads"], "rows of the timeline");
}

// Of a profile without times no stretch can be chosen.
async function checkWhole(page) {
  const chosen = await page.evaluate(() => {
    const { timeline, store } = window.wperf.page;
    timeline.choose(0, 0);
    return [timeline.whyWhole() !== "", store.state.from];
  });
  same(chosen, [true, -1], "a stretch of time where there is none");
}

async function checkPaper(page) {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const surface = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--surface").trim());
  same(await surface(), "#fff", "paper");
  await page.emulateMedia({ media: "screen", colorScheme: "dark" });
  const dark = await surface();
  const printed = await page.evaluate(() => {
    window.dispatchEvent(new Event("beforeprint"));
    const [canvas] = document.querySelectorAll(".sheet"), view = window.wperf.page.tabs[0].view;
    const copy = document.createElement("canvas").getContext("2d");
    copy.drawImage(canvas, 1 - canvas.width, 0);
    const { data } = copy.getImageData(0, 0, 1, 1);
    return { height: canvas.height, levels: view.levels.length, corner: [data[0], data[1], data[2]] };
  });
  same(printed.height, 20 * printed.levels, "height of the printed graph");
  check(Math.min(...printed.corner) > 128, "the printed graph is dark: " + printed.corner);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  same(await surface(), dark, "the screen after printing");
  same(await page.locator(".sheet").count(), 0, "sheets on the screen after printing");
  check(await page.locator("#flame").isVisible(), "no graph on the screen after printing");
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
}

async function inChromium() {
  const { chromium } = require("playwright-core");
  const browser = await chromium.launch({ executablePath: plan.chromium, args: ["--no-sandbox"] });
  try {
    const page = await opened(browser, plan.page);
    await checkNumbers(page);
    await checkGraph(page);
    await checkSearchAndFilters(page);
    const fragment = await checkTime(page);
    await checkTrees(page);
    await checkTables(page);
    await checkKeys(page);
    await checkPrint(page);
    await checkTexts(page);
    await checkPaper(page);
    await checkNarrow(browser);
    await checkModules(await opened(browser, plan.page));
    await checkThreads(page, "prog", ["prog", ":4242426"]);  // the second is one of the process
    await checkCode(await opened(browser, plan.page), plan.functions);
    await checkNameless(await opened(browser, plan.page));
    const broken = await opened(browser, plan.page, {}, "#keep=t:%25zz&drop=t:%25");
    same([await whole(broken), (await state(broken)).keep], [plan.samples, ""], "a link that is no text");
    const linked = await opened(browser, plan.page, {}, fragment);
    same(await whole(linked), plan.firstHalf, "samples of the linked range");
    const hostile = await opened(browser, plan.hostile);
    same(await whole(hostile), plan.hostileSamples, "samples of the page with hostile names");
    await checkAccess(hostile);
    const still = await opened(browser, plan.page, { javaScriptEnabled: false });
    check(await still.getByRole("cell", { name: "inner", exact: true }).first().isVisible(), "without scripts there is no table");
    await checkWaits(browser, plan.waits);
    if (plan.locks) await checkLocks(browser, plan.locks);
    await checkWhole(await opened(browser, plan.many.page));
    await checkRatio(await opened(browser, plan.others[0]));
    await checkWide(await opened(browser, plan.wide));
    await checkDifference(browser);
    for (const one of plan.deep) await checkDeep(browser, one);
    await checkMemory(browser, plan.memory);
    for (const one of plan.counts) await checkCounts(browser, one);
    await checkMany(await opened(browser, plan.many.page), plan.many);
    for (const [file, samples, times] of plan.foreign) await checkForeign(await opened(browser, file), samples, times);
    const moments = await opened(browser, plan.moments.page);
    await checkMoments(moments, plan.moments);
    await checkAccess(moments);
    for (const file of plan.others) await opened(browser, file);
  } finally {
    await browser.close();
  }
}

// A graph of any height is on paper, sheet by sheet: no pixel is of nothing. What is not is told.
async function checkDeep(browser, plan) {
  const page = await opened(browser, plan.page);
  const printed = await page.evaluate(() => {
    window.dispatchEvent(new Event("beforeprint"));
    const sheets = Array.from(document.querySelectorAll(".sheet"));
    const painted = sheets.map((sheet) => {
      const { data } = sheet.getContext("2d").getImageData(sheet.width >> 2, 0, 1, sheet.height);
      let levels = 0;
      for (let y = 10; y < sheet.height; y += 20) levels += data[4 * y] === 255 && data[4 * y + 1] === 255 && data[4 * y + 2] === 255 ? 0 : 1;
      return levels;
    });
    const told = document.querySelector("#panel-flame p")?.textContent ?? "";
    window.dispatchEvent(new Event("afterprint"));
    return { painted, told, after: document.querySelectorAll("#panel-flame p, .sheet").length };
  });
  same(printed.painted.reduce((sum, levels) => sum + levels, 0), Math.min(plan.levels, 2000), "levels on paper");
  same(printed.told, plan.levels > 2000 ? `Not printed: ${plan.levels - 2000} of ${plan.levels.toLocaleString("en-US")} levels, farthest from the outermost callers.` : "", "what is not on paper");
  same(printed.after, 0, "what is left of printing");
}

// Two sides: what grew, shrank, is new and is gone is told in words, by the numbers of --json.
async function checkDifference(browser) {
  const { page: file, rows, words } = plan.difference;
  const page = await opened(browser, file);
  same((await page.locator("#colour option").allInnerTexts()), ["change", "module"], "colours of a difference");
  const told = await page.evaluate(() => {
    const { shown, names, tabs } = window.wperf.page;
    const graph = tabs[0].view;
    return Object.fromEntries(Array.from(shown.functions).map((one, node) => [names[one], node]).filter(([, node]) => node > 0)
      .map(([name, node]) => [name, graph.describe(node)[2]]));
  });
  for (const [name, text] of Object.entries(words)) same(told[name], text, `what the frame of ${name} tells`);
  const marks = await page.evaluate(() => window.wperf.page.tabs[0].view.legend.textContent);
  check(marks.includes("▲ costs more") && marks.includes("▼ costs less"), "the legend tells by colour only: " + marks);
  await page.getByRole("tab", { name: "Changes" }).click();
  const table = page.getByRole("treegrid", { name: "Changes" });
  same(Number(await table.getAttribute("aria-rowcount")), rows.length + 1, "rows of changes");
  await settled(page);
  const text = await table.innerText();
  for (const row of rows) for (const word of row) check(text.includes(word), `the changes do not say ${word}`);
  await page.keyboard.press("/");
  await page.keyboard.type("fresh");
  await page.waitForFunction(() => document.querySelector("[role=treegrid]").getAttribute("aria-rowcount") === "2")
    .catch(() => check(false, "a search does not choose rows of changes"));
  await checkAccess(page);
  const still = await opened(browser, file, { javaScriptEnabled: false });
  check(await still.getByRole("cell", { name: "fresh", exact: true }).first().isVisible(), "without scripts there is no table of changes");
  const hostile = await opened(browser, plan.difference.hostile);
  await hostile.getByRole("tab", { name: "Changes" }).click();
  await checkAccess(hostile);
}

async function inFirefox() {
  const puppeteer = require("puppeteer-core");
  const browser = await (puppeteer.default ?? puppeteer).launch({ browser: "firefox", executablePath: plan.firefox, headless: true });
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => check(false, "Firefox: " + error.message));
    await page.goto(url(plan.page));
    await page.waitForFunction(() => window.wperf !== undefined, { timeout: 30000 });
    await checkNumbers(page);
    await page.goto(url(plan.moments.page));
    await page.waitForFunction(() => window.wperf !== undefined, { timeout: 30000 });
    await checkMoments(page, plan.moments);
  } finally {
    await browser.close();
  }
}

await (plan.firefox ? inFirefox() : inChromium()).catch((error) => faults.push(error.stack));
for (const fault of faults) console.log(fault);
