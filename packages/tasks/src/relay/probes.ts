import { mapValues, type AgentId, type Problem, type Random } from "@laconic/core";
import { counterparts, type NoProbe, type ProbeCase, type TaskProbes } from "../probe.ts";
import { collaborator, isKeptHint } from "./actor-tasks.ts";
import { isKeptPair } from "./pair-task.ts";
import { askedKeys, holdersOf, letters, parseFacts, relayHolders, relaySplit, type RelayLevel } from "./problem.ts";
import { relayTopology } from "./task.ts";

type Check = (problem: Problem) => boolean;

const noParaphrase: NoProbe = { none: "facts are a letter and a digit, which have one wording" };

export function relayProbes(level: RelayLevel): TaskProbes {
  const isKept = (problem: Problem): boolean => relaySplit(problem) === "evaluation";
  return (problems, random) => ({
    paraphrase: noParaphrase,
    distractors: otherDistractors(problems, random.split("distractors"), isKept),
    names: otherKeys(problems, random.split("names"), isKept),
    "more-agents": oneMoreHolder(level, problems, random.split("more-agents")),
    "lying-teammate": lies(problems, random.split("lying-teammate"), relayHolders),
  });
}

const heldBy = ({ views = {} }: Problem): string => views[collaborator] ?? "";

export const hintProbes: TaskProbes = (problems, random) => {
  const distractors = problems.every((problem) => heldBy(problem).includes(" ")) ? otherDistractors : oneMoreFact;
  return {
    paraphrase: noParaphrase,
    distractors: distractors(problems, random.split("distractors"), isKeptHint),
    names: otherKeys(problems, random.split("names"), isKeptHint),
    "more-agents": { none: "one collaborator helps one actor" },
    "lying-teammate": lies(problems, random.split("lying-teammate"), [collaborator]),
  };
};

function oneMoreFact(problems: readonly Problem[], random: Random, isKept: Check): ProbeCase {
  const change = "the collaborator has one more fact, which nobody asks for";
  return counterparts(change, problems, random, (problem, stream) => {
    const keys = keysIn(problem);
    const draw = (): Problem => {
      const fact = `${stream.pick(letters.filter((letter) => !keys.includes(letter)))}${stream.integer(10)}`;
      const facts = stream.shuffle([heldBy(problem), fact]).join(" ");
      const id = problem.id.replace(/\|.*\?/u, `|${facts}?`);
      return { ...problem, id, views: { ...problem.views, [collaborator]: facts } };
    };
    return firstFitting(draw, isKept);
  });
}

export function pairProbes(world: string): TaskProbes {
  const isKept = isKeptPair(world);
  const isAsked = (key: string, { gold }: Problem): boolean => gold.includes(key);
  return (problems, random) => ({
    paraphrase: noParaphrase,
    distractors: problems.some((problem) => keysIn(problem).some((key) => !isAsked(key, problem)))
      ? otherDistractors(problems, random.split("distractors"), isKept, isAsked)
      : { none: "every key is asked for" },
    names: otherKeys(problems, random.split("names"), isKept),
    "more-agents": { none: "one grade is for two texts" },
  });
}

function otherKeys(problems: readonly Problem[], random: Random, isKept: Check): ProbeCase {
  return counterparts("every key is another letter", problems, random, (problem, stream) => {
    const keys = keysIn(problem);
    const draw = (): Problem => {
      const fresh = stream.shuffle(letters.filter((letter) => !keys.includes(letter)));
      return withFacts(problem, (key, value) => `${fresh[keys.indexOf(key)]}${value}`);
    };
    return firstFitting(draw, isKept);
  });
}

/** @param isAsked - default: the question names the key */
function otherDistractors(
  problems: readonly Problem[],
  random: Random,
  isKept: Check,
  isAsked: (key: string, problem: Problem) => boolean = (key, { question }) => askedKeys(question).includes(key),
): ProbeCase {
  return counterparts("facts that nobody asks for are others", problems, random, (problem, stream) => {
    const keys = keysIn(problem);
    const idle = keys.filter((key) => !isAsked(key, problem));
    if (idle.length === 0) return null;
    const draw = (): Problem => {
      const fresh = stream.shuffle(letters.filter((letter) => !keys.includes(letter)));
      const values = idle.map(() => stream.integer(10));
      return withFacts(problem, (key, value) => {
        const index = idle.indexOf(key);
        return index < 0 ? `${key}${value}` : `${fresh[index]}${value === "" ? "" : values[index]}`;
      });
    };
    return firstFitting(draw, isKept);
  });
}

function lies(problems: readonly Problem[], random: Random, liars: readonly AgentId[]): ProbeCase {
  return counterparts("a teammate believes another value of an asked key", problems, random, (problem, stream) => {
    const { views = {} } = problem;
    const asked = liars.flatMap((agent) =>
      parseFacts(views[agent] ?? "")
        .filter(({ key }) => askedKeys(problem.question).includes(key))
        .map((fact) => ({ agent, ...fact })),
    );
    if (asked.length === 0) return null;
    const { agent, key, value } = stream.pick(asked);
    const lie = `${key}${(value + 1 + stream.integer(9)) % 10}`;
    return { ...problem, views: { ...views, [agent]: (views[agent] ?? "").replace(`${key}${value}`, lie) } };
  });
}

function oneMoreHolder(level: RelayLevel, problems: readonly Problem[], random: Random): ProbeCase | NoProbe {
  const [joining] = relayHolders.slice(level.holders);
  if (joining === undefined) return { none: "the relay has no fifth holder" };
  const [first] = holdersOf(level);
  return {
    ...counterparts("a fourth holder has facts that nobody asks for", problems, random, (problem, stream) => {
      const fresh = stream.shuffle(letters.filter((letter) => !keysIn(problem).includes(letter)));
      const facts = fresh.slice(0, level.factsPerHolder).map((key) => `${key}${stream.integer(10)}`);
      return { ...problem, views: { ...problem.views, [joining]: facts.join(" ") } };
    }),
    topology: relayTopology({ ...level, holders: level.holders + 1 }),
    joins: { [joining]: first! },
  };
}

function firstFitting(draw: () => Problem, fits: Check): Problem | null {
  for (let attempt = 0; attempt < 200; attempt++) {
    const problem = draw();
    if (fits(problem)) return problem;
  }
  return null;
}

export function keysIn({ question, gold, views = {} }: Problem): string[] {
  return [...new Set([question, gold, ...Object.values(views)].join(" ").match(/[a-z]/gu) ?? [])];
}

function withFacts(problem: Problem, change: (key: string, value: string) => string): Problem {
  const changed = (text: string): string =>
    text.replaceAll(/([a-z])(\d?)/gu, (_, key: string, value: string) => change(key, value));
  const [world = "", content = ""] = problem.id.split(/:(.*)/su);
  return {
    ...problem,
    id: `${world}:${changed(content)}`,
    question: changed(problem.question),
    gold: changed(problem.gold),
    ...(problem.views && {
      views: mapValues(problem.views, (view) => changed(view)),
    }),
  };
}
