import type { AgentId, Problem, Random } from "@laconic/core";
import { counterparts, type NoProbe, type ProbeCase, type TaskProbes } from "../probe.ts";
import { holderTemplates, idleFamilies, type IdleText } from "./families.ts";
import { heldNames, knownNames, things, unseenNames } from "./lexicon.ts";
import { cueOf } from "./teller-problems.ts";

const children: ReadonlySet<string> = new Set([...knownNames, ...unseenNames]);

/** Where the text of a view ends, and what every view has behind it begins. */
export type TextLength = (view: string, problem: Problem) => number;

/** Families of the worlds in which tellers say whose a thing is. */
export function tellerProbes(textLength: TextLength, allTellers: readonly AgentId[]): TaskProbes {
  const idle: NoProbe = { none: "the only teller knows the owner" };
  const alone = allTellers.length === 1;
  return (problems, random) => {
    const of = (family: string): Random => random.split(family);
    return {
      paraphrase: paraphrases(problems, of("paraphrase"), textLength),
      distractors: alone ? idle : otherIdleTexts(problems, of("distractors"), textLength),
      "all-texts": alone ? idle : otherTexts(problems, of("all-texts"), textLength),
      "other-question": alone ? idle : otherQuestions(problems, of("other-question"), textLength),
      names: otherNames(problems, of("names")),
      "more-agents": alone ? idle : moreTellers(problems, of("more-agents"), textLength, allTellers),
      "lying-teammate": lies(problems, of("lying-teammate")),
    };
  };
}

/** Families of the worlds in which one story is the question. */
export const storyProbes: TaskProbes = (problems, random) => ({
  paraphrase: { none: "the story is the question, and its wording is what is asked" },
  distractors: { none: "every sentence of the story counts" },
  names: otherNames(problems, random.split("names")),
  "more-agents": { none: "the world is of a fixed team" },
});

/** Every child has a name that no story of training has. */
function otherNames(problems: readonly Problem[], random: Random): ProbeCase {
  const fresh = Object.values(heldNames.test).flat();
  return counterparts("children have other names, never seen in training", problems, random, (problem, own) => {
    const texts = [problem.question, problem.gold, ...Object.values(problem.views ?? {})];
    const known = namesIn(texts.join(" "));
    if (known.length === 0) return null;
    const drawn = own.shuffle(fresh.filter((name) => !known.includes(name)));
    const renamed = (text: string): string =>
      text.replaceAll(/[A-Za-z]+/gu, (word) => drawn[known.indexOf(word)] ?? word);
    return {
      ...problem,
      id: renamed(problem.id),
      question: renamed(problem.question),
      gold: renamed(problem.gold),
      ...(problem.views && { views: changedViews(problem, (view) => renamed(view)) }),
    };
  });
}

/** Who knows the owner reads it in sentences that neither training nor test has. */
function paraphrases(problems: readonly Problem[], random: Random, textLength: TextLength): ProbeCase {
  const change = "the owner is told in sentences of other shapes, seen in no split";
  return counterparts(change, problems, random, (problem, own) => paraphrased(problem, own, textLength));
}

function paraphrased(problem: Problem, random: Random, textLength: TextLength): Problem | null {
  const [view, holder] = [viewOfHolder(problem), holderOf(problem)];
  const told = random.pick(Object.values(holderTemplates.probe))(problem.gold, problem.question);
  const rest = view.slice(textLength(view, problem));
  return holder === null ? null : withView(problem, holder, `${told}${rest}`);
}

/** Who does not know reads a text that neither training nor test has. */
function otherIdleTexts(problems: readonly Problem[], random: Random, textLength: TextLength): ProbeCase {
  const change = "idle tellers read texts seen in no split";
  return counterparts(change, problems, random, (problem, own) => withIdleTexts(problem, own, textLength));
}

function withIdleTexts(problem: Problem, random: Random, textLength: TextLength): Problem {
  const [texts, holder] = [Object.values(idleFamilies.probe), holderOf(problem)];
  return {
    ...problem,
    views: changedViews(problem, (view, agent) =>
      agent === holder ? view : `${idleText(problem, texts, random)}${view.slice(textLength(view, problem))}`,
    ),
  };
}

