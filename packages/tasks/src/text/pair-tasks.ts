import { writingReward } from "@laconic/benchmarks";
import type { BenchmarkProblem, WritingOptions as WritingRewardOptions, WritingReward } from "@laconic/benchmarks";
import type { EpisodeReward, Problem, RewardResult } from "@laconic/core";
import { createSandbox, gradingLimits, type Sandbox } from "@laconic/sandbox";
import { type JointGame, type JointWords, synchronousTurns } from "@laconic/topologies";
import { drawFrom, type TeamTask, textsOf } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";
import { pairTokens, type PromptSource } from "./benchmark-team.ts";
import { cooperationReward, type CooperationReward, cooperationSchemes } from "./cooperation.ts";
import { splitData, type TaskData } from "./open-data.ts";
import { baselinesOf, inPublishedWords, publishedPair } from "./published-pair.ts";
import { tokenizerOf } from "./tokenizer-of.ts";

/** Settings of {@link writingTask}. */
export interface WritingOptions {
  readonly form: "tldr" | "arxiv";
  /** Default 256, as in MAGRPO. */
  readonly replyTokens?: number;
  /** Counts transition phrases at word boundaries. */
  readonly strict?: boolean;
  /** Also selects the reward's word lists. Default `ours`; `published` needs `laconic data get --exemplars`. */
  readonly prompts?: PromptSource;
}

/** Settings of {@link codeTask}. */
export interface CodeOptions {
  readonly benchmark: "coophumaneval" | "humaneval";
  /** Both read test results after the first turn. */
  readonly turns: 1 | 2;
  /** Default 256, as in MAGRPO. */
  readonly replyTokens?: number;
  /** Default `ours`; `published` needs `laconic data get --exemplars`. */
  readonly prompts?: PromptSource;
}

const writers = ["first", "second"] as const;
const programmers = ["helper", "main"] as const;

const instructions = {
  tldr: [
    "Write a short summary of the post: one sentence.",
    "Write a detailed summary of the post, about twice as long as a single sentence, and link its thoughts.",
  ],
  arxiv: [
    "Write the first paragraph of the paper's introduction: background and motivation.",
    "Write the second paragraph of the paper's introduction: method and implications.",
  ],
  code: [
    "Write one Python function named aux that helps another programmer to write the function below. Reply with code alone.",
    "Write the Python function below. Another programmer writes a helper named aux that you may call. Reply with code alone.",
  ],
} as const;

function playersOf(ids: readonly string[], form: keyof typeof instructions, maxTokens: number): JointGame["players"] {
  return ids.map((id, i) => ({ id, maxTokens, system: instructions[form][i as 0 | 1] }));
}

/** MAGRPO's writers with a joint reward. */
export async function writingTask(settings: WritingOptions, resources: TaskResources): Promise<TeamTask> {
  const { form, replyTokens = pairTokens, strict = false, prompts = "ours" } = settings;
  const data = await splitData(form, resources.testProblems, resources.data);
  const jointGame: JointGame = {
    players: playersOf(writers, form, replyTokens),
    turns: 1,
    transition: ({ question }) => [question, question],
  };
  const published = prompts === "ours" ? null : await publishedPair(form, resources.data.folder);
  const game = published ? inPublishedWords(jointGame, published) : jointGame;
  const options: WritingRewardOptions = { strict, ...(published && { released: published.words }) };
  return {
    name: `writing/${form}`,
    topology: synchronousTurns(game.players, game),
    game,
    baselines: baselinesOf(game, jointGame, pairWords(jointGame, "text")),
    tokenizer: await tokenizerOf(resources),
    reward: (episode) => writtenReward(writingReward(form, ...textsOf(episode, writers), options)),
    ...problemsOf(data, resources),
  };
}

function problemsOf(
  { train, validation, testProblems }: TaskData,
  resources: TaskResources,
): Pick<TeamTask, "problems" | "pool" | "validation" | "testProblems"> {
  return {
    problems: drawFrom(train),
    ...(resources.testProblems > 0 && { pool: train }),
    ...(validation && { validation }),
    testProblems,
  };
}

/** MAGRPO's metrics are shares of their maximum. */
function writtenReward({ reward, terms, style }: WritingReward): EpisodeReward {
  const { length, ratio, words } = terms;
  const { overlap, transitions } = style;
  return {
    // Only 2.98 can be reached.
    team: { task: reward / 3 },
    measures: {
      structure: (length + ratio) / 1.5,
      style: (words + overlap) / 1.1,
      coherence: transitions / 0.4,
      "level/length": length,
      "level/ratio": ratio,
      "level/words": words,
      "level/overlap": overlap,
      "level/transitions": transitions,
    },
  };
}

