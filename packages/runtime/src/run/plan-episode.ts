import { randomFromSeed, type AgentId, type CompletionRequest, type LanguageModel, type Problem } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";

export interface PlannedEpisode {
  /** Agents that speak at the same time, in the order of waiting. */
  readonly waves: readonly (readonly AgentId[])[];
  /** Longest allowed reply in tokens; null if unknown. */
  readonly maxTokens: number | null;
}

const question: Problem = { id: "planned", question: "?", gold: "" };

/**
 * Plays an episode with a stand-in that answers all waiting calls at once. A team that needs data to be played counts
 * one call per agent, in sequence.
 */
export async function planEpisode(task: TeamTask): Promise<PlannedEpisode> {
  const random = randomFromSeed("plan");
  const waves: AgentId[][] = [];
  let maxTokens: number | null = null;
  let waiting: AgentId[] | null = null;
  let calls = 0;
  const wave = (): AgentId[] => {
    if (waiting) return waiting;
    const fresh: AgentId[] = [];
    waves.push(fresh);
    waiting = fresh;
    setImmediate(() => (waiting = null));
    return fresh;
  };
  const standIn = (agent: AgentId): LanguageModel => ({
    id: "planned",
    async complete({ sampling }: CompletionRequest) {
      wave().push(agent);
      maxTokens = Math.max(maxTokens ?? 0, sampling.maxTokens);
      // Equal replies would end a debate.
      const text = `${calls++}`;
      await new Promise((resolve) => void setImmediate(resolve));
      const usage = { promptTokens: 1, completionTokens: 2, counted: "model" } as const;
      return { text, finishReason: "stop", usage, model: { id: "planned", weightVersion: 0 } };
    },
  });
  const { agents } = task.topology;
  const models = Object.fromEntries(agents.map((agent) => [agent, standIn(agent)]));
  try {
    const [problem = question] = problemsOf(task);
    await task.topology.run(problem, { models, sampling: { temperature: 1 }, random });
  } catch {
    return { waves: agents.map((agent) => [agent]), maxTokens };
  }
  return { waves, maxTokens };
}

function problemsOf(task: TeamTask): readonly Problem[] {
  try {
    return task.problems(randomFromSeed("plan"), 1);
  } catch {
    return [];
  }
}
