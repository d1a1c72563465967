import { execFile } from "node:child_process";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { LaconicError } from "@laconic/core";
import { loadTokenizer, tokenizerOf, type TokenizerFiles } from "@laconic/hub/tokenizers";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import rows from "./hostile-files.cases.json" with { type: "json" };

const slow = { timeout: 90_000 };
const letters = Object.fromEntries(Array.from("ab !<end>", (letter, id) => [letter, id]));
const model = { type: "BPE", vocab: letters, merges: [] };
const honest: TokenizerFiles = {
  tokenizer: {
    model,
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Fuse" },
    added_tokens: [{ id: 20, content: "<end>", special: true }],
  },
  config: { eos_token: "<end>" },
  generation: {},
  chatTemplate: "{% for m in messages %}{{ m.content }}<end>{% endfor %}",
};

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
});

async function put({ tokenizer, config, chatTemplate }: TokenizerFiles): Promise<string> {
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
  await writeFile(join(folder, "chat_template.jinja"), chatTemplate ?? "");
  return folder;
}

function refusal(action: () => unknown): LaconicError {
  try {
    action();
  } catch (error) {
    if (LaconicError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

test("valid files give equal results in a separate thread and on the calling thread", slow, async () => {
  const [guarded, inline] = [await loadTokenizer(await put(honest)), tokenizerOf(honest)];
  const chat = [{ role: "user" as const, content: "ab <end>!" }];
  expect(guarded.encode("ab <end>!")).toEqual(inline.encode("ab <end>!"));
  expect(guarded.encodePrompt?.("ab")).toEqual(inline.encodePrompt?.("ab"));
  expect(guarded.encodeChat(chat)).toEqual(inline.encodeChat(chat));
  expect(guarded.encodeChat(chat).at(-1)).toBe(20);
  expect(guarded.decode(guarded.encode("ab !"))).toBe("ab !");
});

const backtracks = { type: "Split", pattern: { Regex: "(a|a)+$" }, behavior: "Isolated", invert: false };

test.each([
  ["a pre-tokenizer's pattern", { pre_tokenizer: backtracks }],
  ["a normalizer's pattern", { normalizer: { type: "Replace", pattern: { Regex: "(a|a)+$" }, content: "b" } }],
])("%s with endless work on some texts ends at the deadline and serves other texts", slow, async (_, parts) => {
  const files = { ...honest, tokenizer: { ...honest.tokenizer, ...parts } };
  const tokenizer = await loadTokenizer(await put(files), { deadlineSeconds: 1 });
  const before = tokenizer.encode("ab");
  const error = refusal(() => tokenizer.encode(`${"a".repeat(60)}!`));
  expect(error).toFailWith("model_unsupported", { folder, characters: 61 });
  expect(error.message).toContain("may be hostile");
  expect(tokenizer.encode("ab")).toEqual(before);
});

test.each([
  ["loops without end", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"],
  [
    "takes all memory",
    "{% set ns = namespace(l=[]) %}{% for a in range(99999) %}{% set ns.l = [ns.l, range(9999) | list] %}{% endfor %}",
  ],
])("a template that %s ends at the deadline", slow, async (_, loop) => {
  const trap = `{% if messages[0].content == '!' %}${loop}{% endif %}{{ messages[0].content }}`;
  const tokenizer = await loadTokenizer(await put({ ...honest, chatTemplate: trap }), { deadlineSeconds: 3 });
  const say = (content: string): number[] => tokenizer.encodeChat([{ role: "user", content }]);
  const before = say("ab");
  expect(refusal(() => say("!"))).toFailWith("model_unsupported");
  expect(say("ab")).toEqual(before);
});

test.each(rows)("rejects %s", async (_, chatTemplate, reason) => {
  // Each ends by itself, however long that takes on a busy machine.
  const tokenizer = await loadTokenizer(await put({ ...honest, chatTemplate }), { deadlineSeconds: 600 });
  const error = refusal(() => tokenizer.encodeChat([{ role: "user", content: "ab" }]));
  expect(error.code).toBe("input_invalid");
  expect(error.message).toContain(reason);
});

test("ranges equal Python's", slow, async () => {
  const chatTemplate = "{{ range(3) | join(' ') }}{{ range(5, 1, -2) | join(' ') }}{{ range(1, 1) | length }}";
  const tokenizer = tokenizerOf({
    ...honest,
    tokenizer: {
      ...honest.tokenizer,
      model: { ...model, vocab: Object.fromEntries(Array.from("0123456789 <end>", (c, id) => [c, id])) },
    },
    chatTemplate,
  });
  expect(tokenizer.decode(tokenizer.encodeChat([]))).toBe("0 1 25 30");
});

test("a template's own error keeps its code and text", slow, async () => {
  const tokenizer = await loadTokenizer(await put({ ...honest, chatTemplate: "{{ raise_exception('no') }}" }));
  expect(refusal(() => tokenizer.encodeChat([]))).toFailWith(
    "input_invalid",
    "the chat template rejects these messages: no",
  );
});

test("rejects template arguments that every chat sets", slow, async () => {
  const path = await put(honest);
  await expect(loadTokenizer(path, { templateArguments: { messages: [] } })).rejects.toFailWith("config_invalid", {
    key: "messages",
  });
});

test.each([
  ["an id beyond every vocabulary", { model: { ...model, vocab: { a: 4e9 } } }, /token "a" has id 4000000000/],
  ["an id that is none", { model: { ...model, vocab: { a: "0" } } }, /token "a" has id 0/],
  [
    "an added token beyond",
    { added_tokens: [{ id: 1e12, content: "x", special: false }] },
    /token "x" has id 1000000000000/,
  ],
  ["no model", { model: null }, /model is missing/],
])("rejects tokenizer.json with %s before building tables", async (_, parts, message) => {
  const files = { ...honest, tokenizer: { ...honest.tokenizer, ...parts } };
  const opened = loadTokenizer(await put(files));
  await expect(opened).rejects.toFailWith("weights_invalid");
  await expect(opened).rejects.toThrow(message);
});

test("rejects a decoder's pattern, because it would run on every read", async () => {
  const decoder = { type: "Sequence", decoders: [{ type: "Replace", pattern: { Regex: "(a|a)+$" }, content: "" }] };
  const files = { ...honest, tokenizer: { ...honest.tokenizer, decoder } };
  await expect(loadTokenizer(await put(files))).rejects.toFailWith("model_unsupported");
});

test.skipIf(process.platform === "win32")("rejects a pipe", async () => {
  await put(honest);
  await rm(join(folder, "tokenizer_config.json"));
  await promisify(execFile)("mkfifo", [join(folder, "tokenizer_config.json")]);
  await expect(loadTokenizer(folder)).rejects.toFailWith("weights_invalid");
  await expect(loadTokenizer(folder)).rejects.toThrow(/tokenizer_config\.json is not a file/);
});

test("rejects a sparse file of gigabytes without reading it", async () => {
  await put(honest);
  await truncate(join(folder, "tokenizer.json"), 2 ** 33);
  await expect(loadTokenizer(folder)).rejects.toThrow(/has 8589934592 bytes, the limit is/);
});

test("an abort signal ends loading", async () => {
  const loading = loadTokenizer(await put(honest), { signal: AbortSignal.abort() });
  await expect(loading).rejects.toFailWith("aborted");
});
