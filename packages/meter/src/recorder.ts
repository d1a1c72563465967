import { randomUUID } from "node:crypto";
import { unpackedBytes } from "@laconic/core/platform";
import type { MeteredCall } from "./call.ts";
import { readReply, type ReadReply } from "./read-reply.ts";
import { readRequest, type PromptPart } from "./read-request.ts";
import { hashOf, Recogniser, sumLengths, type CallNames } from "./recognition.ts";
import type { Store } from "./store.ts";
import { packRequest, redacted } from "./stored-request.ts";

/** Parts of a finished exchange. */
export interface Ending {
  /** 0 without an answer. */
  readonly status: number;
  readonly encoding: string;
  readonly body: Uint8Array;
  readonly isCut: boolean;
  readonly firstMilliseconds: number;
}

export const noReply: Ending = { status: 0, encoding: "", body: new Uint8Array(), isCut: true, firstMilliseconds: 0 };

/** A call in progress. */
export interface OpenCall {
  readonly agent: string;
  readonly task: string;
  /** Never throws: a failure is reported as a gap. */
  end(ending: Ending): void;
}

/** Options of a recorder. */
export interface RecorderOptions {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when a call could not be recorded, with the reason. */
  readonly onGap: (reason: string) => void;
  /** Called for each finished call, before it is stored. */
  readonly onCall?: ((call: MeteredCall) => void) | undefined;
}

/** Records calls of models. Failures of the recorder never reach the call. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #recogniser: Recogniser = new Recogniser(() => randomUUID().slice(0, 8));

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /**
   * @param key - API key of the request, which stored texts do not contain
   * @returns null if the request is not JSON, or cannot be recorded
   */
  begin(body: string, path: string, names: CallNames, key: string): OpenCall | null {
    return this.#try(() => this.#begin(body, path, names, key));
  }

  #begin(body: string, path: string, names: CallNames, key: string): OpenCall | null {
    const { store, now, onGap, onCall } = this.#options;
    const started = now();
    const time = new Date(started).toISOString();
    const id = randomUUID();
    const request = readRequest(body, path);
    if (request === null) {
      onGap(`${path}: the request is not a JSON object`);
      return null;
    }
    const recognised = this.#recogniser.begin(request, names, started);
    this.#try(() => store.begin({ begun: id, time }));
    return {
      agent: recognised.agent,
      task: recognised.task,
      end: (ending) =>
        void this.#try(() => {
          const reply = readReply(decoded(ending, onGap));
          const { status, isCut, firstMilliseconds } = ending;
          this.#recogniser.end(recognised, id, reply, status !== 200 || isCut);
          const milliseconds = now() - started;
          const texts = new Map<string, string>();
          const packed = packRequest(request.body, texts, key);
          const call: MeteredCall = {
            ...recognised,
            id,
            time,
            path,
            milliseconds,
            firstMilliseconds,
            status,
            isCut,
            ...countsOf(request.parts, reply),
            model: reply.model || request.model,
            request: hashOf(packed),
            reply: hashOf(reply.text),
          };
          onCall?.(call);
          texts.set(call.request, packed).set(call.reply, redacted(reply.text, key));
          store.add(call, texts);
        }),
    };
  }

  #try<T>(record: () => T): T | null {
    try {
      return record();
    } catch (error) {
      this.#options.onGap((error as Error).message);
      return null;
    }
  }
}

function countsOf(parts: readonly PromptPart[], { usage, text, toolCalls }: ReadReply) {
  const lengthOf = (role: string) => sumLengths(parts.filter((part) => part.role === role));
  return {
    usage,
    promptLength: sumLengths(parts),
    replyLength: text.length,
    system: lengthOf("system"),
    toolResults: lengthOf("tool"),
    toolCalls,
  };
}

/** Of an unpacked reply, in bytes. */
const maxUnpackedBytes = 2 ** 28;

function decoded({ encoding, body, isCut }: Ending, onGap: (reason: string) => void): string {
  const isPlain = encoding === "" || encoding === "identity";
  try {
    if (isPlain) return new TextDecoder().decode(body);
    if (encoding === "gzip" || encoding === "deflate" || encoding === "br")
      return new TextDecoder().decode(unpackedBytes(body, maxUnpackedBytes, encoding));
    onGap(`a reply has the unknown encoding ${encoding}`);
  } catch (error) {
    if (!isCut) onGap(`a reply cannot be decoded: ${(error as Error).message}`);
  }
  return "";
}
