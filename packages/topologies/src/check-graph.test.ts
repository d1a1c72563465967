import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { answerOf, graphTopology, plurality, type AgentSpec, type Edge, type Graph } from "./index.ts";

const agent = <A extends string>(id: A): AgentSpec<A> => ({
  id,
  role: "speaker",
  prompt: ({ question }) => ({ kind: "text", text: question }),
  maxTokens: 8,
});

const base: Graph = {
  name: "g",
  agents: [agent("a"), agent("b"), agent("c")],
  rounds: 1,
  answer: answerOf("c"),
};

function edges(text: string): Edge[] {
  return text.split(" ").map((edge) => {
    const [from = "", to = ""] = edge.split("->");
    return { from, to };
  });
}

function refusal(change: Partial<Graph>): { message: string; detail: unknown } {
  try {
    graphTopology({ ...base, ...change });
  } catch (error) {
    if (LaconicError.is(error) && error.code === "topology_invalid") return error;
    throw error;
  }
  throw new Error("the graph was accepted");
}

test("a graph lists its agents in declared order; memory is a temporal edge from an agent to itself", () => {
  const topology = graphTopology({ ...base, rounds: 2, temporal: edges("a->a") });
  expect([topology.name, topology.agents]).toEqual(["g", ["a", "b", "c"]]);
});

test("an edge between agents of other rounds is accepted where it delivers all that was said", () => {
  const agents = [{ ...agent("a"), rounds: [0] }, { ...agent("b"), rounds: [1] }, agent("c")];
  const graph: Graph = { ...base, rounds: 2, agents, spatial: [{ from: "a", to: "b", delivery: "full" }] };
  expect(graphTopology(graph).agents).toEqual(["a", "b", "c"]);
});

test.each<[string, Partial<Graph>, string]>([
  ["no agents", { agents: [] }, "no agents"],
  ["an empty id", { agents: [agent("")] }, `an agent's id is ""; give it a name`],
  ["no id", { agents: [{ ...agent("a"), id: undefined as never }] }, "an agent's id is undefined; give it a name"],
  [
    "a text where the prompt is",
    { agents: [{ ...agent("c"), prompt: "Answer." as never }] },
    'the prompt of agent "c" is "Answer."; use a function of what the agent sees',
  ],
  ["an agent declared twice", { agents: [agent("a"), agent("a"), agent("c")] }, 'agent "a" is declared twice'],
  ["no room to write", { agents: [{ ...agent("c"), maxTokens: 0 }] }, 'agent "c" has maxTokens 0'],
  ["half a round", { rounds: 0.5 }, "0.5 rounds"],
  ["an unknown writer", { spatial: edges("z->c") }, 'spatial edge z -> c names the unknown agent "z"'],
  ["an unknown reader", { rounds: 2, temporal: edges("c->z") }, 'temporal edge c -> z names the unknown agent "z"'],
  ["an edge declared twice", { spatial: edges("a->c a->c") }, "edge a -> c is declared twice"],
  ["a self edge within a round", { spatial: edges("a->a") }, 'agent "a" would read itself'],
  ["temporal edges in one round", { temporal: edges("a->c") }, "no effect in one round"],
  [
    "an edge within a round between agents of other rounds",
    {
      rounds: 2,
      agents: [{ ...agent("a"), rounds: [0] }, { ...agent("b"), rounds: [1] }, agent("c")],
      spatial: edges("a->b"),
    },
    "spatial edge a -> b never delivers: a speaks in round 0, and b speaks in round 1",
  ],
  [
    "an edge from a round behind the reader's",
    {
      rounds: 3,
      agents: [{ ...agent("a"), rounds: [1, 2] }, { ...agent("b"), rounds: [0, 1] }, agent("c")],
      temporal: [{ from: "a", to: "b", delivery: "full" }],
    },
    "temporal edge a -> b never delivers",
  ],
  ["nobody answering", { answer: plurality<string>([]) }, "the answer rule is empty"],
  ["an unknown answerer", { answer: answerOf("z") }, 'answer rule names the unknown agent "z"'],
  ["an answerer with two votes", { answer: plurality(["a", "a"]) }, "names an agent twice"],
  ["a cycle behind an entrance", { spatial: edges("a->b c->b b->c") }, "form the cycle b -> c -> b"],
  ["a cycle of three, in reading direction", { spatial: edges("a->b b->c c->a") }, "cycle a -> b -> c -> a"],
])("%s is refused by name", (_, change, message) => {
  const error = refusal(change);
  expect(error.message).toContain(message);
  expect(error.detail).toMatchObject({ graph: "g" });
});

test("literal ids are checked by the compiler", () => {
  expect(() =>
    graphTopology({
      name: "typed",
      agents: [agent("a"), agent("b")],
      rounds: 1,
      // @ts-expect-error "c" is no agent of this graph
      spatial: [{ from: "a", to: "c" }],
      answer: answerOf("b"),
    }),
  ).toThrow("unknown agent");
});
