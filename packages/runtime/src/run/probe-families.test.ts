import { LaconicError, randomFromSeed, type Episode, type LanguageModel, type Problem } from "@laconic/core";
import { relayTeacher, type TeamTask } from "@laconic/tasks";
import { openTask } from "@laconic/tasks/named";
import { onePolicy, type TrainingParts } from "@laconic/trainer";
import { expect, test } from "vitest";
import type { OpenedParts } from "./open-parts.ts";
import { planFamily, probeFamilies, type ProbePlan, type ProbeSources } from "./probe-families.ts";

const teacher = relayTeacher();
const named = (id: string): LanguageModel => ({ ...teacher, id });
const model = { id: "weights" } as Parameters<typeof onePolicy>[1];

async function sourcesOf(task: TeamTask, input: Partial<ProbeSources> = {}): Promise<ProbeSources> {
  const { topology, trainedAgents = topology.agents } = task;
  const parts: TrainingParts = {
    ...onePolicy(task, model, () => named("trained"), trainedAgents),
    frozen: Object.fromEntries(
      topology.agents.filter((agent) => !trainedAgents.includes(agent)).map((agent) => [agent, named("frozen")]),
    ),
  };
  const problems = task.testProblems.slice(0, 8);
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, teacher]));
  const base = await Promise.all(
    problems.map((problem, i) =>
      topology.run(problem, { models, sampling: { temperature: 1 }, random: randomFromSeed(i) }),
    ),
  );
  const otherModel: OpenedParts["otherModel"] = async (_, other) =>
    named(typeof other === "string" ? other : other && "model" in other ? other.model : "other");
  const opened = { task, parts, otherModel } as ProbeSources["opened"];
  return { opened, problems, base, seed: "s", actor: null, fetched: null, ...input };
}

async function planned(family: string, sources: ProbeSources): Promise<ProbePlan> {
  const plan = await planFamily(family, sources);
  if ("reason" in plan) throw new Error(plan.reason);
  return plan;
}

const reasons = async (sources: ProbeSources): Promise<Record<string, string>> => {
  const plans = await Promise.all(probeFamilies.map((family) => planFamily(family, sources)));
  return Object.fromEntries(plans.flatMap((plan) => ("reason" in plan ? [[plan.family, plan.reason]] : [])));
};

async function playedAt({ parts, problems }: ProbePlan, i: number): Promise<Episode> {
  const { topology } = parts.task;
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, teacher]));
  return topology.run(problems[i] as Problem, {
    models,
    sampling: { temperature: 1 },
    random: randomFromSeed(i),
  });
}

const relay = await openTask({ name: "relay", level: "one-fact" }, { testProblems: 20 });

test("a teammate is silenced in each episode, and only one", async () => {
  const sources = await sourcesOf(relay);
  const plan = await planned("silent-teammate", sources);
  for (const [i, before] of sources.base.entries()) {
    const said = ({ utterances }: Episode): string[] =>
      utterances.flatMap(({ agent, silent }) => (silent || agent === "solver" ? [] : [agent]));
    const after = await playedAt(plan, i);
    expect(said(before).length - said(after).length).toBe(1);
  }
});

test("a task without probes has the families that need none, and false facts come from other problems", async () => {
  const { probes: _, ...plain } = relay;
  const sources = await sourcesOf(plain);
  expect(Object.keys(await reasons(sources))).toEqual([
    "paraphrase",
    "distractors",
    "all-texts",
    "other-question",
    "names",
    "more-agents",
    "other-actor",
  ]);
  const plan = await planned("lying-teammate", sources);
  const all = sources.base.flatMap(({ utterances }) => utterances.map(({ text }) => text));
  for (const [i, problem] of plan.problems.entries()) {
    if (problem === null) continue;
    const [before, after] = [sources.base[i] as Episode, await playedAt(plan, i)];
    const changed = after.utterances.filter(
      ({ agent, text }, turn) => agent !== "solver" && text !== before.utterances[turn]?.text,
    );
    expect(changed).toHaveLength(1);
    expect(all).toContain(changed[0]?.text);
  }
});

test("a joining agent uses the policy of another holder", async () => {
  const { parts } = await planned("more-agents", await sourcesOf(relay));
  expect(parts.policies["policy"]?.agents).toEqual([...relay.topology.agents, "holder-d"]);
});

test("the fresh reader is the initial model, with and without messages; other-actor is the fetched or given one", async () => {
  const sources = await sourcesOf(relay, { fetched: "before" });
  const fresh = await planned("fresh-reader", sources);
  expect(fresh.parts.frozen?.["solver"]?.id).toBe("begun");
  expect(fresh.parts.policies["policy"]?.agents).not.toContain("solver");
  const unheard = await playedAt({ ...fresh, parts: fresh.unheard as TrainingParts }, 0);
  expect(unheard.utterances.map(({ agent, writtenTokens }) => agent === "solver" || writtenTokens === 0)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const other = await planned("other-actor", sources);
  expect(other.parts.frozen?.["solver"]?.id).toBe("before");
  const actor = { title: "mine", speaks: { model: "mine" } } as const;
  const chosen = await planned("other-actor", { ...sources, actor });
  expect([chosen.change, chosen.parts.frozen?.["solver"]?.id]).toEqual(["solver is mine", "mine"]);
});

test("an unavailable model is a reason, and any other failure is an error of the program", async () => {
  const sources = await sourcesOf(relay, { fetched: "gone" });
  const failing = (error: Error): ProbeSources => ({
    ...sources,
    opened: {
      ...sources.opened,
      otherModel: async () => {
        throw error;
      },
    },
  });
  const gone = new LaconicError("checkpoint_missing", "model folder not found: gone");
  expect(await planFamily("other-actor", failing(gone))).toEqual({
    family: "other-actor",
    reason: "the model before the warm start: model folder not found: gone",
  });
  await expect(planFamily("other-actor", failing(new TypeError("a fault")))).rejects.toThrow("a fault");
});

test("a frozen actor is probed with the trained policy; two simultaneous answerers read no messages", async () => {
  const hint = await sourcesOf(await openTask({ name: "relay-hint" }, { testProblems: 20 }));
  const other = await planned("other-actor", hint);
  expect(other.parts.frozen?.["actor"]?.id).toBe("trained");
  expect(await reasons(hint)).toMatchObject({
    "fresh-reader": "actor does not learn: it is unchanged since the start",
  });
  const pair = await sourcesOf(await openTask({ name: "relay-writers" }, { testProblems: 20 }));
  expect((await planned("other-actor", pair)).change).toBe("second is the model at the start of the run");
  expect(await reasons(pair)).toMatchObject({
    "silent-teammate": "no agent reads another agent's messages",
    "fresh-reader": "several agents answer",
  });
});
