import { baselineNamed, type Family } from "@laconic/baselines";
import type { AgentId, CompletionRequest, Topology } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { play } from "../../../test/play.ts";
import { collaborator, withHint } from "./behind-hint.ts";
import { teamOf } from "./team-of.ts";
import type { TextTeamOptions } from "./text-team.ts";

const question = "Ann has 3 bags of 4 nuts. How many nuts?";
const answerForm = "Put the final answer into \\boxed{}.";
const read = (reply: string): string | null => /\d+(?:\.0)?/u.exec(reply)?.[0] ?? null;
const same = (a: string, b: string): boolean => Number(a) === Number(b);

async function played(topology: Topology, asking: string, hint = "") {
  const asked: (readonly [AgentId, CompletionRequest["prompt"], number])[] = [];
  const { episode } = await play(topology, { id: "1", question: asking, gold: "12" }, (agent, _, request) => {
    if (agent === collaborator) return hint;
    asked.push([agent, request.prompt, request.sampling.maxTokens]);
    if (agent === "router") return "The Math Enthusiast, or Biology, or a Software Engineer";
    const call = asked.filter(([who]) => who === agent).length - 1;
    return ["7", "12.0", "12"][(call + asked.length) % 3] ?? "";
  });
  return { asked, episode };
}

const families: readonly (readonly [Family, string])[] = [
  ["maths", "gsm8k"],
  ["choice", "mmlu-153"],
  ["choice", "aqua"],
  ["code", "humaneval"],
];

describe.each([
  ["debate", "debate"],
  ["roles", "role-assignment"],
] as const)("the team %s and the method %s", (team, method) => {
  test.each(families)("%s, %s: the same requests and the same answer", async (family, benchmark) => {
    const sizes = team === "debate" ? { agents: 3, rounds: 3 } : {};
    const input = { answerForm, family, benchmark };
    const lengths = { replyTokens: 100, actorTokens: 2000 };
    const options: TextTeamOptions = { agents: 3, rounds: 3, ...lengths, read, same, ...input };
    const published = baselineNamed(method).create({ reader: { read, same }, maxTokens: 2000, ...input, ...sizes });
    const { topology, temperatures } = teamOf(team, options);
    const plain = await played(published, question);
    const silent = await played(topology, question);
    expect(plain.asked.length).toBe(team === "debate" ? 9 : 2);
    expect(silent.asked).toEqual(plain.asked);
    expect(silent.episode.answer).toBe(plain.episode.answer);
    const hinted = await played(topology, question, "count] twice");
    expect(hinted.asked).toEqual((await played(published, withHint(question, "count] twice"))).asked);
    expect(temperatures).toEqual(
      Object.fromEntries(published.agents.map((agent) => [agent, baselineNamed(method).temperature])),
    );
  });

  test("all agents with the question have read the hint", async () => {
    const { topology } = teamOf(team, { agents: 2, rounds: 2, replyTokens: 9, actorTokens: 9, answerForm, read });
    const { episode } = await played(topology, question, "count twice");
    const [first, ...others] = episode.ledger.calls;
    expect(first).toMatchObject({ agent: collaborator, reads: [] });
    for (const { reads } of others) expect(reads[0]).toMatchObject({ from: collaborator, turn: 0 });
    expect(episode.utterances[0]?.deliveredTo.toSorted()).toEqual(
      [...new Set(others.map(({ agent }) => agent))].toSorted(),
    );
  });
});
