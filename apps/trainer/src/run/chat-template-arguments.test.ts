import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChatMessage, ChatTokenizer } from "@laconic/core";
import { beforeAll, expect, test } from "vitest";
import { presetConfig, presetNames } from "@laconic/runtime/resolver";
import { openRunTask, parseAppConfig } from "@laconic/runtime";
import { sharedFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused } from "../../test/laconic.ts";

const slow = { timeout: 60_000 };
const letters = Array.from("abcdefghijklmnopqrstuvwxyz \n<>|/_");
/** In the way of Qwen3's: it thinks unless it is told not to. */
const template =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}" +
  "{{ '<|im_start|>assistant\n' }}{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}";

const folder = sharedFolder();
beforeAll(async () => {
  const special = ["<|im_start|>", "<|im_end|>"].map((content, i) => ({ id: 100 + i, content, special: true }));
  const tokenizer = {
    model: { type: "BPE", vocab: Object.fromEntries(letters.map((letter, id) => [letter, id])), merges: [] },
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: "Fuse" },
    added_tokens: special,
  };
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  const config = { eos_token: "<|im_end|>", chat_template: template };
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
});

const chat: readonly ChatMessage[] = [{ role: "user", content: "hi" }];
const resources = { testProblems: 0, modelFolder: "" };

test("presets on text turn thinking off", slow, async () => {
  for (const name of presetNames) {
    const { task, model, chatTemplateArguments } = parseAppConfig(presetConfig(name));
    // Our own models know no thinking; MAGRPO's programmers are base checkpoints with text prompts.
    const hasChat = model.startsWith("hub:") && task.name !== "code";
    expect([name, chatTemplateArguments]).toEqual([name, hasChat ? { enable_thinking: false } : {}]);
    if (!hasChat) continue;
    const ours = "prompts" in task ? { ...task, prompts: "ours" as const } : task;
    const opened = await openRunTask(ours, {
      ...resources,
      modelFolder: folder,
      templateArguments: chatTemplateArguments,
    });
    const tokenizer = opened.tokenizer as ChatTokenizer;
    expect(tokenizer.decode(tokenizer.encodeChat(chat))).toMatch(/assistant\n<think>\n\n<\/think>\n\n$/u);
    await opened.close?.();
  }
});

test("without the argument the template uses its default", slow, async () => {
  const task = { name: "writing", form: "tldr" } as const;
  const { tokenizer } = await openRunTask(task, { ...resources, modelFolder: folder });
  expect(tokenizer.decode((tokenizer as ChatTokenizer).encodeChat(chat))).toMatch(/assistant\n$/u);
});

test("rejects template arguments without a chat and non-object arguments", slow, async () => {
  const relay = { name: "relay", level: "one-fact" } as const;
  await expect(openRunTask(relay, { templateArguments: { tools: [] } })).rejects.toFailWith("config_invalid", {
    key: "chatTemplateArguments",
  });
  expect(() => parseAppConfig({ chatTemplateArguments: "thinking" })).toThrow(
    expect.objectContaining({ detail: { key: "chatTemplateArguments" } }),
  );
  for (const [input, reason] of [
    ["thinking", "thinking: expected a JSON object"],
    ["[1]", "[1]: expected a JSON object"],
    ['{"enable_thinking":false}', "shipped has no chat template"],
  ] as const)
    await expectRefused(["serve", "shipped", "--chat-template-arguments", input], reason);
});
