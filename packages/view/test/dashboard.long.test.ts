import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { fakeServer, type FakeServer } from "./fixture/fake-server.ts";
import { describePages, soon, violations } from "./fixture/open-page.ts";
import { writtenInGraph } from "./fixture/written-in-graph.ts";
import { smallDuel, smallRun } from "./small-runs.ts";

describePages("the dashboard", (pages) => {
  let server: FakeServer;
  let page: Page;
  const { errors } = pages;

  beforeAll(async () => {
    server = await fakeServer(pages.folder, { runs: 18, rows: 1200, episodes: 100_000 });
    page = await pages.open();
  });
  afterAll(() => server?.close());

  async function at(hash: string, on = page): Promise<void> {
    await on.goto("about:blank");
    await on.goto(`${server.address}/${hash}`);
  }

  const text = (selector: string): Promise<string> => page.locator(selector).first().innerText();

  test("finds runs by text, state and settings", async () => {
    await at("");
    await page.getByRole("link", { name: "relay-gspo-4t-s1" }).waitFor();
    expect(await page.locator(".runs tbody tr").count()).toBe(18);
    expect(await text(".runs tbody tr:has-text('downloads')")).toContain("not a configuration of this program");
    await page.getByLabel("Search").fill("gspo s2");
    await soon(() => page.locator(".runs tbody tr").count()).toBe(4);
    await page.getByLabel("Search").fill("gspo s2 train.budget.targetTokens=8");
    await soon(() => page.locator(".runs tbody tr").count()).toBe(1);
    await soon(() => page.url()).toContain("targetTokens%3D8");
    await page.getByLabel("Search").fill("nothing like this");
    await page.getByText("No run matches the filters").waitFor();
    await page.getByRole("link", { name: "Show all 18 runs" }).click();
    await page.getByRole("combobox", { name: /^State/u }).selectOption("half-written");
    await soon(() => page.locator(".runs tbody tr").count()).toBe(1);
    expect(await text(".runs tbody")).toContain("ends in the middle of row");
  });

  test("groups runs by a setting", async () => {
    await at("#/runs?group=train.objective.name");
    const groups = ["gspo", "not set"].map((value) => `train.objective.name ${value}`);
    await soon(() => page.locator(".group-title b").allInnerTexts()).toEqual(groups);
  });

  test("pins a curve, keeps closed sections, and saves charts", async () => {
    await at("#/run/r1/curves");
    await page.getByRole("button", { name: "Pin reward/mean" }).click();
    await soon(() => page.locator(".curve-section h2").allInnerTexts()).toEqual(["Pinned", "Main", "Other", "Machine"]);
    await page.locator(".curve-section summary", { hasText: "Machine" }).click();
    await at("#/run/r1/curves");
    const chart = page.locator(".curve-section").first().locator("[data-metric='reward/mean']");
    const save = async (name: string): Promise<Buffer> => {
      const button = chart.getByRole("button", { name: `reward-mean as ${name}` });
      const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
      return readFile(await file.path());
    };
    expect((await save("CSV")).toString()).toMatch(/^step,relay-gspo-4t-s2\n1,0\.\d+\n/u);
    const picture = await save("PNG");
    expect(picture.subarray(1, 4).toString()).toBe("PNG");
    expect(picture.length).toBeGreaterThan(5000);
    expect(await page.locator(".curve-section").last().getAttribute("open")).toBeNull();
    await chart.getByRole("button", { name: "Pin reward/mean" }).click();
    await page.locator(".curve-section summary", { hasText: "Machine" }).click();
  });

  test("marks settings changed during a run in curves and text", async () => {
    await at("#/run/r2/curves");
    const changes = page.getByRole("region", { name: "Changed settings" });
    await changes.getByText("from step 300 on: budget: 8 tokens → 4 tokens").waitFor();
    expect(await changes.innerText()).toContain(
      "from step 600 on: budget: 4 tokens → none; price of a token: none → 0.004",
    );
    expect(await changes.innerText()).not.toContain("\u202E");
    const change = page.locator("[data-metric='tokens/episode_mean'] .change").first();
    await change.waitFor({ state: "attached" });
    await page.locator("[data-metric='tokens/episode_mean'] .line-chart > svg").scrollIntoViewIfNeeded();
    const { x, y } = await change.evaluate((line: { getBoundingClientRect(): { x: number; y: number } }) => {
      const box = line.getBoundingClientRect();
      return { x: box.x, y: box.y };
    });
    await page.mouse.move(x, y + 60);
    await soon(() => text(".tooltip")).toContain("from step 300 on");
    await page.mouse.move(x + 40, y + 60);
    await soon(() => text(".tooltip")).not.toContain("from step 300 on");
    await at("#/compare/curves?sel=r1&sel=r2");
    await page.locator(".line-chart path").first().waitFor();
    expect(await changes.count()).toBe(0);
  });

  test("shows three runs side by side", async () => {
    await at("");
    for (const name of ["relay-gspo-4t-s2", "relay-gspo-4t-s3", "relay-gspo-6t-s1"])
      await page.getByRole("checkbox", { name: `Compare ${name}` }).check();
    await page.getByRole("button", { name: "Compare 3 runs" }).click();
    await page.locator(".line-chart path").first().waitFor();
    const lines = ["targetTokens 4 (2 seeds)", "targetTokens 6"];
    expect(await page.locator(".legend button").allInnerTexts()).toEqual(lines);
    const accuracy = page.getByRole("img", { name: /^task\/accuracy by step: targetTokens 4 \(2 seeds\) ends at \d/u });
    await accuracy.waitFor();
    expect((await accuracy.locator("path[stroke-width]").first().getAttribute("d"))?.length).toBeGreaterThan(500);
    await page.getByRole("link", { name: "Accuracy and tokens" }).click();
    await page.locator(".plane circle").nth(2).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "relay-gspo-4t-s2" }).innerText()).toMatch(
      /\d\d\.\d\s%\s\(\d\d\.\d to/u,
    );
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await soon(() => page.locator(".settings tbody th").allInnerTexts()).toEqual([
      "train.budget.targetTokens",
      "train.seed",
    ]);
    await page.getByRole("checkbox", { name: /^Show \d+ equal settings/u }).check();
    await soon(() => page.locator(".settings tbody tr").count()).toBe(12);
  });

  test("a chart shows values at the pointer and zooms by dragging", async () => {
    await at("#/run/r1/curves");
    const over = page.locator("[data-metric='tokens/episode_mean'] .line-chart > svg");
    // Charts above it may still be laid out, and move it away from the pointer.
    await soon(async () => {
      await over.hover();
      return text("[data-metric='tokens/episode_mean'] .tooltip");
    }).toMatch(/step (?:5[5-9]\d|6\d\d)[^]*tokens/u);
    const { x = 0, y = 0, width = 0, height = 0 } = (await over.boundingBox()) ?? {};
    await page.mouse.down();
    await page.mouse.move(x + width * 0.75, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await soon(() => page.url()).toMatch(/fromStep=5\d\d&toStep=[89]\d\d/u);
    await soon(() => page.getByLabel("From step").inputValue()).toMatch(/^5\d\d$/u);
    await page.getByRole("button", { name: "All steps" }).click();
    await soon(() => page.url()).not.toContain("Step=");
  });

  test("follows a run in progress without a click", async () => {
    await at("#/run/r0/curves");
    await page.getByRole("img", { name: /^task\/accuracy by step: relay-gspo-4t-s1 ends at/u }).waitFor();
    await page.locator("[data-metric='task/accuracy'] .line-chart > svg").hover();
    await page.getByRole("link", { name: "Overview" }).click();
    await soon(() => text(".facts")).toContain("1,200");
    server.grow(300);
    await soon(() => text(".facts")).toContain("1,500");
    await page.getByRole("link", { name: "Curves", exact: true }).click();
    await page.locator("[data-metric='task/accuracy'] .line-chart > svg").waitFor();
    server.grow(500);
    const grown = page.getByRole("img", { name: /^task\/accuracy by step: .* n = 2,000 steps$/u });
    await grown.waitFor();
  });

  test("finds an episode among 100,000 and replays it next to an earlier one", async () => {
    await at("#/run/r1/episodes");
    await soon(() => text(".status")).toContain("100,000 episodes");
    expect(await page.locator(".row").count()).toBe(50);
    await page.getByLabel("Search").fill("gerda room 230");
    await page.getByLabel("Answer").selectOption("true");
    await soon(() => text(".row .question")).toBe("What does Gerda hold in room 230?");
    await page.locator(".row .question").first().click();
    await page.getByRole("heading", { name: "What does Gerda hold in room 230?" }).waitFor();
    await soon(() => page.url()).toMatch(/episode=e\d+/u);
    const turns = page.locator(".conversation").first().locator(".turn");
    expect(await turns.count()).toBe(3);
    await page.getByLabel(/^Turn 3 of 3/u).fill("0");
    await soon(() => turns.count()).toBe(0);
    await page.getByRole("button", { name: "Replay" }).click();
    await soon(() => turns.count()).toBe(3);
    expect(await turns.first().innerText()).toMatch(/private\s+Gerda is in room 230/u);
    expect(await turns.nth(2).innerText()).toMatch(/read from holder-a/u);
    expect(await turns.first().innerText()).toMatch(/Environment reward: holder-a 0\.25, solver [-−]0\.5\./u);
    await page.getByLabel("Colour tokens by").selectOption("price");
    await soon(() => page.locator(".tokens .heat[style*='45%']").count()).toBeGreaterThan(1);
    const options = await page.locator("[data-beside] option").allInnerTexts();
    expect(options[1]).toMatch(/^step \d+, (evaluation|training), (right|wrong), \d+ tokens$/u);
    await page.locator("[data-beside]").selectOption({ index: 1 });
    await page.locator(".side-by-side .conversation").nth(1).waitFor();
    const titles = await page.locator(".conversation h3").allInnerTexts();
    const steps = titles.map((title) => Number(title.replace(/\D/gu, "")));
    expect(steps[0]).toBeLessThan(steps[1] as number);
  });

  test("keys walk through the list to its end", async () => {
    await at("#/run/r1/episodes");
    const list = page.getByRole("listbox");
    await list.locator(".question").first().waitFor();
    await list.press("ArrowDown");
    await list.press("ArrowDown");
    await page.locator(".row.chosen").waitFor();
    expect(await page.locator(".row.chosen").getAttribute("aria-posinset")).toBe("2");
    await page.getByRole("button", { name: "Last page" }).click();
    await page.locator("[aria-posinset='100000']").waitFor();
    expect(await page.locator("[aria-posinset='100000']").innerText()).toContain("step 0");
  });

  test("model text stays text: markup, overrides, controls and a line of a megabyte", async () => {
    await at("#/run/r1/episodes?episode=e99603");
    await page.locator(".turn").nth(5).waitFor();
    expect(await page.evaluate("window.broken")).toBeUndefined();
    const shown = (await page.locator("main").innerText()).replace(/\s/gu, " ");
    expect(shown).toContain(`<img src=x onerror="window.broken=1"><script>`);
    expect(shown).not.toMatch(/\p{Bidi_Control}/u);
    expect(await page.locator(".mark").allInnerTexts()).toEqual(
      expect.arrayContaining(["U+202E", "U+001B", "U+0000", "U+D800", "U+200B"]),
    );
    expect(await page.locator("main img, main script, main iframe").count()).toBe(0);
    const more = page.getByRole("button", { name: /Show more \(996,000 characters left\)/u });
    await more.first().click();
    await page.getByRole("button", { name: /Show more \(960,000 characters left\)/u }).waitFor();
  });

  test("plays the messages between agents over the steps", async () => {
    await at("#/run/r1");
    await page.locator(".story summary", { hasText: "Table" }).click();
    await page.locator(".agent-graph").waitFor();
    expect(await page.locator(".edge-label").allTextContents()).toEqual([
      expect.stringMatching(/^[\d.]+ tokenscosts 0\.\d+$/u),
      expect.stringMatching(/^[\d.]+ tokenscosts 0\.\d+$/u),
    ]);
    const spoken = /solver reads [\d.]+ from holder-a at a cost of 0\.\d+/u;
    expect(await page.locator(".agent-graph").getAttribute("aria-label")).toMatch(spoken);
    await page.getByLabel(/^Step 1,200 of 1,200/u).fill("1");
    const first = await text(".story table");
    await page.getByRole("button", { name: "Play" }).click();
    await soon(() => text(".story table")).not.toBe(first);
    await page.getByRole("button", { name: "Pause" }).click();
    await soon(() => page.url()).toMatch(/step=\d+/u);
  });

  test("empty views explain what to do", async () => {
    const before = errors.length;
    await at("#/run/nobody");
    await page.getByText("Run not found").waitFor();
    expect(errors.splice(before)).toEqual([expect.stringContaining("404")]);
    await at("#/compare");
    await page.getByText("No runs selected").waitFor();
    const empty = await fakeServer(pages.folder, { runs: 0, rows: 0, episodes: 0 });
    try {
      const other = await pages.open();
      await other.goto(empty.address);
      await other.getByText("No runs yet").waitFor();
      expect(await other.locator("main").innerText()).toContain("laconic quickstart");
      await other.close();
    } finally {
      await empty.close();
    }
  });

  test("reports a lost server and reconnects", async () => {
    await at("#/run/r0");
    await page.locator(".connection.live").waitFor();
    const before = errors.length;
    const steps = Number((await text(".facts")).match(/Steps[^\n]*\n([\d,]+)/u)?.[1]?.replace(",", ""));
    await server.stop();
    await page.getByText("The server does not answer, and").waitFor();
    server.grow(100);
    await server.start();
    await page.locator(".connection.live").waitFor();
    await soon(() => text(".facts")).toContain((steps + 100).toLocaleString("en-US"));
    // What the browser itself says of refused connections.
    errors.splice(before);
  });

  test("a run that begins appears on the open page of the real server", async () => {
    const runs = await temporaryFolder();
    await smallRun(join(runs, "a"));
    const live = await pages.open();
    await live.goto(await pages.serve(runs));
    await live.getByRole("link", { name: "a", exact: true }).waitFor();
    await smallRun(join(runs, "b"));
    await live.getByRole("link", { name: "b", exact: true }).click();
    await soon(() => live.locator(".facts").innerText()).toMatch(/Steps of 4\s+4/u);
    await live.getByRole("link", { name: "Curves", exact: true }).click();
    await live.getByRole("img", { name: /^tokens\/episode_mean by step: b ends at \d/u }).waitFor();
    await live.getByRole("link", { name: "Episodes", exact: true }).click();
    await soon(() => live.locator(".status").innerText()).toBe("39 episodes");
    await live.locator(".row .question").first().click();
    await soon(() => live.locator(".turn").count()).toBeGreaterThan(1);
    expect(await live.locator(".turns").innerText()).toMatch(/read from hint/u);
    await live.close();
  });

  test("names an opponent in the episode list and at its turn", async () => {
    const runs = await temporaryFolder();
    await smallDuel(join(runs, "duel"));
    const duel = await pages.open();
    await duel.goto(await pages.serve(runs));
    await duel.getByRole("link", { name: "duel", exact: true }).click();
    await duel.getByRole("link", { name: "Episodes", exact: true }).click();
    await duel.getByLabel("Kind").selectOption("training");
    const answers = duel.locator(".row .answer", { hasText: /· opponent step-[02]/u });
    await answers.first().click();
    const played = duel.locator(".turn", { hasText: /played by opponent step-[02]/u });
    await played.waitFor();
    expect(await duel.locator(".turn").count()).toBe(2);
    // Only the team's own turn is trained.
    expect(await played.innerText()).not.toContain("advantage");
    expect(await duel.locator(".turn", { hasText: "advantage" }).count()).toBe(1);
    await duel.close();
  });

  const places = [
    ["", ".runs"],
    ["#/compare/curves?sel=r1&sel=r2&sel=r5", ".line-chart path"],
    ["#/compare/plane?sel=r1&sel=r2&sel=r5", ".plane circle"],
    ["#/compare/settings?sel=r1&sel=r5", ".settings"],
    ["#/run/r2", ".facts"],
    ["#/run/r1/episodes?episode=e99630&with=e30&heat=logProb", ".side-by-side .turn"],
    ["#/benches", ".interval"],
  ] as const;

  test.each(["light", "dark"] as const)("is accessible in the %s scheme", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const isLight = colorScheme === "light";
    // Dark has the same elements in other colours.
    for (const [hash, ready] of isLight ? places : places.filter((_, i) => i % 2 === 0)) {
      await at(hash);
      await page.locator(ready).first().waitFor();
      expect(await violations(page, isLight ? undefined : ["color-contrast"]), hash).toEqual([]);
    }
  });

  test("fits a screen of 360 pixels", async () => {
    const phone = await pages.open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    for (const [hash, ready] of places) {
      await at(hash, phone);
      await phone.locator(ready).first().waitFor();
      expect(await phone.evaluate("document.documentElement.scrollWidth"), hash).toBe(360);
      await soon(async () => {
        const { colliding, smallest } = await writtenInGraph(phone);
        return { hash, colliding, isLegible: smallest >= 11 };
      }).toEqual({ hash, colliding: [], isLegible: true });
    }
    await phone.close();
  });

  test("writes no console error and contacts no other machine", () => {
    expect(errors).toEqual([]);
    expect(pages.requests.filter((url) => !/^(?:about:blank|http:\/\/127\.0\.0\.1:)/u.test(url))).toEqual([]);
    expect(server.unknown.filter((path) => path !== "/api/runs/nobody")).toEqual([]);
  });
});

