// The film of a run's story, and its pictures, wide and as a phone shows them, light and dark; 15 seconds of its one slider.
// npm run film -- [RUN [FOLDER [gif]]]: without a run the quickstart is trained first; without a folder the pictures are those of the docs. Films are
// animated WebP, or GIF where that is asked for.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { exportPage } from "../../../packages/view/src/index.ts";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { root } from "../processes.ts";
import { readWords } from "../options.ts";

const [given, folder = "docs/public", form = "webp"] = readWords();
const out = resolve(root, folder);

/** Milliseconds of a picture: most steps, and the first and the last, which are read. */
const shown = { each: 220, first: 1400, last: 2400 } as const;
const lengthMs = 15_000;
const pictures = Math.round((lengthMs - shown.first - shown.last) / shown.each) + 2;

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

/** The run that is filmed. */
function trained(): string {
  if (given !== undefined) return resolve(given);
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
  const page = await from.newPage({ viewport: { width, height: 1300 }, colorScheme, reducedMotion: "reduce" });
  await page.goto(address);
  const story = page.locator(".story");
  await story.locator(".problem li").first().waitFor();
  const slider = story.locator("input[type=range]");
  const last = Number(await slider.getAttribute("max"));
  const frames: Buffer[] = [];
  await page.waitForTimeout(500); // pictures take their place
  const box = await story.boundingBox();
  if (!box) throw new Error("the page shows no story");
  const clip = { x: 0, y: box.y - 8, width, height: Math.min(box.height + 16, 1060) };
  for (let i = 0; i < pictures; i++) {
    await slider.fill(String(Math.round((i * last) / (pictures - 1))));
    await slider.blur();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    frames.push(await page.screenshot({ clip }));
  }
  const delay = frames.map((_, i) => (i === 0 ? shown.first : i === frames.length - 1 ? shown.last : shown.each));
  const file = join(out, `${name}.${form}`);
  const animated = sharp(frames, { join: { animated: true } });
  await (
    form === "gif"
      ? animated.gif({ loop: 0, delay })
      : animated.webp({ lossless: true, minSize: true, effort: 3, loop: 0, delay })
  ).toFile(file);
  await sharp(frames.at(-1))
    .png({ palette: true })
    .toFile(join(out, `${name}.png`));
  const { size } = await stat(file);
  console.log(`${relative(root, file)}: ${frames.length} pictures, ${(size / 1e6).toFixed(2)} MB`);
  await page.close();
}
