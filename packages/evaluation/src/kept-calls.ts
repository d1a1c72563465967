import { stat } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { thrownText, type AgentId, type CompletionRequest, type LanguageModel } from "@laconic/core";
import type { CallsPlace, StoredCall, StoredCalls } from "@laconic/core/run-folder";
import { openAppender, writing } from "@laconic/core/platform";
import type { SampleRecord } from "./sample-record.ts";

/** Keeps what was asked and replied for a sample. */
export interface CallFile {
  /** On disk for good once it returns. */
  append(sample: string, calls: readonly StoredCall[]): Promise<CallsPlace>;
  close(): Promise<void>;
}

/** UTF-16 units of a sample's prompts and replies; calls beyond them are counted and left out. */
const maxCharacters = 8 << 20;

/**
 * Opens a bench's file of calls to go on with it. What no record points at, such as the rest of a write that was cut short, is
 * cut off.
 */
export async function openCallFile(path: string, records: Iterable<Pick<SampleRecord, "requests">>): Promise<CallFile> {
  let end = 0;
  for (const { requests } of records) if (requests) end = Math.max(end, requests.from + requests.bytes);
  // Where a part was lost, what follows stands where the file ends now.
  let size = await writing(path, async () => Math.min(await sizeOf(path), end));
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

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  return found?.size ?? 0;
}

function bounded(sample: string, calls: readonly StoredCall[]): StoredCalls {
  let characters = 0;
  const fits = calls.findIndex((call) => (characters += charactersOf(call)) > maxCharacters);
  const kept = fits === -1 ? calls : calls.slice(0, fits);
  return { sample, calls: kept, leftOut: calls.length - kept.length };
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

/** Calls of the samples that are being taken: an error ends one, and its calls are kept all the same. */
export class KeptCalls {
  readonly #file: CallFile | undefined;
  readonly #calls = new Map<string, readonly StoredCall[]>();

  /** @param file - without it nothing is kept */
  constructor(file: CallFile | undefined) {
    this.#file = file;
  }

  /** The models of a sample's agents, each call of which is noted. */
  noted(sample: string, models: Record<AgentId, LanguageModel>): Record<AgentId, LanguageModel> {
    if (!this.#file) return models;
    const noted = notedModels(models, () => performance.now());
    this.#calls.set(sample, noted.calls);
    return noted.models;
  }

  /** Writes a sample's calls; null where there are none. */
  async placeOf(sample: string): Promise<CallsPlace | null> {
    const calls = this.#calls.get(sample) ?? [];
    this.#calls.delete(sample);
    return this.#file && calls.length > 0 ? this.#file.append(sample, calls) : null;
  }
}

/**
 * The models of a sample's agents, each call of which is noted in order: the prompt and the settings as the model gets them.
 * @param clock - in milliseconds
 */
function notedModels(
  models: Readonly<Record<AgentId, LanguageModel>>,
  clock: () => number,
): { readonly models: Record<AgentId, LanguageModel>; readonly calls: readonly StoredCall[] } {
  const calls: StoredCall[] = [];
  const noted = (agent: AgentId, model: LanguageModel): LanguageModel => ({
    id: model.id,
    ...(model.supports && { supports: model.supports }),
    async complete(request) {
      const place = calls.length;
      const started = clock();
      calls.push(sent(agent, model, request));
      const note = (more: Partial<StoredCall>): void => {
        calls[place] = { ...(calls[place] as StoredCall), ...more, seconds: (clock() - started) / 1000 };
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
  });
  return {
    models: Object.fromEntries(Object.entries(models).map(([agent, model]) => [agent, noted(agent, model)])),
    calls,
  };
}

/** A call of which nothing has come back. */
function sent(agent: AgentId, { id }: LanguageModel, { prompt, sampling }: CompletionRequest): StoredCall {
  return {
    agent,
    model: id,
    prompt,
    sampling,
    reply: null,
    finishReason: null,
    promptTokens: 0,
    completionTokens: 0,
    seconds: 0,
    error: null,
  };
}
