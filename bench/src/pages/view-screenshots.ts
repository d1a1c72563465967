// Pictures of the dashboard over generated runs: desktop, phone, dark. npx tsx bench/src/pages/view-screenshots.ts OUT_FOLDER [NAME...]
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fakeServer } from "../../../packages/view/test/fixture/fake-server.ts";
import { webFolder } from "../../../packages/view/src/web-folder.ts";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { readWords } from "../options.ts";

const [out = "screenshots", ...chosen] = readWords();
const three = "sel=r0&sel=r1&sel=r5&sel=r6&sel=r10&sel=r11";

/** Name, place, and what has to stand in the page before the picture is taken. */
const places: readonly (readonly [name: string, hash: string, ready: string])[] = [
  ["runs", "#/runs?sel=r1&sel=r5", ".runs"],
  ["curves", `#/compare/curves?${three}&smooth=0.8`, ".uplot"],
  ["plane", `#/compare/plane?${three}`, ".plane circle"],
  ["differences", `#/compare/settings?${three}`, ".settings"],
  ["overview", "#/run/r2", ".tiles"],
  ["speech", "#/run/r1/speech?step=900", ".agent-graph"],
  ["episodes", "#/run/r1/episodes", ".row .question"],
  ["episode", "#/run/r1/episodes?episode=e2830&heat=logProb", ".turn"],
  ["before-after", "#/run/r1/episodes?episode=e2830&with=e30&heat=price", ".side-by-side .turn"],
  ["hostile", "#/run/r1/episodes?episode=e2803", ".turn"],
  ["benches", "#/benches", ".interval"],
];

const widths = { desktop: [1440, 900], phone: [390, 844], narrow: [360, 740] } as const;
const server = await fakeServer(await webFolder(), { runs: 24, rows: 2000, episodes: 3000 });
const browser = await openChromium();
try {
  await mkdir(out, { recursive: true });
  for (const [size, [width, height]] of Object.entries(widths))
    for (const colorScheme of ["light", "dark"] as const) {
      if (size === "narrow" && colorScheme === "dark") continue;
      const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
      for (const [name, hash, ready] of places) {
        const file = `${name}-${size}-${colorScheme}.png`;
        if (chosen.length > 0 && !chosen.some((each) => file.includes(each))) continue;
        await page.goto("about:blank");
        await page.goto(`${server.address}/${hash}`);
        await page.locator(ready).first().waitFor({ state: "attached" });
        await page.waitForTimeout(400);
        const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        await page.screenshot({ path: join(out, file) });
        console.log(`${file}${isTooWide === true ? "  wider than the screen" : ""}`);
      }
      await page.close();
    }
} finally {
  await browser.close();
  await server.close();
}
