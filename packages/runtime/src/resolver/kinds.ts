import { isRecord } from "@laconic/core";

/** What a value of a user's own can be. */
export type KindName =
  | "task"
  | "team"
  | "actor"
  | "reward"
  | "groupReward"
  | "grouping"
  | "budget"
  | "schedule"
  | "stopping"
  | "curriculum"
  | "matchmaking"
  | "examples"
  | "estimator"
  | "objective"
  | "cost"
  | "sink"
  | "method"
  | "board"
  | "problems"
  | "drawing";

/** How one recognises a value: what it is called, and what it lacks to be one; null when nothing. */
export interface Kind {
  readonly noun: string;
  readonly lacks: (value: unknown) => string | null;
  /** Reads a file that is no module: any text at its key names a file then. */
  readonly read?: (file: string) => Promise<unknown>;
}

type Member = "function" | "object" | "array" | "string";

/** An object with these members. */
function having(members: Readonly<Record<string, Member>>): Kind["lacks"] {
  return (value) => {
    if (!isRecord(value)) return `it is ${described(value)}`;
    for (const [name, type] of Object.entries(members)) {
      const member = value[name];
      if (member === undefined) return `${name} is missing`;
      if (type === "array" ? !Array.isArray(member) : typeof member !== type)
        return `${name} is ${described(member)}, not ${type === "array" || type === "object" ? "an" : "a"} ${type}`;
    }
    return null;
  };
}

function described(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const isFunction = (value: unknown): string | null =>
  typeof value === "function" ? null : `it is ${described(value)}, not a function`;

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
  if (!isRecord(value)) return `it is ${described(value)}`;
  if ("topology" in value) return having({ topology: "object", trained: "array", holders: "array" })(value);
  if ("make" in value) return having({ name: "string", heeds: "array", make: "function" })(value);
  return "run" in value ? topology(value) : graph(value);
}

/** Every kind of value that goes in by the door. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  task: { noun: "task", lacks: lacksOfTask },
  team: { noun: "team", lacks: lacksOfTeam },
  actor: { noun: "language model", lacks: having({ id: "string", complete: "function" }) },
  reward: { noun: "reward", lacks: isFunction },
  groupReward: { noun: "group reward", lacks: isFunction },
  grouping: { noun: "grouping", lacks: isFunction },
  budget: {
    noun: "budget",
    lacks: (value) => (typeof value === "function" ? null : having({ init: "function", step: "function" })(value)),
  },
  schedule: { noun: "schedule", lacks: isFunction },
  stopping: { noun: "stopping rule", lacks: isFunction },
  curriculum: { noun: "curriculum", lacks: isFunction },
  matchmaking: { noun: "matchmaking", lacks: isFunction },
  examples: {
    noun: "list of examples",
    lacks: (value) =>
      Array.isArray(value) || typeof value === "function"
        ? null
        : `it is ${described(value)}, not a list or a function`,
    read: async (file) => (await import("./example-rows.ts")).exampleRows(file),
  },
  estimator: {
    noun: "estimator",
    lacks: (value) =>
      typeof value === "function" ? null : having({ name: "string", settings: "object", estimate: "function" })(value),
  },
  objective: { noun: "objective", lacks: having({ name: "string", settings: "object", evaluate: "function" }) },
  cost: { noun: "cost", lacks: having({ unit: "string", scope: "object", measure: "function" }) },
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
    lacks: (value) => (Array.isArray(value) ? null : `it is ${described(value)}, not a list`),
  },
  drawing: { noun: "graph", lacks: lacksOfTeam },
};
