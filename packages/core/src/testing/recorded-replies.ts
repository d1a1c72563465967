import rows from "../../assets/recorded-replies.json" with { type: "json" };
import type { LaconicErrorCode } from "../errors.ts";
import type { FinishReason } from "../language-model.ts";

/** Expected result: a completion, or the error code after all attempts. */
export type ReplyReading =
  | { readonly text: string; readonly reasoning: string; readonly finishReason: FinishReason }
  | { readonly error: LaconicErrorCode };

/** Successful HTTP reply of a server, as in its documentation or source. */
export interface RecordedReply {
  readonly server: string;
  readonly shape: string;
  /** OpenAI's chat completions, text completions, or SGLang's `/generate`. */
  readonly wire: "chat" | "text" | "generate";
  readonly body: unknown;
  readonly reading: ReplyReading;
}

/** Replies of supported servers with their expected results. */
export const recordedReplies: readonly RecordedReply[] = rows as unknown as readonly RecordedReply[];
