import { group, shapes, type Completion, type GroupShape, type Shape, type TokenTrace } from "@laconic/core";
import { tokenUsageShape } from "@laconic/core/ledger";
import { finishReasons } from "@laconic/core/wire";

const tokens: Shape = { kind: "list", of: shapes.count };
const orNull: Shape = { kind: "either", of: [shapes.number, { kind: "choice", of: [null] }] };

/** What is kept of a completion on disk: all that servers give. */
export const completionShape: GroupShape<Completion> = group<Completion>({
  text: { shape: shapes.text },
  finishReason: { shape: { kind: "choice", of: finishReasons } },
  usage: { shape: tokenUsageShape },
  model: {
    shape: group<Completion["model"]>({ id: { shape: shapes.text }, weightVersion: { shape: shapes.count } }),
  },
  trace: {
    shape: group<Pick<TokenTrace, "promptTokens" | "tokens" | "logProbs">>({
      promptTokens: { shape: tokens },
      tokens: { shape: tokens },
      logProbs: { shape: { kind: "list", of: shapes.number } },
    }),
    optional: true,
  },
  promptLogProbs: { shape: { kind: "list", of: orNull }, optional: true },
});
