import { LaconicError } from "@laconic/core";
import { graphTopology, type Graph } from "@laconic/topologies";
import { z } from "zod";
import { parseJson } from "../cli/json.ts";

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
  const parsed = schema.safeParse(parseJson(text, file));
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
