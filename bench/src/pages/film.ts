// Films a run's story in Chromium: 15 seconds of animated WebP and a still picture, wide and narrow, light and dark.
//   npm run film -- [RUN [FOLDER]]
// Trains the quickstart if RUN is missing. FOLDER defaults to docs/public.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page, PageScreenshotOptions } from "playwright-core";
import sharp from "sharp";
import { exportPage } from "../../../packages/view/src/index.ts";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { readOptions } from "../options.ts";
import { root } from "../processes.ts";

const [runFolder, folder = "docs/public"] = readOptions({ allowPositionals: true, options: {} }).positionals;
const out = resolve(root, folder);

/** Milliseconds per picture; the first and last take longer to read. */
const shown = { each: 220, first: 1400, last: 2400 } as const;
const lengthMs = 15_000;
const pictures = Math.round((lengthMs - shown.first - shown.last) / shown.each) + 2;
const delays = Array.from({ length: pictures }, (_, i) =>
  i === 0 ? shown.first : i === pictures - 1 ? shown.last : shown.each,
);
const kinds = [
  { name: "story", width: 1080, colorScheme: "light" },
  { name: "story-dark", width: 1080, colorScheme: "dark" },
  { name: "story-narrow", width: 390, colorScheme: "light" },
  { name: "story-narrow-dark", width: 390, colorScheme: "dark" },
] as const;

await mkdir(out, { recursive: true });
const scratch = await mkdtemp(join(tmpdir(), "laconic-film-"));
const browser = await openChromium();
try {
  const page = join(scratch, "run.html");
  const { html } = await exportPage({ folders: [trained()], now: new Date().getTime() });
  await writeFile(page, html);
  for (const kind of kinds) await film(browser, pathToFileURL(page).href, kind);
} finally {
  await browser.close();
  await rm(scratch, { recursive: true });
}

function trained(): string {
  if (runFolder !== undefined) return resolve(runFolder);
  const run = join(scratch, "quickstart");
  const words = [join(root, "scripts/laconic.mjs"), "quickstart", "--run", run];
  if (spawnSync(process.execPath, words, { stdio: "inherit" }).status !== 0) throw new Error("the quickstart failed");
  return run;
}

async function film(
  from: Browser,
  address: string,
  { name, width, colorScheme }: (typeof kinds)[number],
): Promise<void> {
  const page = await from.newPage({ viewport: { width, height: 1700 }, colorScheme, reducedMotion: "reduce" });
  await page.goto(address);
  const story = page.locator(".story");
  await story.locator(".problem li").first().waitFor();
  await page.waitForTimeout(500); // pictures are loading
  const box = await story.boundingBox();
  if (!box) throw new Error("the page shows no story");
  // Even sizes, for chroma subsampling.
  const height = 2 * Math.floor(Math.min(box.height + 16, 1060) / 2);
  const clip = { x: 0, y: Math.round(box.y - 8), width, height };
  const frames = await screenshots(page, clip);
  const file = join(out, `${name}.webp`);
  const animation = sharp(frames, { join: { animated: true } });
  await animation.webp({ lossless: true, minSize: true, effort: 3, loop: 0, delay: delays }).toFile(file);
  await sharp(frames.at(-1))
    .png({ palette: true })
    .toFile(join(out, `${name}.png`));
  const { size } = await stat(file);
  console.log(`${relative(root, file)}: ${pictures} pictures, ${(size / 1e6).toFixed(2)} MB`);
  await page.close();
}

async function screenshots(page: Page, clip: NonNullable<PageScreenshotOptions["clip"]>): Promise<Buffer[]> {
  const slider = page.locator(".story input[type=range]");
  const last = Number(await slider.getAttribute("max"));
  const frames: Buffer[] = [];
  for (let i = 0; i < pictures; i++) {
    await slider.fill(String(Math.round((i * last) / (pictures - 1))));
    await slider.blur();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    frames.push(await page.screenshot({ clip }));
  }
  return frames;
}
