// How many later turns go on from all tokens of the turn before, by the way in which a checkpoint writes chats: 100 chats of four turns each, random
// tokens as replies, with tokenizers in the styles of `packages/tokenizers/test/tokenizer_parity.py`. `told` is asked with the replies' tokens,
// `text` with their texts alone.
//
// npx tsx bench/src/chat-turns.ts > FILE.jsonl; needs LACONIC_PYTHON with tokenizers and transformers.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  randomFromSeed,
  type ChatMessage,
  type ChatTokenizer,
  type OwnReply,
  type Random,
  type Sampler,
} from "@laconic/core";
import { localPolicy } from "@laconic/engine";
import { loadTokenizer } from "@laconic/tokenizers";
import { print } from "./measure.ts";
import { readOptions } from "./options.ts";
import { python, root } from "./processes.ts";

readOptions({ options: {} });

const [chats, turns, replyTokens] = [100, 4, 12];

const folder = await mkdtemp(join(tmpdir(), "laconic-bench-"));
try {
  const [question, answer] = [join(folder, "question.json"), join(folder, "answer.json")];
  const texts = Array.from({ length: 50 }, (_, i) => `How many apples has Ann, who bought ${i} and ate three of them?`);
  await writeFile(question, JSON.stringify({ folder, texts, chats: [], arguments: {} }));
  const { status, stderr } = spawnSync(python, [
    join(root, "packages/tokenizers/test/tokenizer_parity.py"),
    question,
    answer,
  ]);
  if (status !== 0) throw new Error(stderr.toString());
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory())
      for (const thinks of entry.name === "qwen3" ? [true, false] : [null]) {
        const templateArguments = thinks === null ? {} : { enable_thinking: thinks };
        const tokenizer = await loadTokenizer(join(folder, entry.name), { templateArguments });
        for (const told of [true, false])
          print("chat-turns", { style: entry.name, ...templateArguments, told, ...(await count(tokenizer, told)) });
      }
} finally {
  await rm(folder, { recursive: true });
}

/** Later turns, those whose prompt begins with all tokens of the turn before, and tokens in all and kept. */
async function count(tokenizer: ChatTokenizer, told: boolean): Promise<Record<string, number>> {
  const facts = { turns: 0, whole: 0, tokens: 0, kept: 0 };
  for (let chat = 0; chat < chats; chat++) {
    const random = randomFromSeed(`chat ${chat}`);
    const policy = localPolicy({ id: "random", sampler: randomSampler(tokenizer, random), tokenizer });
    const messages: ChatMessage[] = [];
    const ownReplies: OwnReply[] = [];
    let before: readonly number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      messages.push({ role: "user", content: `How many apples has Ann, who ate ${turn}?` });
      const { text, trace } = await policy.complete({
        prompt: { kind: "messages", messages },
        sampling: { temperature: 1, maxTokens: replyTokens },
        random: random.split(turn).state(),
        ...(told && { ownReplies }),
      });
      if (!trace) throw new Error("a local policy says its tokens");
      let kept = 0;
      while (kept < before.length && before[kept] === trace.promptTokens[kept]) kept += 1;
      if (turn > 0) {
        facts.turns += 1;
        facts.whole += kept === before.length ? 1 : 0;
        facts.tokens += before.length;
        facts.kept += kept;
      }
      before = [...trace.promptTokens, ...trace.tokens];
      messages.push({ role: "assistant", content: text });
      ownReplies.push({ text, tokens: trace.tokens });
    }
  }
  return facts;
}

/** Writes tokens that are no control tokens, and the end token behind them. */
function randomSampler({ vocabularySize, endToken, decode }: ChatTokenizer, random: Random): Sampler {
  const draw = (): number => {
    const token = random.integer(vocabularySize);
    return decode([token]) === "" ? draw() : token;
  };
  return {
    weightVersion: 0,
    forward: () => Promise.reject(new Error("not asked for")),
    sample: async (requests) =>
      requests.map(({ promptTokens }) => {
        const tokens = [...Array.from({ length: replyTokens - 1 }, draw), endToken];
        return { promptTokens, tokens, logProbs: tokens.map(() => -1), finishReason: "stop" };
      }),
  };
}
