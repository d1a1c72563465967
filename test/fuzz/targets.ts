import { LaconicError } from "../../packages/core/src/index.ts";
import { boundedJson } from "../../packages/core/src/json/index.ts";
import { escapeHtml, visibleText } from "../../packages/core/src/text/index.ts";
import { gradeLetter, gradeMaths, gradeNumber, gradeText } from "../../packages/grading/src/index.ts";
import { jsonLines } from "../../packages/benchmarks/src/data/formats/json-lines.ts";
import { readRows } from "../../packages/benchmarks/src/data/formats/read-rows.ts";
import { readGradedCases } from "../../packages/grading/src/graded-case.ts";
import { parseModelConfig } from "../../packages/engine/src/transformer/model-config.ts";
import { decodeSafetensors } from "../../packages/engine/src/weights/safetensors.ts";
import { readErrorBody } from "../../packages/openai/src/failure.ts";
import { parseRetryAfter } from "../../packages/openai/src/retry.ts";
import { readReply } from "../../packages/openai/src/server-reply.ts";
import { parseAppConfig, applyOverrides } from "../../packages/runtime/src/run/app-config.ts";
import { completionHandler } from "../../packages/serve/src/index.ts";
import { chatRenderer } from "../../packages/hub/src/tokenizers/chat-template.ts";
import { readTokenizerFiles } from "../../packages/hub/src/tokenizers/tokenizer-files.ts";
import { tokenizerOf } from "../../packages/hub/src/tokenizers/load-tokenizer.ts";
import { hermesTools, jsonTools, llamaTools } from "../../packages/topologies/src/index.ts";
import { parseChangedSettings } from "../../packages/trainer/src/reading/changed-settings.ts";
import { parseRunManifest } from "../../packages/trainer/src/reading/run-manifest.ts";
import { recordIn, rowsIn } from "../../packages/trainer/src/reading/run-source.ts";
import { scriptedModel, tableTokenizer } from "../../packages/core/src/testing/index.ts";

/** Reads arbitrary bytes. Must return or throw a LaconicError. */
type Target = (bytes: Uint8Array) => unknown;

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function json(bytes: Uint8Array): unknown {
  try {
    return boundedJson(text(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) throw new LaconicError("input_invalid", "no JSON", {}, error);
    throw error;
  }
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}

/** Control token of the chat template. */
const control = "<|im_end|>";

const routes = ["/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses", "/v1/models"];
/** Error that the handler did not attribute to its client. */
let failure: unknown = null;
const handler = completionHandler({
  models: [
    {
      name: "tiny",
      policy: scriptedModel(() => "ok"),
      tokenizer: tableTokenizer(),
      contextLength: 64,
      tools: jsonTools(),
    },
  ],
  apiKey: null,
  maxConcurrency: 8,
  maxBodyBytes: 10_000,
  onError: (error) => {
    failure = error;
  },
});

export const targets: Readonly<Record<string, Target>> = {
  safetensors: (bytes) => decodeSafetensors(bytes, "file"),
  "model-config": (bytes) => parseModelConfig(recordIn(json(bytes)) ?? {}),
  tokenizer: async (bytes) =>
    tokenizerOf(await readTokenizerFiles(async (name) => (name === "tokenizer.json" ? text(bytes) : null), "folder")),
  /** `chat_template.jinja` of a checkpoint. Nested loops may reach the deadline, which is no error. */
  "chat-template": (bytes) => {
    const source = text(bytes);
    if ((source.match(/\bfor\b/gu)?.length ?? 0) > 1 || /\d{2}/u.test(source)) return;
    const messages = [
      { role: "system", content: "be brief" },
      { role: "user", content: `a ${control} b` },
    ] as const;
    for (const piece of chatRenderer(source, [control], { bos_token: control }, () => new Date(0))(messages))
      if ("text" in piece) {
        expect(piece.parts.join("") === piece.text, "the parts of a text are the text");
        expect(!piece.parts.some((part) => part.includes(control)), "no part of a text spells a control token");
      }
  },
  /** User files: JSON lines, JSON, Parquet, CSV, gzip and zip. */
  "data-file": (bytes) => readRows(bytes[0] === 0x2c ? "rows.csv" : "rows", bytes),
  /** Labelled answers for `laconic grade`. */
  "graded-cases": (bytes) => [...readGradedCases(jsonLines("cases.jsonl", bytes, { exact: true }))],
  manifest: (bytes) => parseRunManifest(text(bytes), "manifest.json"),
  "changed-settings": (bytes) => parseChangedSettings(text(bytes), "changes.jsonl"),
  rows: (bytes) => rowsIn(text(bytes)),
  configuration: (bytes) => parseAppConfig(json(bytes)),
  "command-line": (bytes) => parseAppConfig(applyOverrides({}, text(bytes).split("\n"))),
  /** The first byte selects the route. Every answer must be JSON with a status below 500. */
  request: async (bytes) => {
    const url = `http://localhost${routes[(bytes[0] ?? 0) % routes.length]}`;
    const headers = { "content-type": "application/json", host: "localhost" };
    failure = null;
    const response = await handler(new Request(url, { method: "POST", headers, body: bytes.slice(1) }));
    const body = await response.text();
    if (failure !== null) throw failure;
    expect(response.status < 500, `${response.status}: ${body}`);
  },
  reply: (bytes) => {
    readErrorBody(text(bytes));
    parseRetryAfter(text(bytes), 0);
    const value = json(bytes);
    for (const kind of ["chat", "text"] as const) {
      const reply = readReply(value, kind);
      expect(typeof ("fault" in reply ? reply.fault : reply.text) === "string", "a reply has a text or a fault");
    }
  },
  "tool-calls": (bytes) => {
    for (const format of [hermesTools(), jsonTools(), llamaTools()]) {
      const { content, calls } = format.read(text(bytes));
      expect(typeof content === "string", "content is a text");
      for (const { name, arguments: input } of calls)
        expect(typeof name === "string" && typeof input === "string", "a call has a name and arguments");
    }
  },
  /** A reply and its gold answer, separated by a line end. */
  answers: (bytes) => {
    const [gold = "", reply = ""] = text(bytes).split(/\n([^]*)/u);
    for (const verdict of [gradeNumber(reply, gold), gradeText(reply, gold), gradeLetter(reply, gold, "ABCD")])
      expect(typeof verdict === "object", "a verdict");
    gradeMaths(reply, gold);
  },
  "visible-text": (bytes) => {
    const shown = visibleText(text(bytes));
    const codes = Array.from(shown, (character) => character.codePointAt(0) ?? 0);
    expect(!codes.some((code) => (code < 32 && code !== 9 && code !== 10) || code === 127), "no control characters");
    expect(visibleText(shown) === shown, "what is visible stays as it is");
    expect(!/[<>"']/u.test(escapeHtml(text(bytes))), "no markup");
  },
};

/** @throws errors of a target that are not LaconicErrors */
export async function tryInput(name: string, bytes: Uint8Array): Promise<void> {
  const target = targets[name];
  if (!target) throw new Error(`unknown target ${name}; use one of: ${Object.keys(targets).join(", ")}`);
  try {
    await target(bytes);
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
  }
}
