import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ProbeRecord } from "@laconic/trainer/reading";
import { beforeAll, expect, test } from "vitest";
import { expectRefused, laconic } from "../../test/laconic.ts";
import { strangersFolder } from "../../test/strangers-folder.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const timeout = 120_000;

const ownFile = `
const views = { "holder-a": "k4", "holder-b": "e5", "holder-c": "z1" };
const problem = (id, more) => ({ id, question: "k+e", gold: "9", views, ...more });
export default () => [problem("a", { family: "easy" }), problem("b", { group: "hard" }), problem("c", {})];
export const stranger = [problem("a", { views: { "holder-x": "k4" } })];
export const open = [{ id: "a", question: "k+e" }];
`;

const folder = sharedFolder();
const run = (): string => join(folder, "run");
const own = (name = ""): string => join(folder, `own.ts${name}`);

beforeAll(async () => {
  await strangersFolder(folder, { "own.ts": ownFile, "package.json": '{"type":"module"}' });
  const short = ["train.steps=1", "train.evaluation.problems=8", "train.problemsPerStep=2"];
  const { code, err } = await laconic("train", "preset:relay-quickstart", ...short, "--run", run());
  if (code !== 0) throw new Error(err);
}, timeout);

async function probed(...words: readonly string[]): Promise<ProbeRecord> {
  const { code, out, err } = await laconic("analyze", "probe", run(), "--limit", "16", ...words, "--json");
  expect([code, err]).toEqual([0, err]);
  return JSON.parse(out) as ProbeRecord;
}

test("measures every family or gives a reason, with equal repeats", { timeout }, async () => {
  const record = await probed();
  expect(record.families.map(({ family }) => family)).toEqual([
    "distractors",
    "names",
    "more-agents",
    "silent-teammate",
    "lying-teammate",
    "fresh-reader",
  ]);
  expect(record.skipped.map(({ family }) => family)).toEqual([
    "paraphrase",
    "all-texts",
    "other-question",
    "other-actor",
  ]);
  expect(record.base.problems).toBe(16);
  for (const { isPaired, problems, base, probed: changed, fall } of record.families) {
    expect([isPaired, problems]).toEqual([true, 16]);
    expect(fall.value).toBeCloseTo(base.accuracy - changed.accuracy, 12);
    expect(Number(fall.low) <= fall.value && fall.value <= Number(fall.high)).toBe(true);
  }
  // A message that is missing or false costs answers, where the policy of the beginning had read it.
  const of = (family: string) => record.families.find((probedFamily) => probedFamily.family === family);
  expect(of("silent-teammate")?.fall.low).toBeGreaterThan(0);
  expect(of("silent-teammate")?.probed.tokens).toBeLessThan(record.base.tokens);
  expect(of("lying-teammate")?.fall.low).toBeGreaterThan(0);
  expect(of("fresh-reader")?.unheard).toBeLessThan(of("fresh-reader")?.probed.accuracy ?? 0);
  const retained: unknown = JSON.parse(await readFile(join(run(), "probe.json"), "utf8"));
  expect(retained).toEqual(record);
  expect(await probed()).toEqual(record);
});

test("trains another model for probes and builds custom problem families", { timeout }, async () => {
  const words = ["--families", "other-actor,easy,hard,own", "--file", own(), "--actor", "shipped"];
  const { families, skipped } = await probed(...words);
  expect(skipped).toEqual([]);
  expect(families.map(({ family, isPaired, problems }) => [family, isPaired, problems])).toEqual([
    ["other-actor", true, 16],
    ["easy", false, 1],
    ["hard", false, 1],
    ["own", false, 1],
  ]);
  expect(families[0]?.change).toBe("solver is shipped");
  const { out } = await laconic("analyze", "probe", run(), "--limit", "4", "--families", "names,paraphrase");
  expect(out).toMatch(/^FAMILY +PROBLEMS/mu);
  expect(out).toMatch(/^names +4 /mu);
  expect(out).toContain("no paraphrase: ");
});

test("rejects runs that cannot be probed by name", { timeout }, async () => {
  const refused = (reason: string, ...words: readonly string[]): Promise<void> =>
    expectRefused(["analyze", "probe", ...words], reason);
  await refused('unknown family "nams"; did you mean names?', run(), "--families", "nams");
  await refused('unknown family "x1"; use one of: paraphrase', run(), "--families", "names,x1");
  await refused('a view of "holder-x", but the agents are holder-a', run(), "--file", own("#stranger"));
  await refused("problem 0, gold: it is missing", run(), "--file", own("#open"));
  await refused("export none not found", run(), "--file", own("#none"));
  await refused("--limit is 0", run(), "--limit", "0");
  await refused("has no run", join(folder, "nowhere"));
  const bare = join(folder, "bare");
  await cp(run(), bare, { recursive: true });
  await rm(join(bare, "checkpoints"), { recursive: true });
  await refused("has no checkpoint yet", bare);
});
