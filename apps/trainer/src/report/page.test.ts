import { expect, test } from "vitest";
import { renderReport, type ReportData } from "./page.ts";
import type { Transcript } from "./transcripts.ts";

const attack = `</pre><script>steal()</script>`;

function transcript(step: number, text: string): Transcript {
  return {
    step,
    task: step === 0 ? 0 : 1,
    problem: { id: "p1", question: "k+e", gold: "15" },
    episode: {
      problemId: "p1",
      topology: "relay",
      answer: text,
      stopReason: "answered",
      ledger: { calls: [] },
      utterances: [
        {
          agent: "holder-a",
          turn: 0,
          round: 0,
          prompt: attack,
          text,
          silent: text === "",
          writtenTokens: text.length + 1,
          deliveredTo: ["solver"],
          finishReason: "stop",
          model: { id: "m", weightVersion: step },
        },
      ],
    },
  };
}

const data: ReportData = {
  name: attack,
  rows: [
    {
      step: 1,
      "task/accuracy": 0.5,
      "tokens/episode_mean": 60,
      "silence/holder-a/frac": 0.1,
      "rewards/task/mean": 0.5,
    },
    {
      step: 2,
      "task/accuracy": 0.7,
      "tokens/episode_mean": 20,
      "silence/holder-a/frac": 0.4,
      "rewards/task/mean": 0.7,
    },
  ],
  evaluations: [
    { step: 0, tokens: 60, accuracy: 0.9, interval: [0.87, 0.92] },
    { step: 2, tokens: 15, accuracy: 0.95, interval: [0.93, 0.97] },
  ],
  decline: null,
  transcripts: [transcript(0, attack), transcript(2, "")],
  budgetTokens: 14,
  seconds: 125,
  device: "wasm",
  seed: "0",
  config: { note: attack },
  warnings: [attack],
};

test("nothing a model or a configuration wrote becomes markup", () => {
  const page = renderReport(data);
  expect(page).not.toContain("<script");
  expect(page.split("&lt;script&gt;").length - 1).toBeGreaterThanOrEqual(6);
});

test("the page shows start, end and ratio", () => {
  const page = renderReport(data);
  expect(page).toContain("90.0 % → 95.0 %");
  expect(page).toContain("60 → 15");
  expect(page).toContain("<b>4×</b>");
  expect(page).toContain("2 m 05 s");
  expect(page.match(/<svg/g)?.length).toBe(5); // the plane and the four charts that have values
});

test("the page asks for nothing outside itself", () => {
  expect(renderReport(data)).not.toMatch(/(?:src|href|url)\s*[=(]/);
});

test("a run without evaluations still renders", () => {
  const page = renderReport({ ...data, rows: [], evaluations: [], transcripts: [] });
  expect(page).toContain("No evaluation was recorded.");
  expect(page).toContain("No problem was recorded both before and after.");
});

test("an answer that several gave together is shown by agent, escaped; a chosen one as it is", () => {
  const shown = (episode: Partial<Transcript["episode"]>): string => {
    const [before, after] = [transcript(0, "x"), transcript(2, "y")];
    return renderReport({ ...data, transcripts: [before, { ...after, episode: { ...after.episode, ...episode } }] });
  };
  const outputs = { first: "k6", second: attack };
  expect(shown({ answer: `k6\n\n${attack}`, outputs })).toContain(
    "Answer first “k6”, second “&lt;/pre&gt;&lt;script&gt;steal()&lt;/script&gt;”, expected",
  );
  expect(shown({ answer: "k6", outputs: { first: "k6", second: "e9" } })).toContain("Answer “k6”, expected");
});

test("what rewards count is drawn, each family in a chart of its own", () => {
  const rows = data.rows.map((row) => ({ ...row, "measures/syntax": 0.5, "measures/scheme/fallback": 0.25 }));
  const page = renderReport({ ...data, rows });
  expect(page).toContain("What the reward counts<");
  expect(page).toContain("What the reward counts: scheme");
  expect(page).toContain("fallback");
  expect(renderReport(data)).not.toContain("What the reward counts");
});
