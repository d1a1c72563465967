import { inputError, LaconicError, thrownText } from "@laconic/core";
import type { AgentId, Environment, EnvironmentContext, ToolFormat, WrittenCall } from "@laconic/core";
import { exactJson, exactNumber, writeJson } from "@laconic/core/json";
import { hermesTools } from "@laconic/topologies";
import { z } from "zod";
import { defineEnvironment } from "../define-environment.ts";
import { definitionOf, schemaOf, type Tool } from "./tool.ts";

/** Limits of calls. */
export interface ToolLimits {
  /** Seconds per call. Default 10. */
  readonly seconds?: number;
  /** Characters of a result. Default 4000. */
  readonly characters?: number;
  /** Concurrent calls of one text. Default 8. */
  readonly calls?: number;
}

/** Options of `toolEnvironment`. */
export interface ToolEnvironmentOptions {
  readonly tools: readonly Tool[] | Readonly<Record<AgentId, readonly Tool[]>>;
  /** Default: the format of Hermes and Qwen. */
  readonly format?: ToolFormat;
  readonly limits?: ToolLimits;
  /** Cost per call within `limits.calls`. Default 0. */
  readonly price?: number;
  /** Texts per turn. Default 8. */
  readonly maxSteps?: number;
  /** Required for token prompts. */
  readonly encode?: (observation: string) => readonly number[];
}

/**
 * Runs the calls of a text concurrently; the agent reads results and errors. Measures: `calls`, `calls/TOOL`,
 * `call_errors`, `malformed_calls`.
 * @throws LaconicError `input_invalid`
 */
export function toolEnvironment({
  tools,
  format = hermesTools(),
  limits = {},
  price = 0,
  ...rest
}: ToolEnvironmentOptions): Environment {
  const { seconds = 10, characters = 4000, calls: most = 8 } = limits;
  for (const [name, value] of Object.entries({ seconds, characters, calls: most }))
    if (!(value > 0)) throw inputError(`limits.${name} is ${value}, expected a number above 0`);
  const all = Array.isArray(tools) ? (tools as readonly Tool[]) : null;
  const byAgent = new Map(Object.entries(all ? {} : tools).map(([agent, list]) => [agent, prepared(list as Tool[])]));
  const shared = prepared(all ?? []);
  const toolsOf = (agent: AgentId): Prepared => (all ? shared : (byAgent.get(agent) ?? none));
  return defineEnvironment<null>({
    name: "tools",
    format,
    concurrent: true,
    ...rest,
    tools: (agent) => Array.from(toolsOf(agent).values(), ({ tool }) => definitionOf(tool)),
    reset(_, { record }) {
      // Means include episodes without calls.
      for (const name of ["calls", "call_errors", "malformed_calls"]) record(name, 0);
      return null;
    },
    async step(_, { agent, calls, malformed = 0 }, context) {
      if (malformed > 0) context.record("malformed_calls", malformed);
      if (calls.length === 0) return {};
      const available = toolsOf(agent);
      const made = calls.slice(0, most);
      const answers = await Promise.all(
        made.map((call, i) =>
          answerTo(call, available, { ...context, random: context.random.split(`call:${i}`) }, seconds),
        ),
      );
      if (calls.length > most) answers.push(failure(`at most ${most} calls at once`));
      context.record("calls", calls.length);
      for (const { name } of made) if (available.has(name)) context.record(`calls/${name}`);
      context.record("call_errors", answers.filter(({ failed }) => failed).length);
      const observation = answers.map(({ text }) => shortened(text, characters));
      return { observation, ...(price !== 0 && { reward: -price * made.length }) };
    },
  });
}

type Prepared = ReadonlyMap<string, { readonly tool: Tool; readonly schema: z.ZodType }>;

const none: Prepared = new Map();

function prepared(tools: readonly Tool[]): Prepared {
  const byName = new Map<string, { tool: Tool; schema: z.ZodType }>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw inputError(`duplicate tool ${tool.name}`);
    try {
      byName.set(tool.name, { tool, schema: schemaOf(tool) });
    } catch (error) {
      const message = `tool ${tool.name}: its parameters cannot be read: ${thrownText(error)}`;
      throw inputError(message, {}, error);
    }
  }
  return byName;
}

interface Answer {
  readonly text: string;
  readonly failed?: boolean;
}

async function answerTo(
  call: WrittenCall,
  tools: Prepared,
  context: EnvironmentContext,
  seconds: number,
): Promise<Answer> {
  const entry = tools.get(call.name);
  if (!entry)
    return failure(`there is no tool ${call.name.slice(0, 60)}; there are ${[...tools.keys()].join(", ") || "none"}`);
  const { tool, schema } = entry;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${seconds} s`)), seconds * 1000);
  const signal = context.signal ? AbortSignal.any([context.signal, late.signal]) : late.signal;
  const over = new Promise<never>((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
  over.catch(() => undefined);
  const run = async (): Promise<unknown> => {
    const parsed = await schema.safeParseAsync(argumentsOf(call));
    if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
    signal.throwIfAborted();
    return tool.run(parsed.data as never, { signal, random: context.random });
  };
  try {
    const value = await Promise.race([over, run()]);
    return { text: typeof value === "string" ? value : jsonOf(value) };
  } catch (error) {
    if (context.signal?.aborted)
      throw new LaconicError("aborted", `tool ${tool.name}: the episode no longer waits for it`, {}, error);
    if (LaconicError.is(error)) throw error;
    return failure(`${tool.name}: ${thrownText(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Large integers become bigints. */
function argumentsOf({ arguments: text }: WrittenCall): unknown {
  try {
    return exactJson(text, { number: exactNumber });
  } catch {
    return undefined;
  }
}

/** Writing more would block the process. */
const maxJson = 1_000_000;

/** @throws Error for a larger result */
function jsonOf(value: unknown): string {
  let size = 0;
  let hasBigint = false;
  const counted = (key: string, item: unknown): unknown => {
    size += key.length + (typeof item === "string" ? item.length : 4);
    if (size > maxJson) throw new Error(`its answer is larger than ${maxJson} characters; let it return less`);
    if (typeof item !== "bigint") return item;
    hasBigint = true;
    return null;
  };
  const json = JSON.stringify(value, counted) ?? "null";
  return hasBigint ? writeJson(value) : json;
}

function failure(reason: string): Answer {
  return { text: `Error: ${reason}`, failed: true };
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)} ... (${text.length - most} more characters)`;
}
