// SPDX-License-Identifier: BSD-3-Clause
// What the views share: elements, canvases as sharp as the screen, numbers and names as text.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function styled(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// The context of a canvas that fills its box, in pixels of CSS.
function contextOf(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}

// One call per frame of the screen, however often it is asked for.
function oncePerFrame(draw) {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      draw();
    });
  };
}

const kWholeNumbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const wholeText = (value) => kWholeNumbers.format(value);
const percentText = (part, whole) => (whole > 0 ? ((100 * part) / whole).toFixed(2) : "0.00");
function shortNumber(value) {
  const units = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " K"]];
  // What is rounded to a thousand of a unit is one of the next.
  for (const [size, unit] of units) if (value >= 0.9995 * size) return (value / size).toPrecision(3) + unit;
  return String(Math.round(value * 100) / 100);
}
function secondsText(seconds) {
  if (seconds === 0) return "0 s";
  if (seconds < 0.9995e-3) return (seconds * 1e6).toPrecision(3) + " µs";
  if (seconds < 0.9995) return (seconds * 1e3).toPrecision(3) + " ms";
  return seconds.toFixed(seconds < 100 ? 3 : 1) + " s";
}
// What an event counted. Clocks count nanoseconds; and of threads' time there are no samples, only time.
const isClock = (event) => /^(cpu-clock|task-clock|Timer)(:|$)|\((ns|nanoseconds)\)$/.test(event.name);
const isAllTime = (event) => event.name === "time (ns)";
const weightText = (event, measure, value) => (isClock(event) && measure === "period" ? secondsText(value / 1e9) : shortNumber(value));

// Text that fits, by the width of one character of a font of fixed width.
function fittingText(text, width, characterWidth) {
  const room = Math.floor(width / characterWidth);
  if (text.length <= room) return text;
  return room < 4 ? "" : text.slice(0, room - 1) + "…";
}

const kMostShown = 240;
const harmlessName = (name) => (name.length > kMostShown ? name.slice(0, kMostShown) + "…" : name).replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

// A box beside the pointer.
class Tip {
  constructor() {
    this.box = element("div", { class: "tip", role: "tooltip", hidden: "" });
    document.body.append(this.box);
  }
  show(x, y, lines) {
    this.box.replaceChildren(...lines.map((line, i) => element("div", { class: i === 0 ? "tip-title" : "tip-line" }, line)));
    this.box.hidden = false;
    const { width, height } = this.box.getBoundingClientRect();
    this.box.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 8)) + "px";
    this.box.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18) + "px";
  }
  hide() {
    this.box.hidden = true;
  }
}
