import { join } from "node:path";
import { tinyPairParts, tinyParts, tinyRun, tinyToolParts } from "@laconic/trainer/testing";
import { verifyRun } from "@laconic/verify";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import rows from "./formulas-covered.json" with { type: "json" };

type Settings = Readonly<Record<string, unknown>>;

const few = {
  steps: 4,
  problemsPerStep: 3,
  episodesPerProblem: 4,
  minibatches: 2,
  epochs: 2,
  evaluation: { every: 2, problems: 5, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
};

type Team = "solo" | "star" | "pair" | "tools";

const covered: readonly (readonly [string, Settings, Team?])[] = rows as unknown as readonly (readonly [
  string,
  Settings,
  Team?,
])[];

const partsOf = (team: Team): ReturnType<typeof tinyParts> => {
  if (team === "pair") return tinyPairParts(1) as unknown as ReturnType<typeof tinyParts>;
  return team === "tools"
    ? (tinyToolParts(tinyParts()) as ReturnType<typeof tinyParts>)
    : tinyParts(team === "star" ? "star" : "solo");
};

test.each(covered.map(([name, settings, team = "solo"]) => [name, settings, team] as const))(
  "%s is covered, and an honest run agrees",
  async (_, settings, team) => {
    const directory = join(await temporaryFolder(), "run");
    await tinyRun({ directory, settings: { ...few, ...settings }, parts: partsOf(team) });
    const { contradictions, notCovered, compared } = await verifyRun(directory);
    expect(contradictions).toEqual([]);
    expect(notCovered.map(({ name }) => name).filter((name) => /^(?:train|prices|steps)/u.test(name))).toEqual([]);
    for (const stage of ["ledger", "reward", "price", "batch", "advantage", "loss", "metric", "evaluation"] as const)
      expect([stage, compared[stage]]).toEqual([stage, expect.any(Number)]);
  },
);

const named: readonly (readonly [string, Settings, string, Team?])[] = [
  ["an estimator", { advantage: { estimator: "rloo" } }, 'train.advantage.estimator "rloo"'],
  ["an objective", { objective: { name: "cispo" } }, 'train.objective.name "cispo"'],
  [
    "a price law",
    { prices: {}, budget: { targetTokens: 2, learningRate: 0.05, unit: "budget" } },
    'train.budget.unit "budget"',
  ],
  ["a threshold", { costWhenTaskAtLeast: 0.5 }, "train.costWhenTaskAtLeast 0.5"],
  ["groups by agent", { groupBy: "prompt+agent" }, 'train.groupBy "prompt+agent"', "star"],
  ["a unit of ratios", { ratioUnit: "joint" }, 'train.ratioUnit "joint"', "star"],
  [
    "prices of a policy",
    { policies: { first: { prices: { tokens: 0.3 } } } },
    "train.policies.first with prices",
    "pair",
  ],
];

test.each(named.map(([what, settings, name, team = "solo"]) => [what, settings, name, team] as const))(
  "names %s as not covered, and an honest run has no contradiction",
  async (_, settings, name, team) => {
    const directory = join(await temporaryFolder(), "run");
    await tinyRun({ directory, settings: { ...few, ...settings }, parts: partsOf(team) });
    const { verdict, notCovered } = await verifyRun(directory);
    expect([verdict, notCovered.map((item) => item.name)]).toEqual(["partial", expect.arrayContaining([name])]);
  },
);

test("a run resumed in another process verifies as one run", async () => {
  const directory = join(await temporaryFolder(), "run");
  const settings = { ...few, budget: { targetTokens: 2, learningRate: 0.05 }, prices: {} };
  // Its first end is evaluated too, where no evaluation is due.
  await tinyRun({ directory, settings: { ...settings, steps: 3 } });
  await tinyRun({ directory, settings, resume: true, adjustable: { steps: "" } });
  expect(await verifyRun(directory)).toMatchObject({ contradictions: [], steps: 4 });
});
