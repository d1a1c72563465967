import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { randomFromSeed, type EnvironmentStep } from "@laconic/core";
import { tool as aiTool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  aiTools,
  calculate,
  calculator,
  defineTool,
  hermesTools,
  jsonTools,
  mcpTools,
  searchTool,
  toolEnvironment,
} from "./index.ts";
import type { Tool, ToolEnvironmentOptions } from "./index.ts";

type Call = readonly [name: string, given: object | string];

async function called(
  tools: ToolEnvironmentOptions["tools"],
  calls: readonly Call[],
  more: Partial<ToolEnvironmentOptions> & { readonly signal?: AbortSignal } = {},
): Promise<EnvironmentStep & { readonly recorded: Record<string, number> }> {
  const { signal, ...options } = more;
  const recorded: Record<string, number> = {};
  const record = (name: string, amount = 1) => void (recorded[name] = (recorded[name] ?? 0) + amount);
  const environment = toolEnvironment({ tools, format: jsonTools(), ...options });
  const written = calls.map(([name, input]) => ({
    name,
    arguments: typeof input === "string" ? input : JSON.stringify(input),
  }));
  const context = { random: randomFromSeed(1), record, ...(signal && { signal }) };
  const answer = await environment.step(null, { agent: "a", text: "", calls: written, step: 0 }, context);
  return { ...answer, recorded };
}

const waiting: Tool = { name: "waits", run: () => new Promise(() => undefined) };

test("parallel calls are answered in order; every mistake is an answer", async () => {
  const throwing: Tool = { name: "throws", run: () => Promise.reject(new Error("out of order")) };
  const { observation, reward, recorded } = await called(
    [calculator, throwing, waiting],
    [
      ["calculator", { expression: "2*(3+4)" }],
      ["throws", {}],
      ["missing", {}],
      ["calculator", { expression: 3 }],
      ["calculator", "{oops"],
      ["waits", {}],
      ["calculator", { expression: "1/0" }],
    ],
    { price: 0.1, limits: { seconds: 0.02 } },
  );
  expect(observation).toEqual([
    "14",
    "Error: throws: out of order",
    "Error: there is no tool missing; there are calculator, throws, waits",
    expect.stringMatching(/^Error: calculator: [^]*expression/),
    expect.stringMatching(/^Error: calculator: /),
    "Error: waits: no answer within 0.02 s",
    "Error: calculator: division by zero",
  ]);
  const byTool = { "calls/calculator": 4, "calls/throws": 1, "calls/waits": 1 };
  expect([reward, recorded]).toEqual([expect.closeTo(-0.7), { calls: 7, call_errors: 6, ...byTool }]);
});

const hostile = new Proxy({}, { getPrototypeOf: () => raise(new Error("trap")) });
const cyclic: Record<string, unknown> = {};
cyclic["itself"] = cyclic;

function raise(thrown: unknown): never {
  throw thrown;
}

test.each<[string, Tool["run"], unknown]>([
  ["throws a text", () => raise("a text"), "Error: t: a text"],
  ["throws nothing", async () => raise(undefined), "Error: t: undefined"],
  ["throws an object", () => raise({ code: 7 }), 'Error: t: {"code":7}'],
  ["throws what cannot be shown", () => raise(hostile), "Error: t: an unprintable value"],
  ["throws 50 MB", () => raise(new Error("e".repeat(5e7))), expect.stringMatching(/^Error: t: e{3990} \.\.\. /u)],
  ["returns 50 MB", () => "x".repeat(5e7), `${"x".repeat(4000)} ... (49996000 more characters)`],
  ["returns a cycle", () => cyclic, expect.stringMatching(/^Error: t: Converting circular/u)],
  ["returns an integer beyond 2^53", () => ({ id: 2n ** 60n + 1n }), '{"id":1152921504606846977}'],
  ["returns nothing", () => undefined, "null"],
])("a tool that %s is answered, and ends no episode", async (_, run, expected) => {
  const { observation } = await called(
    [{ name: "t", run }, calculator],
    [
      ["t", {}],
      ["calculator", { expression: "1+1" }],
    ],
  );
  expect(observation).toEqual([expected, "2"]);
});

