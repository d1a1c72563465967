import type { AgentId, Problem, Random } from "@laconic/core";
import { counterparts, type ProbeCase, type TaskProbes } from "../probe.ts";
import { holderTemplates, idleFamilies, type IdleText } from "./families.ts";
import { heldNames, knownNames, things, unseenNames } from "./lexicon.ts";
import { cueOf, tellers } from "./teller-problems.ts";

const children: ReadonlySet<string> = new Set([...knownNames, ...unseenNames]);

/** Null without a counterpart. */
type Change = (problem: Problem, random: Random) => Problem | null;

function partsOf(view: string, { question }: Problem): readonly [text: string, rest: string] {
  const length = view.lastIndexOf(` ${cueOf(question)}`);
  return [view.slice(0, length), view.slice(length)];
}

export const tellerProbes: TaskProbes = (problems, random) => {
  const family = (name: string, change: string, make: Change): ProbeCase =>
    counterparts(change, problems, random.split(name), make);
  return {
    paraphrase: family("paraphrase", "the owner is told in sentences of other shapes, seen in no split", paraphrased),
    distractors: family("distractors", "idle tellers read texts seen in no split", withIdleTexts),
    "all-texts": family("all-texts", "all tellers read texts seen in no split", withOtherTexts),
    "other-question": family(
      "other-question",
      "another thing is asked for, and a teller who was idle reads whose it is",
      withOtherQuestion,
    ),
    names: family("names", "children have other names, never seen in training", withOtherNames),
    "more-agents": family("more-agents", "four or five tellers; all who join are idle", withMoreTellers),
    "lying-teammate": family("lying-teammate", "the teller who knows reads of another owner", lie),
  };
};

function paraphrased(problem: Problem, random: Random): Problem | null {
  const holder = holderOf(problem);
  const text = random.pick(Object.values(holderTemplates.probe))(problem.gold, problem.question);
  return holder === null ? null : withView(problem, holder, (view) => `${text}${partsOf(view, problem)[1]}`);
}

function withIdleTexts(problem: Problem, random: Random): Problem {
  const [texts, holder] = [Object.values(idleFamilies.probe), holderOf(problem)];
  return withViews(problem, (view, agent) =>
    agent === holder ? view : `${idleText(problem, texts, random)}${partsOf(view, problem)[1]}`,
  );
}

/** Detects silence that follows known texts. */
function withOtherTexts(problem: Problem, random: Random): Problem | null {
  const changed = paraphrased(problem, random.split("holder"));
  return changed && withIdleTexts(changed, random.split("idle"));
}

/** An idle teller becomes the informed one. */
function withOtherQuestion(problem: Problem, random: Random): Problem | null {
  const holder = holderOf(problem);
  const { views = {} } = problem;
  const idle = Object.keys(views).filter((agent) => agent !== holder);
  if (holder === null || idle.length === 0) return null;
  const present = Object.values(views).join(" ");
  const knower = random.pick(idle);
  const gold = random.pick(knownNames.filter((name) => !namesIn(present).includes(name)));
  const question = random.pick(things.filter((thing) => !present.includes(thing)));
  const story = random.pick(Object.values(holderTemplates.train))(gold, question);
  const changed = withViews(problem, (view, agent) => {
    const [text, rest] = partsOf(view, problem);
    return `${agent === knower ? story : text}${rest.replace(cueOf(problem.question), cueOf(question))}`;
  });
  return { ...changed, id: `${problem.id}/asks ${question}`, question, gold };
}

function withMoreTellers(problem: Problem, random: Random): Problem | null {
  const present = Object.keys(problem.views ?? {}).length;
  const joining = tellers.slice(present, present < 4 ? 4 + random.integer(2) : tellers.length);
  const [, rest] = partsOf(problem.views?.[holderOf(problem) ?? ""] ?? "", problem);
  const texts = Object.values(idleFamilies.train);
  const added = joining.map((agent) => [agent, `${idleText(problem, texts, random)}${rest}`] as const);
  return joining.length === 0 ? null : { ...problem, views: { ...problem.views, ...Object.fromEntries(added) } };
}

const freshNames: readonly string[] = Object.values(heldNames.test).flat();

function withOtherNames(problem: Problem, random: Random): Problem {
  const names = namesIn([problem.gold, ...Object.values(problem.views ?? {})].join(" "));
  const drawn = random.shuffle(freshNames.filter((name) => !names.includes(name)));
  const renamed = (text: string): string =>
    text.replaceAll(/[A-Za-z]+/gu, (word) => drawn[names.indexOf(word)] ?? word);
  return { ...withViews(problem, renamed), id: renamed(problem.id), gold: renamed(problem.gold) };
}

/** The informed teller reads about another child. */
function lie(problem: Problem, random: Random): Problem | null {
  const holder = holderOf(problem);
  const present = namesIn(Object.values(problem.views ?? {}).join(" "));
  const name = random.pick(knownNames.filter((item) => !present.includes(item)));
  const lying = (view: string): string =>
    view.replaceAll(/[A-Za-z]+/gu, (word) => (word === problem.gold ? name : word));
  return holder === null ? null : withView(problem, holder, lying);
}

function idleText({ gold, question }: Problem, texts: readonly IdleText[], random: Random): string {
  const [name = "", friend = ""] = random.shuffle(knownNames.filter((item) => item !== gold));
  const other = random.pick(things.filter((thing) => thing !== question));
  return random.pick(texts)({ name, friend, asked: question, other }, random);
}

/** Idle texts never name the owner. */
function holderOf({ gold, views = {} }: Problem): AgentId | null {
  return Object.keys(views).find((agent) => namesIn(views[agent] ?? "").includes(gold)) ?? null;
}

function namesIn(text: string): string[] {
  return [...new Set((text.match(/[A-Za-z]+/gu) ?? []).filter((word) => children.has(word)))];
}

function withView(problem: Problem, changed: AgentId, change: (view: string) => string): Problem {
  return withViews(problem, (view, agent) => (agent === changed ? change(view) : view));
}

function withViews(problem: Problem, change: (view: string, agent: AgentId) => string): Problem {
  const views = Object.entries(problem.views ?? {}).map(([agent, view]) => [agent, change(view, agent)]);
  return { ...problem, views: Object.fromEntries(views) };
}
