import { existsSync, readdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium as browsers } from "playwright-core";
import { expect, test } from "vitest";
import { chromium } from "./browser/in-chromium.ts";
import { serveSite, site } from "./browser/serve-site.ts";

test.skipIf(chromium === null || !existsSync(join(site, "index.html")))(
  "no page of the site scrolls sideways at 390 pixels",
  { timeout: 900_000 },
  async () => {
    const server = await serveSite();
    const browser = await browsers.launch({ executablePath: chromium as string, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      // Widths follow from markup and styles alone.
      await page.route(/\.(?:js|woff2|webp|png)$/u, (route) => route.abort());
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const wide: string[] = [];
      const files = readdirSync(site, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".html") && !/^(?:playground|404)/u.test(file))
        .toSorted();
      for (const file of files) {
        await page.goto(`${address}/${file}`, { waitUntil: "load" });
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (width > 390) wide.push(`${file}: ${width}`);
      }
      expect(files.length).toBeGreaterThan(100);
      expect(wide).toEqual([]);
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
  },
);
