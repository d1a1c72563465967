import { type BenchmarkProblem, writingReward, type WritingReward } from "@laconic/benchmarks";
import type { EpisodeReward, Problem, RewardResult } from "@laconic/core";
import { createSandbox, gradingLimits } from "@laconic/sandbox";
import { drawFrom, type TeamTask, textsOf } from "../task.ts";
import { type JointGame, type JointWords, synchronousTurns } from "@laconic/topologies";
import type { TaskResources } from "../task-resources.ts";
import { cooperationReward, type CooperationReward, cooperationSchemes } from "./cooperation.ts";
import { splitData, type TaskData } from "./open-data.ts";
import { pairTokens } from "./benchmark-team.ts";
import { baselinesOf, inPublishedWords, type PairPrompts, publishedPair } from "./published-pair.ts";
import { tokenizerOf } from "./tokenizer-of.ts";

/** Two agents write for one reward of form. */
export interface WritingTaskSettings {
  readonly name: "writing";
  readonly form: "tldr" | "arxiv";
  /** Most tokens of a text. Default 256, MAGRPO's. */
  readonly replyTokens?: number;
  /** Counts transition phrases at word boundaries: as released, "so" is found in "some". */
  readonly strict?: boolean;
  /** Default `own`; `published` needs the texts that `laconic data get --exemplars` brings. */
  readonly prompts?: PairPrompts;
}

/** Two agents write a helper and a main function for one reward. */
export interface CodeTaskSettings {
  readonly name: "code";
  readonly benchmark: "coophumaneval" | "humaneval";
  /** 2 tells both after the first turn what the tests say. */
  readonly turns: 1 | 2;
  /** Most tokens of a function. Default 256, MAGRPO's. */
  readonly replyTokens?: number;
  /** Default `own`; `published` needs the texts that `laconic data get --exemplars` brings. */
  readonly prompts?: PairPrompts;
}

const pairs = { writers: ["first", "second"], programmers: ["helper", "main"] } as const;

const writers = {
  tldr: [
    "Write a short summary of the post: one sentence.",
    "Write a detailed summary of the post, about twice as long as a single sentence, and link its thoughts.",
  ],
  arxiv: [
    "Write the first paragraph of the paper's introduction: background and motivation.",
    "Write the second paragraph of the paper's introduction: method and implications.",
  ],
} as const;

/** MAGRPO's pair of writers: both write at once, and the reward judges the two texts together. */
export async function writingTask(settings: WritingTaskSettings, resources: TaskResources): Promise<TeamTask> {
  const { form, replyTokens = pairTokens, strict = false, prompts = "own" } = settings;
  const data: TaskData =
    resources.testProblems === 0
      ? { train: [], testProblems: [] }
      : await splitData(form, resources.testProblems, resources.data);
  const own: JointGame = {
    players: writers[form].map((system, i) => ({ id: pairs.writers[i as 0 | 1], maxTokens: replyTokens, system })),
    turns: 1,
    transition: ({ question }) => [question, question],
  };
  const game = prompts === "own" ? own : inPublishedWords(own, await publishedPair(form, resources.data));
  return {
    name: `writing/${form}`,
    topology: synchronousTurns(game.players, game),
    game,
    baselines: baselinesOf(game, own, pairWords(own, "text")),
    tokenizer: await tokenizerOf(resources),
    reward: (episode) => writtenReward(writingReward(form, ...textsOf(episode, pairs.writers), { strict })),
    problems: drawFrom(data.train),
    ...(resources.testProblems > 0 && { pool: data.train }),
    ...(data.validation && { validation: data.validation }),
    testProblems: data.testProblems,
  };
}

/**
 * The reward as a grade, and beside it its levels in points and MAGRPO's three metrics as shares of what each level gives:
 * structure (lengths and their ratio), style (words and overlap), coherence (transitions). A level behind the first that failed
 * has nothing.
 */
