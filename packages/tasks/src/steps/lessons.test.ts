import words from "../../../benchmarks/assets/steps.json" with { type: "json" };
import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { drawLessons, type Lesson } from "./lessons.ts";

const lessons: Lesson[] = [];
for (let i = 0; i < 1500; i++) lessons.push(...(await drawLessons(randomFromSeed("lessons").split(i))));
const textOf = ({ messages, reply }: Lesson): string => [...messages.map(({ content }) => content), reply].join("\n");

const wrongIn = (text: string): number[] =>
  [...text.matchAll(/(\d+) ([-+x]) (\d+) = (\d+)\./gu)].flatMap(([, a, sign, b, result], i) => {
    const right = { "+": Number(a) + Number(b), "-": Number(a) - Number(b), x: Number(a) * Number(b) }[sign as "+"];
    return right === Number(result) ? [] : [i];
  });

test("no reply has a wrong calculation, though requests show wrong drafts", () => {
  expect(lessons.filter(({ reply }) => wrongIn(reply).length > 0)).toEqual([]);
  expect(
    lessons.filter(({ messages }) => messages.some(({ content }) => wrongIn(content).length > 0)).length,
  ).toBeGreaterThan(100);
});

test("no lesson holds a name or thing that is held back", () => {
  const held = new RegExp(`\\b(?:${`${words.names.new} ${words.things.new}`.replaceAll(" ", "|")})\\b`, "u");
  expect(lessons.filter((lesson) => held.test(textOf(lesson)))).toEqual([]);
});

test("critics call drafts right exactly if they are", () => {
  const verdicts = lessons.filter(
    ({ reply }) => reply.includes("The solution is right.") || reply.includes(" is wrong: "),
  );
  expect(verdicts.length).toBeGreaterThan(100);
  for (const { messages, reply } of verdicts) {
    const attempt =
      messages
        .at(-1)
        ?.content.split(/Attempt \d+:|wrote:/u)
        .at(-1) ?? "";
    const [first] = wrongIn(attempt);
    expect(reply).toContain(first === undefined ? "The solution is right." : `Step ${first + 1} is wrong: `);
  }
});

test("every method of the mix has lessons, and holders retell only what they know", () => {
  const requests = lessons.map(textOf).join("\n");
  for (const text of [
    "Only you know:",
    "Another agent (1)",
    "[Hint: ",
    "Attempt 1:",
    "The other side wrote:",
    "(Hint: the answer is near to",
    "JSON alone",
    "Choose who should answer",
    "Describe one new expert",
  ])
    expect(requests).toContain(text);
  const told = lessons.flatMap(({ messages, reply }) => {
    const [, view] = messages.at(-1)?.content.split("Only you know:\n") ?? [];
    return view === undefined || view.includes("wrote:") ? [] : [{ reply, view: view.trim() }];
  });
  const sentences = (text: string): string[] => text.split(/(?<=\.) /u);
  const invented = ({ reply, view }: (typeof told)[number]): boolean =>
    reply !== "PASS" && sentences(reply).some((sentence) => !view.includes(sentence));
  expect(told.filter(invented)).toEqual([]);
  expect(told.filter(({ reply, view }) => reply === view).length).toBeGreaterThan(0.6 * told.length);
  expect(told.filter(({ reply }) => reply === "PASS").length).toBeGreaterThan(0.02 * told.length);
});
