import { workerData } from "node:worker_threads";
import { LaconicError } from "@laconic/core";
import type { EncoderAnswer, EncoderCall, EncoderThreadSetup } from "./guarded-encoder.ts";
import { promptEncoder, type PromptEncoder } from "./prompt-encoder.ts";

export function serve(): void {
  const { port, answers, files, templateArguments } = workerData as EncoderThreadSetup;
  let encoder: PromptEncoder | null = null;
  port.on("message", (call: EncoderCall) => {
    const answer = answerOf(() => {
      encoder ??= promptEncoder(files, templateArguments, () => new Date());
      // The compiler does not relate the union's method and argument.
      return (encoder[call.method] as (argument: unknown) => number[])(call.argument);
    });
    port.postMessage(answer);
    Atomics.add(answers, 0, 1);
    Atomics.notify(answers, 0);
  });
}

function answerOf(task: () => number[]): EncoderAnswer {
  try {
    return { ids: Int32Array.from(task()) };
  } catch (error) {
    if (LaconicError.is(error)) return { error: { code: error.code, message: error.message, detail: error.detail } };
    return { error: { code: "model_unsupported", message: `tokenizer.json: ${String(error)}`, detail: {} } };
  }
}
