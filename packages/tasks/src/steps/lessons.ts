import { baselineNamed } from "@laconic/baselines";
import { distribute } from "@laconic/benchmarks";
import { drawSteps, stepsProblem, stepsQuestion, stepsSolution, type StepsProblem } from "@laconic/benchmarks/steps";
import type { AgentId, ChatMessage, LanguageModel, Problem, Random, Topology } from "@laconic/core";
import { answerForm, answerReading } from "@laconic/grading";
import { teamOf } from "../text/teams/team-of.ts";
import { methodTeacher } from "./teacher.ts";

/** A supervised example: a request and the reply to learn. */
export interface Lesson {
  readonly messages: readonly ChatMessage[];
  readonly reply: string;
}

/** Shares of methods and teams; `bare` is the question alone or behind one sentence. */
const mix: readonly (readonly [method: string, share: number])[] = [
  ["bare", 0.46],
  ["cot", 0.12],
  ["star", 0.2],
  ["critic", 0.05],
  ["hint", 0.04],
  ["chain", 0.025],
  ["vanilla", 0.02],
  ["complex-cot", 0.02],
  ["debate", 0.015],
  ["self-refine", 0.015],
  ["mad", 0.01],
  ["php", 0.01],
  ["dylan", 0.005],
  ["evoagent", 0.005],
  ["role-assignment", 0.005],
];

const instructions = [
  "Solve the problem.",
  "You are a helpful assistant.",
  "Answer with a number.",
  "Solve this word problem and show your steps.",
  "You are good at mathematics. Give each step.",
  "Read carefully, then calculate.",
] as const;

/** Chance that a bare lesson repeats facts instead of solving. */
const repeatShare = 0.1;

const repeatInstructions = {
  all: ["Repeat the text.", "Say that again."],
  needed: ["Repeat the facts that count."],
} as const;

const form = answerForm({ kind: "numeric" });
const reader = answerReading({ kind: "numeric" });

/**
 * Draws a problem and plays a method on it with a scripted teacher. Wrong drafts are context only: no lesson teaches
 * one.
 * @param isBare - draws a question alone or behind one sentence
 */
export async function drawLessons(random: Random, isBare = false): Promise<readonly Lesson[]> {
  const steps = drawSteps(random, { madeUp: true });
  const problem: Problem = { ...stepsProblem(steps), id: `${random.integer(1e9)}` };
  const method = isBare ? "bare" : drawMethod(random.uniform());
  if (method === "bare")
    return [random.uniform() < repeatShare ? repetition(steps, random) : bareLesson(steps, random)];
  const { topology, holders } = teamFor(method, 2 + random.integer(3));
  const dealt = holders.length > 0 ? distribute(problem, holders, "lessons")?.problem : undefined;
  const lessons: Lesson[] = [];
  const replyOf = methodTeacher(steps, method, dealt?.views ?? {}, random.split("teacher"));
  const modelOf = (agent: AgentId): LanguageModel => ({
    id: "teacher",
    complete: async ({ prompt }) => {
      const { text, isRight } = replyOf(agent);
      if (isRight && prompt.kind === "messages") lessons.push({ messages: prompt.messages, reply: text });
      const usage = { promptTokens: 1, completionTokens: 1, counted: "model" } as const;
      return { text, finishReason: "stop", usage, model: { id: "teacher", weightVersion: 0 } };
    },
  });
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, modelOf(agent)]));
  await topology.run(dealt ?? problem, { models, sampling: { temperature: 1 }, random });
  return lessons;
}

function bareLesson(steps: StepsProblem, random: Random): Lesson {
  const system = random.uniform() < 0.5 ? [{ role: "system", content: random.pick(instructions) } as const] : [];
  return { messages: [...system, { role: "user", content: stepsQuestion(steps) }], reply: stepsSolution(steps) };
}

function repetition(steps: StepsProblem, random: Random): Lesson {
  const kind = random.pick(["all", "needed"] as const);
  const facts = steps.facts.filter(({ use }) => kind === "all" || use === "needed");
  const content = `${random.pick(repeatInstructions[kind])}\n\n${stepsQuestion(steps)}`;
  return { messages: [{ role: "user", content }], reply: facts.map(({ text }) => text).join(" ") };
}

function drawMethod(uniform: number): string {
  let sum = 0;
  return mix.find(([, share]) => uniform < (sum += share))?.[0] ?? "bare";
}

function teamFor(
  method: string,
  agents: number,
): { readonly topology: Topology; readonly holders: readonly AgentId[] } {
  if (method === "star" || method === "chain")
    return teamOf(method, { agents, rounds: 1, replyTokens: 256, actorTokens: 256, answerForm: form, ...reader });
  const options = { reader, answerForm: form, maxTokens: 256, family: "maths" } as const;
  return { topology: baselineNamed(method).create(options), holders: [] };
}
