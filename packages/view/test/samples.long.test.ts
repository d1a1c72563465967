import type { BenchTable } from "@laconic/view";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describePages, soon, violations } from "./fixture/open-page.ts";
import { hostile, writtenBench } from "./fixture/written-bench.ts";

/** Times three methods: 20,001 samples. */
const questions = 6667;

describePages("samples of a bench", (pages) => {
  let page: Page;
  let address: string;
  let location: string;

  beforeAll(async () => {
    const folder = await pages.temporaryFolder();
    await writtenBench(folder, questions);
    address = await pages.serve(folder);
    const [bench] = (await (await fetch(`${address}/api/benches`)).json()) as readonly BenchTable[];
    location = `#/bench/${bench?.id}`;
    page = await pages.open();
  });

  async function at(hash: string, on = page): Promise<void> {
    await on.goto("about:blank");
    await on.goto(`${address}/dashboard/${hash}`);
    await on.locator(".row .question").first().waitFor({ state: "attached" });
  }

  const chosen = (): Promise<string> => page.locator(".row.chosen .method").innerText();

  test("filters a bench of 20,001 samples, walks it by keys, and links to one sample", async () => {
    await page.goto(`${address}/dashboard/#/benches`);
    await page.getByRole("link", { name: "All 20,001 samples" }).click();
    const status = page.getByRole("status").last();
    await soon(() => status.innerText()).toBe("20,001 samples");
    expect(await page.locator(".row").count()).toBe(50);
    await page.getByLabel("Method").selectOption("cot");
    await page.getByLabel("Disagrees with").selectOption("debate");
    // Even or a multiple of three, and not both: half of each six questions.
    await soon(() => status.innerText()).toBe(`${(2 * 3333).toLocaleString("en-US")} samples`);
    const list = page.getByRole("listbox");
    await list.press("ArrowDown");
    await soon(chosen).toBe("cot");
    await list.press("ArrowDown");
    await soon(chosen).toBe("debate");
    await list.press("ArrowUp");
    await soon(chosen).toBe("cot");
    await page.locator(".sample [data-opened]").waitFor();
    await list.press("Enter");
    await soon(() => page.evaluate("document.activeElement.dataset.opened !== undefined")).toBe(true);
    await at(`${location}?method=vanilla&text=onerror`);
    await page.locator(".row").first().click();
    await page.locator(".sample .turn").first().waitFor();
    await soon(() => page.url()).toContain("sample=");
    const other = await pages.open();
    await other.goto(page.url());
    await other.locator(".sample .turn").first().waitFor();
    expect(await other.locator(".sample .turn").count()).toBe(3);
    expect(await other.locator(".sample").innerText()).toContain("maxTokens 256");
    await other.close();
  });

  test("shows F1 next to the verdict and the end of each test", async () => {
    await at(`${location}?method=debate&verdict=wrong`);
    expect(await page.locator(".row").first().innerText()).not.toContain("F1");
    expect(await page.locator(".row").nth(1).innerText()).toContain("F1 40.0 %");
    await page.locator(".row").nth(1).click();
    const steps = page.getByRole("region", { name: "Grading steps" });
    await steps.waitFor();
    expect((await steps.innerText()).split("\n").map((line) => line.trim())).toEqual([
      "Test\tResult\tAnswer\tExpected",
      "case 1 of 2\tpassed\t7\t7",
      "case 2 of 2\ttime\ttime\t9",
    ]);
    expect(await page.locator(".grading").innerText()).toContain("F1 of words");
  });

  test("model text stays text, with invisible characters named", async () => {
    await at(`${location}?method=vanilla&text=onerror`);
    await page.locator(".row").first().click();
    await page.locator(".sample .turn").first().waitFor();
    const shown = await page.locator(".sample").innerText();
    expect(shown).toContain(hostile.slice(0, 40));
    expect(shown).toContain("U+202E");
    expect(shown).toContain("U+200B");
    expect(await page.title()).not.toContain("owned");
    expect(await page.locator(".sample img, .sample script").count()).toBe(0);
  });

  test("shows errors, and other methods' samples are one click away", async () => {
    await at(`${location}?verdict=failed`);
    await page.locator(".row").first().click();
    await page.locator(".sample .notice.bad").waitFor();
    expect(await page.locator(".sample .notice.bad").innerText()).toBe("the server hung up");
    await page.locator(".same-question").getByRole("button", { name: "cot" }).click();
    await soon(() => page.locator(".sample h2").innerText()).toBe("cot");
    expect(await page.getByRole("region", { name: "Grading steps" }).innerText()).toContain("exact number");
  });

  test("is accessible on wide screens and phones, in both schemes", async () => {
    const phone = await pages.open({ viewport: { width: 390, height: 844 } });
    for (const tab of [page, phone])
      for (const colorScheme of ["light", "dark"] as const) {
        await tab.emulateMedia({ colorScheme });
        for (const isOpen of [false, true]) {
          await at(`${location}?method=debate&text=onerror`, tab);
          if (isOpen) {
            await tab.locator(".row").first().click();
            await tab.locator(".sample .turn").first().waitFor();
          }
          expect(await tab.evaluate("document.documentElement.scrollWidth")).toBe(tab === phone ? 390 : 1280);
          expect(await violations(tab), `${colorScheme} ${isOpen ? "open" : "list"}`).toEqual([]);
        }
      }
    await phone.close();
  });

  test("writes no error to the console or from the server", () => expect(pages.errors).toEqual([]));
});
