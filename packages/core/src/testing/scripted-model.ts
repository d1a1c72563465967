import { inputError, LaconicError } from "../errors.ts";
import type { Completion, CompletionRequest, LanguageModel } from "../language-model.ts";

/** Scripted reply: a text, or parts of a completion. */
export type ScriptedReply = string | (Partial<Completion> & { readonly text: string });

/** One reply for all calls, one per call, or a function; undefined is an unscripted call. */
export type Script =
  | ScriptedReply
  | readonly ScriptedReply[]
  | ((request: CompletionRequest, call: number) => ScriptedReply | undefined | Promise<ScriptedReply | undefined>);

export interface ScriptedModel extends LanguageModel {
  readonly calls: readonly CompletionRequest[];
}

/**
 * Creates a language model that answers from a script and records its requests. Default cost: one token per character
 * of prompt and reply, plus the end token. `complete` rejects with LaconicError `input_invalid` for an unscripted call,
 * and `aborted` after an abort.
 */
export function scriptedModel(script: Script, id = "scripted"): ScriptedModel {
  const calls: CompletionRequest[] = [];
  return {
    id,
    calls,
    async complete(request) {
      if (request.signal?.aborted) throw new LaconicError("aborted", `model "${id}": the request was aborted`);
      const call = calls.push(request) - 1;
      const reply = await replyTo(script, request, call);
      if (request.signal?.aborted) throw new LaconicError("aborted", `model "${id}": call ${call} was aborted`);
      if (reply === undefined)
        throw inputError(`model "${id}": call ${call} is not in the script; add a reply for it`, { model: id, call });
      const input = typeof reply === "string" ? { text: reply } : reply;
      return {
        finishReason: "stop",
        usage: {
          promptTokens: promptLength(request),
          completionTokens: Array.from(input.text).length + 1,
          counted: "model",
        },
        model: { id, weightVersion: 0 },
        ...input,
      };
    },
  };
}

async function replyTo(script: Script, request: CompletionRequest, call: number): Promise<ScriptedReply | undefined> {
  if (typeof script === "function") return script(request, call);
  if (isList(script)) return script[call];
  return script;
}

function isList(script: ScriptedReply | readonly ScriptedReply[]): script is readonly ScriptedReply[] {
  return Array.isArray(script);
}

function promptLength({ prompt }: CompletionRequest): number {
  if (prompt.kind === "tokens") return prompt.tokens.length;
  const text = prompt.kind === "text" ? prompt.text : prompt.messages.map(({ content }) => content).join("");
  return Array.from(text).length;
}
