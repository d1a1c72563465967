import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { exportPage } from "@laconic/view";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import type { RecordedView } from "../src/protocol.ts";
import { hostileTexts } from "./fixture/fake-data.ts";
import { describePages, violations } from "./fixture/open-page.ts";
import { writtenBench } from "./fixture/written-bench.ts";
import { smallRun } from "./small-runs.ts";

const made = Date.UTC(2026, 10, 24);
const recordedIn = (html: string): RecordedView =>
  JSON.parse(/id="recorded">(.*?)<\/script>/su.exec(html)?.[1] ?? "") as RecordedView;

async function severalFolders(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ["a", "b"]) await smallRun(join(folder, name));
  await mkdir(join(folder, "bench"));
  await writtenBench(join(folder, "bench"), 8);
  return folder;
}

describePages("a run in one file, without a network", (built) => {
  const { errors, requests } = built;
  async function opened(address: string, width = 1280): Promise<Page> {
    const page = await built.open({ viewport: { width, height: 860 }, offline: true });
    await page.goto(address);
    return page;
  }

  test("the exported story, slider and pages work from the file, and hostile text stays text", async () => {
    const folder = await temporaryFolder();
    await smallRun(join(folder, "run"));
    const hostile = hostileTexts.slice(0, 5).join(" ");
    await writeFile(
      join(folder, "run/warnings.jsonl"),
      `${JSON.stringify({ message: `${hostile}</script><script>window.broken=1</script>`, step: 2 })}\n`,
    );
    const { html, bytes, leftOut } = await exportPage({
      folders: [join(folder, "run")],
      now: made,
      pages: built.folder,
    });
    expect([bytes, leftOut]).toEqual([Buffer.byteLength(html), ["environment"]]);
    const file = join(folder, "run.html");
    await writeFile(file, html);
    const page = await opened(pathToFileURL(file).href);
    await page.locator(".story .plane circle").first().waitFor();
    await page.locator(".story .agent-graph").waitFor();
    await page.locator(".problem li").first().waitFor();
    expect(await page.locator(".problem h3").allInnerTexts()).toEqual(["Step 0", "Step 4"]);
    await page.getByLabel(/^Step 4 of 4: accuracy [\d.]+\s%, [\d.]+ tokens per episode$/u).waitFor();
    const slider = page.locator(".story input[type=range]");
    const marks = page.locator(".story .marks i"); // the warning is of step 2 of 4
    expect([await marks.count(), await marks.getAttribute("style")]).toEqual([1, "left: 50%;"]);
    await slider.press("ArrowLeft");
    await slider.press("ArrowLeft");
    await expect.poll(() => page.locator(".problem h3").allInnerTexts()).toEqual(["Step 0", "Step 2"]);
    await expect.poll(() => page.url()).toMatch(/#\/run\/\w+\?step=2$/u);
    const shown = await page.getByRole("region", { name: "Warnings and changes" }).innerText();
    expect(shown).toContain(`<img src=x onerror="window.broken=1"><script>`);
    expect(shown).toContain("</script><script>");
    expect(shown).not.toMatch(/\p{Bidi_Control}/u);
    expect(await page.evaluate("window.broken")).toBeUndefined();
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    const linked = await opened(page.url(), 390);
    await linked.getByLabel(/^Step 2 of 4/u).waitFor();
    expect(await linked.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.getByRole("link", { name: "Curves", exact: true }).click();
    await page.getByRole("img", { name: /^tokens\/episode_mean by step: run ends at \d/u }).waitFor();
    // Evaluations at the steps 0, 2 and 4 are curves with steps of their own.
    await page.getByRole("img", { name: /^validation\/accuracy by step: run ends at \d/u }).waitFor();
    expect(await page.locator("[data-metric='validation/tokens']").innerText()).toContain("n = 3 steps");
    await page.getByRole("link", { name: "Episodes", exact: true }).click();
    await page
      .getByRole("button", { name: "Largest saving", pressed: true })
      .or(page.locator(".telling"))
      .first()
      .waitFor();
    await expect.poll(() => page.locator(".turn").count()).toBeGreaterThan(1);
    // Within another page, which gives it nothing but scripts.
    const frame = join(folder, "frame.html");
    await writeFile(
      frame,
      `<!doctype html><iframe sandbox="allow-scripts" src="run.html" width="900" height="700"></iframe>`,
    );
    const around = await opened(pathToFileURL(frame).href);
    await around.frameLocator("iframe").locator(".story .plane circle").first().waitFor();
    expect(requests.filter((url) => !url.startsWith("file:"))).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("on a phone the plane precedes warnings, and tables fit the page", async () => {
    const folder = await severalFolders();
    const warnings = [1, 2, 3, 4].map((step) => JSON.stringify({ step, message: `of step ${step}` }));
    await writeFile(join(folder, "a/warnings.jsonl"), `${warnings.join("\n")}\n`);
    const { html } = await exportPage({ folders: [folder], now: made, pages: built.folder });
    const file = join(folder, "all.html");
    await writeFile(file, html);
    const [a = "", b = ""] = recordedIn(html)
      .runs.map(({ detail }) => detail.summary)
      .toSorted((x, y) => (x.name < y.name ? -1 : 1))
      .map(({ id }) => id);
    const page = await opened(pathToFileURL(file).href, 390);
    const at = async (hash: string): Promise<void> => {
      await page.goto(`${pathToFileURL(file).href}${hash}`);
      await page.reload();
    };
    await at(`#/run/${a}`);
    const plane = await page.locator(".story .plane svg").boundingBox();
    const reply = await page.getByRole("region", { name: "Warnings and changes" }).boundingBox();
    expect((plane?.y ?? Infinity) + (plane?.height ?? 0)).toBeLessThan(reply?.y ?? 0);
    const both = `?sel=${a}&sel=${b}`;
    for (const hash of [`#/run/${a}`, `#/run/${a}/settings`, `#/compare/plane${both}`, "#/benches"]) {
      await at(hash);
      const table = page.locator(".scroll table:visible").first();
      await table.waitFor();
      const widths = `[...document.querySelectorAll(".scroll")].map((each) => each.scrollWidth - each.clientWidth)`;
      expect(Math.max(...(await page.evaluate<number[]>(widths))), hash).toBeLessThanOrEqual(0);
    }
    expect(errors).toEqual([]);
  });

  test("opens runs and a bench as a comparison, names omissions, and rejects too small limits", async () => {
    const folder = await severalFolders();
    const whole = await exportPage({ folders: [folder], now: made, pages: built.folder });
    const view = recordedIn(whole.html);
    expect([view.runs.length, view.benches.length, view.start]).toEqual([
      2,
      1,
      expect.stringMatching(/^#\/compare\/plane\?sel=/u),
    ]);
    const smaller = await exportPage({
      folders: [folder],
      now: made,
      pages: built.folder,
      maxBytes: whole.bytes - 60_000,
    });
    expect(smaller.bytes).toBeLessThanOrEqual(whole.bytes - 60_000);
    expect(smaller.leftOut.join("\n")).toMatch(/[ab]: episodes: \d+ of \d+ are included/u);
    await expect(
      exportPage({ folders: [folder], now: made, pages: built.folder, maxBytes: 150_000 }),
    ).rejects.toFailWith("config_invalid");
    const file = join(folder, "all.html");
    await writeFile(file, whole.html);
    const page = await opened(pathToFileURL(file).href);
    await page.locator(".plane circle").nth(1).waitFor();
    await page.getByRole("link", { name: "Benches" }).click();
    await page.locator(".interval").first().waitFor();
    await page.getByRole("link", { name: /^All \d+ samples?$/u }).click();
    await page.locator(".samples .row").first().waitFor();
    expect(errors).toEqual([]);
  });
});
