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

/** Names of the cases a subject fails. */
async function failures(subject: TopologySubject): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of topologyCases)
    await run(() => subject).catch(() => {
      failed.push(name);
    });
  return failed;
}

/** The sound star with a fault planted into its episodes or its context. */
function faulty(run: Topology["run"]): TopologySubject {
  return { ...sound, topology: { ...sound.topology, run } };
}
const spoil = (change: (episode: Episode) => Partial<Episode>): TopologySubject =>
  faulty(async (problem, context) => {
    const episode = await sound.topology.run(problem, context);
    return { ...episode, ...change(episode) };
  });

test("a sound topology passes every case", async () => {
  expect(await failures(sound)).toEqual([]);
});

test("an undeclared edge is caught by the ledger and by its effect", async () => {
  expect(await failures({ ...sound, edges: [{ from: "a", to: "s" }] })).toEqual([
    "every read follows an edge, comes after the writing, and matches what was delivered",
    "what an agent says reaches nobody without a path of edges",
  ]);
});

test("a ledger that forgets a call is caught", async () => {
  const forgetful = spoil(({ ledger }) => ({ ledger: { calls: ledger.calls.slice(1) } }));
  expect(await failures(forgetful)).toContain("the ledger reconciles with what the models report");
});

test("an episode that ignores its random stream is caught", async () => {
  let run = 0;
  const restless = faulty((problem, context) =>
    sound.topology.run(problem, { ...context, random: context.random.split(run++) }),
  );
  expect(await failures(restless)).toContain("the same seed gives the same episode, whichever model answers first");
});

test("an executor that ignores limits and signals is caught", async () => {
  const deaf = faulty((problem, { models, sampling, random }) =>
    sound.topology.run(problem, { models, sampling, random }),
  );
  expect(await failures(deaf)).toEqual([
    "limits are kept and named",
    "no agent passes its own limit",
    "a fired signal rejects with `aborted` before anyone speaks",
  ]);
});
