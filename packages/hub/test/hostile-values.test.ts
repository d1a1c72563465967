import { LaconicError } from "@laconic/core";
import { readTokenizerFiles, tokenizerOf } from "@laconic/hub/tokenizers";
import { expect, test } from "vitest";

const letters = Object.fromEntries(Array.from("ab !▁<end>", (letter, id) => [letter, id]));
const files: Readonly<Record<string, unknown>> = {
  "tokenizer.json": {
    model: {
      type: "BPE",
      unk_token: "a",
      fuse_unk: true,
      byte_fallback: true,
      vocab: { ...letters, ab: 30 },
      merges: [["a", "b"]],
    },
    normalizer: { type: "Sequence", normalizers: [{ type: "Replace", pattern: { String: " " }, content: "▁" }] },
    pre_tokenizer: { type: "Split", pattern: { Regex: "!" }, behavior: "Isolated", invert: false },
    post_processor: {
      type: "TemplateProcessing",
      single: [{ SpecialToken: { id: "<end>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
      special_tokens: { "<end>": { id: "<end>", ids: [20], tokens: ["<end>"] } },
    },
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
        { type: "Strip", content: " ", start: 1, stop: 0 },
      ],
    },
    added_tokens: [{ id: 20, content: "<end>", special: true, lstrip: false, rstrip: true, normalized: false }],
  },
  "tokenizer_config.json": {
    eos_token: { content: "<end>" },
    tokenizer_class: "PreTrainedTokenizerFast",
    chat_template: [{ name: "default", template: "{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}" }],
  },
  "generation_config.json": { eos_token_id: [20] },
};
const values: readonly unknown[] = [null, [], {}, "", -1, 1e308, true, [null], { type: "none" }];

function* replaced(value: unknown, by: unknown, path = ""): Generator<readonly [string, unknown]> {
  if (path !== "") yield [path, by];
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value))
    for (const [location, changed] of replaced(inner, by, `${path}/${key}`)) {
      const copy = structuredClone(value) as Record<string, unknown>;
      copy[key] = changed;
      yield [location, copy];
    }
}

/** What is thrown by loading and by every use; null for nothing. */
async function thrownBy(all: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> {
  const read = async (name: string): Promise<string | null> => (name in all ? JSON.stringify(all[name]) : null);
  try {
    const tokenizer = tokenizerOf(await readTokenizerFiles(read, "m"));
    const uses = [
      () => tokenizer.encode("ab a! <end>b"),
      () => tokenizer.encodePrompt?.("ab"),
      () => tokenizer.encodeChat([{ role: "user", content: "ab <end>!" }]),
      () => tokenizer.decode([0, 1, 2, 3, 20, 30]),
      () => tokenizer.tokenBytes?.(),
    ];
    return uses.flatMap((use) => {
      try {
        use();
        return [];
      } catch (error) {
        return [error];
      }
    });
  } catch (error) {
    return [error];
  }
}

test("loads and uses the unchanged files", async () => expect(await thrownBy(files)).toEqual([]));

test.each(Object.keys(files))("any value anywhere in %s works or is rejected with a message", async (name) => {
  const foreign: unknown[] = [];
  let refused = 0;
  for (const by of values)
    for (const [path, changed] of replaced(files[name], by))
      for (const error of await thrownBy({ ...files, [name]: changed })) {
        refused += 1;
        if (!LaconicError.is(error) || !error.message.includes("token")) foreign.push([path, by, String(error)]);
      }
  expect(foreign).toEqual([]);
  expect(refused).toBeGreaterThan(0);
});
