import { LaconicError, nearestName } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import {
  chainGraph,
  completeGraph,
  criticActorGraph,
  debateGraph,
  drawTopology,
  drawingFormats,
  hintActorGraph,
  layeredGraph,
  randomGraph,
  roleAssignmentGraph,
  type AgentSpec,
  type Graph,
} from "@laconic/topologies";
import { command, type Command } from "../cli/command.ts";
import { readGiven, writeGiven } from "../cli/files.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { printResult } from "../cli/terminal.ts";
import { jsonFlag } from "../cli/flags.ts";
import { isModuleText } from "@laconic/runtime/resolver";
import { graphFromJson, graphOfFile } from "./topology-file.ts";

interface Shape {
  readonly agents: number;
  readonly rounds: number;
  readonly seed: string;
}

const agent = (id: string, role = "agent"): AgentSpec => ({
  id,
  role,
  maxTokens: 1,
  prompt: () => ({ kind: "text", text: "" }),
});
const numbered = (most: number): AgentSpec[] => Array.from({ length: most }, (_, i) => agent(`agent-${i + 1}`));

/** Built-in graphs, drawn with agents of no particular kind. */
const graphs: Readonly<Record<string, (shape: Shape) => Graph>> = wordTable({
  solo: () => chainGraph([agent("solver")]),
  chain: ({ agents }) => chainGraph(numbered(agents) as [AgentSpec, ...AgentSpec[]]),
  star: ({ agents }) => ({ ...layeredGraph([numbered(agents - 1), [agent("solver")]]), name: "star" }),
  layered: ({ agents }) =>
    layeredGraph([numbered(Math.ceil(agents / 2)), numbered(agents).slice(Math.ceil(agents / 2))]),
  complete: ({ agents, rounds }) => completeGraph(numbered(agents), rounds),
  random: ({ agents, rounds, seed }) => randomGraph(numbered(agents), { seed, rounds }),
  debate: ({ agents, rounds }) => debateGraph(numbered(agents), { rounds }),
  "hint-actor": () => hintActorGraph(agent("collaborator", "hint"), agent("actor")),
  "critic-actor": () => criticActorGraph(agent("actor"), agent("collaborator", "critic")),
  "role-assignment": () => roleAssignmentGraph(agent("router"), agent("expert")),
});

export const topologyLsCommand: Command = command({
  description: "List the built-in graphs",
  args: { ...jsonFlag },
  run: async ({ json }, { terminal }) => {
    const names = Object.keys(graphs);
    printResult(terminal, json, { topologies: names }, () => names.join("\n"));
  },
});

export const topologyShowCommand: Command = command({
  description: "Draw a graph: of a name that `topology ls` lists, of a JSON file, or of FILE.ts that exports one",
  args: {
    graph: {
      type: "positional",
      description: "Name, FILE.json as --format json writes it, or FILE.ts#EXPORT: a graph, a team or a task",
      valueHint: "GRAPH",
    },
    format: { type: "enum", description: "How", options: [...drawingFormats], default: "mermaid" },
    agents: { type: "string", description: "Agents, where the graph has any number", valueHint: "n", default: "3" },
    rounds: { type: "string", description: "Rounds, where the graph has any number", valueHint: "r", default: "2" },
    seed: { type: "string", description: "Of a random graph", valueHint: "seed", default: "0" },
    out: { type: "string", description: "File to write instead of standard output", valueHint: "file" },
  },
  run: async ({ graph: name, format, agents, rounds, seed, out }, { terminal }) => {
    const shape = {
      agents: wholeNumber("agents", agents, 2, 64),
      rounds: wholeNumber("rounds", rounds, 1, 64),
      seed,
    };
    const graph = name.endsWith(".json")
      ? graphFromJson((await readGiven(name)).toString(), name)
      : isModuleText(name)
        ? await graphOfFile(name, shape)
        : builtIn(name, shape);
    const text = drawTopology(graph, format);
    if (out === undefined) terminal.result(text);
    else {
      await writeGiven(out, `${text}\n`);
      terminal.note(`wrote ${out}`);
    }
  },
});

function builtIn(name: string, shape: Shape): Graph {
  const make = Object.hasOwn(graphs, name) ? graphs[name] : undefined;
  if (make) return make(shape);
  const near = nearestName(name, Object.keys(graphs));
  throw new LaconicError(
    "config_invalid",
    `there is no topology ${name}; ${near === undefined ? `known: ${Object.keys(graphs).join(", ")}` : `did you mean ${near}?`}`,
    { topology: name },
  );
}
