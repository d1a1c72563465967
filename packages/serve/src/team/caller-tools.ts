import type { AgentId, Environment, ToolDefinition, ToolFormat } from "@laconic/core";
import type { CalledTool } from "../forms.ts";
import { withId } from "../gateway/tool-job.ts";

/** Most texts that an agent writes in one turn: each call is a request of the caller's. */
const maxSteps = 64;

/** What an agent asks its caller. */
export interface AskedCalls {
  readonly agent: AgentId;
  /** What it says beside. */
  readonly content: string;
  readonly calls: readonly CalledTool[];
}

/** The tools of whoever asks a team, as an environment: `ask` gives the answers in the order of the calls. */
export function callerTools(options: {
  readonly format: ToolFormat;
  /** Read anew each time: a later request may offer others. */
  readonly offered: (agent: AgentId) => readonly ToolDefinition[];
  readonly ask: (asked: AskedCalls) => Promise<readonly string[]>;
}): Environment {
  const { format, offered, ask } = options;
  return {
    name: "the caller's tools",
    format,
    maxSteps,
    // One asks at a time, so that a reply holds the calls of one agent.
    concurrent: false,
    tools: offered,
    reset: () => null,
    async step(_, { agent, text, calls, step }) {
      if (calls.length === 0 || offered(agent).length === 0 || step + 1 >= maxSteps) return {};
      return { observation: await ask({ agent, content: format.read(text).content, calls: calls.map(withId) }) };
    },
  };
}
