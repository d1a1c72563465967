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
export class Teacher {
  readonly #steps: StepsProblem;
  readonly #method: string;
  readonly #views: Readonly<Record<AgentId, string>>;
  readonly #random: Random;
  /** Latest draft by agent, with its wrong step. */
  readonly #drafts = new Map<AgentId, number | null>();
  #latest: AgentId = "";
  #received: string[] = [];

  constructor(steps: StepsProblem, method: string, views: Readonly<Record<AgentId, string>>, random: Random) {
    this.#steps = steps;
    this.#method = method;
    this.#views = views;
    this.#random = random;
  }

  reply(agent: AgentId): TaughtReply {
    const text = this.#special(agent);
    return text === null ? this.#draft(agent) : { text, isRight: true };
  }

  #special(agent: AgentId): string | null {
    if (agent.startsWith("holder")) return this.#retold(agent);
    switch (agent) {
      case "collaborator":
        return planOf(this.#steps);
      case "critic":
        return this.#method === "critic" ? this.#verdict() : this.#review();
      case "moderator":
      case "judge":
        return this.#decision(agent);
      case "router":
        return this.#random.pick(["Math Professor", "Grade School Teacher", "Math Enthusiast"]);
      case "inventor":
        return "A careful bookkeeper. Writes one calculation for each fact.";
      case "checker":
        return this.#random.pick(["KEEP", "DISCARD"]);
      case "ranker":
        return "[1, 2]";
      default:
        return null;
    }
  }

  /** In a chain, a holder also passes on what it read. */
  #retold(agent: AgentId): string {
    const told = this.#told(this.#views[agent] ?? "");
    if (this.#method !== "chain") return told || "PASS";
    if (told !== "") this.#received.push(told);
    return this.#received.join(" ") || "PASS";
  }

  #told(view: string): string {
    if (this.#random.uniform() >= briefShare) return view;
    const needed = this.#steps.facts.filter(({ use, text }) => use === "needed" && view.includes(text));
    return needed.map(({ text }) => text).join(" ");
  }

  #draft(agent: AgentId): TaughtReply {
    const isFirst = !this.#drafts.has(agent);
    this.#latest = agent;
    if (!isFirst || single.has(this.#method) || this.#random.uniform() >= wrongShare) {
      this.#drafts.set(agent, null);
      return { text: stepsSolution(this.#steps), isRight: true };
    }
    const { text, step } = drawWrongDraft(this.#steps, this.#random);
    this.#drafts.set(agent, step);
    return { text, isRight: false };
  }

  #wrongStep(): number | null {
    return this.#drafts.get(this.#latest) ?? null;
  }

  #verdict(): string {
    const wrong = this.#wrongStep();
    const calculation = wrong === null ? undefined : this.#steps.calculations[wrong];
    if (wrong === null || !calculation) return "The solution is right.";
    const { left, sign, right, result } = calculation;
    return `Step ${wrong + 1} is wrong: ${left} ${sign} ${right} = ${result}.`;
  }

  #review(): string {
    const correct = this.#wrongStep() === null ? "True" : "False";
    return JSON.stringify({ feedback: this.#verdict(), correct });
  }

  #decision(agent: AgentId): string {
    const right = ["affirmative", "negative"].find((side) => this.#drafts.get(side) === null);
    if (right === undefined && agent === "moderator") return JSON.stringify({ preference: "none", answer: "" });
    return JSON.stringify({ preference: right ?? "none", answer: `${this.#steps.answer}` });
  }
}

function planOf({ first, calculations }: StepsProblem): string {
  const steps = calculations.map(({ subject, sign, right }) => `${subject.replace(" has", "")}: ${sign} ${right}.`);
  return [first, ...steps].join(" ");
}