test("a schema that throws or waits is asked like any other", async () => {
  const parameters = z.object({ a: z.string().refine(async (text) => text !== "no" || raise(new Error("refused"))) });
  const { observation } = await called(
    [defineTool({ name: "t", parameters, run: ({ a }) => a })],
    [
      ["t", { a: "yes" }],
      ["t", { a: "no" }],
    ],
  );
  expect(observation).toEqual(["yes", "Error: t: refused"]);
});

test.each([jsonTools(), hermesTools()])(
  "executes and charges eight of 1,000 calls in one text, $name",
  async (format) => {
    const one = format.write([{ role: "assistant", content: "", calls: [{ name: "t", arguments: "{}" }] }], [])[0];
    const text = Array.from({ length: 1000 }, () => one?.content).join("\n");
    const { calls } = format.read(text);
    let made = 0;
    const environment = toolEnvironment({ tools: [{ name: "t", run: () => ++made }], format, price: 0.5 });
    const context = { random: randomFromSeed(1), record: () => undefined };
    const { observation, reward } = await environment.step(null, { agent: "a", text, calls, step: 0 }, context);
    expect([calls.length, made, observation?.length, observation?.at(-1), reward]).toEqual([
      1000,
      8,
      9,
      "Error: at most 8 calls at once",
      -4,
    ]);
  },
);

test("a tool gets integers beyond 2^53 whole, or its schema refuses them", async () => {
  const echo: Tool = { name: "echo", run: (input) => input };
  const typed = defineTool({ name: "typed", parameters: z.object({ id: z.number() }), run: ({ id }) => id });
  const { observation } = await called(
    [echo, typed],
    [
      ["echo", '{"id": 9007199254740993, "x": 1.0}'],
      ["typed", '{"id": 9007199254740993}'],
      ["typed", '{"id": 9007199254740992}'],
    ],
  );
  expect(observation).toEqual([
    '{"id":9007199254740993,"x":1}',
    expect.stringMatching(/^Error: typed: [^]*bigint/u),
    "9007199254740992",
  ]);
});

test("calls that cannot be read are counted, also in a text without others", async () => {
  const recorded: [string, number | undefined][] = [];
  const environment = toolEnvironment({ tools: [calculator] });
  const context = {
    random: randomFromSeed(1),
    record: (name: string, amount?: number) => void recorded.push([name, amount]),
  };
  await environment.reset({ id: "p", question: "q", gold: "1" }, context);
  const text = '<tool_call>{"name": "calc';
  const { calls, malformed = 0 } = hermesTools().read(text);
  await environment.step(null, { agent: "a", text, calls, malformed, step: 0 }, context);
  expect(recorded.filter(([name]) => name === "malformed_calls")).toEqual([
    ["malformed_calls", 0],
    ["malformed_calls", 1],
  ]);
});

test("a too large object is an error before it is written", async () => {
  let asked = 0;
  const rows = Array.from({ length: 1_000_000 }, () => ({
    get text() {
      asked++;
      return "x".repeat(50);
    },
  }));
  const { observation, recorded } = await called([{ name: "dump", run: () => Promise.resolve(rows) }], [["dump", {}]]);
  expect(observation).toEqual(["Error: dump: its answer is larger than 1000000 characters; let it return less"]);
  expect(recorded["call_errors"]).toBe(1);
  expect(asked).toBeLessThan(30_000);
});

