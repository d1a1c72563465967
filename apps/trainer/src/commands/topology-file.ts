import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import type { TeamPreset, TextTeam, TextTeamOptions } from "@laconic/tasks/text";
import { graphTopology, type Graph } from "@laconic/topologies";
import { z } from "zod";
import { partsOfFileText, resolveReference } from "@laconic/runtime/resolver";

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

/**
 * A graph to draw, from JSON.
 * @throws LaconicError `config_invalid` with the place of what is wrong, `topology_invalid` for a graph that cannot run
 */
export function graphFromJson(text: string, file: string): Graph {
  const parsed = schema.safeParse(parseJson(text, file), { error: issueWords });
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "graph"}: ${message}`);
    throw new LaconicError("config_invalid", `${file}: ${issues.join("; ")}`, { file });
  }
  const { agents, answer, ...rest } = parsed.data;
  const graph: Graph = {
    ...rest,
    agents: agents.map(({ id, role, rounds }) => ({
      id,
      role,
      maxTokens: 1,
      prompt: () => ({ kind: "text", text: "" }),
      ...(rounds && { rounds }),
    })),
    answer: { ...answer, choose: () => null },
  };
  graphTopology(graph); // refuses what cannot run
  return graph;
}

/**
 * The graph of a user's module: a graph, a team over text, or a function that makes one.
 * @throws LaconicError `config_invalid` for an export that is none, or a team with control flow, which no graph shows;
 * `topology_invalid` for a graph that cannot run
 */
export async function graphOfFile(
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
  const given = (await resolveReference(reference, "drawing", options)) as Graph | TextTeam | TeamPreset;
  const team = "make" in given ? given.make(options) : given;
  const graph = "answer" in team ? team : team.graph;
  if (graph === undefined)
    throw new LaconicError("config_invalid", `${text}: this team is no graph but a program; only graphs can be drawn`, {
      file: reference.file,
    });
  graphTopology(graph); // refuses what cannot run
  return graph;
}
