import { expect, test } from "vitest";
import { recordedCall } from "../../test/recorded-call.ts";
import type { RecordedTask } from "./recorded-tasks.ts";
import { replayControl, replayTask, type AgentChange } from "./replay.ts";

const plan = "First sum both prices, then take off the discount of ten percent.";
const review = "The plan forgets the tax, which is paid on the reduced price.";
const ask = (content: string, ...more: object[]) => ({
  model: "large",
  messages: [{ role: "system", content: "Be brief." }, { role: "user", content }, ...more],
});
const task: RecordedTask = [
  recordedCall("t", "planner", ask("What do they pay?"), plan, 0),
  recordedCall("t", "critic", ask(`Judge this plan: ${plan}`), review, 1),
  recordedCall(
    "t",
    "solver",
    ask(`Plan: ${plan}`, { role: "user", content: review }),
    "They pay 18 dollars in all.",
    2,
  ),
  recordedCall("t", "writer", ask("Say goodbye."), "Goodbye to all of you, and thanks.", 3),
];

async function replayed(agent: string, change: AgentChange, calls = task) {
  const sent: [string, unknown][] = [];
  const resend = async ({ agent: who }: { readonly agent: string }, body: unknown) => {
    sent.push([who, body]);
    return `A new reply of the ${who}, with other words.`;
  };
  return { outcome: await replayTask(calls, agent, change, resend), sent };
}

test("without an agent, only calls that read it are sent again, without its text and its empty message", async () => {
  const { outcome, sent } = await replayed("critic", { kind: "without" });
  expect(sent).toEqual([["solver", ask(`Plan: ${plan}`)]]);
  expect(outcome).toEqual({ answer: "Goodbye to all of you, and thanks.", sent: new Set(["t-2"]) });
});

test("a changed reply replaces the recorded one in all later prompts, also inside JSON", async () => {
  const tool = { role: "tool", content: JSON.stringify({ plan: `${plan}\n"done"` }) };
  const quoting = recordedCall("t", "solver", ask("Go.", tool), "They pay 18 dollars in all.", 4);
  const { outcome, sent } = await replayed("planner", { kind: "model", model: "small" }, [...task, quoting]);
  const reply = "A new reply of the planner, with other words.";
  expect(sent[0]).toEqual(["planner", { ...ask("What do they pay?"), model: "small" }]);
  expect(sent[1]).toEqual(["critic", ask(`Judge this plan: ${reply}`)]);
  const criticised = { role: "user", content: "A new reply of the critic, with other words." };
  expect(sent[2]).toEqual(["solver", ask(`Plan: ${reply}`, criticised)]);
  expect(sent[3]).toEqual(["solver", ask("Go.", { ...tool, content: JSON.stringify({ plan: `${reply}\n"done"` }) })]);
  expect(outcome?.answer).toBe("A new reply of the solver, with other words.");
});

test("leaves out part of a reply; a partly quoted, changed reply ends the replay", async () => {
  const partial = ask("Note: then take off the discount of ten percent.");
  const calls = [...task.slice(0, 1), recordedCall("t", "solver", partial, "18 dollars are to be paid.", 1)];
  expect((await replayed("planner", { kind: "without" }, calls)).sent).toEqual([["solver", ask("Note: ")]]);
  expect((await replayed("planner", { kind: "words", words: 8 }, calls)).outcome).toBeNull();
});

test("a limit of words is an instruction behind the prompt; calls of tools keep their recorded reply", async () => {
  const calls = [recordedCall("t", "planner", ask("Look it up."), '{"query":"prices of both"}', 0, 1), ...task];
  const { sent } = await replayed("planner", { kind: "words", words: 8 }, calls);
  expect(sent[0]).toEqual([
    "planner",
    ask("What do they pay?", { role: "user", content: "Answer in at most 8 words." }),
  ]);
});

test("the control sends the same requests as recorded", async () => {
  const bodies: unknown[] = [];
  await replayControl(task, new Set(["t-1", "t-2"]), async ({ text }, body) => {
    bodies.push(body);
    return text;
  });
  expect(bodies).toEqual([task[1]?.body, task[2]?.body]);
});