type Judgement = Pick<CooperationReward, "reward" | "terms" | "limited" | "schemes">;

const noProgram: Judgement = {
  reward: 0,
  terms: { structure: 0, syntax: 0, tests: 0, cooperation: 0 },
  limited: 0,
  schemes: [],
};

/** Share of the maximum reward (4). */
function programReward({ reward, terms, limited, schemes }: Judgement): EpisodeReward {
  return {
    team: { task: Math.max(0, reward / 4) },
    measures: {
      ...terms,
      sandbox_limit: Number(limited > 0),
      ...Object.fromEntries(cooperationSchemes.map((scheme) => [`scheme/${scheme}`, schemes.includes(scheme) ? 1 : 0])),
    },
  };
}

/** MAGRPO's programmers, graded in a sandbox. */
export async function codeTask(settings: CodeOptions, resources: TaskResources): Promise<TeamTask> {
  const { benchmark, turns, replyTokens = pairTokens, prompts = "ours" } = settings;
  const { testProblems, signal } = resources;
  const published = prompts === "ours" ? null : await publishedPair("code", resources.data.folder);
  const data = await splitData(benchmark, testProblems, resources.data);
  const tokenizer = await tokenizerOf(resources);
  // A later error would leak its processes.
  const sandbox = testProblems === 0 ? null : await createSandbox({ limits: gradingLimits, ...(signal && { signal }) });
  const rewardOf = cachedRewards(sandbox);
  const jointGame: JointGame = {
    players: playersOf(programmers, "code", replyTokens),
    turns,
    transition: async (problem, history) => {
      const last = history.at(-1);
      if (!last) return [problem.question, problem.question];
      const [aux = "", main = ""] = last;
      const { feedback } = await rewardOf(aux, main, problem);
      const message = `A reader says:\n${feedback}\n\nWrite your function again.`;
      return [message, message];
    },
  };
  const game = published
    ? inPublishedWords(
        jointGame,
        published,
        async (problem, [aux = "", main = ""]) => (await rewardOf(aux, main, problem)).report,
      )
    : jointGame;
  return {
    name: `code/${benchmark}/${turns}`,
    topology: synchronousTurns(game.players, game),
    game,
    baselines: baselinesOf(game, jointGame, pairWords(jointGame, "code")),
    tokenizer,
    reward: async (episode, problem): Promise<RewardResult> => {
      if (episode.answer === null) return programReward(noProgram);
      const judged = await rewardOf(...textsOf(episode, programmers), problem);
      return judged.undecided === null ? programReward(judged) : { undecided: judged.undecided };
    },
    ...problemsOf(data, resources),
    close: async () => sandbox?.close(),
  };
}

function cachedRewards(
  sandbox: Sandbox | null,
): (aux: string, main: string, problem: Problem) => Promise<CooperationReward> {
  const cache = new Map<string, Promise<CooperationReward>>();
  return (aux, main, problem) => {
    const key = JSON.stringify([problem.id, aux, main]);
    const { grading } = problem as BenchmarkProblem;
    if (grading.kind !== "code" || !sandbox) throw new Error("the task's problems are programs");
    const cached = cache.get(key);
    if (cached) return cached;
    const reward = cooperationReward({ aux, main }, grading, sandbox);
    cache.set(key, reward);
    if (cache.size > 10_000) cache.delete(cache.keys().next().value!);
    reward.then(
      ({ undecided }) => void (undecided !== null && cache.delete(key)),
      () => void cache.delete(key),
    );
    return reward;
  };
}

const marker = "=== SECOND PART ===";

export function pairWords({ players }: Pick<JointGame, "players">, parts: "text" | "code"): JointWords {
  const tasks = players.map(({ system = "" }, i) => `${i + 1}. ${system}`);
  const alone =
    parts === "text"
      ? "You write two texts that go together. What each of them is to be:"
      : "You write two functions that work together, in the place of two programmers. What each of the two was told:";
  return {
    single: {
      player: {
        id: "single",
        maxTokens: players.reduce((sum, { maxTokens }) => sum + maxTokens, 0),
        system: `${alone}\n${tasks.join("\n")}\nReply with the first, then a line with nothing but ${marker}, then the second.${parts === "code" ? " Each of the two is a code block of its own." : ""}`,
      },
      marker,
    },
    having: (question, received, draft) => {
      const others = received.map(({ text }) => `The other one wrote:\n${text}`).join("\n\n");
      const asked = draft === null ? `${question}\n\n` : "";
      const again = draft === null ? "Write your part" : "Write your part again";
      return `${asked}${others}${others === "" ? "" : "\n\n"}${again}, so that the two go together.`;
    },
  };
}
