import { expect, test } from "vitest";
import { namesOf, Recogniser, type CallNames, type Recognised } from "./recognition.ts";
import { readReply } from "./read-reply.ts";
import type { PromptPart, ReadRequest } from "./read-request.ts";

const request = (system: string, ...texts: readonly string[]): ReadRequest => ({
  model: "m",
  parts: [
    { role: "system", text: system },
    ...texts.map((text, i): PromptPart => ({ role: i % 2 === 0 ? "user" : "assistant", text })),
  ],
  metadata: {},
  previous: null,
  body: {},
});

function recogniser() {
  let [tasks, calls] = [0, 0];
  const tool = new Recogniser(() => `task-${++tasks}`);
  return (input: ReadRequest, reply: string, options: { names?: CallNames; ms?: number; failed?: boolean } = {}) => {
    const begun: Recognised = tool.begin(input, options.names ?? {}, options.ms ?? calls);
    tool.end(begun, `call-${++calls}`, readReply(JSON.stringify({ content: reply })), options.failed ?? false);
    return begun;
  };
}

const question = "How many moons does the planet Jupiter have in all?";
const plan = "First list the large moons, then add the small ones that were found by probes.";

test("agents are recognised by instructions, also with another date", () => {
  const call = recogniser();
  const names = ["Plan on 2026-11-29.", "Plan on 2026-11-30.", "Write the answer."].map(
    (system) => call(request(system, "x"), "y").agent,
  );
  expect(names[0]).not.toBe(names[2]);
  expect(names[0]?.split("#")[1]).toBe(names[1]?.split("#")[1]);
});

test("a task continues by a quotation, a shared line of another agent, and a longer conversation", () => {
  const call = recogniser();
  expect(call(request("Plan.", question), plan).task).toBe("task-1");
  expect(call(request("Check.", `Is this right?\n${plan}`), "It is right.").task).toBe("task-1");
  expect(call(request("Write.", `${question}\nAnswer briefly.`), "95 moons").task).toBe("task-1");
  expect(call(request("Write.", `${question}\nAnswer briefly.`, "95 moons", "Are you sure?"), "Yes.").task).toBe(
    "task-1",
  );
});

test("the same agent with another question begins another task, although its prompts share a line", () => {
  const call = recogniser();
  const template = "Answer the following question carefully and briefly.";
  const tasks = ["Where is Rome?", "Where is Oslo?"].map(
    (text) => call(request("A", `${template}\n${text}`), text).task,
  );
  expect(tasks).toEqual(["task-1", "task-2"]);
});

test("a repetition after a failure is a retry, and half an hour ends a task", () => {
  const call = recogniser();
  expect(call(request("Plan.", question), "", { failed: true }).isRetry).toBe(false);
  expect(call(request("Plan.", question), plan)).toMatchObject({ isRetry: true, task: "task-1" });
  const late = call(request("Write.", plan), "x", { ms: 31 * 60_000 });
  expect(late).toMatchObject({ isRetry: false, task: "task-2", reads: [] });
});

test("quotations name the call and the agent, and repeated parts are counted", () => {
  const call = recogniser();
  const named = (agent: string): CallNames => ({ agent: { name: agent, source: "header" } });
  call(request("Plan.", question), plan, { names: named("planner") });
  const first = call(request("Write.", `${question}\n${plan}`), "95", { names: named("writer") });
  expect(first.reads).toEqual([{ call: "call-1", agent: "planner", characters: plan.length }]);
  expect(first.repeated).toBe(0);
  const second = call(request("Write.", `${question}\n${plan}`, "95", "Sure?"), "Yes", { names: named("writer") });
  expect(second.repeated).toBe("Write.".length + question.length + 1 + plan.length);
});

test("header, path and trace name agent and task", () => {
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  expect(namesOf({ traceparent: trace }, "/agents/the%20critic/v1/messages")).toEqual({
    names: {
      agent: { name: "the critic", source: "path" },
      task: { name: "4bf92f3577b34da6a3ce929d0e0e4736", source: "trace" },
    },
    path: "/v1/messages",
  });
  expect(namesOf({ "x-laconic-task": "t" }, "/tasks/a/agents/b/v1/x")).toMatchObject({
    names: { agent: { name: "b", source: "path" }, task: { name: "t", source: "header" } },
    path: "/v1/x",
  });
});
