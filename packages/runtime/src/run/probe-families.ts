import { basename, isAbsolute } from "node:path";
import {
  LaconicError,
  mapValues,
  randomFromSeed,
  type AgentId,
  type Episode,
  type LanguageModel,
  type Problem,
  type Topology,
  type Utterance,
} from "@laconic/core";
import type { ProbeCase } from "@laconic/tasks";
import type { TrainingParts } from "@laconic/trainer";
import type { OpenedParts } from "./open-parts.ts";

/** Families for all runs whose task supports them. */
export const probeFamilies: readonly string[] = [
  "paraphrase",
  "distractors",
  "all-texts",
  "other-question",
  "names",
  "more-agents",
  "silent-teammate",
  "lying-teammate",
  "other-actor",
  "fresh-reader",
];

/** Problems and parts of one probed family. */
export interface ProbePlan {
  readonly family: string;
  readonly change: string;
  /** Parallel to the test problems; null without a counterpart. */
  readonly problems: readonly (Problem | null)[];
  readonly parts: TrainingParts;
  /** The same team without messages, in `fresh-reader`. */
  readonly unheard?: TrainingParts;
}

/** Problem family that a probe skips, with the reason. */
export interface SkippedFamily {
  readonly family: string;
  readonly reason: string;
}

/** Models and tasks that a probe plays. */
export interface ProbeSources {
  readonly opened: Pick<OpenedParts, "task" | "parts" | "otherModel">;
  /** Test problems, with one episode each. */
  readonly problems: readonly Problem[];
  readonly base: readonly Episode[];
  readonly seed: string;
  /** Model for `other-actor`; null for the run's default. */
  readonly actor: { readonly title: string; readonly speaks: Parameters<OpenedParts["otherModel"]>[1] } | null;
  /** Model before the warm start; null without one. */
  readonly fetched: string | null;
}

/** Plans the problems of one family. */
export async function planFamily(family: string, sources: ProbeSources): Promise<ProbePlan | SkippedFamily> {
  const { opened, problems, seed } = sources;
  const probe = opened.task.probes?.(problems, randomFromSeed(seed).split("probe"))[family];
  if (probe) return "none" in probe ? { family, reason: probe.none } : ofCase(family, probe, opened.parts);
  if (family === "silent-teammate" || family === "lying-teammate") return ofTeammate(family, sources);
  if (family === "other-actor") return otherActor(sources);
  if (family === "fresh-reader") return freshReader(sources);
  return { family, reason: `the task ${opened.task.name} has no such problems; give problems with --file` };
}

function ofCase(
  family: string,
  { change, problems, topology, joins = {} }: ProbeCase,
  parts: TrainingParts,
): ProbePlan {
  const policies = mapValues(parts.policies, (policy) => {
    const joining = Object.keys(joins).filter((agent) => policy.agents.includes(joins[agent] ?? ""));
    return { ...policy, agents: [...policy.agents, ...joining] };
  });
  const { frozen } = parts;
  const joiningFrozen = Object.entries(joins).flatMap(([agent, like]) =>
    frozen?.[like] ? [[agent, frozen[like]] as const] : [],
  );
  return {
    family,
    change,
    problems,
    parts: {
      ...parts,
      policies,
      ...(frozen && { frozen: { ...frozen, ...Object.fromEntries(joiningFrozen) } }),
      ...(topology && { task: { ...parts.task, topology } }),
    },
  };
}

/** Drops one message per episode, or replaces it by the teammate's message on another problem. */
function ofTeammate(
  family: string,
  { opened: { parts }, problems, base, seed }: ProbeSources,
): ProbePlan | SkippedFamily {
  const answerer = answererOf(base);
  const random = randomFromSeed(seed).split(family);
  const texts = teammatesHeard(base, answerer, (messages, i) => random.split(i).pick(messages));
  if (texts.every((message) => message === null)) return { family, reason: "no agent reads another agent's messages" };
  const isLie = family === "lying-teammate";
  const replies: readonly (Replacement | null)[] = isLie
    ? liesFor(texts, base, answerer)
    : texts.map((message) => message && silence(message.agent));
  const replaced = new Map(problems.map((problem, i) => [problem, replies[i] ?? null]));
  return {
    family,
    change: isLie ? "a teammate's message is replaced by one from another problem" : "a teammate's message is removed",
    problems: problems.map((problem) => (replaced.get(problem) ? problem : null)),
    parts: replacing(parts, (problem) => [replaced.get(problem) ?? []].flat()),
  };
}

