// The film of a run's story, and its pictures, wide and as a phone shows them, light and dark; 15 seconds of its one slider.
// npm run film -- [RUN [FOLDER [FORM]]]: without a run the quickstart is trained first; without a folder the pictures are those of the docs. A film
// is webp (as it comes), gif, webm, or svg: the plane and who speaks, animated, light and dark in one file.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { exportPage } from "../../../packages/view/src/index.ts";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { storyDrawings, storySvg } from "./film/story-svg.ts";
import { webmOf } from "./film/webm.ts";
import { readWords } from "../options.ts";
import { root } from "../processes.ts";

const [given, folder = "docs/public", form = "webp"] = readWords();
const out = resolve(root, folder);
const forms = ["webp", "gif", "webm", "svg"];
const isDrawn = form === "svg";
if (!forms.includes(form)) {
  console.error(`film: ${form} is none of ${forms.join(", ")}`);
  process.exit(2);
}

/** Milliseconds of a picture: most steps, and the first and the last, which are read. */
const shown = { each: 220, first: 1400, last: 2400 } as const;
const lengthMs = 15_000;
const pictures = Math.round((lengthMs - shown.first - shown.last) / shown.each) + 2;
const delays = Array.from({ length: pictures }, (_, i) =>
  i === 0 ? shown.first : i === pictures - 1 ? shown.last : shown.each,
);
/** Of each picture, and the end of the last; seconds. */
const starts = delays.reduce<number[]>((all, delay) => [...all, (all.at(-1) ?? 0) + delay / 1000], [0]);

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
  // A drawing holds both schemes.
  for (const kind of isDrawn ? kinds.filter(({ colorScheme }) => colorScheme === "light") : kinds)
    await film(browser, pathToFileURL(page).href, kind);
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
  await page.waitForTimeout(500); // pictures take their place
  const box = await story.boundingBox();
  if (!box) throw new Error("the page shows no story");
  // Even, as films in quarters of colour have to be.
  const height = 2 * Math.floor(Math.min(box.height + 16, 1060) / 2);
  const clip = { x: 0, y: Math.round(box.y - 8), width, height };
  const file = join(out, `${name}.${form}`);
  if (isDrawn) {
    const drawings = await atEachStep(page, () => storyDrawings(page));
    await writeFile(file, storySvg(drawings, { starts, end: starts.at(-1) ?? 0 }, width));
  } else {
    const frames = await atEachStep(page, () => page.screenshot({ clip }));
    await writeFile(file, form === "webm" ? await webmOf(from, frames, starts) : await animatedPicture(frames));
    const still = join(out, `${name}.png`);
    await sharp(frames.at(-1)).png({ palette: true }).toFile(still);
  }
  const { size } = await stat(file);
  console.log(`${relative(root, file)}: ${pictures} pictures, ${(size / 1e6).toFixed(2)} MB`);
  await page.close();
}

/** What is taken of the page at each step that the film shows. */
async function atEachStep<T>(page: Page, take: () => Promise<T>): Promise<T[]> {
  const slider = page.locator(".story input[type=range]");
  const last = Number(await slider.getAttribute("max"));
  const taken: T[] = [];
  for (let i = 0; i < pictures; i++) {
    await slider.fill(String(Math.round((i * last) / (pictures - 1))));
    await slider.blur();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    taken.push(await take());
  }
  return taken;
}

function animatedPicture(frames: Buffer[]): Promise<Buffer> {
  const joined = sharp(frames, { join: { animated: true } });
  const shownAs =
    form === "gif"
      ? joined.gif({ loop: 0, delay: delays })
      : joined.webp({ lossless: true, minSize: true, effort: 3, loop: 0, delay: delays });
  return shownAs.toBuffer();
}
