import { type AgentId, type Problem, type Random } from "@laconic/core";
import { counterparts, firstFitting, type NoProbe, type ProbeCase, type TaskProbes } from "../probe.ts";
import { holdersOf, relayHolders, type RelayLevel } from "./levels.ts";
import { askedKeys, parseFacts, relaySplit } from "./problem.ts";
import { relayTopology } from "./topology.ts";

const letters = "abcdefghijklmnopqrstuvwxyz".split("");

/** Why no relay world has a paraphrase. */
export const noParaphrase: NoProbe = { none: "facts are a letter and a digit, which have one wording" };

/** Families of the relay at a level. */
export function relayProbes(level: RelayLevel): TaskProbes {
  const isForEvaluation = (problem: Problem): boolean => relaySplit(problem) === "evaluation";
  return (problems, random) => ({
    paraphrase: noParaphrase,
    distractors: otherDistractors(problems, random.split("distractors"), isForEvaluation),
    names: otherKeys(problems, random.split("names"), isForEvaluation),
    "more-agents": oneMoreHolder(level, problems, random.split("more-agents")),
    "lying-teammate": lies(problems, random.split("lying-teammate"), relayHolders),
  });
}

/** Every key is another letter. */
export function otherKeys(
  problems: readonly Problem[],
  random: Random,
  isForEvaluation: (problem: Problem) => boolean,
): ProbeCase {
  return counterparts("every key is another letter", problems, random, (problem, own) => {
    const keys = keysIn(problem);
    const draw = (): Problem => {
      const fresh = own.shuffle(letters.filter((letter) => !keys.includes(letter)));
      return withFacts(problem, (key, value) => `${fresh[keys.indexOf(key)]}${value}`);
    };
    return firstFitting(draw, isForEvaluation);
  });
}

/**
 * Facts and keys that nobody asks for are others.
 * @param isAsked - by default a key that the question names
 */
export function otherDistractors(
  problems: readonly Problem[],
  random: Random,
  isForEvaluation: (problem: Problem) => boolean,
  isAsked: (key: string, problem: Problem) => boolean = (key, { question }) => askedKeys(question).includes(key),
): ProbeCase {
  return counterparts("facts that nobody asks for are others", problems, random, (problem, own) => {
    const keys = keysIn(problem);
    const idle = keys.filter((key) => !isAsked(key, problem));
    if (idle.length === 0) return null;
    const draw = (): Problem => {
      const fresh = own.shuffle(letters.filter((letter) => !keys.includes(letter)));
      const values = idle.map(() => own.integer(10));
      return withFacts(problem, (key, value) => {
        const at = idle.indexOf(key);
        return at < 0 ? `${key}${value}` : `${fresh[at]}${value === "" ? "" : values[at]}`;
      });
    };
    return firstFitting(draw, isForEvaluation);
  });
}

/** One holder knows another value of the asked key than the true one; the gold answer stays. */
export function lies(problems: readonly Problem[], random: Random, liars: readonly AgentId[]): ProbeCase {
  return counterparts("a teammate believes another value of an asked key", problems, random, (problem, own) => {
    const views = problem.views ?? {};
    const knows = liars.flatMap((agent) =>
      parseFacts(views[agent] ?? "")
        .filter(({ key }) => askedKeys(problem.question).includes(key))
        .map((fact) => ({ agent, ...fact })),
    );
    if (knows.length === 0) return null;
    const { agent, key, value } = own.pick(knows);
    const lie = `${key}${(value + 1 + own.integer(9)) % 10}`;
    return { ...problem, views: { ...views, [agent]: (views[agent] ?? "").replace(`${key}${value}`, lie) } };
  });
}

function oneMoreHolder(level: RelayLevel, problems: readonly Problem[], random: Random): ProbeCase | NoProbe {
  const [joining] = relayHolders.slice(level.holders);
  if (joining === undefined) return { none: "the relay has no fifth holder" };
  const [first] = holdersOf(level);
  return {
    ...counterparts("a fourth holder has facts that nobody asks for", problems, random, (problem, own) => {
      const fresh = own.shuffle(letters.filter((letter) => !keysIn(problem).includes(letter)));
      const facts = fresh.slice(0, level.factsPerHolder).map((key) => `${key}${own.integer(10)}`);
      return { ...problem, views: { ...problem.views, [joining]: facts.join(" ") } };
    }),
    topology: relayTopology({ ...level, holders: level.holders + 1 }),
    joins: { [joining]: first as AgentId },
  };
}

/** All keys that a problem names. */
export function keysIn({ question, gold, views = {} }: Problem): string[] {
  return [...new Set([question, gold, ...Object.values(views)].join(" ").match(/[a-z]/gu) ?? [])];
}

/** A problem with each key, and the digit beside it, changed wherever they stand. */
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
      views: Object.fromEntries(Object.entries(problem.views).map(([agent, view]) => [agent, changed(view)])),
    }),
  };
}
