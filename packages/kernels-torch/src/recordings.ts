import { LaconicError } from "@laconic/core";
import { isOutOfMemory, type Recorder, type Recording, type RecordingCounts } from "@laconic/engine/kernels";
import type { CapturedGraph } from "./native/cuda-graphs.ts";
import type { Torch } from "./native/torch.ts";
import { Footprint } from "./footprint.ts";
import type { TensorStore, TorchTensor } from "./tensors.ts";

/** Errors that speak against a recording, not against the work. */
const reasons: ReadonlySet<string> = new Set(["engine_failed", "device_out_of_memory"]);

/** Work of this kernel set as graphs of its device. */
export class Recordings implements Recorder {
  readonly #torch: Torch;
  readonly #store: TensorStore;
  readonly #live = new Set<GraphRecording>();
  readonly #refusals = new Map<string, number>();
  #recorded = 0;
  #replayed = 0;

  constructor(torch: Torch, store: TensorStore) {
    this.#torch = torch;
    this.#store = store;
  }

  get counts(): RecordingCounts {
    return { recorded: this.#recorded, replayed: this.#replayed, refused: Object.fromEntries(this.#refusals) };
  }

  rehearse<T>(body: () => T): T {
    return this.#torch.besideGraphs(body);
  }

  record(body: () => void): Recording | null {
    const footprint = new Footprint<TorchTensor>();
    let outcome: CapturedGraph | { readonly refusal: string };
    try {
      outcome = this.#torch.capture(() => this.#store.watched(footprint, body));
    } catch (error) {
      if (!LaconicError.is(error) || !reasons.has(error.code)) {
        this.#undo(footprint);
        throw error;
      }
      if (isOutOfMemory(error)) this.drop();
      outcome = { refusal: error.message };
    }
    if ("refusal" in outcome) {
      this.#undo(footprint);
      this.#refusals.set(outcome.refusal, (this.#refusals.get(outcome.refusal) ?? 0) + 1);
      return null;
    }
    this.#recorded += 1;
    const graph = outcome;
    this.#store.watch(footprint);
    const recording = new GraphRecording(graph, this.#shifts(footprint), {
      replayed: () => (this.#replayed += 1),
      freed: () => {
        this.#live.delete(recording);
        this.#store.unwatch(footprint);
      },
    });
    footprint.gone = () => recording.free();
    this.#live.add(recording);
    graph.launch();
    return recording;
  }

  /** Gives all recordings up: before what needs much memory, where the allocator may take blocks away that nobody seems to use. */
  drop(): void {
    for (const recording of this.#live) recording.free();
  }

  /** Nothing has run: what was noted as done is taken back. */
  #undo({ ranges, derived }: Footprint<TorchTensor>): void {
    for (const [tensor, name] of derived) this.#store.forget(tensor, name);
    for (const [tensor, range] of ranges) tensor.range = range;
  }

  /** By how much each run moves the range of what it changes. */
  #shifts({ ranges }: Footprint<TorchTensor>): readonly Shift[] {
    return Array.from(ranges, ([tensor, [least, most]]) => ({
      tensor,
      by: [tensor.range[0] - least, tensor.range[1] - most] as const,
    })).filter(({ by }) => by[0] === by[1] && by[0] !== 0);
  }
}

interface Shift {
  readonly tensor: TorchTensor;
  readonly by: readonly [number, number];
}

class GraphRecording implements Recording {
  readonly #shifts: readonly Shift[];
  readonly #tell: { replayed(): void; freed(): void };
  #graph: CapturedGraph | null;

  constructor(graph: CapturedGraph, shifts: readonly Shift[], tell: { replayed(): void; freed(): void }) {
    this.#graph = graph;
    this.#shifts = shifts;
    this.#tell = tell;
  }

  replay(): boolean {
    if (this.#graph === null) return false;
    this.#graph.launch();
    for (const { tensor, by } of this.#shifts) tensor.range = [tensor.range[0] + by[0], tensor.range[1] + by[1]];
    this.#tell.replayed();
    return true;
  }

  free(): void {
    if (this.#graph === null) return;
    const graph = this.#graph;
    this.#graph = null;
    graph.delete();
    this.#tell.freed();
  }
}
