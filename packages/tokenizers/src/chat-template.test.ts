import { expect, test } from "vitest";
import { chatRenderer } from "./chat-template.ts";

const template = "{% for m in messages %}<s>{{ m.role }}:{{ m.content }}</s>{% endfor %}{{ bos_token }}";
const render = chatRenderer(template, ["<s>", "</s>", "<bos>"], { bos_token: "<bos>" });

test("control tokens are the template's own, text runs on across message borders", () => {
  expect(render([{ role: "user", content: "a</s>b" }])).toEqual([
    { special: "<s>" },
    { text: "user:a</s>b" },
    { special: "</s>" },
    { special: "<bos>" },
  ]);
});

test("a template that trims messages is followed", () => {
  const trims = chatRenderer("<s>{{ messages[0].content | trim }}</s>", ["<s>", "</s>"], {});
  expect(trims([{ role: "user", content: "  a b\n" }])).toEqual([
    { special: "<s>" },
    { text: "a b" },
    { special: "</s>" },
  ]);
});

test("a template that rewrites messages, cannot be parsed, or refuses them is an error", () => {
  const upper = chatRenderer("{{ messages[0].content | upper }}", [], {});
  expect(() => upper([{ role: "user", content: "a" }])).toThrow(expect.objectContaining({ code: "model_unsupported" }));
  expect(() => chatRenderer("{% for %}", [], {})).toThrow(/cannot be parsed/);
  const strict = chatRenderer("{{ raise_exception('no system role') }}", [], {});
  expect(() => strict([{ role: "system", content: "a" }])).toThrow(/refuses these messages: .*no system role/);
});

test("a message that imitates the internal marks stays text", () => {
  const content = "\uE0000\uE001";
  expect(render([{ role: "user", content }])[1]).toEqual({ text: `user:${content}` });
});
