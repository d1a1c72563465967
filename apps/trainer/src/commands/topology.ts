import { resolve } from "node:path";
import { z } from "zod";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import type { TeamPreset, TextTeam, TextTeamOptions } from "@laconic/tasks/text";
import { choiceFlag, grouped, positional, textFlag, wholeFlag } from "../cli/arguments.ts";
import { configError, nameHint } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import {
  chainGraph,
  completeGraph,
  criticActorGraph,
  debateGraph,
  drawTopology,
  drawingFormats,
  graphTopology,
  hintActorGraph,
  layeredGraph,
  randomGraph,
  roleAssignmentGraph,
  type AgentSpec,
  type Graph,
} from "@laconic/topologies";
import { command, type Command } from "../cli/command.ts";
import { readGiven, writeGiven } from "../cli/files.ts";
import { printResult } from "../cli/terminal.ts";
import { jsonFlag } from "../cli/flags.ts";
import { isModuleText, partsOfFileText, resolveReference } from "@laconic/runtime/resolver";

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
  examples: ["laconic topology ls"],
  args: { ...jsonFlag },
  run: async ({ json }, { terminal }) => {
    const names = Object.keys(graphs);
    printResult(terminal, json, { topologies: names }, () => names.join("\n"));
  },
});

export const topologyShowCommand: Command = command({
  description: "Draw a built-in graph, a JSON file, or a graph from FILE.ts",
  examples: ["laconic topology show debate --agents 3 --rounds 2"],
  args: {
    graph: positional("Name from topology ls, FILE.json from --format json, or FILE.ts#EXPORT", "GRAPH"),
    ...grouped("Input", {
      agents: wholeFlag(2, 64)("Number of agents of a built-in graph", "n", "3"),
      rounds: wholeFlag(1, 64)("Number of rounds of a built-in graph", "n", "2"),
    }),
    ...grouped("Sampling", { seed: textFlag("Seed of the random graph", "seed", "0") }),
    ...grouped("Output", {
      format: choiceFlag("Format of the drawing", drawingFormats, "mermaid"),
      out: textFlag("File to write (default: standard output)", "file"),
    }),
  },
  run: async ({ graph: name, format, out, ...shape }, { terminal }) => {
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
  const hint = nameHint(name, Object.keys(graphs));
  throw configError(`GRAPH: unknown topology ${name}; ${hint}`, { topology: name });
}

const edges = z.array(z.strictObject({ from: z.string(), to: z.string() })).default([]);

const schema = z.strictObject({
  name: z.string().default("graph"),
  agents: z.array(
    z.strictObject({ id: z.string(), role: z.string().default("agent"), rounds: z.array(z.int()).optional() }),
  ),
  rounds: z.int().default(1),
  spatial: edges,
  temporal: edges,
  answer: z.strictObject({ name: z.string().default("answer"), agents: z.array(z.string()) }),
});

function graphFromJson(text: string, file: string): Graph {
  const parsed = schema.safeParse(parseJson(text, file), { error: issueWords });
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "graph"}: ${message}`);
    throw configError(`${file}: ${issues.join("; ")}`, { file });
  }
  const { agents, answer, ...rest } = parsed.data;
  const graph: Graph = {
    ...rest,
    agents: agents.map(({ id, role, rounds }) => ({ ...agent(id, role), ...(rounds && { rounds }) })),
    answer: { ...answer, choose: () => null },
  };
  graphTopology(graph); // checks the graph
  return graph;
}

/**
 * Loads a graph, a text team, or a function that makes one.
 * @throws LaconicError `config_invalid` for another export, or a team with control flow, which cannot be drawn;
 * `topology_invalid` for a graph that cannot run
 */
async function graphOfFile(
  text: string,
  { agents, rounds }: Pick<TextTeamOptions, "agents" | "rounds">,
): Promise<Graph> {
  const { file, export: name } = partsOfFileText(text);
  const reference = { file: resolve(file), export: name };
  const options: TextTeamOptions = {
    agents,
    rounds,
    replyTokens: 1,
    actorTokens: 1,
    answerForm: "",
    read: (reply: string) => reply,
  };
  const input = (await resolveReference(reference, "drawing", options)) as Graph | TextTeam | TeamPreset;
  const team = "make" in input ? input.make(options) : input;
  const graph = "answer" in team ? team : team.graph;
  if (graph === undefined) throw configError(`${text}: this team is a program; name a graph`, { file: reference.file });
  graphTopology(graph); // checks the graph
  return graph;
}