function writtenReward({ reward, terms, style }: WritingReward): EpisodeReward {
  const { length, ratio, words } = terms;
  const { overlap, transitions } = style;
  return {
    // Of the stated 3.0; with twelve kinds of transitions 2.98 can be reached.
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

const maxReward = 4;

const nothingWritten: Pick<CooperationReward, "reward" | "terms" | "limited" | "schemes"> = {
  reward: 0,
  terms: { structure: 0, syntax: 0, tests: 0, cooperation: 0 },
  limited: 0,
  schemes: [],
};

/** The reward as a grade, and beside it its parts in points of 4, and which schemes are seen. */
function programReward({ reward, terms, limited, schemes }: typeof nothingWritten): EpisodeReward {
  return {
    team: { task: Math.max(0, reward / maxReward) },
    measures: {
      ...terms,
      sandbox_limit: Number(limited > 0),
      ...Object.fromEntries(cooperationSchemes.map((scheme) => [`scheme/${scheme}`, schemes.includes(scheme) ? 1 : 0])),
    },
  };
}

/** MAGRPO's pair of programmers: a helper and a main function, graded together in a sandbox. */
export async function codeTask(settings: CodeTaskSettings, resources: TaskResources): Promise<TeamTask> {
  const { benchmark, turns, replyTokens = pairTokens, prompts = "own" } = settings;
  const published = prompts === "own" ? null : await publishedPair("code", resources.data);
  const data: TaskData =
    resources.testProblems === 0
      ? { train: [], testProblems: [] }
      : await splitData(benchmark, resources.testProblems, resources.data);
  const tokenizer = await tokenizerOf(resources);
  // Last: what fails after it would leave its processes behind.
  const sandbox =
    resources.testProblems === 0
      ? null
      : await createSandbox({ limits: gradingLimits, ...(resources.signal && { signal: resources.signal }) });
  const rewards = new Map<string, Promise<CooperationReward>>();
  const rewardOf = (aux: string, main: string, problem: Problem): Promise<CooperationReward> => {
    const key = JSON.stringify([problem.id, aux, main]);
    const { grading } = problem as BenchmarkProblem;
    if (grading.kind !== "code" || !sandbox) throw new Error("the task's problems are programs");
    const known = rewards.get(key);
    if (known) return known;
    const now = cooperationReward({ aux, main }, grading, sandbox);
    rewards.set(key, now);
    if (rewards.size > 10_000) rewards.delete(rewards.keys().next().value as string);
    // What was no verdict is asked again.
    now.then(
      ({ undecided }) => void (undecided !== null && rewards.delete(key)),
      () => void rewards.delete(key),
    );
    return now;
  };
  const own: JointGame = {
    players: [
      {
        id: pairs.programmers[0],
        maxTokens: replyTokens,
        system:
          "Write one Python function named aux that helps another programmer to write the function below. Reply with code alone.",
      },
      {
        id: pairs.programmers[1],
        maxTokens: replyTokens,
        system:
          "Write the Python function below. Another programmer writes a helper named aux that you may call. Reply with code alone.",
      },
    ],
    turns,
    transition: async (problem, history) => {
      const last = history.at(-1);
      if (!last) return [problem.question, problem.question];
      const [aux = "", main = ""] = last;
      const { feedback } = await rewardOf(aux, main, problem);
      const said = `A reader says:\n${feedback}\n\nWrite your function again.`;
      return [said, said];
    },
  };
  const game = published
    ? inPublishedWords(
        own,
        published,
        async (problem, [aux = "", main = ""]) => (await rewardOf(aux, main, problem)).report,
      )
    : own;
  return {
    name: `code/${benchmark}/${turns}`,
    topology: synchronousTurns(game.players, game),
    game,
    baselines: baselinesOf(game, own, pairWords(own, "code")),
    tokenizer,
    reward: async (episode, problem): Promise<RewardResult> => {
      if (episode.answer === null) return programReward(nothingWritten);
      const judged = await rewardOf(...textsOf(episode, pairs.programmers), problem);
      return judged.undecided === null ? programReward(judged) : { undecided: judged.undecided };
    },
    problems: drawFrom(data.train),
    ...(resources.testProblems > 0 && { pool: data.train }),
    ...(data.validation && { validation: data.validation }),
    testProblems: data.testProblems,
    close: async () => sandbox?.close(),
  };
}

/** Stands alone in a line between the two parts that one model writes. */
const marker = "=== SECOND PART ===";

/** What untrained pairs are asked: each player's own task with the other's words, or one model with both tasks. */
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
