import { LaconicError, randomFromSeed, type Problem } from "@laconic/core";
import { solo, synchronousTurns, type AgentView, type JointGame } from "@laconic/topologies";
import { expect, test } from "vitest";
import { gradeOf } from "./grading.ts";
import { defineTask, type TaskDefinition } from "./define-task.ts";
import { relayTokenizer } from "./relay/tokenizer.ts";

const prompt = ({ question }: AgentView): { kind: "text"; text: string } => ({ kind: "text", text: question });
const problem = (i: number): Problem => ({ id: `${i}`, question: `${i} + 1`, gold: `${i + 1}` });
const definition: TaskDefinition = {
  name: "sums",
  topology: solo({ id: "solver", role: "solver", prompt, maxTokens: 8 }),
  train: [problem(1), problem(2), problem(3)],
  testProblems: [problem(0)],
  grader: (answer, { gold }) => (answer === gold ? 1 : 0),
};

test("a list of problems: drawn without repeating, a pool, graded by the grader", async () => {
  const task = defineTask({ ...definition, trainedAgents: ["solver"] });
  expect(task.pool).toEqual(definition.train);
  const drawn = task.problems(randomFromSeed(0), 3).map(({ id }) => id);
  expect(drawn.toSorted()).toEqual(["1", "2", "3"]);
  expect(await gradeOf(task, "1", problem(0))).toBe(1);
  expect(await gradeOf(task, null, problem(0))).toBe(0);
  expect(task.trainedAgents).toEqual(["solver"]);
  const probes = () => ({ names: { none: "digits have no names" } });
  expect(defineTask({ ...definition, probes }).probes).toBe(probes);
  const { tokenizer } = defineTask({ ...definition, tokenizer: relayTokenizer });
  expect(tokenizer).toBe(relayTokenizer);
});

test("a grader may take its time, and knows the problem's own fields", async () => {
  interface Sum extends Problem {
    readonly terms: readonly [number, number];
  }
  const sum = (id: string, ...terms: [number, number]): Sum => ({ id, question: terms.join("+"), gold: "", terms });
  const task = defineTask<Sum>({
    name: "sums",
    topology: definition.topology,
    problems: (random, count) =>
      Array.from({ length: count }, () => {
        const [a, b] = [random.integer(9), random.integer(9)];
        return sum(`${a}+${b}`, a, b);
      }),
    testProblems: [sum("10+1", 10, 1)],
    grader: async (answer, { terms: [a, b] }) => (Number(answer) === a + b ? 1 : 0),
  });
  const [first] = task.problems(randomFromSeed(1), 2) as Sum[];
  if (!first) throw new Error("nothing was drawn");
  expect(await gradeOf(task, String(first.terms[0] + first.terms[1]), first)).toBe(1);
  expect(task.pool).toBeUndefined();
});

const game: JointGame = {
  players: [{ id: "other", maxTokens: 1, system: "" }],
  turns: 1,
  transition: () => [""],
  join: () => "",
};
const { train: _, ...drawing } = definition;

test.each<[Partial<TaskDefinition>, string]>([
  [{ name: " " }, "a task needs a name"],
  [{ trainedAgents: ["solvr"] }, 'trainedAgents: the topology has no agent "solvr"; did you mean solver?'],
  [{ trainedAgents: ["critic"] }, 'no agent "critic"; use one of: solver'],
  [{ trainedAgents: ["solver", "solver"] }, 'agent "solver" is named twice'],
  [{ trainedAgents: [] }, "trainedAgents is empty; name at least"],
  [{ game }, "game: its players are other, the topology's agents solver"],
  [{ train: [] }, "train is empty"],
  [{ testProblems: [] }, "testProblems is empty"],
  [
    { train: undefined as never, problems: [] as never },
    "problems is a list, expected a function that draws; a list goes under train",
  ],
  [{ grader: "exact" as never }, 'its grader is "exact", expected a function'],
  [{ grader: undefined as never, reward: { grade: () => 1 } as never }, "its reward is an object, expected a function"],
  [{ problems: () => [] }, "give train, a list of problems, or problems, which draws them"],
  [{ train: [problem(1), problem(1)] }, 'train[1]: the id "1" is not unique'],
  [{ train: [problem(1), { ...problem(4), id: "0" }] }, 'train[1]: the id "0" belongs to a test problem'],
  [{ train: [{ ...problem(0), id: "x" }] }, 'train[0], id "x", repeats the test problem "0"; remove one'],
  [
    { testProblems: [{ ...problem(0), views: { ann: "?" } }] },
    'testProblems[0], id "0": a view of "ann", but the agents are solver',
  ],
  [{ testProblems: [{ ...problem(0), id: 0 as never }] }, "testProblems[0] has no id"],
])("%j is refused", (change, reason) => {
  const refused = (): unknown => defineTask({ ...definition, ...change });
  expect(refused).toThrow(LaconicError);
  expect(refused).toThrow(reason);
});

test("generated problems are checked at each draw", () => {
  const of = (problems: TaskDefinition["problems"] & {}): (() => Problem[]) => {
    const task = defineTask({ ...drawing, problems });
    return () => task.problems(randomFromSeed(0), 2);
  };
  expect(of(() => [problem(1), problem(1)])()).toHaveLength(2);
  expect(of(() => [problem(1), problem(0)])).toThrow('problems[1]: the id "0" belongs to a test problem');
  expect(of(() => [problem(1)])).toThrow("problems returned 1 problems instead of 2");
  expect(() => defineTask(drawing)).toThrow("give train, a list of problems");
});

test("a game of its topology's agents is taken", () => {
  const fit: JointGame = { ...game, players: [{ id: "solver", maxTokens: 1, system: "" }] };
  const task = defineTask({ ...definition, topology: synchronousTurns(fit.players, fit), game: fit });
  expect(task.game).toBe(fit);
});