describePages("the dashboard of a run at its first step, on paper, and on a phone", (pages) => {
  let server: FakeServer;
  beforeAll(async () => {
    server = await fakeServer(pages.folder, { runs: 1, rows: 1, episodes: 400 });
  });
  afterAll(() => server?.close());

  test("one step is a point in each curve", async () => {
    const page = await pages.open();
    await page.goto(`${server.address}/#/run/r0/curves`);
    await page.locator("[data-metric='task/accuracy'] .line-chart > svg").hover();
    await page.getByText("step 1", { exact: true }).first().waitFor();
    expect(await page.locator(".line-chart circle").count()).toBeGreaterThan(3);
    expect(await page.title()).toBe("relay-gspo-4t-s1 · Laconic");
    expect(pages.errors).toEqual([]);
  });

  test("prints in the light scheme", async () => {
    const page = await pages.open({ colorScheme: "dark" });
    await page.goto(server.address);
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    const theme = (after: string): Promise<string> =>
      page.evaluate(`dispatchEvent(new Event("${after}")), document.documentElement.dataset.theme`);
    expect([await theme("beforeprint"), await theme("afterprint")]).toEqual(["light", "dark"]);
  });

  test("the slider's position stays visible while the page scrolls", async () => {
    const phone = await pages.open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await phone.goto(`${server.address}/#/run/r0`);
    await phone.locator(".story .plane circle").first().waitFor();
    const above = `(scrollTo(0, 500), document.querySelector(".player label > span").getBoundingClientRect())`;
    const isPlayer = `(({ x, y }) => document.elementFromPoint(x + 4, y + 8).closest(".player") !== null)(${above})`;
    await soon(() => phone.evaluate(isPlayer)).toBe(true);
  });
});
