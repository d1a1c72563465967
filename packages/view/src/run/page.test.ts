import { expect, test } from "vitest";
import { loadPlot } from "../charts/plot-library.ts";
import { statesIn } from "./states.ts";
import { renderReport as render, type ReportData } from "./page.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";

const plot = await loadPlot();
const renderReport = (shown: ReportData): string => render(plot, shown);

const attack = `</pre><script>steal()</script>`;

function transcript(step: number, text: string): RecordedEpisode {
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
    { step: 0, tokens: 60, accuracy: 0.9, interval: [0.87, 0.92], problems: 400 },
    { step: 2, tokens: 15, accuracy: 0.95, interval: [0.93, 0.97], problems: 400 },
  ],
  decline: null,
  game: `Two play. ${attack}`,
  states: [],
  families: null,
  test: null,
  probe: null,
  transcripts: [transcript(0, attack), transcript(2, "")],
  budgetTokens: 14,
  changes: [],
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
  expect(page).toContain("<dd>4 times fewer</dd>");
  expect(page).toContain("2 m 05 s");
  // The plane and the four charts that have values, each for wide and for narrow windows.
  expect(page.match(/<svg viewBox="[^"]+" fill/gu)?.length).toBe(10);
});

test("families are a heat map, and what is not measured is a dash; the test stands beside validation", () => {
  const families = {
    columns: [
      { measure: `right ${attack}`, at: "step 0" },
      { measure: `right ${attack}`, at: "test" },
    ],
    rows: [
      { family: `known/${attack}`, isTrained: true, problems: 9, shares: [0.5, 1] },
      { family: "unseen", isTrained: false, problems: 8, shares: [0, null] },
    ],
  };
  const tested = { step: 2, accuracy: 0.125, tokens: 15, problems: 16, interval: [0.1, 0.2] as const };
  const page = renderReport({ ...data, families, test: tested });
  expect(page).not.toContain("<script");
  expect(page).toContain('<td style="background:color-mix(in srgb,var(--accent) 23%,transparent)">50 %</td>');
  expect(page).toContain('var(--accent) 45%,transparent)">100 %</td>');
  expect(page).toContain("<td>–</td>");
  expect(page).toContain(">held back</td>");
  expect(page).toContain("accuracy on 16 test problems, measured once");
  expect(page).toContain("validation problems");
  expect(renderReport(data)).not.toContain('id="families"');
});

test("settings that changed are lines in the charts of tokens and price, and words", () => {
  const changes = Array.from({ length: 60 }, (_, i) => ({ step: i + 1, text: `budget: ${i} tokens → none ${attack}` }));
  const page = renderReport({ ...data, changes });
  expect(page).toContain("<li>from step 1 on: budget: 0 tokens → none &lt;/pre&gt;");
  expect(page).toContain("<li>and 10 more</li>");
  expect(page).toContain("step 2: budget: 1 tokens → none");
  expect(page).toContain("and 56 more changes");
  expect(page).toContain("budget at the end: 14 tokens per episode");
  // Of every change, in the chart that has values, for wide and for narrow windows.
  expect(page.match(/stroke-dasharray="2 3"[^>]*>/gu)?.length).toBeGreaterThanOrEqual(2);
  expect(page).not.toContain("<script");
});

test("a warm start is a state of its own: before it, after it, after training, by kind of problems", () => {
  const row = (step: number, accuracy: number): Readonly<Record<string, unknown>> => ({
    step,
    accuracy,
    tokens: 60 - step,
    problems: 4,
    interval: [0, 1],
    groups: { unseen: { accuracy: accuracy / 2, tokens: 7, problems: 2 } },
  });
  const states = statesIn([row(0, 0.5), row(2, 0.75)], { said: `3 steps ${attack}`, before: row(0, 0.25) });
  expect(states.map(({ step, all, groups }) => [step, all.accuracy, groups["unseen"]?.accuracy])).toEqual([
    [null, 0.25, 0.125],
    [0, 0.5, 0.25],
    [2, 0.75, 0.375],
  ]);
  const page = renderReport({ ...data, states });
  expect(page).toContain("25.0 % → 90.0 % → 95.0 %");
  expect(page).toContain("tokens, from after the warm start to the end");
  expect(page).toMatch(/the model before 3 steps [^<]*<\/th><td[^>]*>-<\/td><td[^>]*>25\.0 %<\/td>/u);
  expect(page).toContain("unseen: right of 2");
  expect(page).not.toContain("<script");
  expect(statesIn([row(0, 0.5)], {}).map(({ said }) => said)).toEqual(["before training"]);
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
  const shown = (episode: Partial<RecordedEpisode["episode"]>): string => {
    const [before, after] = [transcript(0, "x"), transcript(2, "y")];
    const page = renderReport({
      ...data,
      transcripts: [before, { ...after, episode: { ...after.episode, ...episode } }],
    });
    return page.replaceAll(/<span class="text">(.*?)<\/span>/gu, "$1");
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

test("a chart that is zero throughout is a sentence; a series that is, a word of the legend", () => {
  const zero = data.rows.map((row) => ({
    ...row,
    "clip_ratio/low_mean": 0,
    "clip_ratio/high_mean": 0,
    "rewards/turns/mean": 0,
  }));
  const page = renderReport({ ...data, rows: zero });
  expect(page).toContain("Zero in all 2 steps, so there is nothing to draw.");
  expect(page).toContain("zero throughout: turns");
  expect(page.match(/<svg viewBox="[^"]+" fill/gu)?.length).toBe(10);
});

test("what does not change is not called fewer", () => {
  const [first] = data.evaluations as [ReportData["evaluations"][number]];
  const page = renderReport({ ...data, evaluations: [first, { ...first, step: 2 }] });
  expect(page).toContain("<dd>as many as before</dd>");
  expect(page).not.toContain("times fewer");
});

test("who knows, hears and says what is told apart, and the game stands before it", () => {
  const [before, after] = [transcript(0, "k is 6"), transcript(2, "k6")];
  const [said] = before.episode.utterances as [RecordedEpisode["episode"]["utterances"][number]];
  const solver = { ...said, agent: "solver", turn: 1, text: "15", deliveredTo: [] };
  const problem = { ...before.problem, views: { "holder-a": "k6" } };
  const page = renderReport({
    ...data,
    transcripts: [{ ...before, problem, episode: { ...before.episode, utterances: [said, solver] } }, after],
  });
  expect(page).toContain(`<p class="game"><b>The game.</b> Two play.`);
  const turns = page.replaceAll(/<span class="text">(.*?)<\/span>/gu, "$1");
  expect(turns).toContain(`<dt>knows</dt><dd class="fact">k6</dd><dt>says</dt><dd class="says">k is 6</dd>`);
  expect(turns).toContain(
    `<dt>heard</dt><dd class="heard"><b><bdi>holder-a</bdi>:</b> k is 6</dd><dt>says</dt><dd class="says">15</dd>`,
  );
});

test("hostile text is shown as text: overrides by name, a megabyte cut with a way to see more", () => {
  const text = `\u202Eevil\u001b[31m${"x".repeat(1_000_000)}`;
  const page = renderReport({ ...data, transcripts: [transcript(0, text), transcript(2, text)] });
  expect(page).toContain("⟨U+202E⟩evil⟨U+001B⟩[31m");
  expect(page).not.toMatch(/[\u202e\u001b]/u);
  expect(page).toContain("<summary>19,200 more characters</summary>");
  expect(page).toContain("980,010 characters that only the run&#39;s files hold".replace("&#39;", "'"));
  expect(page.length).toBeLessThan(400_000);
});
