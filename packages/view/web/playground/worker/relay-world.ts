import { LaconicError, type Problem } from "@laconic/core";
import { relayTask } from "@laconic/tasks";
import type { OwnFacts } from "./messages.ts";
import type { World } from "./world.ts";

export const policyFolder = "/policy";

/** Holders know one digit each; the solver must sum two. */
export function relayWorld(): World {
  // Same number of test problems as the command line, so that run folders agree.
  const task = relayTask({ level: "one-fact", testProblems: 1000 });
  const holders = task.topology.agents.filter((agent) => agent !== "solver");
  return {
    task,
    policy: { task: "relay/one-fact" },
    temperature: 1,
    followed: task.testProblems[0] as Problem,
    beginning: async () => policyFolder,
    modelFiles: ["config.json", "model.safetensors"],
    factOf: ({ views }, agent) => views?.[agent] ?? null,
    problemOf(own) {
      if (own.kind !== "facts") throw new LaconicError("input_invalid", "the relay is asked for a sum");
      return problemOf(own, holders);
    },
  };
}

function problemOf({ facts, asked }: OwnFacts, holders: readonly string[]): Problem {
  const refuse = (reason: string): never => {
    throw new LaconicError("input_invalid", reason);
  };
  if (facts.length !== holders.length)
    refuse(`${holders.length} holders know one fact each; there are ${facts.length} facts`);
  const known = facts.map((fact, i) => {
    const [, key, digit] =
      /^([a-z])([0-9])$/u.exec(fact) ?? refuse(`fact ${i + 1} is a letter from a to z and a digit`);
    return { key: key as string, value: Number(digit) };
  });
  const twice = known.find(({ key }, i) => known.findIndex((other) => other.key === key) < i);
  if (twice) refuse(`two holders know ${twice.key}; give each a letter of its own`);
  const values = asked.map(
    (key) => known.find((fact) => fact.key === key)?.value ?? refuse(`nobody knows ${key || "it"}`),
  );
  if (asked[0] === asked[1]) refuse("the question adds two different letters");
  const views = known.map(({ key, value }, i) => [holders[i] as string, `${key}${value}`]);
  const question = asked.join("+");
  return {
    id: `own:${facts.join("|")}?${question}`,
    question,
    gold: String(values.reduce((sum, value) => sum + value, 0)),
    views: Object.fromEntries(views),
  };
}
