// Pictures of pages that Laconic wrote, as wide windows, phones and dark windows show them.
// node scripts/report-screenshots.mjs OUT FOLDER...   (folders of runs, sweeps, ablations and benches)
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib/root.mjs";

const [out, ...folders] = process.argv.slice(2);
if (out === undefined || folders.length === 0) {
  console.error("usage: node scripts/report-screenshots.mjs OUT FOLDER...");
  process.exit(2);
}
// Of the command line's package: the repository itself has no such dependency.
const { chromium } = createRequire(join(root, "apps/trainer/package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.LACONIC_CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
await mkdir(out, { recursive: true });
const windows = [
  { name: "1280", width: 1280, colorScheme: "light" },
  { name: "1280-dark", width: 1280, colorScheme: "dark" },
  { name: "390", width: 390, colorScheme: "light" },
  { name: "390-dark", width: 390, colorScheme: "dark" },
];
/** Longer pages are cut into several pictures. */
const tallest = 1600;
let found = 0;
try {
  for (const folder of folders.map((each) => resolve(each)))
    for (const page of ["report.html", "sweep.html", "ablation.html", "analysis.html"]) {
      const file = join(folder, page);
      if (!existsSync(file)) continue;
      found++;
      for (const { name, width, colorScheme } of windows) {
        const tab = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
        await tab.goto(pathToFileURL(file).href);
        const height = await tab.evaluate(() => document.documentElement.scrollHeight);
        for (let top = 0, part = 1; top < height; top += tallest, part++) {
          const picture = join(out, `${basename(folder)}-${basename(page, ".html")}-${name}-${part}.png`);
          const clip = { x: 0, y: top, width, height: Math.min(tallest, height - top) };
          await tab.screenshot({ path: picture, fullPage: true, clip });
          console.log(picture);
        }
        await tab.close();
      }
    }
} finally {
  await browser.close();
}
if (found === 0) {
  console.error("no page in these folders");
  process.exit(1);
}