test("answers and calls are bounded, agents have separate tools, a text without calls ends the turn", async () => {
  const long: Tool = { name: "long", run: () => "x".repeat(50) };
  const { observation } = await called(
    { a: [long] },
    [
      ["long", {}],
      ["long", {}],
    ],
    { limits: { characters: 9, calls: 1 } },
  );
  expect(observation).toEqual(["xxxxxxxxx ... (41 more characters)", "Error: at ... (21 more characters)"]);
  expect((await called({ b: [long] }, [["long", {}]])).observation).toEqual([
    "Error: there is no tool long; there are none",
  ]);
  expect((await called([long], [])).observation).toBeUndefined();
  expect(() => toolEnvironment({ tools: [long, long] })).toThrow("duplicate tool long");
  expect(() => toolEnvironment({ tools: [long], limits: { seconds: 0 } })).toThrow("limits.seconds is 0");
});

test("a call ends with the episode's signal and receives it", async () => {
  const stop = new AbortController();
  let heard = false;
  const hearing: Tool = {
    name: "hears",
    run: (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => (heard = true))),
  };
  const pending = called([hearing], [["hears", {}]], { signal: stop.signal });
  await new Promise(setImmediate);
  stop.abort();
  await expect(pending).rejects.toFailWith("aborted");
  expect(heard).toBe(true);
});

test("zod and JSON Schema are described and checked alike", async () => {
  const shape = z.object({ a: z.int() });
  const run = ({ a }: { a: number }) => a + 1;
  const tool = defineTool({ name: "zod", parameters: shape, run });
  const json: Tool = { name: "json", parameters: z.toJSONSchema(shape) as Record<string, unknown>, run };
  const environment = toolEnvironment({ tools: [tool, json] });
  const [first, second] = environment.tools?.("a") ?? [];
  expect(first?.parameters).toEqual(second?.parameters);
  const { observation } = await called(
    [tool, json],
    [
      ["zod", { a: 1 }],
      ["json", { a: 1 }],
      ["zod", { a: 1.5 }],
      ["json", { a: 1.5 }],
    ],
  );
  expect(observation).toEqual([
    "2",
    "2",
    expect.stringContaining("Error: zod"),
    expect.stringContaining("Error: json"),
  ]);
});

test.each([
  ["1 + 2 * 3", 7],
  ["-2^2", -4],
  ["2^-1", 0.5],
  ["(1.5 + .5) / 4", 0.5],
  ["--3 - -1e2", 103],
  ["2^3^2", 512],
])("%s = %d", (expression, value) => expect(calculate(expression)).toBe(value));

test.each(["", "1 +", "1 2", "(1", "a", "process.exit()", "9^9^9^9", "(".repeat(1e5), "-".repeat(1e5)])(
  "%.20s is refused",
  (expression) => expect(() => calculate(expression)).toThrow(/expected|finite|nests/),
);

test("search finds a user's own documents", async () => {
  const documents = [
    { id: "1", title: "Bees", text: "Bees make honey." },
    { id: "2", text: "Wasps make paper." },
  ];
  const { observation } = await called(
    [searchTool(documents)],
    [
      ["search", { query: "honey" }],
      ["search", { query: "granite" }],
    ],
  );
  expect(observation).toEqual(["[1] Bees\nBees make honey.", "nothing found"]);
});

test("calls the tools of an MCP server and of the AI SDK", async () => {
  const server = new McpServer({ name: "own", version: "1" });
  server.registerTool("shout", { inputSchema: { text: z.string() } }, ({ text }) => {
    if (text === "") throw new Error("nothing to shout");
    return { content: [{ type: "text", text: text.toUpperCase() }] };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(far), client.connect(near)]);
  const ai = aiTools({
    add: aiTool({ inputSchema: z.object({ a: z.number() }), execute: async ({ a }) => ({ sum: a + 1 }) }),
  });
  const { observation } = await called(
    [...(await mcpTools(client)), ...ai],
    [
      ["shout", { text: "hi" }],
      ["shout", { text: "" }],
      ["shout", { text: 3 }],
      ["add", { a: 1 }],
    ],
  );
  expect(observation).toEqual([
    "HI",
    expect.stringContaining("nothing to shout"),
    expect.stringContaining("Error: shout"),
    '{"sum":2}',
  ]);
  await client.close();
  await server.close();
});
