/** Run with everything that can be trained or charged: opponents, critics, a tool, supervised examples, a price. */
import type { Environment } from "@laconic/core";
import { gaeEstimator, modelCritic } from "@laconic/gspo/critics";
import { defineTask, relayTokenizer } from "@laconic/tasks";
import { answerOf, graphTopology, type AgentSpec } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "@laconic/cli";

const problems = Array.from({ length: 20 }, (_, i) => ({
  id: `p${i}`,
  question: `${i % 10}+${Math.floor(i / 10)}`,
  gold: String((i % 10) + Math.floor(i / 10)),
}));

const agent = (id: string): AgentSpec => ({
  id,
  role: id,
  maxTokens: 4,
  prompt: ({ question, inbox }) => ({ kind: "text", text: [question, ...inbox.map(({ text }) => text)].join(" ") }),
});

const looking: Environment<null> = {
  name: "looking",
  maxSteps: 2,
  format: {
    name: "digit",
    write: (messages) => messages.map(({ role, content }) => ({ role, content })),
    read: (text) => ({ content: text, calls: /^\d/u.test(text) ? [{ name: "look", arguments: "{}" }] : [] }),
  },
  tools: () => [{ name: "look" }],
  encode: (observation) => relayTokenizer.encode(observation),
  reset: () => null,
  step: (_, { calls }, { random }) => (calls.length === 0 ? {} : { observation: ` ${random.integer(10)}` }),
};

const run: RunDefinition = defineRun({
  task: defineTask({
    name: "sums",
    topology: graphTopology({
      name: "pair",
      agents: [agent("first"), agent("second")],
      rounds: 1,
      spatial: [{ from: "first", to: "second" }],
      answer: answerOf("second"),
    }),
    environment: looking,
    train: problems.slice(0, 10),
    testProblems: problems.slice(10),
    grader: (answer, { gold }) => (answer?.includes(gold) ? 1 : 0),
  }),
  device: "wasm",
  policies: "own",
  train: {
    groupBy: "prompt+agent",
    advantage: gaeEstimator({
      gamma: 1,
      lambda: 1,
      critic: modelCritic({ model: { of: "policy" }, learningRate: 0.01 }),
    }),
    opponents: { sides: [["first"]], latest: 0.5, every: 1, keep: 2 },
    supervised: { examples: [{ prompt: "1+2", completion: "3" }], batch: 1, weight: 0.1 },
    budget: { targetTokens: 3, learningRate: 0.01 },
  },
});
export default run;
