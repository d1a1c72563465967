import { chromium as playwright, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromium } from "../../../../test/browser/in-chromium.ts";
import { measurePage } from "../../../../test/browser/measure-page.mjs";
import { examplePages } from "../testing/example-pages.ts";
import { loadPlot } from "../charts/plot-library.ts";

const windows = [
  { width: 1280, colorScheme: "light" },
  { width: 870, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;

describe.skipIf(chromium === null)("pages in Chromium", () => {
  let browser: Browser;
  let pages: ReturnType<typeof examplePages>;
  beforeAll(async () => {
    pages = examplePages(await loadPlot());
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser = await playwright.launch({ executablePath: chromium as string, args });
  });
  afterAll(() => browser.close());

  const open = async (name: keyof typeof pages, window: (typeof windows)[number]): Promise<Page> => {
    const page = await browser.newPage({
      viewport: { width: window.width, height: 900 },
      colorScheme: window.colorScheme,
    });
    await page.setContent(pages[name]);
    return page;
  };

  for (const name of ["run", "bench", "ablation", "analysis"] as const)
    test(`${name}: labels lie on nothing, text has 11 pixels and contrast, wide, narrow and dark`, async () => {
      expect(pages[name]).not.toMatch(/[\u001b\u202e]|<img/u);
      for (const window of windows) {
        const page = await open(name, window);
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        page.on("console", (message) => asked.push(message.text()));
        const measured = await page.evaluate(measurePage);
        await page.close();
        const { smallestText, leastContrast, drawings, headings, ...faults } = measured;
        const clean = { overlapping: [], clipped: [], onCurves: [], unexplained: [], sideways: 0 };
        expect({ window, ...faults }).toEqual({ window, ...clean });
        expect(drawings).toBeGreaterThan(0);
        expect(smallestText).toBeGreaterThanOrEqual(11);
        expect(leastContrast).toBeGreaterThanOrEqual(4.5);
        expect(headings.filter((level, i) => level > (headings[i - 1] ?? 0) + 1)).toEqual([]);
        expect(headings.filter((level) => level === 1)).toHaveLength(1);
        expect(asked).toEqual([]);
      }
    });

  test("the values of a chart and the rest of a long text open without a script", async () => {
    const page = await open("run", windows[2]);
    await page.locator("figure details summary").first().click();
    expect(await page.locator("figure details table").first().isVisible()).toBe(true);
    const more = page.locator(".says details summary").first();
    expect(await more.textContent()).toMatch(/^2,2\d\d more characters$/u);
    await more.click();
    expect((await page.evaluate(measurePage)).sideways).toBe(0);
    await page.close();
  });
});