async function otherActor(sources: ProbeSources): Promise<ProbePlan | SkippedFamily> {
  const family = "other-actor";
  const { opened, problems, base, actor, fetched } = sources;
  const { parts, task } = opened;
  const answerer = answererOf(base) ?? task.topology.agents.at(-1);
  if (answerer === undefined) return { family, reason: "the team has no agents" };
  const plan = (title: string, model: LanguageModel): ProbePlan => ({
    family,
    change: `${answerer} is ${title}`,
    problems,
    parts: speakingWith(parts, answerer, model),
  });
  if (actor) return plan(actor.title, await opened.otherModel(answerer, actor.speaks));
  const isTrained = policyOf(parts, answerer) !== null;
  if (isTrained && fetched !== null) {
    const model = await opened.otherModel(answerer, { model: fetched }).catch((error: unknown) => {
      if (LaconicError.is(error)) return error;
      throw error;
    });
    if (LaconicError.is(model)) return { family, reason: `the model before the warm start: ${model.message}` };
    // Paths are specific to this machine.
    const name = isAbsolute(fetched) ? basename(fetched) : fetched;
    return plan(`the model before its warm start, ${name}`, model);
  }
  if (!isTrained) return plan("the trained policy itself", await opened.otherModel(answerer, "trained"));
  if (base.every((episode) => messagesIn(episode, answerer).length === 0))
    return plan("the model at the start of the run", await opened.otherModel(answerer, "begun"));
  return { family, reason: "the run had no warm start, so it equals fresh-reader; set another model with --actor" };
}

/** The initial model answers from the trained team's messages. */
async function freshReader({ opened, problems, base }: ProbeSources): Promise<ProbePlan | SkippedFamily> {
  const family = "fresh-reader";
  const { parts } = opened;
  const answerer = answererOf(base);
  if (answerer === null) return { family, reason: "several agents answer" };
  if (base.every((episode) => messagesIn(episode, answerer).length === 0))
    return { family, reason: "no agent reads another agent's messages" };
  if (policyOf(parts, answerer) === null)
    return { family, reason: `${answerer} does not learn: it is unchanged since the start` };
  const fresh = speakingWith(parts, answerer, await opened.otherModel(answerer, "begun"));
  const others = parts.task.topology.agents.filter((agent) => agent !== answerer);
  return {
    family,
    change: `${answerer} is the model at the start of the run`,
    problems,
    parts: fresh,
    unheard: replacing(fresh, () => others.map(silence)),
  };
}

function replacing(parts: TrainingParts, of: (problem: Problem) => readonly Replacement[]): TrainingParts {
  return { ...parts, task: { ...parts.task, topology: withReplacements(parts.task.topology, of) } };
}

function policyOf({ policies }: TrainingParts, agent: AgentId): string | null {
  return Object.keys(policies).find((name) => policies[name]?.agents.includes(agent)) ?? null;
}

/** Replaces an agent's model, and removes it from its policy. */
function speakingWith(parts: TrainingParts, agent: AgentId, model: LanguageModel): TrainingParts {
  const policies = mapValues(parts.policies, (policy) => ({
    ...policy,
    agents: policy.agents.filter((name) => name !== agent),
  }));
  return { ...parts, policies, frozen: { ...parts.frozen, [agent]: model } };
}

/** A teammate's new message; silence is empty text with 0 tokens. */
interface Replacement {
  readonly agent: AgentId;
  readonly text: string;
  /** Written tokens, with the end token. */
  readonly tokens: number;
}

export function withReplacements(
  topology: Topology,
  replacementsOf: (problem: Problem) => readonly Replacement[],
): Topology {
  return {
    name: topology.name,
    agents: topology.agents,
    run: (problem, context) => {
      const models = { ...context.models };
      for (const replacement of replacementsOf(problem)) {
        const { agent } = replacement;
        models[agent] = saying(replacement, models[agent]?.id ?? agent);
      }
      return topology.run(problem, { ...context, models });
    },
  };
}

function saying({ text, tokens }: Replacement, id: string): LanguageModel {
  return {
    id,
    complete: async () => ({
      text,
      finishReason: "stop",
      usage: { promptTokens: 0, completionTokens: tokens, counted: "model" },
      model: { id, weightVersion: 0 },
    }),
  };
}

export function silence(agent: AgentId): Replacement {
  return { agent, text: "", tokens: 0 };
}

export function messagesIn({ utterances }: Episode, answerer: AgentId | null): Utterance[] {
  return utterances.filter(({ agent, silent, deliveredTo }) => agent !== answerer && !silent && deliveredTo.length > 0);
}

/** Picks one delivered message per episode; null if there was none. */
export function teammatesHeard(
  episodes: readonly Episode[],
  answerer: AgentId | null,
  pick: (messages: readonly Utterance[], position: number) => Utterance,
): (Utterance | null)[] {
  return episodes.map((episode, i) => {
    const messages = messagesIn(episode, answerer);
    return messages.length === 0 ? null : pick(messages, i);
  });
}

/** Finds another text by the same agent in the next episodes; null without one. */
export function liesFor(
  texts: readonly (Utterance | null)[],
  episodes: readonly Episode[],
  answerer: AgentId | null,
): (Replacement | null)[] {
  const replies = episodes.map((episode) => messagesIn(episode, answerer));
  return texts.map((message, i) => {
    if (message === null) return null;
    const others = [...replies.slice(i + 1), ...replies.slice(0, i)].flat();
    const lie = others.find(({ agent, text }) => agent === message.agent && text !== message.text);
    return lie ? { agent: lie.agent, text: lie.text, tokens: lie.writtenTokens } : null;
  });
}

/** Agent whose reply is most often the answer; null if several agents answer. */
export function answererOf(episodes: readonly Episode[]): AgentId | null {
  const counts = new Map<AgentId, number>();
  for (const { answer, outputs, utterances } of episodes) {
    const agent = outputs ? undefined : utterances.findLast(({ text }) => text === answer)?.agent;
    if (agent !== undefined) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
