import type { SampleRequest, SampleResult, TokenListener } from "@laconic/core";
import { tellDrawn } from "../../generation/drawn-tokens.ts";
import { balanceGroups } from "./balance.ts";
import type { WeightsId } from "../host/host-values.ts";
import type { EngineHost } from "../host/protocol.ts";

/** Deals a model's requests to its replicas, and passes on what ends them early. */
export class SharedSampling {
  readonly #hosts: readonly EngineHost[];
  readonly #model: number;
  /** Tokens that each replica may still have to handle. */
  readonly #load: number[];
  #calls = 0;

  constructor(hosts: readonly EngineHost[], model: number) {
    this.#hosts = hosts;
    this.#model = model;
    this.#load = hosts.map(() => 0);
  }

  /** Identical prompts stay together, so that one replica computes them once. */
  async sample(
    weights: WeightsId,
    requests: readonly SampleRequest[],
    onToken?: TokenListener,
  ): Promise<SampleResult[]> {
    const keys = requests.map(({ promptTokens }) => promptTokens.join(","));
    const costs = requests.map(({ promptTokens, sampling }) => promptTokens.length + sampling.maxTokens);
    // The least loaded first; in their order while nothing else runs, so that a run repeats itself.
    const replicas = Array.from(this.#hosts.keys()).toSorted((a, b) => this.#loadOf(a) - this.#loadOf(b));
    const results = new Array<SampleResult>(requests.length);
    await Promise.all(
      balanceGroups(keys, costs, this.#hosts.length).map(async (rows, part) => {
        if (rows.length === 0) return;
        const replica = replicas[part] as number;
        const cost = rows.reduce((sum, row) => sum + (costs[row] as number), 0);
        this.#load[replica] = this.#loadOf(replica) + cost;
        try {
          const ended = await this.#onHost(
            replica,
            weights,
            rows.map((row) => requests[row] as SampleRequest),
            onToken && ((i, drawn) => onToken(rows[i] as number, drawn)),
          );
          rows.forEach((row, i) => (results[row] = ended[i] as SampleResult));
        } finally {
          this.#load[replica] = this.#loadOf(replica) - cost;
        }
      }),
    );
    return results;
  }

  async #onHost(
    replica: number,
    weights: WeightsId,
    requests: readonly SampleRequest[],
    onToken: TokenListener | undefined,
  ): Promise<SampleResult[]> {
    const host = this.#hosts[replica] as EngineHost;
    const call = this.#calls++;
    // A host that is gone ends the call itself.
    const cancels = requests.map(
      (_, place) => () => void host.call(this.#model, "cancel", call, place).catch(() => undefined),
    );
    const plain = requests.map((request) => {
      const { signal: _, ...rest } = request; // a signal does not cross threads
      return rest;
    });
    const onDrawn = onToken && ((numbers: Float64Array) => tellDrawn(numbers, onToken));
    const ended = host.call(this.#model, "sample", weights, plain, call, onDrawn);
    requests.forEach(({ signal }, i) => {
      if (signal?.aborted) cancels[i]?.();
      else signal?.addEventListener("abort", cancels[i] as () => void, { once: true });
    });
    try {
      return await ended;
    } finally {
      requests.forEach(({ signal }, i) => signal?.removeEventListener("abort", cancels[i] as () => void));
    }
  }

  #loadOf(replica: number): number {
    return this.#load[replica] as number;
  }
}
