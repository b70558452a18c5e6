// SPDX-License-Identifier: BSD-3-Clause
// Opens a file in speedscope's own app and prints what its table of functions says, for each profile of the file: [[name, self,
// total], ...]. Arguments: the folder of node modules, the browser, the app's index.html, the file, a folder to write to.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [, , modules, browserPath, app, file, folder] = process.argv;
const { chromium } = createRequire(modules + "/")("playwright-core");
const content = readFileSync(file);
const profiles = JSON.parse(content).profiles.length;
// As its command line tool hands a file over.
const script = join(folder, "load.js");
writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, "${content.toString("base64")}")`);

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(`file://${app}#localProfilePath=${script}`);
const number = (cell) => Number(cell.split(" ")[0].replaceAll(",", ""));
const table = () => page.evaluate(() => [...document.querySelectorAll("tr")].map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));
const found = [];
await page.getByText("Sandwich").click({ timeout: 20000 });
for (let i = 0; i < profiles; ++i) {
  await page.waitForFunction(() => [...document.querySelectorAll("td")].some((cell) => cell.textContent.endsWith("%)")));
  // Other tables are of keys and of the profiles there are.
  const rows = (await table()).filter((row) => row.length === 3 && row[0].endsWith("%)"));
  found.push(rows.map(([total, self, name]) => [name, number(self), number(total)]));
  await page.keyboard.press("n");
  await page.waitForTimeout(300);
}
await browser.close();
console.log(JSON.stringify(found));
