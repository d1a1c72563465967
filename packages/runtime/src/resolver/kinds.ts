import { isRecord } from "@laconic/core";
import { having, trainValues, typeName, type TrainValues, type ValueCheck } from "@laconic/trainer";

/** Values that stand outside of training settings. */
type OtherKind = "task" | "team" | "actor" | "sink" | "method" | "board" | "problems" | "drawing";

/** What a value of a configuration or of a command can be. */
export type KindName = keyof TrainValues | OtherKind;

/** How a value is recognised, and read from a file that is no module: any text at its key names a file then. */
export interface Kind extends ValueCheck {
  readonly read?: (file: string) => Promise<unknown>;
}

const task = having({ name: "string", topology: "object", problems: "function", testProblems: "array" });
const topology = having({ name: "string", agents: "array", run: "function" });
const graph = having({ name: "string", agents: "array", answer: "object" });

function lacksOfTask(value: unknown): string | null {
  const lack = task(value);
  if (lack !== null || !isRecord(value)) return lack;
  const inner = topology(value["topology"]);
  if (inner !== null) return `topology: ${inner}`;
  if (typeof value["reward"] === "function" || typeof value["grader"] === "function") return null;
  return "it has neither a reward nor a grader; defineTask makes one of either";
}

/** A topology, a graph, a team with its learners, a preset, or a function that makes one of them. */
function lacksOfTeam(value: unknown): string | null {
  if (typeof value === "function") return null;
  if (!isRecord(value)) return `it is ${typeName(value)}`;
  if ("topology" in value) return having({ topology: "object", trained: "array", holders: "array" })(value);
  if ("make" in value) return having({ name: "string", heeds: "array", make: "function" })(value);
  return "run" in value ? topology(value) : graph(value);
}

/** Every kind of value. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  ...trainValues,
  examples: {
    ...trainValues.examples,
    read: async (file) => (await import("./example-rows.ts")).exampleRows(file),
  },
  task: { noun: "task", lacks: lacksOfTask },
  team: { noun: "team", lacks: lacksOfTeam },
  actor: { noun: "language model", lacks: having({ id: "string", complete: "function" }) },
  sink: {
    noun: "sink",
    lacks: (value) => (typeof value === "function" ? null : having({ log: "function" })(value)),
  },
  method: {
    noun: "method",
    lacks: having({ name: "string", title: "string", create: "function", maxCalls: "function" }),
  },
  board: { noun: "benchmark", lacks: having({ name: "string", problems: "array" }) },
  problems: {
    noun: "list of problems",
    lacks: (value) => (Array.isArray(value) ? null : `it is ${typeName(value)}, not a list`),
  },
  drawing: { noun: "graph", lacks: lacksOfTeam },
};
