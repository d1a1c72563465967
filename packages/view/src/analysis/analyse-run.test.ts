import { scriptedEpisode } from "@laconic/core/testing";
import { analyseTeam } from "@laconic/evaluation/analysis";
import { expect, test } from "vitest";
import { analysisMarkdown } from "./analyse-run.ts";

test("agents' text cannot leave its cell of the page", () => {
  const hostile = "| `x` |\n<script>";
  const [long, short] = ["one two three four", hostile].map((text) =>
    scriptedEpisode([
      { agent: "a", text },
      { agent: "s", text: "15", reads: [0] },
    ]),
  );
  const message = { agent: "a", turn: 0, tokens: 2, text: hostile };
  const played = (episodes: ReturnType<typeof scriptedEpisode>[], grades: number[], values: number[]) => ({
    agents: ["a", "s"],
    episodes,
    grades,
    values: values.map((value) => ({ ...message, value })),
  });
  const before = played([long!, long!], [1, Number.NaN], [0.5, Number.NaN]);
  const after = played([short!], [0], [1, -0.5, Number.NaN]);
  const page = analysisMarkdown(analyseTeam(before, after, { step: 7, cut: "drop" }));
  expect(page).toContain("# Messages of the team at step 7");
  expect(page).toContain("| all, before training | 1 | 2 | 50.0 | 25.00 | 100.0 % | 0.0 % |");
  expect(page).toContain("| all, now | 2 | 2 | 25.0 |");
  expect(page).toContain("`\u00a6 'x' \u00a6 <script>`");
  expect(page).not.toContain(hostile);
});
