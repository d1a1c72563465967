import { escapeHtml, formatCells, formatNumber, formatShare } from "@laconic/core/text";
import type { TeamAnalysis } from "@laconic/evaluation/analysis";
import { figureOf, svgTexts, valuesTable } from "../charts/figure.ts";
import type { Plot } from "../charts/plot-library.ts";
import { htmlPage, longText, tableSection } from "../pages/html-page.ts";
import { colourStyle } from "@laconic/core/design";
import { analysisTables, analysisTitle, cutSaid, problemsText } from "./analysis-tables.ts";
import { drawSpeech, type SpeechPanel } from "./speech-drawing.ts";

/** An analysis as a page that needs nothing else. */
export function analysisHtml(plot: Plot, analysis: TeamAnalysis): string {
  const [summary, worth, said] = analysisTables(analysis);
  const extremes = analysis.extremes.map(
    ({ agent, text, value }) =>
      `<li>${formatShare(value, 0)} points: <b>${escapeHtml(agent)}</b> said “${longText(text)}”</li>`,
  );
  return htmlPage(
    analysisTitle(analysis),
    [
      `<p class="lead">${escapeHtml(problemsText(analysis))}</p>`,
      tableSection(summary, "summary"),
      speechFigure(plot, analysis),
      tableSection(worth, "worth", cutSaid(analysis)),
      extremes.length === 0 ? "" : `<ul>${extremes.join("")}</ul>`,
      tableSection(said, "said", `Shares of all messages of an agent, in ${analysis.problems} episodes.`),
    ].join("\n"),
  );
}

function speechFigure(plot: Plot, analysis: TeamAnalysis): string {
  const panels = panelsOf(analysis);
  const all = panels.flatMap(({ edges }) => edges);
  const figure = {
    id: "speech",
    title: "Who speaks to whom",
    level: 2 as const,
    whole: true,
    caption: "An arrow from who writes to who reads, as thick as what is read along it: tokens per episode.",
  };
  if (all.every(({ tokens }) => tokens === 0)) return figureOf({ ...figure, said: "Nobody reads anybody." });
  return figureOf({
    ...figure,
    description: descriptionOf(panels),
    draw: (size, texts) => drawSpeech(plot, analysis.agents, panels, size, texts),
    table: valuesTable(
      ["from", "to", ...panels.map(({ title }) => `${title}, tokens per episode`)],
      formatCells(
        [...new Map(all.map((edge) => [JSON.stringify([edge.from, edge.to]), edge])).values()].map(({ from, to }) => {
          const cells = panels.map(
            ({ edges }) => edges.find((edge) => edge.from === from && edge.to === to)?.tokens ?? 0,
          );
          return [from, to, ...cells];
        }),
      ),
      `Means over ${analysis.problems} episodes.`,
    ),
  });
}

export function speechFile(plot: Plot, analysis: TeamAnalysis): string {
  const panels = panelsOf(analysis);
  const { attributes, before } = svgTexts("speech", "Who speaks to whom", descriptionOf(panels));
  const style = `<style>${colourStyle()}</style><rect width="100%" height="100%" rx="10" fill="var(--panel)"/>`;
  const own = `xmlns="http://www.w3.org/2000/svg" font-family="system-ui,sans-serif"`;
  return `${drawSpeech(plot, analysis.agents, panels, "wide", { attributes: `${own} ${attributes}`, before: before + style })}\n`;
}

function panelsOf({ before, after, step }: TeamAnalysis): SpeechPanel[] {
  return [
    { title: "before training", edges: before.edges },
    { title: `step ${step}`, edges: after.edges },
  ];
}

function descriptionOf(panels: readonly SpeechPanel[]): string {
  return panels
    .map(
      ({ title, edges }) =>
        `${title}: ${edges.map(({ from, to, tokens }) => `${from} to ${to} ${formatNumber(tokens)} tokens`).join(", ")}.`,
    )
    .join(" ");
}
