import { type AgentId, inputError, type Problem, questionKey } from "@laconic/core";

/** Rejects duplicate ids and views of unknown agents. */
export function checkProblems(list: string, problems: readonly Problem[], agents: readonly AgentId[]): void {
  const ids = new Set<string>();
  for (const [i, problem] of problems.entries()) {
    checkProblem(`${list}[${i}]`, problem, agents);
    if (ids.has(problem.id)) refuse(`${list}[${i}]: the id "${problem.id}" is not unique`, problem);
    ids.add(problem.id);
  }
}

/** Rejects training on a test problem: the same id, or the same question and gold. */
export function checkDrawn(
  list: string,
  problems: readonly Problem[],
  testProblems: readonly Problem[],
  agents: readonly AgentId[],
): void {
  const { ids, questions } = keysOf(testProblems);
  for (const [i, problem] of problems.entries()) {
    checkProblem(`${list}[${i}]`, problem, agents);
    const { id } = problem;
    if (ids.has(id)) refuse(`${list}[${i}]: the id "${id}" belongs to a test problem`, problem);
    const twin = questions.get(problemKey(problem));
    if (twin !== undefined)
      refuse(`${list}[${i}], id "${id}", repeats the test problem "${twin}"; remove one`, problem);
  }
}

export function problemKey(problem: Problem): string {
  return `${questionKey(problem)} ${problem.gold}`;
}

interface Keys {
  readonly ids: ReadonlySet<string>;
  readonly questions: ReadonlyMap<string, string>;
}

const checked = new WeakMap<readonly Problem[], Keys>();

function keysOf(problems: readonly Problem[]): Keys {
  const keys = checked.get(problems) ?? {
    ids: new Set(problems.map(({ id }) => id)),
    questions: new Map(problems.map((problem) => [problemKey(problem), problem.id])),
  };
  checked.set(problems, keys);
  return keys;
}

function checkProblem(location: string, problem: Problem, agents: readonly AgentId[]): void {
  if (typeof problem.id !== "string" || problem.id === "")
    refuse(`${location} has no id; give it a unique string`, problem);
  if (typeof problem.question !== "string") refuse(`${location}, id "${problem.id}", has no question`, problem);
  const stranger = Object.keys(problem.views ?? {}).find((agent) => !agents.includes(agent));
  if (stranger !== undefined)
    refuse(
      `${location}, id "${problem.id}": a view of "${stranger}", but the agents are ${agents.join(", ")}`,
      problem,
    );
}

function refuse(message: string, { id }: Problem): never {
  throw inputError(message, { problem: id });
}
