import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** What a turn was asked and said, as tokens. */
export interface RecordedTurn {
  readonly agent: string;
  readonly turn: number;
  readonly promptTokens: readonly number[];
  readonly tokens: readonly number[];
}

/** The part of a step's record that says what was passed. */
interface StepRecord {
  readonly kind: string;
  readonly step: number;
  readonly rollouts: readonly { readonly episode: number }[];
  readonly episodes: readonly { readonly utterances: readonly number[] }[];
  readonly utterances: readonly Partial<RecordedTurn>[];
  readonly policies: Readonly<
    Record<
      string,
      {
        readonly sequences: readonly (readonly [rollout: number, turn: number])[];
        readonly updates: readonly { readonly rows: readonly number[] }[];
      }
    >
  >;
}

/** What a step's metrics say it passed, and what its record says, of all policies together. */
export interface PassedStep {
  readonly step: number;
  readonly tokens: number;
  readonly rows: number;
  /** Tokens of the recorded sequences, and nodes of the tries of each optimiser step. */
  readonly recordedTokens: number;
  readonly nodes: number;
}

/** Two turns of one agent, one behind the other: how much of the first is the beginning of the second's prompt. */
export interface GoneOn {
  readonly agent: string;
  /** Tokens of the first turn's prompt and reply. */
  readonly before: number;
  /** Of these, those that the second prompt begins with. */
  readonly kept: number;
}

/** The steps of a run's folder, from its record. */
export function stepsOf(run: string): StepRecord[] {
  const path = join(run, "episodes.jsonl.gz");
  if (!existsSync(path)) return [];
  return gunzipSync(readFileSync(path))
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StepRecord)
    .filter(({ kind }) => kind === "step");
}

/** What each step of a run passed, by its metrics and by its record. */
export function passedSteps(run: string): PassedStep[] {
  const metrics = readFileSync(join(run, "metrics.jsonl"), "utf8").trim().split("\n");
  const rows = new Map(
    metrics.map((line) => JSON.parse(line) as Record<string, number>).map((row) => [row["step"], row]),
  );
  return stepsOf(run).map((record) => {
    const row = rows.get(record.step) ?? {};
    const sum = (name: string): number =>
      Object.entries(row).reduce((total, [key, value]) => total + (key.endsWith(`actor/${name}`) ? value : 0), 0);
    const batches = batchesOf(record);
    return {
      step: record.step,
      tokens: sum("tokens_passed"),
      rows: sum("rows_passed"),
      recordedTokens: batches.flat().reduce((total, tokens) => total + tokens.length, 0),
      nodes: batches.reduce((total, batch) => total + countNodes(batch), 0),
    };
  });
}

/** The sequences of each optimiser step without their last tokens, which predict nothing. */
export function batchesOf(record: StepRecord): (readonly number[])[][] {
  return Object.values(record.policies).flatMap(({ sequences, updates }) =>
    updates.map(({ rows }) =>
      rows.map((at) => {
        const [rollout, turn] = sequences[at] as readonly [number, number];
        const spoken = turnsOf(record, record.rollouts[rollout]?.episode ?? -1).find((each) => each.turn === turn);
        return spoken ? [...spoken.promptTokens, ...spoken.tokens].slice(0, -1) : [];
      }),
    ),
  );
}

/** Nodes of the trie of some sequences, one map a node. */
function countNodes(sequences: readonly (readonly number[])[]): number {
  interface Node extends Map<number, Node> {}
  const root: Node = new Map();
  let nodes = 0;
  for (const tokens of sequences) {
    let node = root;
    for (const token of tokens) {
      let next = node.get(token);
      if (!next) {
        next = new Map();
        node.set(token, next);
        nodes += 1;
      }
      node = next;
    }
  }
  return nodes;
}

/** Every turn of an agent that has one behind it in its episode. */
export function goneOn(record: StepRecord): GoneOn[] {
  return record.episodes.flatMap((_, episode) => {
    const turns = turnsOf(record, episode);
    return turns.flatMap((first, i): GoneOn[] => {
      const second = turns.slice(i + 1).find(({ agent }) => agent === first.agent);
      if (!second) return [];
      const all = [...first.promptTokens, ...first.tokens];
      let kept = 0;
      while (kept < all.length && all[kept] === second.promptTokens[kept]) kept += 1;
      return [{ agent: first.agent, before: all.length, kept }];
    });
  });
}

function turnsOf({ episodes, utterances }: StepRecord, episode: number): RecordedTurn[] {
  return (episodes[episode]?.utterances ?? []).flatMap((at) => {
    const { agent = "", turn = 0, promptTokens, tokens } = utterances[at] ?? {};
    return promptTokens && tokens ? [{ agent, turn, promptTokens, tokens }] : [];
  });
}
