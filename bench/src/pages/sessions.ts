// Recorded sessions of newcomers in headless Chromium, up to "I saw it learn": from the README's first screen and the site's front page, on a phone, by
// keyboard alone, and on a page slowed four times; both levels of the playground. Prints a line of JSON a session, and takes pictures on the way. The second
// level's model are the files of `$LACONIC_DATA/stories260k`, without which it is left out.
// npm run docs first, for the pages. npx tsx bench/src/pages/sessions.ts [PICTURES] [LEVEL]
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { openChromium } from "../../../packages/view/test/fixture/open-page.ts";
import { serveSite, site } from "../../../test/browser/serve-site.ts";
import { machine, print } from "../measure.ts";
import { hands, keys, type Hand } from "./sessions/hand.ts";
import { readmePage } from "./sessions/readme-page.ts";
import { readWords } from "../options.ts";

const [out = "sessions", only] = readWords();
const longestMs = 900_000;

interface Session {
  readonly name: string;
  readonly level: "digits" | "stories";
  readonly path: string;
  readonly context: BrowserContextOptions;
  readonly hand: Hand;
  /** The main thread of the page is so many times slower; workers are not. */
  readonly slowed?: number;
}

const desktop = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const alone = "/playground/index.html";
const inPlayground = [
  { name: "phone", path: alone, context: phone, hand: hands },
  { name: "keyboard", path: alone, context: desktop, hand: keys },
  { name: "slowed", path: alone, context: desktop, hand: hands, slowed: 4 },
] as const;
const sessions: readonly Session[] = [
  { name: "readme", level: "digits", path: "/README", context: desktop, hand: hands },
  { name: "mouse", level: "digits", path: "/", context: desktop, hand: hands },
  ...inPlayground.map((each) => ({ ...each, level: "digits" }) as const),
  { name: "mouse", level: "stories", path: alone, context: desktop, hand: hands },
  ...inPlayground.map((each) => ({ ...each, level: "stories" }) as const),
];

/** Of the tokens of the first step, when one sees that the team learns. Stories begin with a model that was taught, and so with fewer idle words. */
const seenAt = { digits: 1 / 2, stories: 2 / 3 } as const;

const stories = join(process.env["LACONIC_DATA"] ?? "data", "stories260k");
const modelFiles = ["stories260K.c64.bin", "tok512.bin"].map((name) => join(stories, name));
const hasModel = modelFiles.every((file) => existsSync(file));

if (!existsSync(join(site, "index.html"))) throw new Error("the site is not built: npm run docs");
await mkdir(out, { recursive: true });
const server = await serveSite();
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const browser = await openChromium();
try {
  print("machine", { ...machine(), chromium: browser.version() });
  for (const session of sessions)
    if ((only ?? session.level) === session.level && (hasModel || session.level === "digits"))
      await record(browser, session);
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}

async function record(from: Browser, { name, level, path, context, hand, slowed = 1 }: Session): Promise<void> {
  const page = await (await from.newContext({ ...context, reducedMotion: "reduce" })).newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  if (slowed > 1)
    await (await page.context().newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowed });
  const picture = (moment: string): Promise<Buffer> =>
    page.screenshot({ path: join(out, `${level}-${name}-${moment}.png`) });
  try {
    const began = performance.now();
    const since = (): number => Number(((performance.now() - began) / 1000).toFixed(1));
    if (path === "/README") await readmePage(page, address);
    await page.goto(address + path);
    let pressed = 0;
    await picture("0-arrived");
    if (path === "/README") pressed += await hand.press(page.mainFrame(), "link", "Watch a team learn in your browser");
    const playground = await playgroundOf(page);
    if (level === "stories") {
      pressed += await hand.press(playground, "button", "2. Stories");
      await picture("0-model");
      pressed += await hand.openFiles(playground, "Open its files", modelFiles);
    }
    await trainButton(playground).waitFor({ timeout: longestMs });
    const trainable = since();
    await picture("1-before");
    pressed += await hand.press(playground, "button", "Train the team");
    const first = await tokensFrom(playground, () => true);
    const firstStep = since();
    await picture("2-first-step");
    const last = await tokensFrom(playground, (tokens) => tokens <= first.tokens * seenAt[level]);
    const learned = since();
    await picture("3-learned");
    const nameless = await playground.evaluate<number>(
      `[...document.querySelectorAll("button,input,select,a[href]")].filter((each) => each.checkVisibility() && !(each.labels?.length || each.ariaLabel || each.textContent.trim() || each.getAttribute("aria-labelledby"))).length`,
    );
    const sideways = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
    const tokens = [first.tokens, last.tokens];
    const seen = { pressed, trainable, firstStep, learned, step: last.step, tokens };
    print("session", { level, name, ...seen, nameless, sideways, faults });
  } finally {
    await page.context().close();
  }
}

/** The page itself, or the frame of the front page that holds it, scrolled to. */
async function playgroundOf(page: Page): Promise<Frame> {
  const frame = page.locator("iframe[title^=Playground]");
  if ((await frame.count()) === 0) return page.mainFrame();
  await frame.scrollIntoViewIfNeeded();
  return (await (await frame.elementHandle())?.contentFrame()) ?? page.mainFrame();
}

function trainButton(playground: Frame): ReturnType<Frame["locator"]> {
  return playground.getByRole("button", { name: "Train the team" }).and(playground.locator(":enabled:visible"));
}

/** Tokens per episode, from the first step on at which they are as wanted. */
async function tokensFrom(
  playground: Frame,
  isWanted: (tokens: number) => boolean,
): Promise<{ readonly step: number; readonly tokens: number }> {
  const deadline = performance.now() + longestMs;
  const shown = playground.locator(".level:not([hidden])");
  while (performance.now() < deadline) {
    const [title = ""] = await shown.getByRole("heading", { name: /step \d+/u }).allTextContents();
    const step = Number(/step (\d+)/u.exec(title)?.[1] ?? 0);
    const tokens = step === 0 ? Number.NaN : Number.parseFloat(await shown.locator(".tiles b").first().innerText());
    if (Number.isFinite(tokens) && isWanted(tokens)) return { step, tokens };
    await playground.page().waitForTimeout(50);
  }
  throw new Error("the team did not learn in a quarter of an hour");
}
