import { expect, test } from "vitest";
import { tokenDecoder } from "./token-decoder.ts";

const vocab = { "<unk>": 0, a: 1, "##b": 2, Ġc: 3, "▁d": 4 };

test.each([
  ["no decoder", null],
  ["a byte-level decoder", { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: true }],
  ["a WordPiece decoder", { type: "WordPiece", prefix: "##", cleanup: false }],
  [
    "a SentencePiece decoder",
    {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
      ],
    },
  ],
])("ids beyond the tokenizer write nothing with %s", (_, decoder) => {
  const { decode, tokenBytes } = tokenDecoder({
    tokenizer: {
      model: { type: "BPE", vocab, merges: [], unk_token: "<unk>" },
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder,
      added_tokens: [{ id: 7, content: "<end>", special: true }],
    },
    config: {},
    generation: {},
    chatTemplate: null,
  });
  for (const beyond of [5, 8, 1 << 20]) {
    expect(decode([beyond])).toBe("");
    expect(decode([1, beyond, 3, beyond])).toBe(decode([1, 3]));
  }
  expect(tokenBytes().offsets).toHaveLength(9);
});
