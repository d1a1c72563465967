import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { chromium as browsers, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium } from "./browser/in-chromium.ts";
import { root } from "./workspace.ts";

/** What `npm run docs` has built; `.ci/run` builds it before the tests. */
const site = join(root, "docs/.vitepress/dist");
const pages = ["/", "/comparison", "/getting-started", "/errors/"];
const looks = [
  { name: "desktop, light", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "phone, dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const;
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** As a host of static pages with clean addresses does it. */
function serveSite(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname);
    const file = [path, `${path}.html`, `${path}index.html`].find(
      (each) => extname(each) !== "" && existsSync(join(site, each)),
    );
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(join(site, file)));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

describe.skipIf(chromium === null || !existsSync(join(site, "index.html")))("the built site in a browser", () => {
  let server: Server;
  let browser: Browser;
  let address = "";
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

  beforeAll(async () => {
    server = await serveSite();
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await browsers.launch({
      executablePath: chromium as string,
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    });
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  test.each(looks.flatMap(({ name, ...look }) => pages.map((page) => ({ page, name, look }))))(
    "$page, $name: accessible, as wide as its window, and asks nobody else",
    async ({ page: path, look }) => {
      const context = await browser.newContext(look);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      page.on("pageerror", (error) => faults.push(error.message));
      page.on(
        "request",
        (request) =>
          !/^(?:data|blob):/u.test(request.url()) && !request.url().startsWith(address) && faults.push(request.url()),
      );
      await page.goto(address + path, { waitUntil: "load" });
      await page.addScriptTag({ content: axe });
      // The rule left out reads the search button's word and its key as one word.
      const found = await page.evaluate<readonly string[]>(
        `axe.run(document, { iframes: false, rules: { "label-content-name-mismatch": { enabled: false } } }).then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => id + ": " + nodes[0].target))`,
      );
      const overflows = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
      await context.close();
      expect({ found, faults, overflows }).toEqual({ found: [], faults: [], overflows: false });
    },
  );

  test("no page of the guide scrolls sideways on a phone", { timeout: 120_000 }, async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
    const page = await context.newPage();
    const wide: string[] = [];
    const guide = readdirSync(site, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".html") && !/^(?:api|playground|404)/u.test(file))
      .toSorted();
    for (const file of guide) {
      await page.goto(`${address}/${file}`, { waitUntil: "load" });
      const { scrollWidth } = await page.locator("html").evaluate(({ scrollWidth: width }) => ({ scrollWidth: width }));
      if (scrollWidth > 390) wide.push(`${file}: ${scrollWidth}`);
    }
    await context.close();
    expect(guide.length).toBeGreaterThan(80);
    expect(wide).toEqual([]);
  });
});
