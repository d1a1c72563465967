import type { Problem } from "@laconic/core";
import { describe, test } from "vitest";
import {
  answerOf,
  graphTopology,
  plurality,
  solo,
  star,
  type AgentSpec,
  type AgentView,
  type Graph,
} from "../index.ts";
import { topologyCases, type TopologySubject } from "./index.ts";

const problem: Problem = { id: "p", question: "which?", gold: "x", views: { a: "private to a" } };

const prompt = ({ agent, question, privateView, inbox, round }: AgentView): { kind: "text"; text: string } => ({
  kind: "text",
  text: [agent, question, privateView, round, ...inbox.map(({ from, text }) => `${from}: ${text}`)].join("\n"),
});
const agent = <A extends string>(id: A): AgentSpec<A> => ({
  id,
  role: "speaker",
  prompt,
  maxTokens: 12,
});

function ofGraph(graph: Graph): TopologySubject {
  return {
    topology: graphTopology(graph),
    problem,
    edges: [...(graph.spatial ?? []), ...(graph.temporal ?? [])],
  };
}

const complete = ["a", "b", "c"].flatMap((from) =>
  ["a", "b", "c"].filter((to) => to !== from).map((to) => ({ from, to })),
);

const subjects: Readonly<Record<string, () => TopologySubject>> = {
  solo: () => ({ topology: solo(agent("a")), problem, edges: [] }),
  star: () => ({
    topology: star([agent("a"), agent("b"), agent("c")], agent("s")),
    problem,
    edges: ["a", "b", "c"].map((from) => ({ from, to: "s" })),
  }),
  "a diamond over two rounds": () =>
    ofGraph({
      name: "diamond",
      agents: [agent("d"), agent("b"), agent("c"), agent("a")],
      rounds: 2,
      spatial: [
        { from: "a", to: "b" },
        { from: "a", to: "c" },
        { from: "b", to: "d" },
        { from: "c", to: "d" },
      ],
      temporal: [
        { from: "d", to: "a" },
        { from: "b", to: "b" },
      ],
      answer: answerOf("d"),
    }),
  "simultaneous debate with a vote": () =>
    ofGraph({
      name: "debate",
      agents: [agent("a"), agent("b"), agent("c")],
      rounds: 3,
      temporal: complete,
      answer: plurality(["a", "b", "c"]),
    }),
};

for (const [name, create] of Object.entries(subjects))
  describe(name, () => {
    for (const item of topologyCases) test(item.name, () => item.run(create));
  });
