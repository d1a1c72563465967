import { baselineNamed, type Script } from "@laconic/baselines";
import { posed } from "@laconic/benchmarks";
import { exemplarsNamed } from "@laconic/benchmarks/exemplars";
import { randomFromSeed, type EpisodeContext } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { openTeamTexts, type TeamName } from "@laconic/tasks/text";
import { openTask } from "@laconic/tasks/named";
import { expect, test, vi } from "vitest";
import { playQuestion, type Asked, type SlotScripts } from "../../../../packages/evaluation/test/request-log.ts";
import { requestSets } from "../../../../packages/evaluation/test/request-sets.ts";

// Texts of a source by name, as if they were on disk; placeholders take the values that the released ones take.
vi.mock("@laconic/benchmarks/exemplars", async (original) => ({
  ...(await original<typeof import("@laconic/benchmarks/exemplars")>()),
  installedTexts: async (name: string) => fixture(name),
}));

function fixture(name: string): Script {
  const keys = Object.keys(exemplarsNamed(name).texts);
  const texts = Object.fromEntries(keys.map((key) => [key, `${name}/${key}: {a} {b} {c} {d} {e} {f};`]));
  return { name, texts, examples: 0, sha256: name };
}

const hint = "Count] it.";
const replyOf = (agent: string): string =>
  ({ router: "Math Enthusiast", collaborator: hint, critic: hint })[agent] ?? `${agent} says 12`;

function setOf(benchmark: string) {
  const set = requestSets.find((requestSet) => requestSet.benchmark === benchmark);
  const [problem] = set?.problems ?? [];
  if (!set || !problem) throw new Error(`no question of ${benchmark}`);
  return { set, problem };
}

async function teamRequests(
  team: TeamName,
  benchmark: string,
  context: Partial<EpisodeContext> = {},
): Promise<Asked[]> {
  const settings = { name: "benchmark", benchmark, team, prompts: "published" } as const;
  const { topology, close } = await openTask(settings, { testProblems: 0, remote: true });
  const asked: Asked[] = [];
  const modelOf = (agent: string) =>
    scriptedModel((request) => {
      asked.push({ agent, request, reply: replyOf(agent) });
      return replyOf(agent);
    });
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, modelOf(agent)]));
  const { problem } = setOf(benchmark);
  await topology.run(posed(problem), { models, sampling: { temperature: 0 }, random: randomFromSeed(0), ...context });
  await close?.();
  return asked;
}

async function benchRequests(
  method: string,
  benchmark: string,
  scripts: Readonly<Record<string, Script>>,
  suffix = "",
): Promise<readonly Asked[]> {
  const { set, problem } = setOf(benchmark);
  const slots: SlotScripts = Object.fromEntries(
    ["collaborator", "critic", "actor", "router", "expert", "debater"].map((slot) => [
      slot,
      (_call, _programs, { number }) => replyOf(number > 0 ? `${slot}-${number}` : slot),
    ]),
  );
  const problems = [{ ...problem, question: `${problem.question}${suffix}` }];
  const limit = suffix === "" ? null : 2048;
  return (await playQuestion(baselineNamed(method), { ...set, scripts, problems }, slots, { maxTokens: limit })).asked;
}

const sent = (asked: readonly Asked[]): unknown =>
  asked.map(({ request: { prompt, sampling } }) => [prompt, sampling.maxTokens]);

test.for([
  ["hint", "gsm8k", "agentpo-hint"],
  ["hint", "math500", "agentpo-hint"],
  ["critic", "gsm8k", "agentpo-critic-test"],
  ["critic", "math500", "agentpo-critic-test"],
] as const)("%s on %s sends the requests of the bench with %s", async ([team, benchmark, name]) => {
  const evaluated = await teamRequests(team, benchmark, { isEvaluation: true });
  expect(sent(evaluated)).toEqual(sent(await benchRequests(team, benchmark, { [name]: fixture(name) })));
  // Training episodes have the texts of the released training code.
  const training = exemplarsNamed(name).training ?? name;
  const trained = await teamRequests(team, benchmark);
  expect(sent(trained)).toEqual(sent(await benchRequests(team, benchmark, { [name]: fixture(training) })));
  expect(JSON.stringify(trained)).toContain(`${training}/`);
  expect(JSON.stringify(trained) === JSON.stringify(evaluated)).toBe(team === "hint");
});

test.for([
  ["debate", "debate", "debate-word"],
  ["roles", "role-assignment", "adas-word"],
] as const)("%s sends the requests of the bench's %s on the question with a hint", async ([team, method, name]) => {
  const [helper, ...others] = await teamRequests(team, "gsm8k");
  const scripts = { [name]: fixture(name) };
  expect(sent(others)).toEqual(sent(await benchRequests(method, "gsm8k", scripts, "\n\n[Hint: Count) it.]")));
  expect(JSON.stringify(others)).toContain(`${name}/`);
  const [pair] = await teamRequests("hint", "gsm8k");
  expect(helper?.request.prompt).toEqual(pair?.request.prompt);
});

test("a team keeps its texts on benchmarks without published ones, unless the questions are of another kind", async () => {
  const trainedOn = { benchmark: "gsm8k", family: "maths" } as const;
  const textsOf = await openTeamTexts("debate", "", trainedOn);
  expect(textsOf({ benchmark: "math500", family: "maths" })).toEqual(textsOf(trainedOn));
  expect(Object.values(textsOf(trainedOn).training).map(({ name }) => name)).toEqual(["agentpo-hint", "debate-word"]);
  expect(() => textsOf({ benchmark: "aqua", family: "choice" })).toThrow(/no prompts of hint are published for aqua/u);
});

test.for<[TeamName, string, RegExp]>([
  ["star", "gsm8k", /no prompts are published for the team star; use task\.prompts=ours/u],
  ["debate", "math500", /no prompts of debate are published for math500/u],
])("%s on %s has no published prompts, and is refused", async ([team, benchmark, reason]) => {
  const settings = { name: "benchmark", benchmark, team, prompts: "published" } as const;
  const opened = openTask(settings, { testProblems: 0, remote: true });
  await expect(opened).rejects.toFailWith("config_invalid", { key: "task.prompts" });
  await expect(openTask(settings, { testProblems: 0, remote: true })).rejects.toThrow(reason);
});
