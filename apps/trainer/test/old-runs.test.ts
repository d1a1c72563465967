import { createHash } from "node:crypto";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderData, type EpisodeDetail, type ViewData } from "@laconic/view";
import { describe, expect, onTestFinished, test } from "vitest";
import { laconic } from "./laconic.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** Run folders that version 0.1.0 wrote. Whatever later versions write, these are read as they were. */
const runs = ["relay", "tree", "asynchronous", "without-records"] as const;

/** A copy, because reading a run may lock it, and writes its report. */
async function copyOf(name: string): Promise<string> {
  const run = join(await temporaryFolder(), name);
  await cp(fileURLToPath(new URL(`fixtures/old-runs/${name}`, import.meta.url)), run, { recursive: true });
  return run;
}

/** Every episode of the run's dashboard, whole. */
async function episodesOf(run: string): Promise<EpisodeDetail[]> {
  const data: ViewData = await folderData({ folders: [run], onError: (error) => expect(error).toBeNull() });
  onTestFinished(() => data.close());
  const [{ id } = { id: "" }] = await data.runs();
  for (;;) {
    const page = await data.episodes(id, { limit: 500 });
    if (!page || page.indexed < ((await data.run(id))?.episodes ?? 1)) continue;
    return Promise.all(page.rows.map(async ({ key }) => (await data.episode(id, key)) as EpisodeDetail));
  }
}

/** Turns as they were when tokens stood without their numbers, and nobody played an opponent or earned by an environment. */
function turnsOf({ turns }: Pick<EpisodeDetail, "turns">): readonly object[] {
  expect(turns.map(({ opponent, earned }) => opponent ?? earned).filter((each) => each !== null)).toEqual([]);
  return turns.map((turn) => {
    const { opponent: _, earned: __, ...rest } = turn;
    const tokens = turn.tokens?.map(({ text, logProb, advantage, price }) => ({ text, logProb, advantage, price }));
    return { ...rest, tokens: tokens ?? null };
  });
}

describe.each(runs)("%s, as version 0.1.0 wrote it", (name) => {
  const golden = (file: string): string => `fixtures/old-runs-read/${name}-${file}`;

  test("has the same episodes in the dashboard", async () => {
    const episodes = await episodesOf(await copyOf(name));
    expect(episodes.length).toBeGreaterThan(3);
    expect(episodes.map(({ row }) => row.opponent).filter((each) => each !== null)).toEqual([]);
    const details = episodes.map(({ row, problem, answer, terms, prices, cost, messageValue, ...each }) => {
      const { opponent: _, ...known } = row;
      const tokenIds = each.turns.map(({ tokens }) => tokens?.map(({ id }) => id) ?? null);
      const turns = turnsOf(each);
      return { ...known, detail: sha256({ problem, turns, answer, terms, prices, cost, messageValue, tokenIds }) };
    });
    const first = turnsOf(episodes[0] as EpisodeDetail);
    await expect(json({ first, episodes: details })).toMatchFileSnapshot(golden("episodes.json"));
  });

  test("is rescored to the same figures", async () => {
    const { code, out, err } = await laconic("analyze", "rescore", await copyOf(name), "--tokens", "0.001", "--json");
    expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
    await expect(json(JSON.parse(out))).toMatchFileSnapshot(golden("rescored.json"));
  });
});

test.each(["tree", "asynchronous", "without-records"])("%s goes on in a report", async (name) => {
  const { code, out } = await laconic("view", "report", await copyOf(name));
  expect([code, out]).toEqual([0, expect.stringContaining("report.html")]);
});

test("a report shows the prompts of transcripts, which stand beside records without them", async () => {
  const run = await copyOf("relay");
  const { code } = await laconic("view", "report", run);
  expect(code).toBe(0);
  const page = await readFile(join(run, "report.html"), "utf8");
  expect(page).toContain("A:w6?b+w&gt;");
  expect(page).not.toContain(`<dd><span class="text"></span></dd>`);
});

function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
