import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { webFolder } from "../src/web-folder.ts";
import { fakeServer, type FakeServer } from "./fixture/fake-server.ts";
import { chromiumPath, openChromium } from "./fixture/open-page.ts";

describe.skipIf(chromiumPath === null)("the dashboard of a run at its first step, on paper, and on a phone", () => {
  let server: FakeServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await fakeServer(await webFolder(), { runs: 1, rows: 1, episodes: 400 });
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test("one step is a point in each curve", async () => {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${server.address}/#/run/r0/curves`);
    const over = page.locator("[data-metric='task/accuracy'] .line-chart > svg");
    await over.hover();
    await page.getByText("step 1", { exact: true }).first().waitFor();
    expect(await page.locator(".line-chart circle").count()).toBeGreaterThan(3);
    expect(await page.title()).toBe("relay-gspo-4t-s1 · Laconic");
    expect(errors).toEqual([]);
    await page.close();
  });

  test("what is printed is light", async () => {
    const page = await browser.newPage({ colorScheme: "dark" });
    await page.goto(server.address);
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    const theme = (after: string): Promise<string> =>
      page.evaluate(`dispatchEvent(new Event("${after}")), document.documentElement.dataset.theme`);
    expect([await theme("beforeprint"), await theme("afterprint")]).toEqual(["light", "dark"]);
    await page.close();
  });

  test("what the slider stands at stays in sight while one reads on", async () => {
    const phone = await browser.newPage({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await phone.goto(`${server.address}/#/run/r0`);
    await phone.locator(".story .plane circle").first().waitFor();
    const above = `(scrollTo(0, 500), document.querySelector(".player label > span").getBoundingClientRect())`;
    await expect
      .poll(() =>
        phone.evaluate(`(({ x, y }) => document.elementFromPoint(x + 4, y + 8).closest(".player") !== null)(${above})`),
      )
      .toBe(true);
    await phone.close();
  });
});
