import { fileURLToPath } from "node:url";
import { askPython } from "@laconic/core/platform";
import { tokenizerOf } from "@laconic/hub/tokenizers";
import { expect, test } from "vitest";
import { controlToken } from "../src/tokenizers/special-tokens.ts";

type Answer = { readonly full: readonly number[]; readonly plain: readonly number[] } | { readonly error: string };

const text = "Hello 2+2";
const specials =
  "<s> </s> <unk> <pad> [CLS] [SEP] [UNK] [PAD] [MASK] <mask> <cls> <sep> <bos> <eos> <|endoftext|>".split(" ");
// Single letters in the forms of byte-level, SentencePiece, WordPiece and CLIP vocabularies.
const letters = Array.from(new Set(` Ġ▁${text}`)).flatMap((letter) => [letter, `##${letter}`]);
const tokens = [...specials, ...letters];
const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
const addedTokens = specials.map(controlToken);

const tokenOf = (content: string): object => ({ SpecialToken: { id: content, type_id: 0 } });
const sequence = (id: "A" | "B"): object => ({ Sequence: { id, type_id: 0 } });
const template = (before: readonly string[], after: readonly string[]): object => ({
  type: "TemplateProcessing",
  single: [...before.map(tokenOf), sequence("A"), ...after.map(tokenOf)],
  pair: [sequence("A"), sequence("B")],
  special_tokens: Object.fromEntries([...before, ...after].map((id) => [id, { id, ids: [vocab[id]], tokens: [id] }])),
});
const byteLevel = { type: "ByteLevel", add_prefix_space: true, trim_offsets: false, use_regex: true };
const pair = { sep: ["</s>", vocab["</s>"]], cls: ["<s>", vocab["<s>"]] };
const processors = [
  null,
  byteLevel,
  template([], []),
  template(["<s>"], []),
  template(["<bos>"], ["<eos>"]),
  template(["<s>", "<bos>"], ["</s>"]),
  { type: "Sequence", processors: [byteLevel, template(["<s>"], ["</s>"])] },
  { type: "Sequence", processors: [template(["<s>"], []), template(["<bos>"], ["<eos>"])] },
  { type: "RobertaProcessing", ...pair, trim_offsets: true, add_prefix_space: true },
  { type: "BertProcessing", ...pair },
] as const;

const generic = ["PreTrainedTokenizerFast", "TokenizersBackend", "BloomTokenizerFast", "UnknownTokenizer"];
const rebuilt =
  `LlamaTokenizer LlamaTokenizerFast Qwen2Tokenizer GPT2Tokenizer GPT2TokenizerFast GemmaTokenizer CodeLlamaTokenizer
  CodeLlamaTokenizerFast CohereTokenizer GPTNeoXTokenizer GPTNeoXTokenizerFast CodeGenTokenizer BertTokenizer DistilBertTokenizerFast
  RobertaTokenizer BartTokenizer DebertaTokenizer MPNetTokenizer FunnelTokenizer NougatTokenizer`.split(/\s+/u);
const unigram =
  "T5Tokenizer T5TokenizerFast XLMRobertaTokenizer CamembertTokenizer DebertaV2Tokenizer XLNetTokenizer".split(" ");
const flags = [true, false, null, undefined];
const roles = [
  { bos_token: "<s>", eos_token: "</s>" },
  { bos_token: { content: "<bos>", __type: "AddedToken" }, eos_token: "<eos>", cls_token: "<cls>", sep_token: "<sep>" },
  { eos_token: "<|endoftext|>" },
  { bos_token: null, eos_token: "</s>", legacy: false },
];

/** Tokenizer folders: every class with every processor, and the other settings in turn. */
const folders = [...generic, ...rebuilt, ...unigram].flatMap((name, i) =>
  processors.map((processor, j) => {
    const [bos, eos] = [flags[(i + j) % 4], flags[(i + (j >> 2)) % 4]];
    const isList = unigram.includes(name);
    return {
      tokenizer: {
        version: "1.0",
        truncation: null,
        padding: null,
        added_tokens: addedTokens,
        normalizer: null,
        pre_tokenizer: generic.includes(name) ? { ...byteLevel, add_prefix_space: false } : null,
        post_processor: processor,
        decoder: null,
        model: isList
          ? { type: "Unigram", unk_id: 2, vocab: tokens.map((token) => [token, -1]), byte_fallback: false }
          : {
              type: "BPE",
              vocab,
              merges: [],
              unk_token: null,
              fuse_unk: false,
              byte_fallback: false,
              ignore_merges: false,
            },
      },
      config: {
        tokenizer_class: name,
        ...roles[(i * 3 + j) % 4],
        ...(bos !== undefined && { add_bos_token: bos }),
        ...(eos !== undefined && { add_eos_token: eos }),
      },
    };
  }),
);

test(`${folders.length} folders frame a text prompt like transformers (needs Python)`, async ({ skip }) => {
  const script = fileURLToPath(new URL("framing_parity.py", import.meta.url));
  const outcome = await askPython<readonly Answer[]>(script, { text, folders });
  if ("missing" in outcome) return skip(outcome.missing);
  const differences: string[] = [];
  let compared = 0;
  for (const [i, { tokenizer, config }] of folders.entries()) {
    const answer = outcome.answer[i] as Answer;
    if ("error" in answer) continue;
    compared++;
    const ours = tokenizerOf({ tokenizer, config, generation: { eos_token_id: 1 }, chatTemplate: null });
    const [full, plain] = [ours.encodePrompt?.(text) ?? [], ours.encode(text)];
    // Classes that rebuild the tokenizer split this text in their way; what they put around it is compared.
    const start = answer.full.findIndex((_, k) => answer.plain.every((id, j) => id === answer.full[k + j]));
    const wanted = [...answer.full.slice(0, start), ...plain, ...answer.full.slice(start + answer.plain.length)];
    const same =
      JSON.stringify(full) === JSON.stringify(generic.includes(config.tokenizer_class) ? answer.full : wanted);
    if (!same) differences.push(JSON.stringify({ config, processor: tokenizer.post_processor, full, answer }));
  }
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThan(200);
});

test.each([
  ["WhisperTokenizer", /text prompts are not supported for WhisperTokenizer/],
  ["CodeLlamaTokenizer", /bos_token: CodeLlamaTokenizer adds <absent> to text prompts/],
])("rejects a text prompt of the class %s by name and encodes texts", (name, message) => {
  const files = { ...(folders[0] as (typeof folders)[number]), generation: { eos_token_id: 1 }, chatTemplate: null };
  const tokenizer = tokenizerOf({ ...files, config: { tokenizer_class: name, bos_token: "<absent>" } });
  expect(tokenizer.encode(text)).toHaveLength(text.length);
  expect(() => tokenizer.encodePrompt?.(text)).toThrow(message);
});
