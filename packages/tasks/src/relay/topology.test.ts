import { randomFromSeed } from "@laconic/core";
import { topologyCases } from "@laconic/topologies/testing";
import { describe, expect, test } from "vitest";
import { holdersOf, relayLevels } from "./levels.ts";
import { generateRelayProblem } from "./problem.ts";
import { relayTeacher } from "./teacher.ts";
import { relayTopology } from "./topology.ts";

describe.each(Object.values(relayLevels))("$name", (level) => {
  const topology = relayTopology(level);
  const problem = generateRelayProblem(level, randomFromSeed("topology"));
  const edges = holdersOf(level).map((from) => ({ from, to: "solver" }));
  for (const item of topologyCases) test(item.name, () => item.run(() => ({ topology, problem, edges })));

  test("the solver's prompt holds no fact, and a holder's holds no fact but its own", async () => {
    const silent = {
      messages: { verbose: 0, short: 0, terse: 1 },
      answers: { verbose: 0, short: 0, terse: 1 },
      silence: 1,
    };
    const mute = { ...relayTeacher(silent) };
    const models = Object.fromEntries(topology.agents.map((agent) => [agent, mute]));
    const stream = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
    // Facts of the others change; what a holder reads must not.
    const others = Object.fromEntries(
      holdersOf(level)
        .slice(1)
        .map((agent) => [agent, "x0"]),
    );
    const changed = { ...problem, views: { ...problem.views, ...others } };
    const [before, after] = [await topology.run(problem, stream), await topology.run(changed, stream)];
    expect(after.utterances[0]).toEqual(before.utterances[0]);
    expect(after.utterances.at(-1)?.prompt).not.toContain("x0");
    expect(after.utterances.at(-1)?.prompt.startsWith(`S:${problem.question}?`)).toBe(true);
  });
});
