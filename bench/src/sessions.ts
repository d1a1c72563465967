// Recorded sessions of newcomers in headless Chromium: from the front page to "I saw it learn", with a mouse, on a phone, by keyboard alone, and on a
// processor slowed four times. Prints a line of JSON a session, and takes a picture at its beginning, at the first step, and when tokens have halved.
// npm run docs first, for the front page. npx tsx bench/src/sessions.ts [PICTURES]
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { openChromium } from "../../packages/view/test/fixture/open-page.ts";
import { serveSite, site } from "../../test/browser/serve-site.ts";
import { machine, print } from "./measure.ts";

const out = process.argv[2] ?? "sessions";
const longestMs = 600_000;

interface Session {
  readonly name: string;
  readonly path: string;
  readonly context: BrowserContextOptions;
  /** The main thread of the page is so many times slower; workers are not. */
  readonly slowed?: number;
  /** Sets the training going; returns how often something was pressed. */
  start(page: Page, playground: Frame): Promise<number>;
}

const desktop = { viewport: { width: 1280, height: 900 } };
const sessions: readonly Session[] = [
  { name: "mouse", path: "/", context: desktop, start: click },
  {
    name: "phone",
    path: "/playground/index.html",
    context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
    start: click,
  },
  { name: "keyboard", path: "/playground/index.html", context: desktop, start: pressKeys },
  { name: "slowed", path: "/playground/index.html", context: desktop, slowed: 4, start: click },
];

if (!existsSync(join(site, "index.html"))) throw new Error("the site is not built: npm run docs");
await mkdir(out, { recursive: true });
const server = await serveSite();
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const browser = await openChromium();
try {
  print("machine", { ...machine(), chromium: browser.version() });
  for (const session of sessions) await record(browser, session);
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}

async function record(from: Browser, { name, path, context, slowed = 1, start }: Session): Promise<void> {
  const page = await (await from.newContext({ ...context, reducedMotion: "reduce" })).newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  if (slowed > 1)
    await (await page.context().newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowed });
  const picture = (moment: string): Promise<Buffer> => page.screenshot({ path: join(out, `${name}-${moment}.png`) });
  try {
    const began = performance.now();
    const since = (): number => Number(((performance.now() - began) / 1000).toFixed(1));
    await page.goto(address + path);
    const playground = await playgroundOf(page);
    await trainButton(playground).waitFor({ timeout: longestMs });
    const trainable = since();
    await picture("1-before");
    const pressed = await start(page, playground);
    const first = await tokensFrom(playground, () => true);
    const firstStep = since();
    await picture("2-first-step");
    const last = await tokensFrom(playground, (tokens) => tokens <= first.tokens / 2);
    const learned = since();
    await picture("3-learned");
    const nameless = await playground.evaluate<number>(
      `[...document.querySelectorAll("button,input,select,a[href]")].filter((each) => each.checkVisibility() && !(each.labels?.length || each.ariaLabel || each.textContent.trim() || each.getAttribute("aria-labelledby"))).length`,
    );
    const sideways = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
    print("session", {
      name,
      pressed,
      trainable,
      firstStep,
      learned,
      step: last.step,
      tokens: [first.tokens, last.tokens],
      nameless,
      sideways,
      faults,
    });
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
  return playground.getByRole("button", { name: "Train the team" }).and(playground.locator(":enabled"));
}

async function click(_: Page, playground: Frame): Promise<number> {
  await trainButton(playground).click();
  return 1;
}

/** Tab until the button has the focus, then Enter. */
async function pressKeys(page: Page, playground: Frame): Promise<number> {
  for (let pressed = 1; pressed <= 60; pressed++) {
    await page.keyboard.press("Tab");
    const focused = await playground.evaluate<string>("document.activeElement?.textContent ?? ''");
    if (focused.trim() !== "Train the team") continue;
    await page.keyboard.press("Enter");
    return pressed + 1;
  }
  throw new Error("no Tab reaches the button that trains");
}

/** Tokens per episode, from the first step on at which they are as wanted. */
async function tokensFrom(
  playground: Frame,
  isWanted: (tokens: number) => boolean,
): Promise<{ readonly step: number; readonly tokens: number }> {
  const deadline = performance.now() + longestMs;
  const title = playground.getByRole("heading", { name: /step \d+/u });
  while (performance.now() < deadline) {
    const [shown = ""] = await title.allTextContents();
    const step = Number(/step (\d+)/u.exec(shown)?.[1] ?? 0);
    const tokens =
      step === 0 ? Number.NaN : Number.parseFloat(await playground.locator(".tiles b").first().innerText());
    if (Number.isFinite(tokens) && isWanted(tokens)) return { step, tokens };
    await playground.page().waitForTimeout(50);
  }
  throw new Error("the team did not learn in ten minutes");
}
