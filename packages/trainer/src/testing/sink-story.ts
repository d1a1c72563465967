import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { SinkRun } from "../sinks/metric-sink.ts";
import type { Metrics } from "../step-metrics.ts";

/** Sample run. */
export const sinkRun: SinkRun = {
  name: "brief-relay",
  directory: "/runs/brief-relay",
  config: {
    task: { name: "relay", level: "one-fact" },
    train: { seed: 7, steps: 6, budget: { targetTokens: 2.5 }, tree: null, sampling: { temperature: 1 } },
    chatTemplateArguments: { enable_thinking: false },
    list: [1, { a: 2 }],
  },
  environment: { node: "v20.19.0", device: "wasm" },
};

/** Sample step. */
export function metricsAt(step: number): Metrics {
  return { step, "reward/mean": step / 8, "tokens/episode_mean": 12 - step, "silence/solver/frac": 1 / step };
}

/** Sample validation result with two groups. */
export function evaluationAt(step: number): Evaluation {
  const accuracy = step / 8;
  const measured = { problems: 10, accuracy, interval: [accuracy / 2, (1 + accuracy) / 2] as const, tokens: 12 - step };
  return {
    step,
    ...measured,
    measures: { polite: 0.25 },
    groups: { known: { ...measured, accuracy: accuracy / 4 }, unseen: measured },
    silence: { solver: 0.125 },
    scoring: { scored: 9, undecided: 1, invalid: 0, error: 0 },
  };
}

const text = `<script>alert(1)</script> [x](javascript:alert(2)) ![y](http://example.com/z.png)\n# heading\n\u202etxet\u0000\u001b[31m | \`code\` \ud800`;

/** Episode with texts that contain markup, terminal commands, or direction marks. */
export const hostileEpisode: RecordedEpisode = {
  step: 0,
  problem: { id: "validation-0", question: "what is <b>left</b>?", gold: "a" },
  task: 0,
  episode: {
    problemId: "validation-0",
    topology: "solo",
    answer: text,
    stopReason: "answered",
    ledger: { calls: [] },
    utterances: [
      {
        agent: "solver",
        turn: 0,
        round: 0,
        prompt: "what?",
        text,
        silent: false,
        writtenTokens: 9,
        deliveredTo: [],
        finishReason: "stop",
        model: { id: "policy", weightVersion: 0 },
      },
    ],
  },
};
