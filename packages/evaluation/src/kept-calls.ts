import { stat } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { thrownText, type AgentId, type LanguageModel, mapValues } from "@laconic/core";
import type { CallsPlace, StoredCall, StoredCalls } from "@laconic/core/run-folder";
import { openAppender, writing } from "@laconic/core/platform";
import type { SampleRecord } from "./sample-record.ts";

export interface CallFile {
  /** Durable once it resolves. */
  append(sample: string, calls: readonly StoredCall[]): Promise<CallsPlace>;
  close(): Promise<void>;
}

/** Max UTF-16 units per sample; further calls are only counted. */
const maxCharacters = 8 << 20;

/** Opens a bench's calls for appending, truncated after the last record's. */
export async function openCallFile(path: string, records: Iterable<Pick<SampleRecord, "requests">>): Promise<CallFile> {
  let end = 0;
  for (const { requests } of records) if (requests) end = Math.max(end, requests.from + requests.bytes);
  let size = await writing(path, async () => {
    const entry = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    return Math.min(entry?.size ?? 0, end);
  });
  const file = await openAppender(path, size);
  return {
    async append(sample, calls) {
      const member = gzipSync(`${JSON.stringify(bounded(sample, calls))}\n`);
      const from = size;
      size += member.length;
      await file.append(member);
      return { from, bytes: member.length };
    },
    close: () => file.close(),
  };
}

function bounded(sample: string, calls: readonly StoredCall[]): StoredCalls {
  let characters = 0;
  const fits = calls.findIndex((call) => (characters += charactersOf(call)) > maxCharacters);
  const retained = fits === -1 ? calls : calls.slice(0, fits);
  return { sample, calls: retained, leftOut: calls.length - retained.length };
}

function charactersOf({ prompt, reply }: StoredCall): number {
  const asked =
    prompt.kind === "messages"
      ? prompt.messages.reduce((sum, { content }) => sum + content.length, 0)
      : prompt.kind === "text"
        ? prompt.text.length
        : 8 * prompt.tokens.length;
  return asked + (reply?.length ?? 0);
}

export class KeptCalls {
  readonly #file: CallFile | undefined;
  readonly #calls = new Map<string, readonly StoredCall[]>();

  constructor(file: CallFile | undefined) {
    this.#file = file;
  }

  noted(sample: string, models: Record<AgentId, LanguageModel>): Record<AgentId, LanguageModel> {
    if (!this.#file) return models;
    const calls: StoredCall[] = [];
    this.#calls.set(sample, calls);
    return mapValues(models, (model, agent) => recording(agent, model, calls));
  }

  async placeOf(sample: string): Promise<CallsPlace | null> {
    const calls = this.#calls.get(sample) ?? [];
    this.#calls.delete(sample);
    return this.#file && calls.length > 0 ? this.#file.append(sample, calls) : null;
  }
}

function recording(agent: AgentId, model: LanguageModel, calls: StoredCall[]): LanguageModel {
  return {
    id: model.id,
    ...(model.supports && { supports: model.supports }),
    async complete(request) {
      const index = calls.length;
      const started = performance.now();
      const { prompt, sampling } = request;
      const pending = {
        reply: null,
        finishReason: null,
        promptTokens: 0,
        completionTokens: 0,
        seconds: 0,
        error: null,
      };
      const call: StoredCall = { agent, model: model.id, prompt, sampling, ...pending };
      calls.push(call);
      const note = (more: Partial<StoredCall>): void => {
        calls[index] = { ...call, ...more, seconds: (performance.now() - started) / 1000 };
      };
      try {
        const completion = await model.complete(request);
        const { text, finishReason, usage } = completion;
        note({ model: completion.model.id, reply: text, finishReason, ...usage });
        return completion;
      } catch (error) {
        note({ error: thrownText(error).slice(0, 500) });
        throw error;
      }
    },
  };
}
