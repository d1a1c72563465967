import type { SampleRequest, SampleResult, TokenListener } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import { tellDrawn } from "../../generation/draw.ts";
import type { EngineHost } from "../host/protocol.ts";
import type { WeightsId } from "../hosted-model/model-types.ts";

export class SharedSampling {
  readonly #hosts: readonly EngineHost[];
  readonly #model: number;
  readonly #load: number[];
  #calls = 0;

  constructor(hosts: readonly EngineHost[], model: number) {
    this.#hosts = hosts;
    this.#model = model;
    this.#load = hosts.map(() => 0);
  }

  /** Identical prompts go to one replica. */
  async sample(
    weights: WeightsId,
    requests: readonly SampleRequest[],
    onToken?: TokenListener,
  ): Promise<SampleResult[]> {
    const keys = requests.map(({ promptTokens }) => promptTokens.join(","));
    const costs = requests.map(({ promptTokens, sampling }) => promptTokens.length + sampling.maxTokens);
    // Least loaded first, in stable order for reproducible runs.
    const replicas = Array.from(this.#hosts.keys()).toSorted((a, b) => this.#loadOf(a) - this.#loadOf(b));
    const results = new Array<SampleResult>(requests.length);
    await Promise.all(
      balanceGroups(keys, costs, this.#hosts.length).map(async (rows, part) => {
        if (rows.length === 0) return;
        const replica = replicas[part]!;
        const cost = rows.reduce((sum, row) => sum + costs[row]!, 0);
        this.#load[replica] = this.#loadOf(replica) + cost;
        try {
          const ended = await this.#onHost(
            replica,
            weights,
            rows.map((row) => requests[row]!),
            onToken && ((i, drawn) => onToken(rows[i]!, drawn)),
          );
          rows.forEach((row, i) => (results[row] = ended[i]!));
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
    const host = this.#hosts[replica]!;
    const call = this.#calls++;
    const cancels = requests.map(
      (_, index) => () => void host.call(this.#model, "cancel", call, index).catch(() => undefined),
    );
    const plain = requests.map((request) => {
      const { signal: _, ...rest } = request; // signals cannot be sent to threads
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
    return this.#load[replica]!;
  }
}

/** Distributes items: heaviest first, each to the lightest replica. Shares keep the batch's order. */
export function balance(costs: readonly number[], replicas: number): number[][] {
  const shares: number[][] = Array.from({ length: replicas }, () => []);
  const loads = new Array<number>(replicas).fill(0);
  const order = costs.map((_, i) => i).toSorted((a, b) => costs[b]! - costs[a]! || a - b);
  for (const item of order) {
    const lightest = loads.indexOf(Math.min(...loads));
    shares[lightest]!.push(item);
    loads[lightest] = loads[lightest]! + costs[item]!;
  }
  return shares.map((share) => share.toSorted((a, b) => a - b));
}

export function balanceGroups(keys: readonly string[], costs: readonly number[], replicas: number): number[][] {
  const members = grouped(keys.keys(), (i) => keys[i]);
  const groupCosts = members.map((group) => group.reduce((sum, i) => sum + costs[i]!, 0));
  return balance(groupCosts, replicas).map((share) =>
    share.flatMap((g) => members[g] as number[]).toSorted((a, b) => a - b),
  );
}
