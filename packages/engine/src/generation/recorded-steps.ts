import type { KeyValueCache, Recorder, Recording } from "../kernels/index.ts";
import type { LikeliestPiece } from "../transformer/likeliest-tokens.ts";
import { readPieces } from "../transformer/likeliest-tokens.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { DecodeLane } from "./decode-lane.ts";
import type { RowPages } from "./decode-state.ts";
import { extendDrawn, mostLikeliest, type DrawnTokens } from "./draw.ts";
import type { Reply } from "./reply.ts";

/** Lanes kept at a time: rows come and go around a border between two. */
const maxLanes = 3;

/** What became of one kind of step in one lane. */
interface Play {
  readonly cache: KeyValueCache | undefined;
  /** Null after a rehearsal; `refused` where the device cannot record it. */
  recording: Recording | "refused" | null;
}

/**
 * Decode steps that the device does again as one call. The number of rows is rounded up to a power of two, each with its
 * own tensors ({@link DecodeLane}) and recordings; the first step of a kind is a rehearsal, the second is recorded, the
 * others are replayed. What cannot be recorded runs operation by operation on the same tensors.
 */
export class RecordedSteps {
  readonly #model: ModelOnDevice;
  readonly #recorder: Recorder;
  /** The last one used stands last. */
  #lanes: { readonly lane: DecodeLane; readonly plays: Map<string, Play> }[] = [];

  constructor(model: ModelOnDevice, recorder: Recorder) {
    this.#model = model;
    this.#recorder = recorder;
  }

  /** As {@link DecodeState.step}. */
  step(replies: readonly Reply[], caches: readonly KeyValueCache[], pages: RowPages): Promise<DrawnTokens> {
    const { lane, plays } = this.#laneFor(replies, pages);
    const most = mostLikeliest(replies);
    const kind = lane.kind;
    let likeliest: LikeliestPiece | null = null;
    const body = (): void => {
      likeliest = lane.run(caches, most);
    };
    // The first asks for tensors that only this step has, the second for an answer from the device.
    if (most >= 0 || kind.openTopP) body();
    else this.#play(plays, JSON.stringify(kind), caches[0], body);
    lane.advanced();
    return this.#read(lane, likeliest);
  }

  /** As {@link DecodeState.take}. */
  take(drawn: DrawnTokens): void {
    for (const reply of drawn.replies) reply.ahead -= 1;
    extendDrawn(drawn);
  }

  /** As {@link DecodeState.free}. */
  free(): void {
    for (const { lane, plays } of this.#lanes.splice(0)) freeLane(lane, plays);
  }

  #play(plays: Map<string, Play>, name: string, cache: KeyValueCache | undefined, body: () => void): void {
    let play = plays.get(name);
    if (play && play.cache !== cache) {
      freeRecording(play);
      plays.delete(name);
      play = undefined;
    }
    if (!play) {
      this.#recorder.rehearse(body);
      plays.set(name, { cache, recording: null });
      return;
    }
    if (play.recording === "refused") return body();
    if (play.recording?.replay()) return;
    play.recording = this.#recorder.record(body) ?? "refused";
    if (play.recording === "refused") body();
  }

  #laneFor(
    replies: readonly Reply[],
    pages: RowPages,
  ): { readonly lane: DecodeLane; readonly plays: Map<string, Play> } {
    const [rows, width] = [powerOfTwo(replies.length), powerOfTwo(pages.width)];
    const last = this.#lanes.at(-1);
    const at = this.#lanes.findIndex(({ lane }) => lane.rows === rows && lane.width === width);
    const [known] = at < 0 ? [] : this.#lanes.splice(at, 1);
    const chosen = known ?? { lane: new DecodeLane(this.#model, rows, width), plays: new Map<string, Play>() };
    this.#lanes.push(chosen);
    chosen.lane.arrange(replies, pages, last?.lane ?? null);
    if (this.#lanes.length > maxLanes) {
      const [oldest] = this.#lanes.splice(0, 1);
      if (oldest) freeLane(oldest.lane, oldest.plays);
    }
    return chosen;
  }

  async #read(lane: DecodeLane, likeliest: LikeliestPiece | null): Promise<DrawnTokens> {
    const { kernels } = this.#model;
    const { replies, rows } = lane.drawing();
    const reads = [kernels.read(lane.tokens), kernels.read(lane.logProbs)] as const;
    const pieces = likeliest && readPieces(kernels, [likeliest]);
    const [tokens, logProbs] = await Promise.all(reads);
    const atOne = await pieces;
    return {
      replies,
      tokens: rows.map((row) => tokens[row] as number),
      logProbs: rows.map((row) => logProbs[row] as number),
      atOne: atOne && rows.map((row) => atOne[row] as (typeof atOne)[number]),
    };
  }
}

function freeLane(lane: DecodeLane, plays: ReadonlyMap<string, Play>): void {
  for (const play of plays.values()) freeRecording(play);
  lane.free();
}

function freeRecording({ recording }: Play): void {
  if (recording !== "refused") recording?.free();
}

function powerOfTwo(count: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, count)));
}
