import type { Problem } from "@laconic/core";
import { relayTask } from "@laconic/tasks";
import type { OwnFacts } from "./messages.ts";
import { checkedProblem } from "./own-problem.ts";
import type { World } from "./world.ts";

export const policyFolder = "/policy";

export function relayWorld(): World {
  // Same number of test problems as the command line, so that run folders agree.
  const task = relayTask({ level: "one-fact", testProblems: 1000 });
  const holders = task.topology.agents.filter((agent) => agent !== "solver");
  return {
    task,
    policy: { task: "relay/one-fact" },
    temperature: 1,
    followed: task.testProblems[0]!,
    beginning: async () => policyFolder,
    modelFiles: ["config.json", "model.safetensors"],
    factOf: ({ views }, agent) => views?.[agent] ?? null,
    problemOf: (problem) => problemOf(checkedProblem(problem, "facts"), holders),
  };
}

function problemOf({ facts, asked }: OwnFacts, holders: readonly string[]): Problem {
  const digits = new Map(facts.map((fact) => [fact.charAt(0), Number(fact.charAt(1))]));
  const question = asked.join("+");
  return {
    id: `own:${facts.join("|")}?${question}`,
    question,
    gold: String(asked.reduce((sum, letter) => sum + (digits.get(letter) ?? 0), 0)),
    views: Object.fromEntries(facts.map((fact, i) => [holders[i]!, fact])),
  };
}
