import { join } from "node:path";
import type { CostSums } from "@laconic/core/ledger";
import type { StoredStep } from "@laconic/core/run-folder";
import { equation1Costs } from "@laconic/rewards";
import { nodeFileSystem } from "@laconic/trainer";
import { episodeMembers, tinyParts } from "@laconic/trainer/testing";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { spokenUpTo } from "../web/dashboard/episodes/spoken.ts";
import { costWords, inReward } from "../web/parts/graph-labels.ts";
import { openedData, pageOf, settings, smallRun } from "./small-runs.ts";

const letters = {
  unit: "letters a",
  scope: {},
  measure: ({ utterances }: { readonly utterances: readonly { readonly text: string }[] }) =>
    utterances.reduce((sum, { text }) => sum + text.split("a").length - 1, 0),
};
const eachItsOwn = () => {
  const [own, other] = [tinyParts("star"), tinyParts("star")];
  const [[, first] = expect.fail(), [, second] = expect.fail()] = [
    ...Object.entries(own.policies),
    ...Object.entries(other.policies),
  ];
  return {
    ...own,
    policies: { first: { ...first, agents: ["hint"] }, second: { ...second, agents: ["solver"] } },
  };
};

const runs: readonly (readonly [
  name: string,
  settings: object,
  parts: () => ReturnType<typeof tinyParts>,
  rest: readonly string[],
])[] = [
  ["Eq. 1", { prices: { tokens: 0.1, turns: 0.02, repetition: 0.5 } }, () => tinyParts("star"), ["turns"]],
  [
    "prices per agent and edge",
    {
      costs: {
        tokens: { kind: "tokens-written" },
        "tokens/hint": { kind: "tokens-written", by: "hint" },
        "read/s": { kind: "tokens-read", by: "solver" },
        "hint->solver": { kind: "tokens-read", by: "solver", from: "hint" },
        long: { kind: "overlong", maxTokens: 4, margin: 3 },
      },
      prices: { tokens: 0.01, "tokens/hint": 0.3, "read/s": 0.07, "hint->solver": 0.0013, long: 0.2 },
    },
    () => tinyParts("star"),
    ["long"],
  ],
  ["right answers pay", { costWhenTaskAtLeast: 1 }, () => tinyParts("star"), []],
  [
    "costs of one's own alone",
    { prices: { letters: 0.3 }, costs: { ...equation1Costs, letters } },
    () => tinyParts("star"),
    ["letters"],
  ],
  [
    "a cost of one's own that is called tokens",
    { prices: { tokens: 0.3 }, costs: { tokens: letters } },
    () => tinyParts("star"),
    ["tokens"],
  ],
  [
    "policies that pay for themselves",
    {
      policies: { first: { prices: { tokens: 0.2 } }, second: { prices: { tokens: 0.01, turns: 0.5 } } },
      prices: {},
    },
    eachItsOwn,
    ["other costs"],
  ],
];

async function opened(folder: string) {
  const data = await openedData([folder]);
  const [{ id } = expect.fail()] = await data.runs();
  const { rows } = await pageOf(data, id, { kind: "training", limit: 500 });
  return { data, id, rows };
}

async function chargedIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { head, content } of await episodeMembers(nodeFileSystem, folder)) {
    if (head.kind !== "step") continue;
    const { step, rollouts, policies } = content as unknown as StoredStep;
    const own = Object.values(policies).filter(({ rewards }) => rewards);
    for (const [i, { terms, reward }] of rollouts.entries()) {
      const earned = terms["task"] ?? 0;
      const rewards = own.length > 0 ? own.map((each) => each.rewards?.[i] ?? Number.NaN) : [reward ?? Number.NaN];
      found.set(`s${step}.${i}`, sumOf(rewards.map((each) => earned - each)));
    }
  }
  return found;
}

function there<T>(value: T | null): T {
  if (value === null) throw new Error("the viewer does not know it");
  return value;
}

const near = (a: number, b: number): void => expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-12);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const partsOf = ({ edges, end, unread, rest }: CostSums): number =>
  sumOf([...edges.map(({ cost }) => cost), end, unread, ...Object.values(rest)]);

describe.each(runs)("%s", (_, own, parts, restNames) => {
  test("every episode and step of the dashboard shows the cost in the reward", async () => {
    const folder = await temporaryFolder();
    await smallRun(join(folder, "run"), { settings: { ...settings, ...own }, parts: parts() });
    const charged = await chargedIn(join(folder, "run"));
    const { data, id, rows } = await opened(folder);
    expect(rows.map(({ key }) => key).toSorted()).toEqual([...charged.keys()].toSorted());
    const rest = new Set<string>();
    const bySteps = new Map<number, number[]>();
    for (const { key, step } of rows) {
      const detail = there(await data.episode(id, key));
      const spoken = spokenUpTo(detail, detail.turns.length);
      const { total } = spoken;
      near(total, charged.get(key) as number);
      near(partsOf(spoken), total);
      const inTokens = detail.turns.flatMap(({ tokens }) => tokens?.map(({ price }) => price) ?? []);
      near(sumOf([...inTokens, ...Object.values(spoken.rest)]), total);
      for (const name of Object.keys(spoken.rest)) rest.add(name);
      bySteps.set(step, [...(bySteps.get(step) ?? []), total]);
      const words = costWords(spoken, inReward);
      expect(words.includes("Tokens have no price")).toBe(total === 0);
      for (const name of Object.keys(spoken.rest)) expect(words).toContain(`for ${name}`);
    }
    expect([...rest].toSorted()).toEqual([...restNames].toSorted());
    const { steps } = there(await data.speech(id));
    expect(steps).toHaveLength(settings.steps);
    for (const spoken of steps) {
      near(spoken.total, sumOf(bySteps.get(spoken.step) ?? []) / spoken.episodes);
      near(partsOf(spoken), spoken.total);
    }
  });
});

test("transcripts without records show the cost of their terms", async () => {
  const folder = await temporaryFolder();
  const prices = { tokens: 0.1, turns: 0.02 };
  await smallRun(join(folder, "run"), { settings: { ...settings, prices }, records: false });
  const { data, id, rows } = await opened(folder);
  expect(rows.length).toBeGreaterThan(0);
  for (const { key, reward } of rows) {
    const { cost, terms } = there(await data.episode(id, key));
    near(cost.total, (terms["task"] as number) - (reward as number));
    expect(Object.keys(cost.rest)).toEqual(cost.total > 0 && terms["turns"] !== 0 ? ["turns"] : []);
  }
});