/** Nobody reads a text that training or test has: silence that follows known words shows here, of the holder and of the idle. */
function otherTexts(problems: readonly Problem[], random: Random, textLength: TextLength): ProbeCase {
  return counterparts("all tellers read texts seen in no split", problems, random, (problem, own) => {
    const told = paraphrased(problem, own.split("holder"), textLength);
    return told && withIdleTexts(told, own.split("idle"), textLength);
  });
}

/** Asks for another child's thing, which an idle teller now reads of in words of training: the former holder knows nothing of it. */
function otherQuestions(problems: readonly Problem[], random: Random, textLength: TextLength): ProbeCase {
  const change = "another thing is asked for, and a teller who was idle reads whose it is";
  return counterparts(change, problems, random, (problem, own) => {
    const holder = holderOf(problem);
    const idle = Object.keys(problem.views ?? {}).filter((agent) => agent !== holder);
    if (holder === null || idle.length === 0) return null;
    const present = Object.values(problem.views ?? {}).join(" ");
    const knower = own.pick(idle);
    const gold = own.pick(knownNames.filter((name) => !namesIn(present).includes(name)));
    const question = own.pick(things.filter((thing) => !present.includes(thing)));
    const story = own.pick(Object.values(holderTemplates.train))(gold, question);
    const views = changedViews(problem, (view, agent) => {
      const end = textLength(view, problem);
      const rest = view.slice(end).replace(cueOf(problem.question), cueOf(question));
      return `${agent === knower ? story : view.slice(0, end)}${rest}`;
    });
    return { ...problem, id: `${problem.id}/asks ${question}`, question, gold, views };
  });
}

/** Four or five tellers; null where there are five. */
function moreTellers(
  problems: readonly Problem[],
  random: Random,
  textLength: TextLength,
  all: readonly AgentId[],
): ProbeCase {
  const texts = Object.values(idleFamilies.train);
  return counterparts("four or five tellers; all who join are idle", problems, random, (problem, own) => {
    const present = Object.keys(problem.views ?? {}).length;
    const joining = all.slice(present, present < 4 ? 4 + own.integer(2) : all.length);
    const view = viewOfHolder(problem);
    const rest = view.slice(textLength(view, problem));
    const added = joining.map((agent) => [agent, `${idleText(problem, texts, own)}${rest}`] as const);
    return joining.length === 0 ? null : { ...problem, views: { ...problem.views, ...Object.fromEntries(added) } };
  });
}

/** Who knows the owner reads of another child; the gold answer stays. */
function lies(problems: readonly Problem[], random: Random): ProbeCase {
  return counterparts("the teller who knows reads of another owner", problems, random, (problem, own) => {
    const holder = holderOf(problem);
    const present = namesIn(Object.values(problem.views ?? {}).join(" "));
    const lie = own.pick(knownNames.filter((name) => !present.includes(name)));
    const told = viewOfHolder(problem).replaceAll(/[A-Za-z]+/gu, (word) => (word === problem.gold ? lie : word));
    return holder === null ? null : withView(problem, holder, told);
  });
}

/** Of known children and things, so that the text alone is new. */
function idleText({ gold, question }: Problem, texts: readonly IdleText[], random: Random): string {
  const [name = "", friend = ""] = random.shuffle(knownNames.filter((each) => each !== gold));
  const other = random.pick(things.filter((each) => each !== question));
  return random.pick(texts)({ name, friend, asked: question, other }, random);
}

/** Idle texts never name the owner. */
function holderOf({ gold, views = {} }: Problem): AgentId | null {
  return Object.keys(views).find((agent) => namesIn(views[agent] ?? "").includes(gold)) ?? null;
}

function viewOfHolder(problem: Problem): string {
  return problem.views?.[holderOf(problem) ?? ""] ?? "";
}

function namesIn(text: string): string[] {
  return [...new Set((text.match(/[A-Za-z]+/gu) ?? []).filter((word) => children.has(word)))];
}

function withView(problem: Problem, agent: AgentId, view: string): Problem {
  return { ...problem, views: { ...problem.views, [agent]: view } };
}

function changedViews(problem: Problem, change: (view: string, agent: AgentId) => string): Record<AgentId, string> {
  return Object.fromEntries(Object.entries(problem.views ?? {}).map(([agent, view]) => [agent, change(view, agent)]));
}
