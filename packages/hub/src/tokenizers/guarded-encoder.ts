import { performance } from "node:perf_hooks";
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from "node:worker_threads";
import { moduleBeside } from "@laconic/core/platform";
import { LaconicError } from "@laconic/core";
import type { PromptEncoder } from "./prompt-encoder.ts";
import type { TokenizerFiles } from "./tokenizer-files.ts";

export interface GuardedSetup {
  /** Name in messages. */
  readonly folder: string;
  readonly files: TokenizerFiles;
  readonly templateArguments: Readonly<Record<string, unknown>>;
  readonly deadlineSeconds: number;
}

export interface EncoderThreadSetup extends Pick<GuardedSetup, "files" | "templateArguments"> {
  /** URL of the thread's module: TypeScript in the repository, JavaScript in a package. */
  readonly entry: string;
  readonly port: MessagePort;
  readonly answers: Int32Array;
}

export type EncoderCall = {
  readonly [M in keyof PromptEncoder]: { readonly method: M; readonly argument: Parameters<PromptEncoder[M]>[0] };
}[keyof PromptEncoder];

export type EncoderAnswer =
  | { readonly ids: Int32Array }
  | { readonly error: Pick<LaconicError, "code" | "message" | "detail"> };

const startSeconds = 60;
const secondsPerMillion = 10;
/** Heap limit of a thread in MiB, several times the largest vocabularies' need. */
const heapMiB = 2048;

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly answers: Int32Array;
}

const abandoned = new FinalizationRegistry<{ thread: Thread | null }>((held) => void held.thread?.worker.terminate());

/**
 * Prompt encoder in a separate thread. Each call blocks until the answer or the deadline. A late thread is
 * terminated, and the next call starts a new one.
 * @throws LaconicError `model_unsupported`, `config_invalid`
 */
export function openGuardedEncoder(setup: GuardedSetup): PromptEncoder {
  const held: { thread: Thread | null } = { thread: null };
  const idsOf = (thread: Thread, call: EncoderCall, characters: number, seconds: number): number[] => {
    const answer = ask(thread, call, seconds);
    if (answer && "ids" in answer) return Array.from(answer.ids);
    if (answer) throw new LaconicError(answer.error.code, answer.error.message, answer.error.detail);
    held.thread = null;
    void thread.worker.terminate();
    const suspects = call.method === "encodeChat" ? "chat template or patterns" : "patterns";
    throw new LaconicError(
      "model_unsupported",
      `${setup.folder}: the ${suspects} exceeded ${seconds.toFixed(0)} s or the memory limit for ${characters} characters; they may be hostile`,
      { folder: setup.folder, seconds, characters },
    );
  };
  const open = (): Thread => {
    const thread = start(setup, held);
    held.thread = thread;
    idsOf(thread, { method: "encode", argument: "" }, 0, startSeconds);
    return thread;
  };
  const call = (wanted: EncoderCall, characters: number): number[] =>
    idsOf(held.thread ?? open(), wanted, characters, setup.deadlineSeconds + (characters / 1e6) * secondsPerMillion);
  const encoder: PromptEncoder = {
    encode: (text) => call({ method: "encode", argument: text }, text.length),
    encodePrompt: (text) => call({ method: "encodePrompt", argument: text }, text.length),
    encodeChat: (messages) =>
      call(
        { method: "encodeChat", argument: messages.map(({ role, content }) => ({ role, content })) },
        messages.reduce((sum, { content }) => sum + content.length, 0),
      ),
  };
  abandoned.register(encoder, held);
  open();
  return encoder;
}

function start({ files, templateArguments }: GuardedSetup, held: { thread: Thread | null }): Thread {
  const entry = moduleBeside("./encoder-thread", import.meta.url).href;
  const { port1, port2 } = new MessageChannel();
  const answers = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: EncoderThreadSetup = { entry, files, templateArguments, port: port2, answers };
  const worker = new Worker(new URL("../../assets/encoder-thread.mjs", import.meta.url), {
    workerData,
    transferList: [port2],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  const thread: Thread = { worker, port: port1, answers };
  const forget = (): void => {
    if (held.thread === thread) held.thread = null;
  };
  worker.on("error", forget);
  worker.on("exit", forget);
  worker.unref();
  return thread;
}

function ask({ port, answers }: Thread, call: EncoderCall, seconds: number): EncoderAnswer | null {
  const before = Atomics.load(answers, 0);
  port.postMessage(call);
  if (!answerCame(answers, before, seconds)) return null;
  return (receiveMessageOnPort(port)?.message as EncoderAnswer | undefined) ?? null;
}

/**
 * Blocks until a thread has counted one more answer; false at the timeout.
 * @param before - the shared counter when the thread was called
 */
export function answerCame(answers: Int32Array, before: number, seconds: number): boolean {
  const late = performance.now() + seconds * 1000;
  // A late notification of the previous answer may wake this wait.
  while (Atomics.load(answers, 0) === before)
    if (Atomics.wait(answers, 0, before, late - performance.now()) === "timed-out") return false;
  return true;
}
