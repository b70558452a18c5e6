// SPDX-License-Identifier: BSD-3-Clause
// Time from left to right; cores and threads as rows, how much was sampled in each as height. What was lost is drawn
// where it was lost. A stretch that is dragged over is what every other view shows.

const kRowHeight = 22, kScaleHeight = 18, kNameWidth = 150, kMostRows = 64, kStateHeight = 9, kMostCounters = 12, kMostCounts = 256;

// What is not drawn is at least told.
function mostOf(rows, most, what) {
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most), { name: `and ${wholeText(rows.length - most)} more ${what}`, task: "", detail: "", isRest: true }];
}

class Timeline {
  constructor(page) {
    this.page = page;
    this.canvas = element("canvas", { class: "time-graph", tabindex: "0", role: "application", id: "time",
      "aria-label": "Timeline. Left and right move the selected time range, with Shift they change its length, Escape selects everything; plus and minus zoom, n and p go to the next and previous mark." });
    this.spoken = element("p", { class: "spoken", "aria-live": "polite" });
    this.root = element("section", { class: page.isCounts ? "timeline tall" : "timeline", "aria-label": "Timeline" }, this.canvas, this.spoken);
    this.window = { begin: 0, end: this.seconds() * 1e9 };
    this.redraw = oncePerFrame(() => this.draw());
    this.canvas.addEventListener("pointerdown", (event) => this.pointerDown(event));
    this.canvas.addEventListener("pointermove", (event) => this.pointerMoved(event));
    this.canvas.addEventListener("pointerup", (event) => this.pointerUp(event));
    this.canvas.addEventListener("pointerleave", () => this.page.tip.hide());
    this.canvas.addEventListener("dblclick", () => this.choose(-1, -1));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.root.addEventListener("scroll", () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  update(state, changes) {
    this.state = state;
    const words = /^(\d+)-(\d+)$/.exec(state.window);
    const length = this.seconds() * 1e9;
    this.window = words !== null && Number(words[1]) < Number(words[2]) && Number(words[2]) <= length ? { begin: Number(words[1]), end: Number(words[2]) } : { begin: 0, end: length };
    if (changes.rows || this.rows === undefined) this.makeRows();
    this.redraw();
  }

  makeRows() {
    const { profile } = this.page;
    const { groups, rows, tasks } = profile;
    const passing = nodesPassing(profile, this.state), isTask = tasksPassing(profile, this.state);
    const values = this.state.measure === "samples" ? rows.samples : rows.period;
    this.passing = { node: passing, task: isTask };
    const all = this.emptyRow("all", "");
    const cores = new Map(), threads = new Map();
    for (let group = 0; group < groups.count; ++group) {
      if (groups.event[group] !== this.state.event || isTask[groups.task[group]] === 0) continue;
      let sum = 0;
      for (let row = groups.begin[group]; row < groups.begin[group + 1]; ++row) if (passing[rows.node[row]] !== 0) sum += values[row];
      if (sum === 0) continue;
      const task = groups.task[group], core = groups.core[group], slice = groups.slice[group];
      if (!cores.has(core)) cores.set(core, { ...this.emptyRow("core " + core, ""), core });
      if (!threads.has(task)) threads.set(task, this.emptyRow(tasks.name[task], String(task), `process ${tasks.pid[task]}, thread ${tasks.tid[task]}`));
      for (const one of [all, cores.get(core), threads.get(task)]) {
        one.values[slice] += sum;
        one.sum += sum;
      }
    }
    for (const task of profile.states.keys()) {
      if (isTask[task] !== 0 && !threads.has(task)) threads.set(task, this.emptyRow(tasks.name[task], String(task), `process ${tasks.pid[task]}, thread ${tasks.tid[task]}`));
    }
    const coreRows = [...cores.entries()].sort((a, b) => a[0] - b[0]).map((entry) => entry[1]);
    const threadRows = [...threads.values()].sort((a, b) => b.sum - a.sum);
    const alike = new Map();
    for (const { name } of threadRows) alike.set(name, (alike.get(name) ?? 0) + 1);
    for (const row of threadRows) if (alike.get(row.name) > 1) row.name += " " + tasks.tid[row.task];
    this.threadsInAll = threadRows.length;
    // Of a profile without times there is nothing to draw.
    this.root.hidden = profile.slices === 1 && profile.states.size + profile.counters.length + profile.marks.length + profile.lost.length === 0;
    const measured = [...this.markRows(), ...mostOf(this.counterRows(), this.page.isCounts ? kMostCounts : kMostCounters, "counters")];
    const ofCores = this.page.isCounts ? [] : coreRows.length > 1 ? mostOf(coreRows, kMostRows, "cores") : [all];
    this.rows = [...measured, ...ofCores, ...mostOf(threadRows, kMostRows, "threads")];
    if (!this.hasDensity() && threadRows.length > 0) this.rows = [...measured, ...mostOf(threadRows, kMostRows, "threads")];  // where it was in time, only states tell
    const shares = coreRows.length > 1 ? coreRows : [all];
    for (const row of this.rows) if (row.values !== undefined) row.greatest = Math.max(...(shares.includes(row) ? shares : threadRows.slice(0, 8)).map((one) => one.peak()));
    this.canvas.style.height = kScaleHeight + Math.max(this.rows.length, 1) * kRowHeight + 2 + "px";
  }
  markRows() {
    return this.page.profile.marks.length > 0 ? [{ name: "marks", task: "", detail: "", marks: this.page.profile.marks }] : [];
  }
  // One for each counter, of all cores together; each core has its own where counters are all there is.
  counterRows() {
    const { counters, tasks } = this.page.profile, rows = new Map(), alike = new Map();
    for (const track of counters) {
      const name = this.page.isCounts ? trackName(track, tasks) : track.name;
      if (!rows.has(name)) {
        if (!alike.has(track.name)) alike.set(track.name, Object.assign([], { hue: kHues[(alike.size + 1) % kHues.length] }));
        rows.set(name, { name: harmlessName(name), task: "", detail: "", tracks: [], alike: alike.get(track.name) });
        alike.get(track.name).push(rows.get(name));
      }
      rows.get(name).tracks.push(track);
    }
    return [...alike.values()].flat();
  }
  emptyRow(name, task, detail = "") {
    const values = new Float64Array(this.page.profile.slices);
    return { name: harmlessName(name), task, detail, values, sum: 0, greatest: 1, peak() { return this.values.reduce((a, b) => Math.max(a, b), 0); } };
  }

  // Are there samples, and is it known when they were? A thread's time is as much in each slice.
  hasDensity() {
    return this.page.profile.slices > 1 && !this.page.profile.events.some(isAllTime);
  }
  sliceAt(x) {
    const { slices } = this.page.profile;
    const slice = (this.seconds() * 1e9) / slices;
    return Math.max(0, Math.min(slices - 1, Math.floor(this.momentAt(x) / slice)));
  }
  momentAt(x) {
    return this.window.begin + ((x - kNameWidth) / (this.canvas.clientWidth - kNameWidth)) * (this.window.end - this.window.begin);
  }
  xOf(moment, room) {
    return kNameWidth + ((moment - this.window.begin) / (this.window.end - this.window.begin)) * room;
  }
  isZoomed() {
    return this.window.begin > 0 || this.window.end < this.seconds() * 1e9;
  }
  // `factor` below 1: closer. The moment at `middle` stays where it is.
  zoom(factor, middle) {
    const length = this.seconds() * 1e9, { begin, end } = this.window;
    const wanted = Math.max(1000, Math.min(length, (end - begin) * factor));
    const left = Math.max(0, Math.min(length - wanted, middle - ((middle - begin) * wanted) / (end - begin)));
    this.show(left, left + wanted);
  }
  show(begin, end) {
    this.window = { begin: Math.round(begin), end: Math.round(end) };
    this.redraw();
    // Browsers take addresses of a page a few times a second only.
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.page.store.change({ window: this.isZoomed() ? `${this.window.begin}-${this.window.end}` : "" }, false), 250);
  }
  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const turned = event.deltaY !== 0 ? event.deltaY : event.deltaX;
    if (event.ctrlKey) return this.zoom(turned > 0 ? 1.25 : 0.8, this.momentAt(Math.max(event.offsetX, kNameWidth)));
    const wide = this.window.end - this.window.begin;
    const begin = Math.max(0, Math.min(this.seconds() * 1e9 - wide, this.window.begin + Math.sign(turned) * wide * 0.1));
    this.show(begin, begin + wide);
  }
  goTo(mark) {
    const slice = sliceOfTime(this.page.profile, mark.time);
    this.choose(slice, slice);
    if (mark.time < this.window.begin || mark.time > this.window.end) this.show(0, this.seconds() * 1e9);
    this.spoken.textContent = `${markText(mark)}, process ${mark.pid}, at ${secondsText(mark.time / 1e9)}`;
  }
  walkMarks(step) {
    const { marks } = this.page.profile;
    if (marks.length === 0) return;
    const next = this.markAt === undefined ? (step > 0 ? 0 : marks.length - 1) : this.markAt + step;
    this.markAt = Math.max(0, Math.min(marks.length - 1, next));
    this.goTo(marks[this.markAt]);
  }
  draw() {
    if (this.rows === undefined || this.canvas.clientWidth === 0) return;
    const { context, width, height } = contextOf(this.canvas);
    const room = width - kNameWidth, { slices } = this.page.profile;
    context.fillStyle = styled("--surface");
    context.fillRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.rows.forEach((row, i) => this.drawName(context, row, kScaleHeight + i * kRowHeight, room));
    context.save();
    context.beginPath();
    context.rect(kNameWidth, 0, room, height);
    context.clip();
    this.rows.forEach((row, i) => this.drawRow(context, row, kScaleHeight + i * kRowHeight, room));
    this.drawLosses(context, height, room);
    context.restore();
    const { from, to } = this.dragged ?? this.state;
    if (from >= 0) {
      const slice = (this.seconds() * 1e9) / slices;
      const left = Math.max(kNameWidth, this.xOf(from * slice, room)), right = Math.max(kNameWidth, Math.min(width, this.xOf((to + 1) * slice, room)));
      context.fillStyle = styled("--veil");
      context.fillRect(kNameWidth, 0, left - kNameWidth, height);
      context.fillRect(right, 0, width - right, height);
      context.fillStyle = styled("--accent");
      context.fillRect(left - 1, 0, 2, height);
      context.fillRect(right - 1, 0, 2, height);
    }
    this.drawScale(context, width);
  }
  // It stays where it is seen, however far the rows are scrolled.
  drawScale(context, width) {
    const y = this.root.scrollTop;
    if (y > 0) {
      context.fillStyle = styled("--surface");
      context.fillRect(0, y, width, kScaleHeight);
    }
    const seconds = (this.window.end - this.window.begin) / 1e9, room = width - kNameWidth;
    const wanted = (seconds * 90) / Math.max(room, 1);
    let step = 10 ** Math.floor(Math.log10(Math.max(wanted, 1e-9)));
    for (const factor of [2, 2.5, 2]) if (step < wanted) step *= factor;
    context.fillStyle = styled("--quiet");
    const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step)) + 1));
    for (let at = Math.ceil(this.window.begin / 1e9 / step) * step; at < this.window.end / 1e9; at += step) {
      const x = this.xOf(at * 1e9, room);
      context.fillRect(x, y, 1, kScaleHeight - 4);
      if (x + 60 < width) context.fillText(this.isZoomed() ? at.toFixed(digits) + " s" : secondsText(at), x + 4, y + kScaleHeight / 2 - 1);
    }
  }
  seconds() {
    const { length_ns: length, seconds } = this.page.profile;
    return length > 0 ? length / 1e9 : Math.max(seconds, 1e-9);
  }
  drawName(context, row, y, room) {
    const isChosen = row.task !== "" && wordsOf(this.state.tasks).includes(row.task);
    context.fillStyle = styled(isChosen ? "--accent" : row.isRest ? "--quiet" : "--ink");
    context.save();
    context.beginPath();
    context.rect(0, y, kNameWidth - 8, kRowHeight);
    context.clip();
    context.fillText(row.name, 10, y + kRowHeight / 2);
    context.restore();
    context.fillStyle = styled("--line");
    context.fillRect(kNameWidth, y + kRowHeight - 1, room, 1);
  }
  drawRow(context, row, y, room) {
    if (row.isRest) return;
    if (row.marks !== undefined) return this.drawMarks(context, row.marks, y, room);
    if (row.tracks !== undefined) return this.drawCounter(context, row, y, room);
    const { slices } = this.page.profile;
    const states = row.task === "" ? undefined : this.page.profile.states.get(Number(row.task));
    if (states !== undefined) this.drawStates(context, states, y, room);
    if (!this.hasDensity()) return;
    const base = states === undefined ? y + kRowHeight - 1 : y + kRowHeight - 1 - kStateHeight;
    const tallest = states === undefined ? kRowHeight - 4 : kRowHeight - kStateHeight - 4;
    context.fillStyle = styled(row.task === "" ? "--density" : "--density-thread");
    context.beginPath();
    const length = (this.seconds() * 1e9) / slices;
    const first = Math.floor(this.window.begin / length), shown = Math.min(slices, Math.ceil(this.window.end / length)) - first;
    const single = (length / (this.window.end - this.window.begin)) * room > 6 && this.page.profile.samples.count > 0;
    context.globalAlpha = single ? 0.35 : 1;
    // A pixel shows the most of its slices: what is short is seen, too.
    const columns = Math.min(shown, Math.ceil(room));
    for (let column = 0; column < columns; ++column) {
      const begin = first + Math.floor((column * shown) / columns), end = Math.max(begin + 1, first + Math.floor(((column + 1) * shown) / columns));
      let most = 0;
      for (let slice = begin; slice < end; ++slice) if (row.values[slice] > most) most = row.values[slice];
      if (most === 0) continue;
      const tall = Math.max(1.5, (most / row.greatest) * tallest);
      const left = this.xOf(begin * length, room);
      context.rect(left, base - tall, Math.max(this.xOf(end * length, room) - left, 1), tall);
    }
    context.fill();
    context.globalAlpha = 1;
    if (single) this.drawSamples(context, row, base, tallest, room);
  }
  // Each at its own time.
  drawSamples(context, row, base, tallest, room) {
    context.beginPath();
    this.eachSample(row, this.window.begin, this.window.end, (time) => context.rect(Math.round(this.xOf(time, room)), base - tallest, 1, tallest));
    context.fill();
  }
  // take(time, row of the profile) for what a row of the timeline shows.
  eachSample(row, from, to, take) {
    const { samples, groups, rows } = this.page.profile;
    if (row.values === undefined) return;
    for (const { event, core, time, row: rowOf } of samples.streams) {
      if (event !== this.state.event || (row.core !== undefined && row.core !== core)) continue;
      for (let i = firstFrom(time, from); i < time.length && time[i] <= to; ++i) {
        if (this.passing.node[rows.node[rowOf[i]]] === 0) continue;
        const task = groups.task[firstFrom(groups.begin, rowOf[i] + 1) - 1];
        if (this.passing.task[task] !== 0 && (row.task === "" || Number(row.task) === task)) take(time[i], rowOf[i]);
      }
    }
  }
  nearestSample(row, moment, reach) {
    let nearest = null;
    this.eachSample(row, moment - reach, moment + reach, (time, of) => {
      if (nearest === null || Math.abs(time - moment) < Math.abs(nearest.time - moment)) nearest = { time, of };
    });
    return nearest;
  }
  // Programs have flags, with their names where there is room; of threads it is seen where they begin and end.
  drawMarks(context, marks, y, room) {
    context.fillStyle = styled("--mark");
    let free = -1, last = -1;
    for (let i = firstFrom(this.markTimes(), this.window.begin); i < marks.length && marks[i].time <= this.window.end; ++i) {
      const x = this.xOf(marks[i].time, room);
      const hasFlag = marks[i].kind === 0 && x >= free;
      if (hasFlag || x - last >= 0.5) context.fillRect(x, marks[i].kind === 2 ? y + 17 : y + 1, 1, hasFlag ? kRowHeight - 3 : 4);  // above and below names
      last = x;
      if (!hasFlag) continue;
      context.beginPath();
      context.moveTo(x, y + 3);
      context.lineTo(x + 6, y + 6);
      context.lineTo(x, y + 9);
      context.fill();
      const text = fittingText(marks[i].text, 90, 7);
      context.fillText(text, x + 8, y + kRowHeight / 2);
      free = x + 12 + (text === "" ? 0 : context.measureText(text).width);
    }
  }
  markTimes() {
    return (this.times ??= Float64Array.from(this.page.profile.marks, (mark) => mark.time));
  }
  measureCounter(row, room) {
    const key = `${this.window.begin} ${this.window.end} ${room}`;
    if (row.key !== key) {
      const parts = Math.max(1, Math.ceil(room)), part = (this.window.end - this.window.begin) / parts;
      row.rates = Float64Array.from({ length: parts }, (_, i) => rateBetween(row.tracks, this.window.begin + i * part, this.window.begin + (i + 1) * part));
      row.most = row.rates.reduce((a, b) => (b > a ? b : a), 0);
      row.key = key;
    }
  }
  // Rows of one event on several cores have one scale. Where nothing was counted is neither empty nor a line.
  drawCounter(context, row, y, room) {
    for (const one of row.alike) this.measureCounter(one, room);
    const most = Math.max(...row.alike.map((one) => one.most));
    const wide = room / row.rates.length;
    for (const isCounted of [false, true]) {
      context.fillStyle = isCounted ? (row.colour = toned(row.alike.hue)) : styled("--line");
      context.beginPath();
      row.rates.forEach((rate, i) => {
        if (Number.isNaN(rate) === isCounted) return;
        const tall = isCounted ? Math.max(1, (rate / Math.max(most, 1e-9)) * (kRowHeight - 4)) : kRowHeight;
        const left = Math.round(kNameWidth + i * wide), right = Math.round(kNameWidth + (i + 1) * wide);
        context.rect(left, y + kRowHeight - (isCounted ? 1 : 0) - tall, Math.max(right - left, 1), tall);
      });
      context.fill();
    }
    context.fillStyle = styled("--ink");  // how much the full height is
    if (most > 0) context.fillText(`to ${shortNumber(most)} ${row.tracks[0].unit} a second`, kNameWidth + 5, y + kRowHeight / 2);
  }
  // What is narrower than half a pixel is drawn once per half pixel, running before all else.
  drawStates(context, states, y, room) {
    const unknown = 2 + this.page.profile.wait_classes.length;
    for (const [layer, colour] of [[3, kStateColours.unknown()], [2, kStateColours.waiting()], [1, kStateColours.ready()], [0, kStateColours.running()]]) {
      context.fillStyle = colour;
      context.beginPath();
      let until = kNameWidth - 1;
      for (let i = firstFrom(states.end, this.window.begin); i < states.begin.length && states.begin[i] < this.window.end; ++i) {
        const kind = states.kind[i] === unknown ? 3 : Math.min(states.kind[i], 2);
        if (kind !== layer) continue;
        const left = this.xOf(states.begin[i], room), right = this.xOf(states.end[i], room);
        if (right - until < 0.5) continue;
        until = Math.max(right, left + 0.5);
        const thin = layer >= 2 ? 3 : 0;
        context.rect(left, y + kRowHeight - 1 - kStateHeight + thin, Math.max(right - left, 0.5), kStateHeight - thin);
      }
      context.fill();
    }
  }
  stateText(task, moment) {
    const states = this.page.profile.states.get(task);
    if (states === undefined) return null;
    let low = 0, high = states.begin.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (states.end[middle] <= moment) low = middle + 1;
      else high = middle;
    }
    if (low === states.begin.length || states.begin[low] > moment) return null;
    const kind = states.kind[low];
    const names = this.page.profile.wait_classes;
    const what = kind === 0 ? "running" : kind === 1 ? "ready" : kind - 2 < names.length ? "waiting: " + names[kind - 2] : "unknown: not recorded";
    const { tasks } = this.page.profile;
    const waker = states.waker[low] > 0 ? `, woken by ${harmlessName(tasks.name[states.waker[low] - 1])} (${tasks.tid[states.waker[low] - 1]})` : "";
    return `${what}, ${secondsText((states.end[low] - states.begin[low]) / 1e9)}${waker}`;
  }
  drawLosses(context, height, room) {
    context.fillStyle = styled("--loss");
    for (const [begin, end] of this.page.profile.lost) {
      const left = this.xOf(begin, room);
      context.fillRect(left, kScaleHeight - 4, Math.max(this.xOf(end, room) - left, 2), height - kScaleHeight + 4);
    }
  }

  // Why no stretch of time can be chosen; empty: one can.
  whyWhole() {
    return this.page.profile.slices > 1 ? "" : "The views show the whole time; a time range cannot be selected.";
  }
  choose(from, to) {
    if (from >= 0 && this.whyWhole() !== "") {
      this.spoken.textContent = this.whyWhole();
      return;
    }
    this.page.store.change({ from, to });
  }
  rowAt(y) {
    return this.rows[Math.floor((y - kScaleHeight) / kRowHeight)];
  }
  pointerDown(event) {
    if (event.button !== 0) return;
    if (event.offsetX < kNameWidth) {
      const row = this.rowAt(event.offsetY);
      if (row === undefined || row.task === "") return;
      const words = this.state.tasks;
      this.page.store.change({ tasks: wordsOf(words).includes(row.task) ? withoutWord(words, row.task) : withWord(words, row.task) });
      return;
    }
    if (this.whyWhole() !== "") {
      this.spoken.textContent = this.whyWhole();
      return this.page.tip.show(event.clientX, event.clientY, ["No time range to select", this.whyWhole()]);
    }
    this.begun = this.sliceAt(event.offsetX);
    this.canvas.setPointerCapture(event.pointerId);
  }
  pointerMoved(event) {
    if (this.begun !== undefined) {
      const at = this.sliceAt(event.offsetX);
      this.dragged = { from: Math.min(at, this.begun), to: Math.max(at, this.begun) };
      this.redraw();
    }
    const row = this.rowAt(event.offsetY);
    if (row === undefined) return this.page.tip.hide();
    if (this.begun === undefined && event.buttons === 1 && this.whyWhole() !== "") return;  // which the tip says
    const slice = this.sliceAt(event.offsetX);
    const lines = [row.name];
    if (row.detail !== "") lines.push(row.detail);
    const at = this.momentAt(event.offsetX), reach = (4 * (this.window.end - this.window.begin)) / (this.canvas.clientWidth - kNameWidth);
    if (event.offsetX >= kNameWidth) lines.push(...this.linesOf(row, at, reach));
    const state = row.task === "" ? null : this.stateText(Number(row.task), at);
    if (state !== null) lines.push(state);
    if (event.offsetX >= kNameWidth && this.hasDensity() && row.values !== undefined) lines.push(`${secondsText((slice * this.seconds()) / this.page.profile.slices)}: ${shortNumber(row.values[slice])}`);
    const moment = (slice / this.page.profile.slices) * this.seconds() * 1e9;
    for (const [begin, end, count, what] of this.page.profile.lost) {
      if (moment >= begin - 2e7 && moment <= end + 2e7) lines.push(`lost here: ${count > 0 ? wholeText(count) + " " : ""}${what}`);
    }
    this.page.tip.show(event.clientX, event.clientY, lines);
  }
  linesOf(row, at, reach) {
    const seconds = (time) => (time / 1e9).toFixed(9) + " s";
    if (row.marks !== undefined) {
      const near = [];
      for (let i = firstFrom(this.markTimes(), at - reach); i < row.marks.length && row.marks[i].time <= at + reach && near.length < 8; ++i) near.push(`${seconds(row.marks[i].time)}: ${markText(row.marks[i])} (${row.marks[i].tid})`);
      return near;
    }
    if (row.tracks !== undefined) {
      const rate = rateBetween(row.tracks, at - reach / 4, at + reach / 4);
      return [`${seconds(at)}: ${rateText(rate)}${Number.isNaN(rate) ? "" : " a second"}`];
    }
    if (this.page.profile.samples.count === 0) return [];
    const nearest = this.nearestSample(row, at, reach);
    if (nearest === null) return [];
    const { tree, rows } = this.page.profile;
    return [`${seconds(nearest.time)}: ${harmlessName(this.page.profile.functions.name[tree.functions[rows.node[nearest.of]]] ?? "")}`];
  }
  pointerUp() {
    const { dragged } = this;
    this.begun = this.dragged = undefined;
    if (dragged !== undefined) this.choose(dragged.from, dragged.to);
  }
  key(event) {
    const { slices } = this.page.profile;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const middle = (this.window.begin + this.window.end) / 2;
    const slice = (this.seconds() * 1e9) / slices;
    const actions = { "+": () => this.zoom(0.5, middle), "-": () => this.zoom(2, middle), n: () => this.walkMarks(1), p: () => this.walkMarks(-1),
      z: () => (this.state.from < 0 ? this.show(0, this.seconds() * 1e9) : this.show(this.state.from * slice, (this.state.to + 1) * slice)) };
    if (actions[event.key] !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      return actions[event.key]();
    }
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const size = Math.max(1, Math.round(slices / 50));
    let { from, to } = this.state;
    if (from < 0) [from, to] = [0, size - 1];
    else if (event.shiftKey) to = Math.max(from, Math.min(slices - 1, to + step * size));
    else if (from + step * size >= 0 && to + step * size < slices) [from, to] = [from + step * size, to + step * size];
    this.choose(from, Math.min(to, slices - 1));
  }
}
