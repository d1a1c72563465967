import { drawWrongDraft, stepsSolution, type StepsProblem } from "@laconic/benchmarks/steps";
import type { AgentId, Random } from "@laconic/core";

/** Reply of the teacher; wrong ones are not learned. */
export interface TaughtReply {
  readonly text: string;
  readonly isRight: boolean;
}

/** Chance that the first draft of an agent is wrong, in methods that read it again. */
const wrongShare = 0.45;

/** Chance that a holder leaves out what the answer does not need; without such lessons training could not find it. */
const briefShare = 0.3;

const single: ReadonlySet<string> = new Set([
  "cot",
  "vanilla",
  "complex-cot",
  "hint",
  "star",
  "chain",
  "role-assignment",
]);

/** Plays all agents of a method on one problem: holders retell, critics judge, helpers plan, others solve. */
export function methodTeacher(
  steps: StepsProblem,
  method: string,
  views: Readonly<Record<AgentId, string>>,
  random: Random,
): (agent: AgentId) => TaughtReply {
  /** Latest draft by agent, with its wrong step. */
  const drafts = new Map<AgentId, number | null>();
  let latest: AgentId = "";
  const received: string[] = [];
  const wrongStep = (): number | null => drafts.get(latest) ?? null;

  /** In a chain, a holder also passes on what it read. */
  function retold(view: string): string {
    const told = random.uniform() < briefShare ? neededOf(steps, view) : view;
    if (method !== "chain") return told || "PASS";
    if (told !== "") received.push(told);
    return received.join(" ") || "PASS";
  }

  function draft(agent: AgentId): TaughtReply {
    const isFirst = !drafts.has(agent);
    latest = agent;
    if (!isFirst || single.has(method) || random.uniform() >= wrongShare) {
      drafts.set(agent, null);
      return { text: stepsSolution(steps), isRight: true };
    }
    const { text, step } = drawWrongDraft(steps, random);
    drafts.set(agent, step);
    return { text, isRight: false };
  }

  function decision(agent: AgentId): string {
    const right = ["affirmative", "negative"].find((side) => drafts.get(side) === null);
    if (right === undefined && agent === "moderator") return JSON.stringify({ preference: "none", answer: "" });
    return JSON.stringify({ preference: right ?? "none", answer: `${steps.answer}` });
  }

  function special(agent: AgentId): string | null {
    if (agent.startsWith("holder")) return retold(views[agent] ?? "");
    switch (agent) {
      case "collaborator":
        return planOf(steps);
      case "critic":
        return method === "critic" ? verdictOn(steps, wrongStep()) : reviewOf(steps, wrongStep());
      case "moderator":
      case "judge":
        return decision(agent);
      case "router":
        return random.pick(["Math Professor", "Grade School Teacher", "Math Enthusiast"]);
      case "inventor":
        return "A careful bookkeeper. Writes one calculation for each fact.";
      case "checker":
        return random.pick(["KEEP", "DISCARD"]);
      case "ranker":
        return "[1, 2]";
      default:
        return null;
    }
  }

  return (agent) => {
    const text = special(agent);
    return text === null ? draft(agent) : { text, isRight: true };
  };
}

function neededOf({ facts }: StepsProblem, view: string): string {
  const needed = facts.filter(({ use, text }) => use === "needed" && view.includes(text));
  return needed.map(({ text }) => text).join(" ");
}

function verdictOn({ calculations }: StepsProblem, wrong: number | null): string {
  const calculation = wrong === null ? undefined : calculations[wrong];
  if (wrong === null || !calculation) return "The solution is right.";
  const { left, sign, right, result } = calculation;
  return `Step ${wrong + 1} is wrong: ${left} ${sign} ${right} = ${result}.`;
}

function reviewOf(steps: StepsProblem, wrong: number | null): string {
  return JSON.stringify({ feedback: verdictOn(steps, wrong), correct: wrong === null ? "True" : "False" });
}

function planOf({ first, calculations }: StepsProblem): string {
  const steps = calculations.map(({ subject, sign, right }) => `${subject.replace(" has", "")}: ${sign} ${right}.`);
  return [first, ...steps].join(" ");
}
