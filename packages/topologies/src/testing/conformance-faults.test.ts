import type { Episode, Topology } from "@laconic/core";
import { expect, test } from "vitest";
import { star, type AgentSpec } from "../index.ts";
import { topologyCases, type TopologySubject } from "./index.ts";

const agent = (id: string): AgentSpec => ({
  id,
  role: "speaker",
  maxTokens: 12,
  prompt: ({ inbox }) => ({ kind: "text", text: inbox.map(({ text }) => text).join("|") }),
});
const sound: TopologySubject = {
  topology: star([agent("a"), agent("b")], agent("s")),
  problem: { id: "p", question: "", gold: "" },
  edges: ["a", "b"].map((from) => ({ from, to: "s" })),
};

async function failures(subject: TopologySubject): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of topologyCases)
    await run(() => subject).catch(() => {
      failed.push(name);
    });
  return failed;
}

function faulty(run: Topology["run"]): TopologySubject {
  return { ...sound, topology: { ...sound.topology, run } };
}
const spoil = (change: (episode: Episode) => Partial<Episode>): TopologySubject =>
  faulty(async (problem, context) => {
    const episode = await sound.topology.run(problem, context);
    return { ...episode, ...change(episode) };
  });

let runs = 0;
const { run: play } = sound.topology;

test.each<[fault: string, subject: TopologySubject, failed: readonly string[]]>([
  ["no fault", sound, []],
  [
    "an undeclared edge",
    { ...sound, edges: [{ from: "a", to: "s" }] },
    [
      "every read follows an edge, comes after the writing, and matches what was delivered",
      "a message reaches only agents with a path of edges",
    ],
  ],
  [
    "a ledger that forgets a call",
    spoil(({ ledger }) => ({ ledger: { calls: ledger.calls.slice(1) } })),
    ["the ledger reconciles with what the models report"],
  ],
  [
    "an episode that ignores its random stream",
    faulty((problem, context) => play(problem, { ...context, random: context.random.split(runs++) })),
    ["the same seed gives the same episode, whichever model answers first"],
  ],
  [
    "an executor that ignores limits and signals",
    faulty((problem, { models, sampling, random }) => play(problem, { models, sampling, random })),
    [
      "limits are kept and named",
      "no agent passes its own limit",
      "a fired signal rejects with `aborted` before anyone speaks",
    ],
  ],
])("the suite finds the failing cases of %s", async (_, subject, failed) => {
  const matches = await failures(subject);
  expect(matches.length === 0).toBe(failed.length === 0);
  expect(matches).toEqual(expect.arrayContaining([...failed]));
});
