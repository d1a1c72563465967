import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium as browsers, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium } from "./browser/in-chromium.ts";
import { serveSite, site } from "./browser/serve-site.ts";

const pages = ["/", "/from-trl", "/start", "/errors"];
const looks = [
  { name: "desktop, light", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "phone, dark", viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const;
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
    "$page, $name: is accessible, fits the window and contacts no other site",
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
      const matches = await page.evaluate<readonly string[]>(
        `axe.run(document, { iframes: false, rules: { "label-content-name-mismatch": { enabled: false } } }).then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => id + ": " + nodes[0].target))`,
      );
      const overflows = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
      await context.close();
      expect({ found: matches, faults, overflows }).toEqual({ found: [], faults: [], overflows: false });
    },
  );
});
